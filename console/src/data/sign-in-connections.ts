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
