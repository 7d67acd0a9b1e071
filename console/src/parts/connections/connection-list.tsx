/** The connections of one kind: all of them, with a filter by organization, or those of one organization. */
import { Trans, useLingui } from '@lingui/react/macro'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { ProvisioningConnection, SignInConnection } from 'rollbook/client'
import { useOrganizationsInUse } from '../../data/organizations.ts'
import { connectionsQuery } from '../../data/provisioning.ts'
import { signInConnectionsQuery } from '../../data/sign-in-connections.ts'
import { formatNumber } from '../../ui/number.ts'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import records from '../../ui/records.module.css'
import { Records, WaitingTable } from '../../ui/records.tsx'
import { State } from '../../ui/state.tsx'
import { Instant } from '../../ui/time.tsx'
import { FileBadge } from '../managed/managed-by-file.tsx'
import { isOf, OrganizationFilter } from '../organizations/organization-filter.tsx'
import { OrganizationLink } from '../organizations/organization-link.tsx'
import { ProfileName } from './profile-name.tsx'
import { ProviderName } from './provider-name.tsx'

type ListProps = {
  /** The organization whose connections are listed. Missing: of all. */
  organizationId?: string
  empty: ReactNode
}

export function SignInConnections(props: ListProps) {
  const { t, i18n } = useLingui()
  const columns: Column<SignInConnection>[] = [
    { label: t`State`, cell: ({ active }) => <ConnectionState active={active} /> },
    { label: t`Position`, cell: ({ position }) => formatNumber(position, i18n.locale) },
    { label: t`Linked users`, cell: ({ identity_count }) => formatNumber(identity_count, i18n.locale) },
    {
      label: t`Last failure`,
      className: records.nowrap,
      cell: ({ last_failed_at }) => <Instant value={last_failed_at} never={t`None`} />,
    },
  ]
  const provider = { label: t`Provider`, cell: (one: SignInConnection) => <ProviderName {...one} /> }
  const query = useQuery(signInConnectionsQuery)
  return <List {...props} page="/sign-in-connections/$connectionId" query={query} first={provider} columns={columns} />
}

export function ProvisioningConnections(props: ListProps) {
  const { t, i18n } = useLingui()
  const columns: Column<ProvisioningConnection>[] = [
    { label: t`Managed users`, cell: ({ user_count }) => formatNumber(user_count, i18n.locale) },
    {
      label: t`Last request`,
      className: records.nowrap,
      cell: ({ last_used_at }) => <Instant value={last_used_at} never={t`Never`} />,
    },
  ]
  const provider = {
    label: t`Identity provider`,
    cell: ({ profile }: ProvisioningConnection) => <ProfileName profile={profile} />,
  }
  const query = useQuery(connectionsQuery)
  return <List {...props} page="/provisioning/$connectionId" query={query} first={provider} columns={columns} />
}

type Connection = Pick<
  SignInConnection | ProvisioningConnection,
  'connection_id' | 'name' | 'organization_id' | 'managed_by'
>
type Props<One> = ListProps & {
  query: UseQueryResult<One[]>
  page: '/sign-in-connections/$connectionId' | '/provisioning/$connectionId'
  /** Before the organization, and after it. */
  first: Column<One>
  columns: Column<One>[]
}

function List<One extends Connection>({ organizationId, query, page, first, columns, empty }: Props<One>) {
  const { t } = useLingui()
  const hasOrganizations = useOrganizationsInUse() && organizationId === undefined
  const [filter, setFilter] = useState<string>()
  const name: Column<One> = {
    label: t`Name`,
    kind: 'name',
    cell: ({ connection_id: connectionId, name, managed_by }) => (
      <>
        <Link data-opens to={page} params={{ connectionId }} className={records.name ?? ''} dir="auto">
          {name}
        </Link>{' '}
        <FileBadge of={{ managed_by }} />
      </>
    ),
  }
  const organization: Column<One> = {
    label: t`Organization`,
    cell: ({ organization_id }) => <OrganizationLink organizationId={organization_id} />,
  }
  const all = [name, first, ...(hasOrganizations ? [organization] : []), ...columns]
  return (
    <Records
      source={query}
      rows={query.data?.filter((one) => isOf(organizationId, one))}
      problem={t`Could not load the connections.`}
      waiting={<WaitingTable rows={3} widths={['35%', '20%']} />}
      empty={empty}
    >
      {(rows) => (
        <>
          {hasOrganizations && <OrganizationFilter organization={filter} isLabelHidden onChange={setFilter} />}
          <RecordTable
            rows={rows.filter((one) => isOf(filter, one))}
            keyOf={({ connection_id }) => connection_id}
            columns={all}
            isOpening
          />
        </>
      )}
    </Records>
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
