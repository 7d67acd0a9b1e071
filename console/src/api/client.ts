/** The one client of the API, and what the whole console is told of its answers. */
import { QueryClient } from '@tanstack/react-query'
import { ConnectionError, RollbookClient, RollbookError, UnexpectedAnswerError } from 'rollbook/client'
import { apiUrl } from './base.ts'
import { noteAnswer } from './weather.ts'

/** What is tried again is said on the page, so the client itself tries nothing again. */
export const api = new RollbookClient({
  url: apiUrl,
  retries: 0,
  async fetch(input, init) {
    const response = await fetch(input, init)
    noteAnswer(response, init?.method ?? 'GET')
    return response
  },
})

/** Seconds to wait before a read is tried again; undefined when it is of no use. */
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
      // A copy would have lost the ETag that belongs to the answer.
      structuralSharing: false,
      refetchOnWindowFocus: true,
      retry: (tried, error) => tried < 4 && pauseSeconds(error, tried) !== undefined,
      retryDelay: (tried, error) => (pauseSeconds(error, tried) ?? 0) * 1000,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})
