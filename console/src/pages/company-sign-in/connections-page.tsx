import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { SignInConnection } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { useOrganizationsInUse } from '../../data/organizations.ts'
import { signInConnectionsQuery } from '../../data/sign-in-connections.ts'
import { Page } from '../../layout/page.tsx'
import { FileBadge } from '../../parts/managed/managed-by-file.tsx'
import { isOf, OrganizationFilter } from '../../parts/organizations/organization-filter.tsx'
import { OrganizationLink } from '../../parts/organizations/organization-link.tsx'
import { useShortcut } from '../../shortcuts/shortcuts.ts'
import { Empty } from '../../ui/empty.tsx'
import { IconPlus } from '../../ui/icons.tsx'
import { formatNumber } from '../../ui/number.ts'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import records from '../../ui/records.module.css'
import { Records, WaitingTable } from '../../ui/records.tsx'
import { State } from '../../ui/state.tsx'
import { Instant } from '../../ui/time.tsx'
import { ProviderName } from './provider-name.tsx'

export default function ConnectionsPage() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const query = useQuery(signInConnectionsQuery)
  const mayWrite = useCan('connections:write')
  const open = () => void navigate({ to: '/sign-in-connections/new' })
  useShortcut('c', t`Connect identity provider`, open, { opensField: true, isOn: mayWrite })
  const create = mayWrite && (
    <Button leftSection={<IconPlus />} onClick={open}>
      <Trans>Connect identity provider</Trans>
    </Button>
  )
  return (
    <Page
      title={t`Company sign-in`}
      description={
        <Trans>
          Users sign in with the account that they have: through OpenID Connect, GitHub, SAML or a directory.
        </Trans>
      }
      changes={['connections:write']}
      calls={[{ operation: 'GET /connections' }]}
      actions={query.data !== undefined && query.data.length > 0 && create}
    >
      <Records
        source={query}
        rows={query.data}
        problem={t`Could not load the connections.`}
        waiting={<WaitingTable rows={3} widths={['35%', '20%']} />}
        empty={
          <Empty title={<Trans>Users sign in with their password only.</Trans>}>
            <p>
              <Trans>
                Connect the company’s identity provider or directory. It takes about ten minutes: copy addresses to the
                provider, enter its values here, test, and activate.
              </Trans>
            </p>
            {create}
          </Empty>
        }
      >
        {(connections) => <ConnectionTable connections={connections} />}
      </Records>
    </Page>
  )
}

function ConnectionTable({ connections: all }: { connections: readonly SignInConnection[] }) {
  const { t, i18n } = useLingui()
  const hasOrganizations = useOrganizationsInUse()
  const [filter, setFilter] = useState<string>()
  const connections = all.filter((one) => isOf(filter, one))
  const organization: Column<SignInConnection> = {
    label: t`Organization`,
    cell: ({ organization_id }) => <OrganizationLink organizationId={organization_id} />,
  }
  const columns: Column<SignInConnection>[] = [
    {
      label: t`Name`,
      kind: 'name',
      cell: ({ connection_id: connectionId, name, managed_by }) => (
        <>
          <Link
            data-opens
            to="/sign-in-connections/$connectionId"
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
    { label: t`Provider`, cell: (connection) => <ProviderName {...connection} /> },
    ...(hasOrganizations ? [organization] : []),
    { label: t`State`, cell: ({ active }) => <ConnectionState active={active} /> },
    { label: t`Position`, cell: ({ position }) => formatNumber(position, i18n.locale) },
    { label: t`Linked users`, cell: ({ identity_count }) => formatNumber(identity_count, i18n.locale) },
    {
      label: t`Last failure`,
      className: records.nowrap,
      cell: ({ last_failed_at }) => <Instant value={last_failed_at} never={t`None`} />,
    },
  ]
  return (
    <>
      <OrganizationFilter organization={filter} isLabelHidden onChange={setFilter} />
      <RecordTable rows={connections} keyOf={({ connection_id }) => connection_id} columns={columns} isOpening />
    </>
  )
}

export function ConnectionState({ active }: Pick<SignInConnection, 'active'>) {
  return active ? (
    <State kind="good">
      <Trans>Active</Trans>
    </State>
  ) : (
    <State kind="off">
      <Trans>Inactive</Trans>
    </State>
  )
}
