import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, NativeSelect } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Suspense, useRef, useState } from 'react'
import type { Group as UserGroup } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { type GroupSort, groupsOfAPage, groupsQuery } from '../../data/groups.ts'
import { useOrganizationsInUse } from '../../data/organizations.ts'
import { type GroupsSearch, groupSorts, groupsSearch, usualSort } from '../../data/search/groups.ts'
import { Page } from '../../layout/page.tsx'
import { FileBadge } from '../../parts/managed/managed-by-file.tsx'
import { MemberCount } from '../../parts/organizations/guests.tsx'
import { OrganizationFilter } from '../../parts/organizations/organization-filter.tsx'
import { OrganizationLink } from '../../parts/organizations/organization-link.tsx'
import { SearchField } from '../../parts/user-list/search-field.tsx'
import { useShortcut } from '../../shortcuts/shortcuts.ts'
import { Empty } from '../../ui/empty.tsx'
import { IconPlus } from '../../ui/icons.tsx'
import { loadedAhead } from '../../ui/loaded-ahead.tsx'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import records from '../../ui/records.module.css'
import { Records, WaitingTable } from '../../ui/records.tsx'
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
  const list = useRef<HTMLDivElement>(null)
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
      {!isNone && (
        <Group gap={8}>
          <SearchField
            q={search.q}
            label={t`Search groups`}
            placeholder={t`Search by name`}
            isPrefixed={false}
            onDown={() => list.current?.querySelector<HTMLElement>('[data-opens]')?.focus()}
            onSearch={(q) => change({ q })}
          />
          <OrganizationFilter
            organization={search.organization}
            isLabelHidden
            onChange={(organization) => change({ organization })}
          />
          <Order sort={search.sort ?? usualSort} onChange={(sort) => change({ sort })} />
        </Group>
      )}
      <div ref={list} style={{ display: 'contents' }}>
        <Records
          source={query}
          rows={groups}
          problem={t`Could not load the groups.`}
          waiting={<WaitingTable rows={4} widths={['32%', '14%', '10%', '20%']} />}
          empty={
            <Empty>
              {isNone ? (
                <>
                  <strong>
                    <Trans>There are no groups yet.</Trans>
                  </strong>
                  <p>
                    <Trans>
                      Create one for each team or department: its members get a role together, and lose it when they
                      leave.
                    </Trans>
                  </p>
                  {create}
                </>
              ) : (
                <p>
                  {search.q === undefined ? (
                    <Trans>No groups match.</Trans>
                  ) : (
                    <Trans>No groups match “{search.q}”.</Trans>
                  )}
                </p>
              )}
            </Empty>
          }
          more={{ label: <Trans>Show more groups</Trans> }}
        >
          {(rows) => <GroupTable groups={rows} />}
        </Records>
      </div>
      <p className="visually-hidden" role="status">
        {search.q !== undefined && groups !== undefined && (
          <Plural value={groups.length} one="# group" other="# groups" />
        )}
      </p>
      <Suspense fallback={null}>{isCreating && <CreateGroupDialog onClose={() => setIsCreating(false)} />}</Suspense>
    </Page>
  )
}

function Order({ sort, onChange }: { sort: GroupSort; onChange: (sort: GroupSort | undefined) => void }) {
  const { t } = useLingui()
  const labels: Record<GroupSort, string> = {
    name: t`Name, A to Z`,
    '-name': t`Name, Z to A`,
    '-member_count': t`Most members first`,
    member_count: t`Fewest members first`,
    '-created_at': t`Created, newest first`,
    created_at: t`Created, oldest first`,
  }
  return (
    <NativeSelect
      aria-label={t`Order`}
      value={sort}
      data={groupSorts.map((value) => ({ value, label: labels[value] }))}
      onChange={({ currentTarget: { value } }) => onChange(groupSorts.find((one) => one === value))}
    />
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
