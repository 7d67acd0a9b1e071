/** The sources of a user's permissions, as `GET /me` returns them for the caller. */
import type { Group, Me, Role, User } from 'rollbook/client'
import { includesWord } from '../../lib/permission-groups.ts'

export type Sourced = Me['permission_sources'][number]

/** The user's own role comes first, then the groups in their order. Roles that are not known give nothing. */
export function sourcesOf({ role }: Pick<User, 'role'>, groups: readonly Group[], roles: readonly Role[]): Sourced[] {
  const held = [
    { role, group: null },
    ...groups.flatMap(({ group_id, name, role }) => (role === null ? [] : [{ role, group: { group_id, name } }])),
  ]
  const granted = new Map(roles.map((one) => [one.role, one.permissions]))
  const all = new Set(held.flatMap((one) => granted.get(one.role) ?? []))
  return [...all].sort().map((permission) => ({
    permission,
    sources: held.filter((one) => {
      const permissions = granted.get(one.role) ?? []
      return includesWord(permissions, permission)
    }),
  }))
}
