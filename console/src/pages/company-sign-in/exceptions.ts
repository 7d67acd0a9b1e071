import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'

export type Exception = { user_id: string; username: string }

/** A connection has at most 100 exceptions. A deleted user is shown by id. */
export const exceptionsQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['users', 'exceptions', ids],
    async queryFn({ signal }): Promise<Exception[]> {
      if (ids.length === 0) return []
      const { users } = await api.users.page({ user_id: [...ids], limit: ids.length }, { signal })
      const names = new Map(users.map(({ user_id, username }) => [user_id, username]))
      return ids.map((user_id) => ({ user_id, username: names.get(user_id) ?? user_id }))
    },
  })
