/** What a proxy may require beyond a valid credential, in the query of its request. */

import { AppError } from '../../core/errors.ts'
import type { Roles } from '../../core/settings.ts'
import { type Actor, holds, rolesOfGroups } from '../../store/context.ts'

export type Narrowing = { role?: string[]; permission?: string[] }

/** A misspelt word would lock everyone out, or silently require nothing, so it is refused. */
export function narrowingQuery(roles: Roles) {
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      role: { type: 'array', items: { type: 'string', enum: Object.keys(roles) } },
      permission: { type: 'array', items: { type: 'string', pattern: '^(?:\\*|[a-z][a-z0-9_-]*:[a-z][a-z0-9_-]*)$' } },
    },
  }
}

/** One of the roles, of the user or of their groups; and all of the permissions. */
export function refuseOthers({ permissions, signedIn }: Actor, { role, permission = [] }: Narrowing): void {
  const held = signedIn === undefined ? [] : [signedIn.role, ...rolesOfGroups(signedIn.group_roles)]
  if (role !== undefined && !held.some((one) => role.includes(one))) {
    throw new AppError('permission_denied', `You need one of these roles: ${role.join(', ')}.`)
  }
  const lacking = permission.filter((word) => !holds(permissions, word))
  if (lacking.length > 0) throw new AppError('permission_denied', `You need the permission ${lacking.join(', ')}.`)
}
