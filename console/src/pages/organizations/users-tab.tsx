import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import type { Organization, User } from 'rollbook/client'
import { useCan, useCanEverywhere } from '../../api/me.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { usersOfAPage, usersOfOrganizationQuery } from '../../data/organizations.ts'
import { nameOf } from '../../data/users.ts'
import { SearchField } from '../../parts/user-list/search-field.tsx'
import { pressThere } from '../../shortcuts/shortcuts.ts'
import { Empty } from '../../ui/empty.tsx'
import { IconPlus } from '../../ui/icons.tsx'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import records from '../../ui/records.module.css'
import { Records, WaitingTable } from '../../ui/records.tsx'
import { Instant } from '../../ui/time.tsx'
import { Role, UserState } from '../../ui/user-state.tsx'

/** Its users, to find one; the list of users has filters and changes of many. */
export function UsersTab({ organization: { organization_id, name } }: { organization: Organization }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const [q, setQ] = useState<string>()
  const query = useInfiniteQuery(usersOfOrganizationQuery(organization_id, q))
  const users = query.data?.pages.flatMap((page) => page.users)
  const mayWrite = useCan('users:write')
  const list = useRef<HTMLDivElement>(null)
  const isOfAll = useCanEverywhere('users:read')
  /** Limited administrators see no other users there. */
  const search = isOfAll ? { organization: organization_id } : {}
  function create() {
    pressThere('c')
    void navigate({ to: '/users', search })
  }
  const columns: Column<User>[] = [
    { label: t`User`, kind: 'name', cell: (user) => <Name user={user} /> },
    { label: t`State`, cell: (user) => <UserState user={user} /> },
    { label: t`Role`, cell: ({ role }) => <Role role={role} /> },
    { label: t`Last sign-in`, cell: ({ last_login_at }) => <Instant value={last_login_at} never={t`Never`} /> },
  ]
  return (
    <>
      <Group gap={8} mb="md">
        <SearchField
          q={q}
          onDown={() => list.current?.querySelector<HTMLElement>('[data-opens]')?.focus()}
          onSearch={setQ}
        />
        <Button variant="default" onClick={() => void navigate({ to: '/users', search })}>
          <Trans>Open in the list of users</Trans>
        </Button>
        {mayWrite && (
          <Button leftSection={<IconPlus />} onClick={create}>
            <Trans>Create user</Trans>
          </Button>
        )}
        <ApiCallButton
          size="xs"
          calls={[{ operation: 'GET /users', query: { organization: organization_id, q, limit: usersOfAPage } }]}
        />
      </Group>
      <div ref={list} style={{ display: 'contents' }}>
        <Records
          source={query}
          rows={users}
          problem={t`Could not load the users.`}
          waiting={<WaitingTable rows={4} widths={['32%', '14%', '10%', '20%']} />}
          empty={
            <Empty
              title={
                q === undefined ? (
                  <Trans>
                    <bdi>{name}</bdi> has no users yet.
                  </Trans>
                ) : (
                  <Trans>No users match “{q}”.</Trans>
                )
              }
            />
          }
          more={{ label: <Trans>Show more users</Trans> }}
        >
          {(rows) => <RecordTable rows={rows} keyOf={({ user_id }) => user_id} columns={columns} isOpening />}
        </Records>
      </div>
    </>
  )
}

function Name({ user }: { user: User }) {
  const name = nameOf(user)
  return (
    <>
      <Link data-opens dir="auto" to="/users/$userId" params={{ userId: user.user_id }} className={records.name ?? ''}>
        {name || user.username}
      </Link>
      {name !== '' && (
        <div className={records.under}>
          <bdi>{user.username}</bdi>
        </div>
      )}
    </>
  )
}
