import { infiniteQueryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export const pageLimit = 50

export const deletedUsersQuery = infiniteQueryOptions({
  queryKey: ['deleted-users', 'list'],
  initialPageParam: '',
  queryFn: ({ signal, pageParam }) =>
    api.deletedUsers.page({ limit: pageLimit, ...(pageParam !== '' && { cursor: pageParam }) }, { signal }),
  getNextPageParam: ({ next }) => next,
})
