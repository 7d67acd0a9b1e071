import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { Organization, ProvisioningConnection } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { connectionsQuery } from '../../data/provisioning.ts'
import { ProfileName } from '../../parts/connections/profile-name.tsx'
import { Empty } from '../../ui/empty.tsx'
import { IconPlus } from '../../ui/icons.tsx'
import { formatNumber } from '../../ui/number.ts'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import records from '../../ui/records.module.css'
import { Records, WaitingTable } from '../../ui/records.tsx'
import { Instant } from '../../ui/time.tsx'
import { Tab } from './tab.tsx'

const CreateConnectionDialog = lazy(() => import('../../parts/connections/create-connection-dialog.tsx'))

export function ProvisioningTab({ organization: { organization_id, name } }: { organization: Organization }) {
  const { t, i18n } = useLingui()
  const query = useQuery(connectionsQuery)
  const mayWrite = useCan('provisioning:write')
  const mayUseScim = useCan('scim:write')
  const [isCreating, setIsCreating] = useState(false)
  const columns: Column<ProvisioningConnection>[] = [
    {
      label: t`Name`,
      kind: 'name',
      cell: ({ connection_id: connectionId, name }) => (
        <Link
          data-opens
          dir="auto"
          to="/provisioning/$connectionId"
          params={{ connectionId }}
          className={records.name ?? ''}
        >
          {name}
        </Link>
      ),
    },
    { label: t`Identity provider`, cell: ({ profile }) => <ProfileName profile={profile} /> },
    { label: t`Managed users`, cell: ({ user_count }) => formatNumber(user_count, i18n.locale) },
    { label: t`Last request`, cell: ({ last_used_at }) => <Instant value={last_used_at} never={t`Never`} /> },
  ]
  return (
    <Tab
      note={<Trans>Users and groups that its identity provider creates belong to this organization.</Trans>}
      actions={
        mayWrite &&
        mayUseScim && (
          <Button leftSection={<IconPlus />} onClick={() => setIsCreating(true)}>
            <Trans>Connect identity provider</Trans>
          </Button>
        )
      }
    >
      <Records
        source={query}
        rows={query.data?.filter((one) => one.organization_id === organization_id)}
        problem={t`Could not load the connections.`}
        waiting={<WaitingTable rows={2} widths={['35%', '20%']} />}
        empty={<Empty title={<Trans>No connection for provisioning belongs to it yet.</Trans>} />}
      >
        {(rows) => <RecordTable rows={rows} keyOf={({ connection_id }) => connection_id} columns={columns} isOpening />}
      </Records>
      <Suspense fallback={null}>
        {isCreating && (
          <CreateConnectionDialog
            initial={{ name, profile: 'entra', organization: organization_id }}
            onClose={() => setIsCreating(false)}
          />
        )}
      </Suspense>
    </Tab>
  )
}
