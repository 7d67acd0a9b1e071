/** The queries about what users sign in with besides the password. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export const ownFactorsQuery = queryOptions({
  queryKey: ['me', 'factors'],
  queryFn: ({ signal }) => api.factors.listMine({ signal }),
})

/** Queries made stale by a change of the viewer's own factors, which ends their other sessions. */
export const changedByOwnFactors = [['me'], ['sessions'], ['users'], ['second-factor-policy']] as const

export const factorsOfUserQuery = (user_id: string) =>
  queryOptions({
    queryKey: ['users', 'one', user_id, 'factors'],
    queryFn: ({ signal }) => api.factors.listOf(user_id, { signal }),
  })
