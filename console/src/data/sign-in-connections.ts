import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** All queries about sign-in connections. */
export const signInConnectionsKey = ['sign-in-connections'] as const

export const signInConnectionsQuery = queryOptions({
  queryKey: signInConnectionsKey,
  queryFn: ({ signal }) => api.connections.list({ signal }),
  // Users link accounts while an administrator looks at this.
  refetchInterval: 10_000,
})

export const signInConnectionQuery = (connectionId: string) =>
  queryOptions({
    queryKey: [...signInConnectionsKey, connectionId],
    queryFn: ({ signal }) => api.connections.get(connectionId, { signal }),
    refetchInterval: 10_000,
  })

export const failuresQuery = (connectionId: string) =>
  queryOptions({
    queryKey: [...signInConnectionsKey, connectionId, 'failures'],
    queryFn: ({ signal }) => api.connections.failures(connectionId, { signal }),
    // The administrator looks here while a user tries again.
    refetchInterval: 5000,
  })

export type Exception = { user_id: string; username: string }

/** A connection has at most 100 exceptions. A deleted user is shown by id. */
export const exceptionsQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['users', 'exceptions', ids],
    async queryFn({ signal }): Promise<Exception[]> {
      if (ids.length === 0) return []
      const { users } = await api.users.page({ user_id: [...ids], limit: ids.length }, { signal })
      const names = new Map(users.map(({ user_id, username }) => [user_id, username]))
      return ids.map((user_id) => ({ user_id, username: names.get(user_id) ?? user_id }))
    },
  })
