/**
 * The rule that an active administrator remains, whose access does not end, for one user, for many, and for the rows of an import. To callers
 * of an organization it is the same rule about the administrators of that organization: those of the service have more permissions than
 * they, who cannot change them anyway.
 */

import { type Actor, organizationOf } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import { holds, permissionsOfUser } from '../../core/rules.ts'
import type { Db, Transaction } from '../../store/db/db.ts'
import {
  administeringRoles,
  administers,
  administersOrganization,
  type RuledAccess,
  rolesAdministeringOrganizations,
} from './rights.ts'
import { findSomeWithRole, type UserRow } from './store.ts'

type Standing = Pick<
  UserRow,
  'role' | 'group_roles' | 'ending_roles' | 'active' | 'kind' | 'access_ends_at' | 'organization_id'
>

/** Returns the ids of some active users with one of these roles, of any organization or of one. */
export type FindWithRole = (roles: readonly string[], limit: number, within?: string) => Promise<string[]>

export function findWithRole(db: Db): FindWithRole {
  return (roles, limit, within) => findSomeWithRole(db, roles, limit, { within })
}

/** For a change: two callers who remove each other's administrator at the same time must not both find the other one. */
export function findWithRoleAlone(db: Transaction): FindWithRole {
  return async (roles, limit, within) => {
    await db.lock(['last_admin'])
    return findSomeWithRole(db, roles, limit, { within })
  }
}

type CallingActor = Pick<Actor, 'permissions' | 'limitedTo' | 'signedIn' | 'personalKey' | 'organization'>

/**
 * The organization that keeps its last administrator in a call: that of a limited caller, and of a user who leaves by themselves. Undefined
 * for callers who may write every user.
 */
export function organizationToKeep(actor: CallingActor): string | undefined {
  if (actor.limitedTo !== undefined) return actor.limitedTo
  return holds(actor.permissions, 'users:write') ? undefined : organizationOf(actor)?.organization_id
}

export function lastOrganizationAdmin(): AppError {
  return new AppError(
    'last_organization_admin',
    'This is the last active administrator of the organization without an end date. Make another user one first.',
  )
}

type Loss = {
  found: UserRow
  /** The user afterwards; undefined when the user is deleted. */
  next: Standing | undefined
  find: FindWithRole
  /** Users whose row in the store is out of date, as they will be. */
  pending?: ReadonlyMap<string, Standing | undefined>
  /** How many of those may have stopped being administrators. */
  pendingLosses?: number
  /** How many other administrators of the store this change removes; their ids are not known. */
  alsoGone?: number
}

/**
 * Returns whether the change takes away an administrator.
 *
 * @throws AppError `last_admin`, or `last_organization_admin` to callers of an organization, when it would be the last one
 */
export async function refuseLosingLastAdmin(
  ctx: RuledAccess & { actor: CallingActor },
  { found, next, find, pending = new Map(), pendingLosses = pending.size, alsoGone = 0 }: Loss,
): Promise<boolean> {
  const organization = organizationToKeep(ctx.actor)
  const isOne = (row: Standing) =>
    organization === undefined ? administers(ctx, row) : administersOrganization(ctx, organization, row)
  if (!isOne(found) || (next !== undefined && isOne(next))) return false
  for (const [id, row] of pending) {
    if (id !== found.user_id && row !== undefined && isOne(row)) return true
  }
  const roles = organization === undefined ? administeringRoles(ctx) : rolesAdministeringOrganizations(ctx)
  // This one, the ones already removed, and one who remains.
  const known = await find(roles, pendingLosses + alsoGone + 2, organization)
  const others = known.filter((id) => id !== found.user_id && !pending.has(id))
  if (others.length > alsoGone) return true
  if (organization !== undefined) throw lastOrganizationAdmin()
  const stays = next !== undefined && permissionsOfUser(ctx.rules.roles, next).includes('*') && next.active === 1
  const reason = stays
    ? 'An active administrator without an end date must remain.'
    : 'This is the last active administrator.'
  throw new AppError('last_admin', `${reason} Make another user an administrator first.`)
}
