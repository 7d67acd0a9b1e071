import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { type AuditSearch, actionsOf, filterOf } from './search.ts'

export const pageLimit = 50

/** As it is sent, and as it is shown to be sent. */
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
    // Whoever reads it does not want it to move; there is a button.
    refetchOnWindowFocus: false,
  })

export const checkpointQuery = queryOptions({
  queryKey: ['audit', 'checkpoint'],
  queryFn: ({ signal }) => api.audit.checkpoint({ signal }),
  staleTime: 0,
})
