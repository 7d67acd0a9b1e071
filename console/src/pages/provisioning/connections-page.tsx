import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import type { ProvisioningConnection } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { useOrganizationsInUse } from '../../data/organizations.ts'
import { connectionsQuery } from '../../data/provisioning.ts'
import { Page } from '../../layout/page.tsx'
import { ProfileName } from '../../parts/connections/profile-name.tsx'
import { FileBadge } from '../../parts/managed/managed-by-file.tsx'
import { isOf, OrganizationFilter } from '../../parts/organizations/organization-filter.tsx'
import { OrganizationLink } from '../../parts/organizations/organization-link.tsx'
import { useShortcut } from '../../shortcuts/shortcuts.ts'
import { Empty } from '../../ui/empty.tsx'
import { IconPlus } from '../../ui/icons.tsx'
import { loadedAhead } from '../../ui/loaded-ahead.tsx'
import { formatNumber } from '../../ui/number.ts'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import records from '../../ui/records.module.css'
import { Records, WaitingTable } from '../../ui/records.tsx'
import { Instant } from '../../ui/time.tsx'

const { Component: CreateConnectionDialog, usePreload: usePreloadCreate } = loadedAhead(
  () => import('../../parts/connections/create-connection-dialog.tsx'),
)

export default function ConnectionsPage() {
  const { t } = useLingui()
  const query = useQuery(connectionsQuery)
  const mayWrite = useCan('provisioning:write')
  const mayUseScim = useCan('scim:write')
  const mayCreate = mayWrite && mayUseScim
  const [isCreating, setIsCreating] = useState(false)
  usePreloadCreate()
  useShortcut('c', t`Connect identity provider`, () => setIsCreating(true), { opensField: true, isOn: mayCreate })
  const create = mayCreate && (
    <Button leftSection={<IconPlus />} onClick={() => setIsCreating(true)}>
      <Trans>Connect identity provider</Trans>
    </Button>
  )
  return (
    <Page
      title={t`Provisioning`}
      description={
        <Trans>
          The company’s identity provider creates, changes and disables users here through SCIM 2.0, and manages groups.
        </Trans>
      }
      changes={['provisioning:write', 'scim:write']}
      calls={[{ operation: 'GET /provisioning' }]}
      actions={query.data !== undefined && query.data.length > 0 && create}
    >
      <Records
        source={query}
        rows={query.data}
        problem={t`Could not load the connections.`}
        waiting={<WaitingTable rows={3} widths={['35%', '20%']} />}
        empty={
          <Empty title={<Trans>No identity provider is connected yet.</Trans>}>
            <p>
              <Trans>
                Connect Okta, Microsoft Entra ID or another one, so that you need not create users by hand. People who
                leave the company lose access within a second.
              </Trans>
            </p>
            {create}
          </Empty>
        }
      >
        {(connections) => <ConnectionTable connections={connections} />}
      </Records>
      <Suspense fallback={null}>
        {isCreating && <CreateConnectionDialog onClose={() => setIsCreating(false)} />}
      </Suspense>
    </Page>
  )
}

function ConnectionTable({ connections: all }: { connections: readonly ProvisioningConnection[] }) {
  const { t, i18n } = useLingui()
  const hasOrganizations = useOrganizationsInUse()
  const [filter, setFilter] = useState<string>()
  const connections = all.filter((one) => isOf(filter, one))
  const organization: Column<ProvisioningConnection> = {
    label: t`Organization`,
    cell: ({ organization_id }) => <OrganizationLink organizationId={organization_id} />,
  }
  const columns: Column<ProvisioningConnection>[] = [
    {
      label: t`Name`,
      kind: 'name',
      cell: ({ connection_id: connectionId, name, managed_by }) => (
        <>
          <Link
            data-opens
            to="/provisioning/$connectionId"
            params={{ connectionId }}
            className={records.name ?? ''}
            dir="auto"
          >
            {name}
          </Link>{' '}
          <FileBadge of={{ managed_by }} />
        </>
      ),
    },
    { label: t`Identity provider`, cell: ({ profile }) => <ProfileName profile={profile} /> },
    ...(hasOrganizations ? [organization] : []),
    { label: t`Managed users`, cell: ({ user_count }) => formatNumber(user_count, i18n.locale) },
    {
      label: t`Last request`,
      className: records.nowrap,
      cell: ({ last_used_at }) => <Instant value={last_used_at} never={t`Never`} />,
    },
  ]
  return (
    <>
      <OrganizationFilter organization={filter} isLabelHidden onChange={setFilter} />
      <RecordTable rows={connections} keyOf={({ connection_id }) => connection_id} columns={columns} isOpening />
    </>
  )
}
