import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export const connectionsQuery = queryOptions({
  queryKey: ['provisioning'],
  queryFn: ({ signal }) => api.provisioning.list({ signal }),
  // An identity provider changes users while this page is open.
  refetchInterval: 10_000,
})

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
