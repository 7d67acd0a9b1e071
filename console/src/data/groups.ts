/** The queries about groups. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Operations } from 'rollbook/client'
import { api } from '../api/client.ts'

export type GroupSort = NonNullable<Operations['GET /groups']['query']['sort']>

/** Queries made stale by a change of a group or its members. */
export const changedByGroups = [['groups'], ['users'], ['audit'], ['me']] as const

export const groupQuery = (groupId: string) =>
  queryOptions({
    queryKey: ['groups', 'one', groupId],
    queryFn: ({ signal }) => api.groups.get(groupId, { signal }),
  })

/** The first groups whose names match; those of the list if `q` is empty. */
export const foundGroupsQuery = (q: string) =>
  queryOptions({
    queryKey: ['groups', 'found', q],
    queryFn: async ({ signal }) =>
      (await api.groups.page({ ...(q !== '' && { q }), limit: 8, sort: 'name' }, { signal })).groups,
    staleTime: 60_000,
  })

export const groupsOfAPage = 50

export const groupsQuery = (query: { q?: string; organization?: string; sort?: GroupSort }) =>
  infiniteQueryOptions({
    queryKey: ['groups', 'list', query],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      api.groups.page({ ...query, limit: groupsOfAPage, ...(pageParam !== '' && { cursor: pageParam }) }, { signal }),
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })

export const groupsOfUserQuery = (userId: string) =>
  queryOptions({
    queryKey: ['groups', 'of', userId],
    queryFn: ({ signal }) => api.groups.listOf(userId, { signal }),
  })
