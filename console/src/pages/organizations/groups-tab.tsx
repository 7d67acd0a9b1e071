import { Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Group, Organization } from 'rollbook/client'
import { ApiCallButton } from '../../api-call/button.tsx'
import { groupsOfAPage, groupsQuery } from '../../data/groups.ts'
import { MemberCount } from '../../parts/organizations/guests.tsx'
import { Empty } from '../../ui/empty.tsx'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import records from '../../ui/records.module.css'
import { Records, WaitingTable } from '../../ui/records.tsx'
import { Role } from '../../ui/user-state.tsx'
import { Tab } from './tab.tsx'

export function GroupsTab({ organization: { organization_id } }: { organization: Organization }) {
  const { t } = useLingui()
  const query = useInfiniteQuery(groupsQuery({ organization: organization_id }))
  const columns: Column<Group>[] = [
    {
      label: t`Name`,
      kind: 'name',
      cell: ({ group_id: groupId, name }) => (
        <Link data-opens dir="auto" to="/groups/$groupId" params={{ groupId }} className={records.name ?? ''}>
          {name}
        </Link>
      ),
    },
    { label: t`Role`, cell: ({ role }) => (role === null ? t`No role` : <Role role={role} />) },
    { label: t`Members`, cell: (group) => <MemberCount group={group} /> },
  ]
  return (
    <Tab
      note={<Trans>Its groups. Users from elsewhere can be members: that gives access, and never ownership.</Trans>}
      actions={
        <ApiCallButton
          size="xs"
          calls={[{ operation: 'GET /groups', query: { organization: organization_id, limit: groupsOfAPage } }]}
        />
      }
    >
      <Records
        source={query}
        rows={query.data?.pages.flatMap((page) => page.groups)}
        problem={t`Could not load the groups.`}
        waiting={<WaitingTable rows={3} widths={['32%', '14%']} />}
        empty={<Empty title={<Trans>No group belongs to it yet.</Trans>} />}
        more={{ label: <Trans>Show more groups</Trans> }}
      >
        {(rows) => <RecordTable rows={rows} keyOf={({ group_id }) => group_id} columns={columns} isOpening />}
      </Records>
    </Tab>
  )
}
