import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import type { RequestsSearch } from './search/access-requests.ts'

export const requestsOfAPage = 50

/** The filters of the API for a search of the page. */
export function filtersOf({ state = 'waiting', q }: RequestsSearch) {
  return { ...(state !== 'all' && { state }), ...(q !== undefined && { q }) }
}

/** The newest first. */
export const accessRequestsQuery = (search: RequestsSearch) =>
  infiniteQueryOptions({
    queryKey: ['access-requests', 'list', search],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.accessRequests.page(
        { ...filtersOf(search), limit: requestsOfAPage, ...(pageParam !== undefined && { cursor: pageParam }) },
        { signal },
      ),
    getNextPageParam: ({ next }) => next,
  })

/** More are counted as this many. */
export const mostCounted = 10

/** How many wait for a decision, up to `mostCounted`. */
export const waitingCountQuery = queryOptions({
  queryKey: ['access-requests', 'count'],
  queryFn: async ({ signal }) =>
    (await api.accessRequests.page({ state: 'waiting', limit: mostCounted }, { signal })).requests.length,
  staleTime: 60_000,
  refetchInterval: 300_000,
})

/** Queries made stale by a decision. */
export const changedByDecisions = [['access-requests'], ['users'], ['groups'], ['statistics']] as const
