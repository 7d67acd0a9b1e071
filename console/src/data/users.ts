/** The queries about one user. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { RollbookError } from 'rollbook/client'
import { api } from '../api/client.ts'

export const userKey = (user_id: string) => ['users', 'one', user_id] as const

export const userQuery = (user_id: string) =>
  queryOptions({ queryKey: userKey(user_id), queryFn: ({ signal }) => api.users.get(user_id, { signal }) })

export const sessionsQuery = (user_id: string) =>
  queryOptions({
    queryKey: [...userKey(user_id), 'sessions'],
    queryFn: ({ signal }) => api.sessions.listOf(user_id, { signal }),
  })

export const lockQuery = (user_id: string) =>
  queryOptions({
    queryKey: [...userKey(user_id), 'lock'],
    queryFn: ({ signal }) => api.users.lock(user_id, { signal }),
    // Waits start and end without a request from here. Read again when the first one ends.
    refetchInterval: ({ state: { data } }) => {
      const ends = (data?.waiting ?? []).map(({ until }) => (until === null ? 15_000 : Date.parse(until) - Date.now()))
      return Math.max(1000, Math.min(15_000, ...ends))
    },
  })

/** Whether the user can sign in, and if not, why. */
export const signInQuery = (user_id: string) =>
  queryOptions({
    queryKey: [...userKey(user_id), 'sign-in'],
    queryFn: ({ signal }) => api.users.signInState(user_id, { signal }),
    // Waits start and end without a request from here. Read again when this one ends.
    refetchInterval: ({ state: { data } }) => {
      const end = data?.until ? Date.parse(data.until) - Date.now() : 15_000
      return Math.max(1000, Math.min(15_000, end))
    },
  })

/** Below the key of the user: what changes the user may end the invitation. */
export const invitationQuery = (user_id: string) =>
  queryOptions({
    queryKey: [...userKey(user_id), 'invitation'],
    queryFn: ({ signal }) => api.users.invitation(user_id, { signal }),
  })

export const lockedKey = ['users', 'locked'] as const
const mostPages = 20

/** The IDs of all users who are locked now: few, unless the service is under attack. */
export const lockedQuery = queryOptions({
  queryKey: lockedKey,
  async queryFn({ signal }) {
    const ids: string[] = []
    let cursor: string | undefined
    for (let page = 0; page === 0 || (cursor !== undefined && page < mostPages); page += 1) {
      const query = { locked: true, limit: 1000, ...(cursor !== undefined && { cursor }) }
      const { users, next } = await api.users.page(query, { signal })
      ids.push(...users.map(({ user_id }) => user_id))
      cursor = next
    }
    return ids
  },
  refetchInterval: 30_000,
})

export const historyLimit = 25
export const historyQuery = (user_id: string) =>
  infiniteQueryOptions({
    queryKey: [...userKey(user_id), 'history'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      api.audit.pageOf(user_id, { limit: historyLimit, ...(pageParam !== '' && { cursor: pageParam }) }, { signal }),
    getNextPageParam: ({ next }) => next,
  })

/** Whether a missing user was deleted and can be restored. Asks with a dry run of the restoration. */
export const restorableQuery = (user_id: string) =>
  queryOptions({
    queryKey: ['deleted-users', 'restorable', user_id],
    async queryFn({ signal }) {
      try {
        return await api.users.restore(user_id, { dryRun: true, signal })
      } catch (error) {
        if (error instanceof RollbookError && error.code === 'user_not_found') return null
        throw error
      }
    },
  })

/** At most three users whose names are closest to `q`, for a search that found nothing. */
export const closestQuery = (q: string) =>
  queryOptions({
    queryKey: ['users', 'closest', q],
    queryFn: ({ signal }) => api.users.closest(q, { signal }),
    staleTime: 60_000,
    retry: false,
  })

/** How many deleted users match the same search. */
export const deletedMatchesQuery = (q: string) =>
  queryOptions({
    queryKey: ['deleted-users', 'matches', q],
    queryFn: async ({ signal }) => (await api.deletedUsers.page({ q, limit: 1, count: true }, { signal })).total ?? 0,
    staleTime: 60_000,
    retry: false,
  })

export function nameOf({ first_name, last_name }: { first_name: string; last_name: string }): string {
  return `${first_name} ${last_name}`.trim()
}
