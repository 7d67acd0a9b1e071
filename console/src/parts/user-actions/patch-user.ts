import type { QueryClient } from '@tanstack/react-query'
import type { User } from 'rollbook/client'
import { userKey } from '../../data/users.ts'

type Rows = { users: User[] }

/** Shows a change of one user at once, wherever the lists and the user's page hold the user. */
export function patchUser(client: QueryClient, userId: string, patch: Partial<User>): void {
  client.setQueriesData<Rows>({ queryKey: ['users', 'list'] }, (rows) => {
    if (rows === undefined || !rows.users.some(({ user_id }) => user_id === userId)) return rows
    return { ...rows, users: rows.users.map((user) => (user.user_id === userId ? { ...user, ...patch } : user)) }
  })
  client.setQueryData<User>(userKey(userId), (user) => user && { ...user, ...patch })
}
