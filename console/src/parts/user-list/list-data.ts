/**
 * The rows in view, as chunks of the list in the query cache. A chunk next to a loaded one is read by its cursor, others
 * by their offset. Chunks that are only scrolled past are not read, or their request is aborted.
 */
import { hashKey, type QueryClient, queryOptions, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import type { User, UserPage } from 'rollbook/client'
import { api } from '../../api/client.ts'
import type { Filters, Sort } from '../../data/search/users.ts'
import { chunkOf, chunkSize, farthestChunks, findOverlap } from './chunks.ts'

export type ListQuery = Filters & { sort?: Sort }
type Chunk = { users: User[]; next: string | undefined }
export type Total = { total: number; isEstimate: boolean }

/** 2,000 users, some 2 MB. */
const chunksKept = 40
/** A position held for this long is read; before that it is only passed. */
const passingMs = 60

const listKey = ['users', 'list'] as const
const countKey = ['users', 'count'] as const
const chunkKey = (query: ListQuery, chunk: number) => [...listKey, query, chunk] as const

export const chunkQuery = (query: ListQuery, chunk: number) =>
  queryOptions({
    queryKey: chunkKey(query, chunk),
    queryFn: ({ client, signal }) => readChunk(client, query, chunk, signal),
    staleTime: 60_000,
    // Rows must not move when the viewer returns to the window.
    refetchOnWindowFocus: false,
  })

async function readChunk(client: QueryClient, query: ListQuery, chunk: number, signal: AbortSignal): Promise<Chunk> {
  const before = client.getQueryState<Chunk>(chunkKey(query, chunk - 1))
  // A chunk that is about to be read again may end elsewhere, and users between the two ends would be missing.
  const isSettled = before !== undefined && !before.isInvalidated && before.fetchStatus === 'idle'
  const cursor = isSettled ? before.data?.next : undefined
  const place = cursor === undefined ? { offset: chunk * chunkSize } : { cursor }
  const { users, next } = await api.users.page({ ...query, limit: chunkSize, ...place }, { signal })
  const isEnd = next === undefined && (users.length > 0 || chunk === 0)
  if (isEnd) client.setQueryData<Total>(aboutKey(query), { total: chunk * chunkSize + users.length, isEstimate: false })
  return { users, next }
}

function aboutKey({ sort: _, ...filters }: ListQuery) {
  return [...countKey, 'about', filters] as const
}

/** Returns an estimate of the total once there are rows, and the exact number a moment later. */
export function useTotal(query: ListQuery, hasRows: boolean): Total | undefined {
  const { sort: _, ...filters } = query
  const { data: about } = useQuery({
    queryKey: aboutKey(query),
    async queryFn({ signal }): Promise<Total> {
      const page = await api.users.page({ ...filters, limit: 1, count: 'estimate' }, { signal })
      return { total: totalOf(page), isEstimate: page.estimated }
    },
    enabled: hasRows,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  })
  const { data: exact } = useQuery({
    queryKey: [...countKey, 'exact', filters],
    queryFn: async ({ signal }) => totalOf(await api.users.page({ ...filters, limit: 1, count: true }, { signal })),
    enabled: about?.isEstimate === true,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  })
  if (about?.isEstimate !== false && exact !== undefined) return { total: exact, isEstimate: false }
  return about
}

function totalOf({ total }: UserPage): number {
  if (total === undefined) throw new Error('The answer does not say how many users there are.')
  return total
}

export type Rows = {
  userAt: (row: number) => User | undefined
  error: Error | null
  isReading: boolean
  retry: () => void
}

export function useRows(query: ListQuery, start: number, end: number): Rows {
  const client = useQueryClient()
  const [first, last] = [chunkOf(start), chunkOf(Math.max(start, end - 1))]
  const range = useAsked(first, last)
  const chunks = Array.from({ length: range.last - range.first + 1 }, (_, i) => range.first + i)
  const combine = useCallback(
    (results: { error: Error | null; isFetching: boolean; dataUpdatedAt: number; refetch: () => unknown }[]) => ({
      failed: results.filter(({ error }) => error !== null),
      isReading: results.some(({ isFetching }) => isFetching),
      // Not read anywhere; it makes the result change with the rows.
      updatedAt: results.map(({ dataUpdatedAt }) => dataUpdatedAt).join(' '),
    }),
    [],
  )
  const { failed, isReading, updatedAt } = useQueries({
    queries: chunks.map((chunk) => chunkQuery(query, chunk)),
    combine,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: when new rows have arrived.
  useEffect(() => tidy(client, query, range.first), [client, query, range.first, updatedAt])
  return {
    userAt: rowReader(client, query),
    error: failed[0]?.error ?? null,
    isReading,
    retry() {
      for (const { refetch } of failed) refetch()
    },
  }
}

/** Returns the chunks to read: neighbours at once, others when the view rests. */
function useAsked(first: number, last: number): { first: number; last: number } {
  const [range, setRange] = useState({ first, last })
  const isSame = range.first === first && range.last === last
  const isBeside = Math.abs(range.first - first) <= 1
  useEffect(() => {
    if (isSame) return
    if (isBeside) return setRange({ first, last })
    const timer = setTimeout(() => setRange({ first, last }), passingMs)
    return () => clearTimeout(timer)
  }, [first, last, isSame, isBeside])
  return range
}

/** Reads single rows from the chunks, looking up each chunk once. */
function rowReader(client: QueryClient, query: ListQuery): (row: number) => User | undefined {
  const found = new Map<number, Chunk | undefined>()
  return (row) => {
    const chunk = chunkOf(row)
    if (!found.has(chunk)) found.set(chunk, client.getQueryData<Chunk>(chunkKey(query, chunk)))
    return found.get(chunk)?.users[row % chunkSize]
  }
}

/** Returns the IDs of a range of rows, also of those not loaded yet. */
export async function readIds(client: QueryClient, query: ListQuery, start: number, end: number): Promise<string[]> {
  const ids: string[] = []
  for (let chunk = chunkOf(start); chunk * chunkSize < end; chunk += 1) {
    const { users } = await client.ensureQueryData(chunkQuery(query, chunk))
    ids.push(
      ...users.slice(Math.max(0, start - chunk * chunkSize), end - chunk * chunkSize).map(({ user_id }) => user_id),
    )
  }
  return ids
}

function tidy(client: QueryClient, query: ListQuery, near: number): void {
  const cache = client.getQueryCache()
  const hash = hashKey([query])
  const here = new Map<number, Chunk>()
  const unused: { key: readonly unknown[]; distance: number }[] = []
  for (const { queryKey, state, isActive } of cache.findAll({ queryKey: listKey }).map((one) => ({
    queryKey: one.queryKey as ReturnType<typeof chunkKey>,
    state: one.state,
    isActive: one.isActive(),
  }))) {
    const [, , of, chunk] = queryKey
    const isHere = hashKey([of]) === hash
    if (isHere && state.data !== undefined) here.set(chunk, state.data as Chunk)
    if (!isActive) unused.push({ key: queryKey, distance: isHere ? Math.abs(chunk - near) : Number.POSITIVE_INFINITY })
  }
  // A user was created or deleted between two reads: read the older chunk again.
  const stale = findOverlap(here, (chunk) => client.getQueryState(chunkKey(query, chunk))?.dataUpdatedAt ?? 0)
  if (stale !== undefined) void client.invalidateQueries({ queryKey: chunkKey(query, stale), exact: true })
  for (const { key } of farthestChunks(unused, cache.findAll({ queryKey: listKey }).length - chunksKept))
    client.removeQueries({ queryKey: key, exact: true })
}
