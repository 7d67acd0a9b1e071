/** Describes audit records in words. */

import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { AuditRecord } from 'rollbook/client'
import { recordWords } from './action-words.ts'
import { type Run, reasonOf } from './runs.ts'

/** What the service calls those who are outside the organization of a limited reader. */
const outsideAdministrator = 'an administrator of the service'

export function useRecordWords() {
  const { t, i18n } = useLingui()
  const wordsOf = (record: AuditRecord) => {
    const words = recordWords(record)
    return words === undefined ? record.action : i18n._(words)
  }
  return {
    /** One event, or a number of them: `14 sign-ins refused`. */
    event({ records }: Run): string {
      const [record] = records
      const count = records.length
      if (count === 1) return wordsOf(record)
      const isRefused = record.outcome !== 'success'
      switch (record.action) {
        case 'session.created':
          return isRefused
            ? t`${plural(count, { one: '# sign-in refused', other: '# sign-ins refused' })}`
            : t`${plural(count, { one: '# sign-in', other: '# sign-ins' })}`
        case 'authorization.refused':
          return t`${plural(count, { one: '# request refused', other: '# requests refused' })}`
        case 'user.created':
          return t`${plural(count, { one: '# user created', other: '# users created' })}`
        case 'user.deleted':
          return t`${plural(count, { one: '# user deleted', other: '# users deleted' })}`
        default: {
          const words = wordsOf(record)
          return t`${words}, ${plural(count, { one: '# time', other: '# times' })}`
        }
      }
    },
    /** The reason of a refusal in words, or else its code. Undefined if the action succeeded. */
    reason(record: AuditRecord): string | undefined {
      if (record.outcome === 'success') return undefined
      const reason = reasonOf(record)
      const words: Record<string, string> = {
        wrong_password: t`wrong password`,
        unknown_user: t`unknown user`,
        user_inactive: t`user disabled`,
        user_expired: t`access ended`,
        no_password: t`no password`,
        locked: t`too many attempts`,
      }
      return words[reason ?? ''] ?? reason ?? record.code ?? undefined
    },
    actor({ actor: { kind, id, name } }: Pick<AuditRecord, 'actor'>): string {
      const label = name ?? id
      if (kind === 'anonymous') return t`Not signed in`
      if (kind === 'system') return t`System`
      if (kind === 'setup_link') return t`IT administrator by setup link`
      if (name === outsideAdministrator) return t`An administrator of the service`
      return kind === 'api_key' ? t`API key ${label}` : label
    },
  }
}
