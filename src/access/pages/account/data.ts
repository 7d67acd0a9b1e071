/** What the download of one's own data contains: everything stored about the person, without secrets. See docs/account-page.md. */
import { timestamp } from '../../../lib/instant.ts'
import type { AuditRecord } from '../../../record/audit/schema.ts'
import type { Account } from './account.ts'

export function personalData({ me, etag: _, ...account }: Account, records: readonly AuditRecord[], now: number) {
  const { factors, recovery_codes } = account.factors
  return {
    created_at: timestamp(now),
    user: me,
    factors,
    recovery_codes,
    sessions: account.sessions,
    trusted_browsers: account.trustedBrowsers,
    identities: account.identities,
    keys: account.keys,
    activity: records.map((record) => withoutOthers(record, me.user_id)),
  }
}

/** The address and browser of an administrator, or of a program, are not the person's data. */
function withoutOthers(record: AuditRecord, userId: string): AuditRecord {
  const { kind, id, acts_as } = record.actor
  const isOther =
    kind === 'api_key' || kind === 'service' || (kind === 'user' && (id !== userId || acts_as !== undefined))
  return isOther ? { ...record, address: null, user_agent: null } : record
}
