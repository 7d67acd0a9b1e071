import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import type { Group as UserGroup } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { groupsOfAPage, groupsQuery } from '../../data/groups.ts'
import { useOrganizationsInUse } from '../../data/organizations.ts'
import { type GroupsSearch, groupSorts, groupsSearch, usualSort } from '../../data/search/groups.ts'
import { Page } from '../../layout/page.tsx'
import { FileBadge } from '../../parts/managed/managed-by-file.tsx'
import { NamedList } from '../../parts/named-list/named-list.tsx'
import { MemberCount } from '../../parts/organizations/guests.tsx'
import { OrganizationFilter } from '../../parts/organizations/organization-filter.tsx'
import { OrganizationLink } from '../../parts/organizations/organization-link.tsx'
import { useShortcut } from '../../shortcuts/shortcuts.ts'
import { Empty } from '../../ui/empty.tsx'
import { IconPlus } from '../../ui/icons.tsx'
import { loadedAhead } from '../../ui/loaded-ahead.tsx'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import records from '../../ui/records.module.css'
import { Instant } from '../../ui/time.tsx'
import { Role } from '../../ui/user-state.tsx'
import styles from './groups.module.css'

const { Component: CreateGroupDialog, usePreload: usePreloadCreate } = loadedAhead(
  () => import('./create-group-dialog.tsx'),
)

const route = getRouteApi('/shell/groups')

export default function GroupsPage() {
  const { t } = useLingui()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useInfiniteQuery(groupsQuery(search))
  const groups = query.data?.pages.flatMap((page) => page.groups)
  const mayWrite = useCan('groups:write')
  const [isCreating, setIsCreating] = useState(false)
  usePreloadCreate()
  useShortcut('c', t`Create group`, () => setIsCreating(true), { opensField: true, isOn: mayWrite })
  const change = (next: { [Name in keyof GroupsSearch]: GroupsSearch[Name] | undefined }) =>
    void navigate({ search: (now) => groupsSearch({ ...now, ...next }), replace: true, resetScroll: false })
  const create = mayWrite && (
    <Button leftSection={<IconPlus />} onClick={() => setIsCreating(true)}>
      <Trans>Create group</Trans>
    </Button>
  )
  const isNone = groups?.length === 0 && search.q === undefined && search.organization === undefined
  return (
    <Page
      title={t`Groups`}
      description={
        <Trans>
          Members of a group have its role in addition to their own. Products see the names of a user’s groups.
        </Trans>
      }
      changes={['groups:write']}
      calls={[{ operation: 'GET /groups', query: { ...search, limit: groupsOfAPage } }]}
      actions={!isNone && create}
    >
      <NamedList
        search={search}
        onSearch={change}
        sorts={groupSorts}
        usualSort={usualSort}
        labels={{
          name: t`Name, A to Z`,
          '-name': t`Name, Z to A`,
          '-member_count': t`Most members first`,
          member_count: t`Fewest members first`,
          '-created_at': t`Created, newest first`,
          created_at: t`Created, oldest first`,
          search: t`Search groups`,
          problem: t`Could not load the groups.`,
          more: t`Show more groups`,
        }}
        filters={
          <OrganizationFilter
            organization={search.organization}
            isLabelHidden
            onChange={(organization) => change({ organization })}
          />
        }
        source={query}
        rows={groups}
        nothing={isNone ? <None create={create} /> : undefined}
        noMatch={<NoMatch q={search.q} />}
        count={<Plural value={groups?.length ?? 0} one="# group" other="# groups" />}
      >
        {(rows) => <GroupTable groups={rows} />}
      </NamedList>
      <Suspense fallback={null}>{isCreating && <CreateGroupDialog onClose={() => setIsCreating(false)} />}</Suspense>
    </Page>
  )
}

function None({ create }: { create: React.ReactNode }) {
  return (
    <Empty title={<Trans>There are no groups yet.</Trans>}>
      <p>
        <Trans>
          Create one for each team or department: its members get a role together, and lose it when they leave.
        </Trans>
      </p>
      {create}
    </Empty>
  )
}

function NoMatch({ q }: { q: string | undefined }) {
  return (
    <Empty>
      <p>{q === undefined ? <Trans>No groups match.</Trans> : <Trans>No groups match “{q}”.</Trans>}</p>
    </Empty>
  )
}

function GroupTable({ groups }: { groups: readonly UserGroup[] }) {
  const { t } = useLingui()
  const hasOrganizations = useOrganizationsInUse()
  const organization: Column<UserGroup> = {
    label: t`Organization`,
    cell: ({ organization_id }) => <OrganizationLink organizationId={organization_id} />,
  }
  const columns: Column<UserGroup>[] = [
    { label: t`Name`, kind: 'name', cell: (group) => <Name group={group} /> },
    {
      label: t`Role`,
      cell: ({ role }) => (role === null ? <span className={styles.quiet}>{t`No role`}</span> : <Role role={role} />),
    },
    {
      label: t`Members`,
      cell: (group) => <MemberCount group={group} />,
    },
    ...(hasOrganizations ? [organization] : []),
    { label: t`Created`, cell: ({ created_at }) => <Instant value={created_at} /> },
  ]
  return <RecordTable rows={groups} keyOf={({ group_id }) => group_id} columns={columns} isOpening />
}

function Name({ group }: { group: UserGroup }) {
  const { group_id: groupId, name, description } = group
  return (
    <>
      <Link data-opens dir="auto" to="/groups/$groupId" params={{ groupId }} className={records.name ?? ''}>
        {name}
      </Link>{' '}
      <FileBadge of={group} />
      {description !== '' && (
        <div className={records.under}>
          <bdi>{description}</bdi>
        </div>
      )}
    </>
  )
}
