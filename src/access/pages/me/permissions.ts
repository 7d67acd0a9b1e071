/** Where the permissions of the signed-in user come from. */
import type { Actor } from '../../../core/actor.ts'
import { holds, permissionsOfRole, type Rules } from '../../../core/rules.ts'
import { callerOf } from '../../credentials/sessions/service.ts'
import type { Me } from './schema.ts'

export function groupsOf(actor: Actor): Me['groups'] {
  return callerOf({ actor }).groups.map(({ group_id, name }) => ({ group_id, name }))
}

/** Each permission that the credential holds, with every role that gives it: an access token may hold fewer than its user. */
export function sourcesOf(actor: Actor, roles: Rules['roles']): Me['permission_sources'] {
  const { role, groups } = callerOf({ actor })
  const held = [
    { role, group: null },
    ...groups.flatMap(({ group_id, name, role }) => (role === null ? [] : [{ role, group: { group_id, name } }])),
  ]
  return actor.permissions.map((permission) => ({
    permission,
    sources: held.filter(({ role }) => holds(permissionsOfRole(roles, role), permission)),
  }))
}
