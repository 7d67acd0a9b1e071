/** The personal keys of a user, on the user's page and on the viewer's own. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { ApiKey } from 'rollbook/client'
import { type Column, RecordTable } from '../ui/record-table.tsx'
import { Records, WaitingTable } from '../ui/records.tsx'
import { Section } from '../ui/section.tsx'
import { useKeyColumns } from './key-cells.tsx'
import styles from './keys-page.module.css'

const RevokeKeyDialog = lazy(() => import('./revoke-key-dialog.tsx'))

type Props = {
  source: UseQueryResult<ApiKey[]>
  description: string
  empty: string
  /** Whether these are the viewer's. */
  isOwn?: boolean
  mayRevoke?: boolean
  actions: ReactNode
}

export function PersonalKeys({ source, description, empty, isOwn = false, mayRevoke = true, actions }: Props) {
  const { t } = useLingui()
  const [revoked, setRevoked] = useState<ApiKey>()
  const { name, permissions, expires, lastUsed } = useKeyColumns()
  const columns: Column<ApiKey>[] = [name, permissions, expires, lastUsed]
  if (mayRevoke) {
    columns.push({
      label: t`Actions`,
      kind: 'actions',
      cell: (key) => <RevokeButton name={key.name} onClick={() => setRevoked(key)} />,
    })
  }
  return (
    <Section title={t`Personal keys`} description={description} actions={actions}>
      <Records
        source={source}
        rows={source.data}
        problem={t`The keys could not be read.`}
        waiting={<WaitingTable rows={2} widths={['28%', '40%', '14%']} />}
        empty={<p className={styles.empty}>{empty}</p>}
      >
        {(keys) => <RecordTable rows={keys} keyOf={({ key_id }) => key_id} columns={columns} />}
      </Records>
      <Suspense fallback={null}>
        {revoked !== undefined && (
          <RevokeKeyDialog apiKey={revoked} isOwn={isOwn} onClose={() => setRevoked(undefined)} />
        )}
      </Suspense>
    </Section>
  )
}

function RevokeButton({ name, onClick }: { name: string; onClick: () => void }) {
  const { t } = useLingui()
  return (
    <Button size="compact-sm" variant="subtle" color="var(--rb-fault)" aria-label={t`Revoke ${name}`} onClick={onClick}>
      <Trans>Revoke</Trans>
    </Button>
  )
}
