import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** The newest first, as in the others. */
export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: async ({ signal }) => (await api.keys.list({ signal })).reverse(),
})

export const keysOfUserQuery = (user_id: string) =>
  queryOptions({
    queryKey: ['users', 'one', user_id, 'keys'],
    queryFn: async ({ signal }) => (await api.keys.listOf(user_id, { signal })).reverse(),
  })

/** Queries made stale by a change of a key. */
export const changedByKeys = [['keys'], ['users', 'one']] as const
