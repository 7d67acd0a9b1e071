import { infiniteQueryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import type { DeletedSearch } from './search/deleted-users.ts'

export const pageLimit = 50

export function deletedUsersQuery(search: DeletedSearch) {
  return infiniteQueryOptions({
    queryKey: ['deleted-users', 'list', search],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      api.deletedUsers.page(
        { ...search, limit: pageLimit, ...(pageParam === '' ? { count: true } : { cursor: pageParam }) },
        { signal },
      ),
    getNextPageParam: ({ next }) => next,
  })
}
