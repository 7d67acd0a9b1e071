import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** The newest first. */
export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: async ({ signal }) => (await api.keys.list({ signal })).reverse(),
})
