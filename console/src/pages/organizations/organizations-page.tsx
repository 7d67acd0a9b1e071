import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import type { Organization } from 'rollbook/client'
import { useCanEverywhere } from '../../api/me.ts'
import { organizationsOfAPage, organizationsQuery } from '../../data/organizations.ts'
import {
  type OrganizationsSearch,
  organizationSorts,
  organizationsSearch,
  usualSort,
} from '../../data/search/organizations.ts'
import { Page } from '../../layout/page.tsx'
import { FileBadge } from '../../parts/managed/managed-by-file.tsx'
import { NamedList } from '../../parts/named-list/named-list.tsx'
import { useShortcut } from '../../shortcuts/shortcuts.ts'
import { Empty } from '../../ui/empty.tsx'
import { IconPlus } from '../../ui/icons.tsx'
import { loadedAhead } from '../../ui/loaded-ahead.tsx'
import { formatNumber } from '../../ui/number.ts'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import records from '../../ui/records.module.css'
import { Instant } from '../../ui/time.tsx'
import { Active } from '../../ui/user-state.tsx'

const { Component: CreateOrganizationDialog, usePreload: usePreloadCreate } = loadedAhead(
  () => import('./create-organization-dialog.tsx'),
)

const route = getRouteApi('/shell/organizations')

export default function OrganizationsPage() {
  const { t } = useLingui()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useInfiniteQuery(organizationsQuery(search))
  const organizations = query.data?.pages.flatMap((page) => page.organizations)
  const mayWrite = useCanEverywhere('organizations:write')
  const [isCreating, setIsCreating] = useState(false)
  usePreloadCreate()
  useShortcut('c', t`Create organization`, () => setIsCreating(true), { opensField: true, isOn: mayWrite })
  const change = (next: { [Name in keyof OrganizationsSearch]: OrganizationsSearch[Name] | undefined }) =>
    void navigate({ search: (now) => organizationsSearch({ ...now, ...next }), replace: true, resetScroll: false })
  const create = mayWrite && (
    <Button leftSection={<IconPlus />} onClick={() => setIsCreating(true)}>
      <Trans>Create organization</Trans>
    </Button>
  )
  const isNone = organizations?.length === 0 && search.q === undefined
  return (
    <Page
      title={t`Organizations`}
      description={
        <Trans>
          For customers that are companies: each has its own people, groups and sign-in, and administrators who see
          nothing else.
        </Trans>
      }
      changes={['organizations:write']}
      calls={[{ operation: 'GET /organizations', query: { ...search, limit: organizationsOfAPage } }]}
      actions={!isNone && create}
    >
      <NamedList
        search={search}
        onSearch={change}
        sorts={organizationSorts}
        usualSort={usualSort}
        labels={{
          name: t`Name, A to Z`,
          '-name': t`Name, Z to A`,
          '-created_at': t`Created, newest first`,
          created_at: t`Created, oldest first`,
          search: t`Search organizations`,
          problem: t`Could not load the organizations.`,
          more: t`Show more organizations`,
        }}
        source={query}
        rows={organizations}
        nothing={isNone ? <None create={create} /> : undefined}
        noMatch={<NoMatch q={search.q} />}
        count={<Plural value={organizations?.length ?? 0} one="# organization" other="# organizations" />}
      >
        {(rows) => <OrganizationTable organizations={rows} />}
      </NamedList>
      <Suspense fallback={null}>
        {isCreating && <CreateOrganizationDialog onClose={() => setIsCreating(false)} />}
      </Suspense>
    </Page>
  )
}

function None({ create }: { create: React.ReactNode }) {
  return (
    <Empty title={<Trans>There are no organizations yet.</Trans>}>
      <p>
        <Trans>
          Create one for each company that is your customer. A role whose permissions are limited to the own
          organization lets its administrators manage their own people.
        </Trans>
      </p>
      {create}
    </Empty>
  )
}

function NoMatch({ q }: { q: string | undefined }) {
  return (
    <Empty>
      <p>
        <Trans>No organizations match “{q}”.</Trans>
      </p>
    </Empty>
  )
}

function OrganizationTable({ organizations }: { organizations: readonly Organization[] }) {
  const { t, i18n } = useLingui()
  const number = (value: number) => <span className={records.number}>{formatNumber(value, i18n.locale)}</span>
  const columns: Column<Organization>[] = [
    { label: t`Name`, kind: 'name', cell: (organization) => <Name organization={organization} /> },
    { label: t`State`, cell: ({ active }) => <Active active={active} /> },
    { label: t`Users`, cell: ({ user_count }) => number(user_count) },
    { label: t`Groups`, cell: ({ group_count }) => number(group_count) },
    { label: t`Created`, cell: ({ created_at }) => <Instant value={created_at} /> },
  ]
  return (
    <RecordTable rows={organizations} keyOf={({ organization_id }) => organization_id} columns={columns} isOpening />
  )
}

function Name({ organization }: { organization: Organization }) {
  const { organization_id: organizationId, name, domains } = organization
  const verified = domains.filter(({ verified_at }) => verified_at !== null)
  return (
    <>
      <Link
        data-opens
        dir="auto"
        to="/organizations/$organizationId"
        params={{ organizationId }}
        className={records.name ?? ''}
      >
        {name}
      </Link>{' '}
      <FileBadge of={organization} />
      {verified.length > 0 && (
        <div className={records.under} dir="ltr">
          {verified.map(({ domain }) => domain).join(', ')}
        </div>
      )}
    </>
  )
}
