import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** The days, today, and as many days before to compare with. */
export const statisticsRequest = (days: number) => ({ days: 2 * days + 1 })

export const statisticsQuery = (days: number) =>
  queryOptions({
    queryKey: ['statistics', days],
    queryFn: ({ signal }) => api.statistics(statisticsRequest(days), { signal }),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  })
