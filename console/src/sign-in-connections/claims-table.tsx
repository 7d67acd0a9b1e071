import { Trans, useLingui } from '@lingui/react/macro'
import type { SignInTrial } from 'rollbook/client'
import { type Column, plainLook, RecordTable } from '../ui/record-table.tsx'
import styles from './sign-in-connections.module.css'

type Claim = SignInTrial['claims'][number]

/** Claim by claim: what arrived, and what it means. The notes come from the service, in English. */
export function ClaimsTable({ claims }: { claims: readonly Claim[] }) {
  const { t } = useLingui()
  const columns: Column<Claim>[] = [
    {
      label: t`Claim`,
      kind: 'name',
      cell: ({ claim }) => (
        <code dir="ltr" className={styles.value}>
          {claim}
        </code>
      ),
    },
    {
      label: t`Value`,
      cell: ({ value }) =>
        value === null ? (
          <span className={styles.quiet}>
            <Trans>missing</Trans>
          </span>
        ) : (
          <code dir="ltr" className={styles.value}>
            {value}
          </code>
        ),
    },
    {
      label: t`Meaning`,
      cell: ({ note }) => (
        <span lang="en" dir="auto">
          {note}
        </span>
      ),
    },
  ]
  return (
    <RecordTable rows={claims} keyOf={({ claim }) => claim} columns={columns} look={plainLook} caption={t`Claims`} />
  )
}
