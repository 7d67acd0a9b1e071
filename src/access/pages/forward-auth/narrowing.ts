/** The query parameters with which a proxy requires more than a valid credential. */

import { type Actor, organizationOf, personBehind, type SignedIn } from '../../../core/actor.ts'
import { AppError, validationFailed } from '../../../core/errors.ts'
import { holds, type Rules, rolesOfGroups } from '../../../core/rules.ts'
import { insufficient } from '../../../http/endpoint/recent-authentication.ts'
import { acrOf } from '../../../lib/amr.ts'

export type Narrowing = {
  role?: string[]
  permission?: string[]
  organization?: string[]
  max_age?: number
  acr?: 'aal1' | 'aal2'
}

export const narrowingQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    max_age: { type: 'integer', minimum: 1, maximum: 31_536_000 },
    acr: { type: 'string', enum: ['aal1', 'aal2'] },
    organization: {
      type: 'array',
      items: { type: 'string', pattern: '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' },
    },
    role: { type: 'array', items: { type: 'string' } },
    permission: { type: 'array', items: { type: 'string', pattern: '^(?:\\*|[a-z][a-z0-9_-]*:[a-z][a-z0-9_-]*)$' } },
  },
} as const

/** A misspelt word would lock everyone out, or silently require nothing, so it is refused. @throws AppError `validation_failed` */
export function refuseUnknownRoles({ role = [] }: Narrowing, roles: Rules['roles']): void {
  const faults = role.flatMap((name, index) =>
    Object.hasOwn(roles, name)
      ? []
      : [{ pointer: `#/role/${index}`, code: 'role_unknown', detail: 'This role does not exist.' }],
  )
  if (faults.length > 0) throw validationFailed(faults)
}

/** One of the organizations; one of the roles, of the user or of their groups; and all of the permissions. */
export function refuseOthers(actor: Actor, wanted: Narrowing, now: number): void {
  const { role, permission = [], organization, max_age, acr } = wanted
  const { permissions, signedIn } = actor
  const person = personBehind(actor)
  const held = person === undefined ? [] : [person.role, ...rolesOfGroups(person.group_roles)]
  if (role !== undefined && !held.some((one) => role.includes(one))) {
    throw new AppError('permission_denied', `You need one of these roles: ${role.join(', ')}.`)
  }
  const own = organizationOf(actor)?.organization_id
  if (organization !== undefined && !organization.some((one) => one.toLowerCase() === own)) {
    throw new AppError(
      'permission_denied',
      `You need to belong to one of these organizations: ${organization.join(', ')}.`,
    )
  }
  refuseUnproven(signedIn, { max_age, acr }, now)
  const lacking = permission.filter((word) => !holds(permissions, word))
  if (lacking.length > 0) throw new AppError('permission_denied', `You need the permission ${lacking.join(', ')}.`)
}

/** How recently, and how well, the user was authenticated. A key has no user who could be. */
function refuseUnproven(
  signedIn: SignedIn | undefined,
  { max_age, acr }: { max_age: number | undefined; acr: Narrowing['acr'] | undefined },
  now: number,
): void {
  if (max_age === undefined && acr === undefined) return
  if (signedIn === undefined) throw new AppError('permission_denied', 'Only a signed-in user may pass here.')
  const isOld = max_age !== undefined && now - signedIn.authTimeMs > max_age * 1000
  const isWeak = acr === 'aal2' && acrOf(signedIn.amr) !== 'aal2'
  if (isOld || isWeak) throw insufficient({ maxAge: max_age, acr })
}
