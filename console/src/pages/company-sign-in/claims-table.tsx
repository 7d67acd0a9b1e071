import { Trans, useLingui } from '@lingui/react/macro'
import type { SignInClaim } from 'rollbook/client'
import { type Column, plainLook, RecordTable } from '../../ui/record-table.tsx'
import { ServiceText } from '../../ui/service-text.tsx'
import { useNoteWords } from './note-words.ts'
import styles from './sign-in-connections.module.css'

/** Claim by claim: what arrived, and what it means. */
export function ClaimsTable({ claims }: { claims: readonly SignInClaim[] }) {
  const { t } = useLingui()
  const words = useNoteWords()
  const columns: Column<SignInClaim>[] = [
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
      cell: (claim) => words(claim) ?? <ServiceText>{claim.note}</ServiceText>,
    },
  ]
  return (
    <RecordTable rows={claims} keyOf={({ claim }) => claim} columns={columns} look={plainLook} caption={t`Claims`} />
  )
}
