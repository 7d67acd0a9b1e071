import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { ImportedRow } from 'rollbook/client'
import { api } from '../api/client.ts'

const rowsAtOnce = 100

export const jobsQuery = queryOptions({
  queryKey: ['imports', 'list'],
  queryFn: ({ signal }) => api.imports.list({ limit: 100 }, { signal }),
  // For imports that others send.
  refetchInterval: ({ state }) => (state.data?.some((job) => job.state === 'running') ? 2000 : false),
})

export const jobQuery = (jobId: string, isSentHere: boolean) =>
  queryOptions({
    queryKey: ['imports', jobId],
    queryFn: ({ signal }) => api.imports.get(jobId, { signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'running' && !isSentHere ? 1000 : false),
  })

/** Reads rejected rows page by page. Leaving the loop ends the request. */
export const rejectedQuery = (jobId: string) =>
  infiniteQueryOptions({
    queryKey: ['imports', jobId, 'rejected'],
    initialPageParam: 0,
    async queryFn({ pageParam, signal }): Promise<ImportedRow[]> {
      const rows: ImportedRow[] = []
      for await (const row of api.imports.rows(jobId, { verdict: ['rejected'], after_row: pageParam }, { signal })) {
        rows.push(row)
        if (rows.length === rowsAtOnce) break
      }
      return rows
    },
    getNextPageParam: (last) => (last.length === rowsAtOnce ? last.at(-1)?.row : undefined),
  })
