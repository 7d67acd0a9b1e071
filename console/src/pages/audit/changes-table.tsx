/** Before → after, member by member. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { AuditRecord } from 'rollbook/client'
import { MemberName } from '../../parts/audit/member-name.tsx'
import { AuditValue } from '../../ui/user-state.tsx'
import styles from './changes-table.module.css'
import { changesOf } from './values.ts'

export function ChangesTable({ changes }: { changes: AuditRecord['changes'] }) {
  const { t } = useLingui()
  const rows = changesOf(changes)
  if (rows.length === 0) return null
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">{t`What was changed`}</caption>
      <thead>
        <tr>
          <th scope="col">
            <Trans>Field</Trans>
          </th>
          <th scope="col">
            <Trans>Before</Trans>
          </th>
          <th scope="col">
            <Trans>After</Trans>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ member, before, after, isSecret }) => (
          <tr key={member}>
            <th scope="row">
              <MemberName member={member} />
            </th>
            {isSecret ? (
              <td colSpan={2} className={styles.quiet}>
                <Trans>changed; the value is a secret</Trans>
              </td>
            ) : (
              <>
                <td className={before === undefined ? styles.quiet : styles.before}>
                  <AuditValue member={member} value={before}>
                    {before ?? t`nothing`}
                  </AuditValue>
                </td>
                <td className={after === undefined ? styles.quiet : styles.after}>
                  <AuditValue member={member} value={after}>
                    {after ?? t`nothing`}
                  </AuditValue>
                </td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
