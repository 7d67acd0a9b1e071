/** The names of the users in the filters: a record may name none, and only by the username. */
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { useCan } from '../../api/me.ts'
import { nameOf } from '../../data/users.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Returns the name of an actor or a target: `Bob Johnson (bob.johnson)`, the name in the shown records, or the ID. */
export function usePartyNames(
  ids: readonly string[],
  namesInRecords: ReadonlyMap<string, string>,
): (id: string) => string {
  const mayRead = useCan('users:read')
  const user_id = ids.filter((id) => uuid.test(id))
  const { data: users = [] } = useQuery({
    queryKey: ['users', 'of-audit', user_id],
    queryFn: async ({ signal }) => (await api.users.page({ user_id, limit: user_id.length }, { signal })).users,
    enabled: mayRead && user_id.length > 0,
    staleTime: 60_000,
  })
  return (id) => {
    const user = users.find((one) => one.user_id === id)
    if (user === undefined) return namesInRecords.get(id) ?? id
    const name = nameOf(user)
    return name === '' ? user.username : `${name} (${user.username})`
  }
}
