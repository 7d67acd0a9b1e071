/** One's own data, for the download of the page and for the API: everything stored about the person, without secrets. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { timestamp } from '../../../lib/instant.ts'
import type { AuditRecord } from '../../../record/audit/schema.ts'
import { type AccountNeeds, readAccount, readAllActivity } from './account.ts'
import type { OwnData } from './schema.ts'

export async function readOwnData(needs: AccountNeeds, request: FastifyRequest, reply: FastifyReply): Promise<OwnData> {
  const { me, factors, sessions, trustedBrowsers, identities, keys } = await readAccount(needs, request)
  const records = await readAllActivity(needs, reply)
  return {
    created_at: timestamp(request.now),
    user: me,
    factors: factors.factors,
    recovery_codes: factors.recovery_codes,
    sessions,
    trusted_browsers: trustedBrowsers,
    identities,
    keys,
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
