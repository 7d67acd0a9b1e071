/** The queries about what users sign in with besides the password. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export const ownFactorsQuery = queryOptions({
  queryKey: ['me', 'factors'],
  queryFn: ({ signal }) => api.factors.listMine({ signal }),
})

export const factorsOfUserQuery = (user_id: string) =>
  queryOptions({
    queryKey: ['users', 'one', user_id, 'factors'],
    queryFn: ({ signal }) => api.factors.listOf(user_id, { signal }),
  })
