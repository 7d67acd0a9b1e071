import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { Organization } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { keysQuery } from '../../data/keys.ts'
import { useKeyColumns } from '../../parts/keys/key-cells.tsx'
import { Empty } from '../../ui/empty.tsx'
import { IconPlus } from '../../ui/icons.tsx'
import { RecordTable } from '../../ui/record-table.tsx'
import { Records, WaitingTable } from '../../ui/records.tsx'
import { Tab } from './tab.tsx'

const CreateKeyDialog = lazy(() => import('../../parts/keys/create-key-dialog.tsx'))

export function KeysTab({ organization: { organization_id } }: { organization: Organization }) {
  const { t } = useLingui()
  const query = useQuery(keysQuery)
  const mayWrite = useCan('keys:write')
  const [isCreating, setIsCreating] = useState(false)
  const { name, permissions, expires, lastUsed } = useKeyColumns()
  return (
    <Tab
      note={<Trans>Keys of programs that act for this organization. They are refused while it is disabled.</Trans>}
      actions={
        mayWrite && (
          <Button leftSection={<IconPlus />} onClick={() => setIsCreating(true)}>
            <Trans>Create key</Trans>
          </Button>
        )
      }
    >
      <Records
        source={query}
        rows={query.data?.filter((key) => key.organization_id === organization_id)}
        problem={t`Could not load the keys.`}
        waiting={<WaitingTable rows={2} widths={['28%', '40%']} />}
        empty={<Empty title={<Trans>No key belongs to it yet.</Trans>} />}
      >
        {(rows) => (
          <RecordTable rows={rows} keyOf={({ key_id }) => key_id} columns={[name, permissions, expires, lastUsed]} />
        )}
      </Records>
      <Suspense fallback={null}>
        {isCreating && <CreateKeyDialog organizationId={organization_id} onClose={() => setIsCreating(false)} />}
      </Suspense>
    </Tab>
  )
}
