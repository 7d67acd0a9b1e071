import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export const ownSessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => api.sessions.list({ signal }),
})
