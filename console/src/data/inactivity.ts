import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export const policiesQuery = queryOptions({
  queryKey: ['policies'],
  queryFn: ({ signal }) => api.policies.get({ signal }),
})

export const mostListed = 100
export const usualDays = 30

/** Until so many days from now. */
export function untilIn(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString()
}

/** Whom the rule in force disables within so many days. */
export const nextQuery = (days: number) =>
  queryOptions({
    queryKey: ['inactivity', days],
    queryFn: ({ signal }) => api.policies.previewInactivity({ until: untilIn(days), limit: mostListed }, { signal }),
  })
