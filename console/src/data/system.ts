import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export const deploymentQuery = queryOptions({
  queryKey: ['deployment'],
  queryFn: ({ signal }) => api.deployment({ signal }),
  staleTime: 5_000,
  refetchInterval: 15_000,
})

/** For users who may rotate the keys; others see the published keys. */
export const signingKeysQuery = queryOptions({
  queryKey: ['signing-keys'],
  queryFn: ({ signal }) => api.signingKeys.list({ signal }),
})

export const keySetQuery = queryOptions({
  queryKey: ['signing-keys', 'published'],
  queryFn: ({ signal }) => api.tokens.keySet({ signal }),
})
