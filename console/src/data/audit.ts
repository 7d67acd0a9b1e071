import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { type AuditSearch, actionsOf, filterOf } from './search/audit.ts'

const pageLimit = 50

/** The query as it is sent and as the API panel shows it. */
export function auditRequest(search: AuditSearch) {
  return { ...filterOf(search, actionsOf(search)), ...(search.sort && { sort: search.sort }), limit: pageLimit }
}

export const auditQuery = (search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['audit', search],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      api.audit.page({ ...auditRequest(search), ...(pageParam !== '' && { cursor: pageParam }) }, { signal }),
    getNextPageParam: ({ next }) => next,
    // Records must not move while they are read; there is a refresh button.
    refetchOnWindowFocus: false,
  })

export const checkpointQuery = queryOptions({
  queryKey: ['audit', 'checkpoint'],
  queryFn: ({ signal }) => api.audit.checkpoint({ signal }),
  staleTime: 0,
})
