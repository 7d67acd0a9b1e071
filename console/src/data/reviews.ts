import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { ReviewRow } from 'rollbook/client'
import { api } from '../api/client.ts'

/** The newest first. */
export const reviewsQuery = queryOptions({
  queryKey: ['reviews'],
  queryFn: ({ signal }) => api.reviews.list({ signal }),
})

export const reviewQuery = (reviewId: string) =>
  queryOptions({
    queryKey: ['reviews', reviewId],
    queryFn: ({ signal }) => api.reviews.get(reviewId, { signal }),
  })

export const rowsOfAPage = 100

/** `open`: what is not decided yet. */
export type ShownRows = 'open' | 'all'

export const rowFilter = (range: ShownRows): { state?: ReviewRow['state'] } =>
  range === 'open' ? { state: 'open' } : {}

/** Rows that are decided meanwhile stay where they are, so the page is not read again by itself. */
export const reviewRowsQuery = (reviewId: string, range: ShownRows) =>
  infiniteQueryOptions({
    queryKey: ['review-rows', reviewId, range],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.reviews.rowsPage(
        reviewId,
        { ...rowFilter(range), limit: rowsOfAPage, ...(pageParam !== undefined && { cursor: pageParam }) },
        { signal },
      ),
    getNextPageParam: ({ next }) => next,
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
