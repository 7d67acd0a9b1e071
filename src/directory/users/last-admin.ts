/** The rule that an active administrator remains, whose access does not end, for one user, for many, and for the rows of an import. */

import { AppError } from '../../core/errors.ts'
import { permissionsOfUser } from '../../core/rules.ts'
import type { Db, Transaction } from '../../store/db/db.ts'
import { administeringRoles, administers, type RuledAccess } from './rights.ts'
import { findSomeWithRole, type UserRow } from './store.ts'

type Standing = Pick<
  UserRow,
  'role' | 'group_roles' | 'ending_roles' | 'active' | 'kind' | 'access_ends_at' | 'organization_id'
>

/** Returns the ids of some active users with one of these roles. */
export type FindWithRole = (roles: readonly string[], limit: number) => Promise<string[]>

export function findWithRole(db: Db): FindWithRole {
  return (roles, limit) => findSomeWithRole(db, roles, limit)
}

/** For a change: two callers who remove each other's administrator at the same time must not both find the other one. */
export function findWithRoleAlone(db: Transaction): FindWithRole {
  return async (roles, limit) => {
    await db.lock(['last_admin'])
    return findSomeWithRole(db, roles, limit)
  }
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
 * @throws AppError `last_admin` when it would be the last one
 */
export async function refuseLosingLastAdmin(
  ctx: RuledAccess,
  { found, next, find, pending = new Map(), pendingLosses = pending.size, alsoGone = 0 }: Loss,
): Promise<boolean> {
  if (!administers(ctx, found) || (next !== undefined && administers(ctx, next))) return false
  for (const [id, row] of pending) {
    if (id !== found.user_id && row !== undefined && administers(ctx, row)) return true
  }
  // This one, the ones already removed, and one who remains.
  const known = await find(administeringRoles(ctx), pendingLosses + alsoGone + 2)
  const others = known.filter((id) => id !== found.user_id && !pending.has(id))
  if (others.length > alsoGone) return true
  const stays = next !== undefined && permissionsOfUser(ctx.rules.roles, next).includes('*') && next.active === 1
  const reason = stays
    ? 'An active administrator without an end date must remain.'
    : 'This is the last active administrator.'
  throw new AppError('last_admin', `${reason} Make another user an administrator first.`)
}
