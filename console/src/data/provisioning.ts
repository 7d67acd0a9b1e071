import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { useCan } from '../api/me.ts'

export const connectionsQuery = queryOptions({
  queryKey: ['provisioning'],
  queryFn: ({ signal }) => api.provisioning.list({ signal }),
  // An identity provider changes users while this page is open.
  refetchInterval: 10_000,
})

/** The name of the connection that manages a user; undefined if none does, or the viewer may not read it. */
export function useManagerName(connectionId: string | undefined): string | undefined {
  const mayRead = useCan('provisioning:read')
  const { data } = useQuery({
    ...connectionsQuery,
    enabled: mayRead && connectionId !== undefined,
    staleTime: 60_000,
    refetchInterval: false,
  })
  return data?.find(({ connection_id }) => connection_id === connectionId)?.name
}

export const connectionQuery = (connectionId: string) =>
  queryOptions({
    queryKey: ['provisioning', connectionId],
    queryFn: ({ signal }) => api.provisioning.get(connectionId, { signal }),
    refetchInterval: 10_000,
  })

export const rejectedQuery = (connectionId: string) =>
  queryOptions({
    queryKey: ['provisioning', connectionId, 'rejected'],
    queryFn: ({ signal }) => api.provisioning.rejectedRequests(connectionId, { limit: 200 }, { signal }),
    refetchInterval: 5000,
  })
