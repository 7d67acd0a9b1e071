/** The users affected by a change of members. */
import { api } from '../../api/client.ts'
import type { Selection } from '../../parts/bulk/selection.ts'
import type { Person } from '../../parts/user-finder/pasted-names.ts'

/** The most IDs that `GET /users` takes. */
const readAtOnce = 500

/** Returns the selected members. A deleted user is shown by ID. */
export async function selectedMembers(groupId: string, selection: Selection, signal: AbortSignal): Promise<Person[]> {
  if ('user_ids' in selection) return peopleWith(selection.user_ids, signal)
  const { group: _, ...filter } = selection.filter
  const except = new Set(selection.except)
  const people: Person[] = []
  for await (const { user_id, username } of api.groups.members(groupId, filter, { signal })) {
    if (!except.has(user_id)) people.push({ user_id, username })
  }
  return people
}

async function peopleWith(ids: readonly string[], signal: AbortSignal): Promise<Person[]> {
  const names = new Map<string, string>()
  for (let from = 0; from < ids.length; from += readAtOnce) {
    const user_id = ids.slice(from, from + readAtOnce)
    const { users } = await api.users.page({ user_id, limit: readAtOnce }, { signal })
    for (const user of users) names.set(user.user_id, user.username)
  }
  return ids.map((user_id) => ({ user_id, username: names.get(user_id) ?? user_id }))
}
