/** Users whose names match, the closest ones if none does, and the lists that the text can be searched in. */
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Me, User } from 'rollbook/client'
import { api } from '../api/client.ts'
import { can } from '../api/me.ts'
import { nameOf } from '../data/users.ts'
import { AccountState } from '../parts/user-details/account-state.tsx'
import { useNearMisses } from '../parts/user-finder/near-misses.tsx'
import { IconSearch, IconTrash, IconUsers } from '../ui/icons.tsx'
import { Role } from '../ui/user-state.tsx'
import type { Entry } from './entry.ts'

const pauseMs = 100
const mostUsers = 8

type UserEntries = { found: Entry[]; closest: Entry[]; searches: Entry[]; isReading: boolean }

const none: UserEntries = { found: [], closest: [], searches: [], isReading: false }

/** Searches once typing pauses. Never the results of an earlier text: Enter would open the wrong user. */
export function useUserEntries(q: string, me: Me): UserEntries {
  const { t } = useLingui()
  const navigate = useNavigate()
  const [query] = useDebouncedValue(q, pauseMs)
  const isOn = can(me, 'users:read')
  const { data, isFetching } = useQuery({
    queryKey: ['users', 'palette', query],
    queryFn: ({ signal }) => api.users.page({ q: query, limit: mostUsers }, { signal }),
    enabled: isOn && query !== '',
    staleTime: 10_000,
    retry: false,
  })
  const isCurrent = query === q
  const near = useNearMisses(q, isOn && isCurrent && data?.users.length === 0)
  if (!isOn || q === '') return none
  const entryOf = (user: User): Entry => ({
    id: user.user_id,
    label: nameOf(user) || user.username,
    note: [nameOf(user) && user.username, user.email].filter(Boolean).join(' · ') || undefined,
    extra: (
      <>
        <Role role={user.role} />
        <AccountState user={user} />
      </>
    ),
    icon: <IconUsers />,
    run: () => void navigate({ to: '/users/$userId', params: { userId: user.user_id } }),
  })
  const inList: Entry = {
    id: 'search',
    label: t`Show all users with “${q}”`,
    icon: <IconSearch />,
    run: () => void navigate({ to: '/users', search: { q } }),
  }
  const inDeleted: Entry = {
    id: 'deleted',
    label: plural(near.deleted, { one: '# deleted user matches', other: '# deleted users match' }),
    icon: <IconTrash />,
    run: () => void navigate({ to: '/deleted-users', search: { q } }),
  }
  return {
    found: isCurrent ? (data?.users ?? []).map(entryOf) : [],
    closest: near.closest.map(entryOf),
    searches: [...(near.deleted > 0 ? [inDeleted] : []), inList],
    isReading: !isCurrent || (isFetching && data === undefined),
  }
}
