/** The API client. It reports every response to the console. */
import { QueryClient } from '@tanstack/react-query'
import { ConnectionError, RollbookClient, RollbookError, UnexpectedAnswerError } from 'rollbook/client'
import { apiUrl } from './base.ts'
import { noteAnswer } from './weather.ts'

/** The client never retries: the page shows every retry. */
export const api = new RollbookClient({
  url: apiUrl,
  retries: 0,
  async fetch(input, init) {
    const response = await fetch(input, init)
    noteAnswer(response, init?.method ?? 'GET')
    return response
  },
})

/** Returns how many seconds to wait before a read is retried; undefined if a retry is useless. */
function pauseSeconds(error: unknown, tried: number): number | undefined {
  if (error instanceof ConnectionError) return Math.min(2 ** tried, 15)
  if (error instanceof RollbookError || error instanceof UnexpectedAnswerError) {
    if (![429, 502, 503, 504].includes(error.status)) return undefined
    return error.retryAfterSeconds ?? Math.min(2 ** tried, 15)
  }
  return undefined
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // A copy would lose the ETag of the response.
      structuralSharing: false,
      refetchOnWindowFocus: true,
      retry: (tried, error) => tried < 4 && pauseSeconds(error, tried) !== undefined,
      retryDelay: (tried, error) => (pauseSeconds(error, tried) ?? 0) * 1000,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})
