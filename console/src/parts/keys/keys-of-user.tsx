/** The keys of a user. */
import { useLingui } from '@lingui/react/macro'
import type { UseQueryResult } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { ApiKey } from 'rollbook/client'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import { Records, WaitingTable } from '../../ui/records.tsx'
import { Section } from '../../ui/section.tsx'
import { KeyActions } from './key-actions.tsx'
import { useKeyColumns } from './key-cells.tsx'
import styles from './keys.module.css'

const RotateKeyDialog = lazy(() => import('./rotate-key-dialog.tsx'))
const RevokeKeyDialog = lazy(() => import('./revoke-key-dialog.tsx'))

type Props = {
  source: UseQueryResult<ApiKey[]>
  title: string
  description: string
  empty: string
  mayRevoke?: boolean
  mayRotate?: boolean
  actions: ReactNode
}

export function KeysOfUser({ source, title, description, empty, actions, ...allowed }: Props) {
  const { mayRevoke = true, mayRotate = false } = allowed
  const { t } = useLingui()
  const [rotated, setRotated] = useState<ApiKey>()
  const [revoked, setRevoked] = useState<ApiKey>()
  const { name, permissions, expires, lastUsed } = useKeyColumns()
  const columns: Column<ApiKey>[] = [name, permissions, expires, lastUsed]
  if (mayRevoke) {
    columns.push({
      label: t`Actions`,
      kind: 'actions',
      cell: (key) => (
        <KeyActions
          apiKey={key}
          onRotate={mayRotate ? () => setRotated(key) : undefined}
          onRevoke={() => setRevoked(key)}
        />
      ),
    })
  }
  return (
    <Section title={title} description={description} actions={actions}>
      <Records
        source={source}
        rows={source.data}
        problem={t`Could not load the keys.`}
        waiting={<WaitingTable rows={2} widths={['28%', '40%', '14%']} />}
        empty={<p className={styles.empty}>{empty}</p>}
      >
        {(keys) => <RecordTable rows={keys} keyOf={({ key_id }) => key_id} columns={columns} />}
      </Records>
      <Suspense fallback={null}>
        {rotated !== undefined && <RotateKeyDialog apiKey={rotated} onClose={() => setRotated(undefined)} />}
        {revoked !== undefined && <RevokeKeyDialog apiKey={revoked} onClose={() => setRevoked(undefined)} />}
      </Suspense>
    </Section>
  )
}
