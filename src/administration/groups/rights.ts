/** Decides who may change which group. */

import { AppError } from '../../core/errors.ts'
import type { Rules } from '../../core/rules.ts'
import { beyondCaller, mayChange, mayGrant, rolesThrough } from '../../directory/users/service.ts'
import { isSameSet } from '../../lib/same-set.ts'
import type { Context } from '../../store/context.ts'
import { byFile } from '../../store/managed-by-file.ts'
import type { GroupRow } from './store.ts'

type Caller = Pick<Context, 'actor'> & { rules: Pick<Rules, 'roles'> }

/** Refuses to give or take what the caller lacks. @throws AppError `role_not_grantable` */
export function refuseUngrantableGroup(ctx: Caller, group: Pick<GroupRow, 'role' | 'name_key'>): void {
  const role = rolesThrough(ctx, group).find((one) => !mayGrant(ctx, one))
  if (role === undefined) return
  const what = role === group.role ? 'gives' : 'is named like'
  throw new AppError(
    'role_not_grantable',
    `The group ${what} the role ${role}, which has permissions that ${beyondCaller(ctx)}.`,
  )
}

/**
 * A limited caller changes no guest, so what a group with guests gives stays. It may be deleted.
 *
 * @throws AppError `role_not_grantable`
 */
export function refuseOtherRoleOfGuests(ctx: Caller, found: GroupRow, next: GroupRow): void {
  if (ctx.actor.limitedTo === undefined || found.guest_count === 0) return
  if (isSameSet(rolesThrough(ctx, found), rolesThrough(ctx, next))) return
  throw new AppError(
    'role_not_grantable',
    'The group has members from outside your organization, so you cannot change its role. Remove the role of the group by deleting it.',
  )
}

/**
 * Refuses to a connection what another one manages: they may belong to two companies. Administrators may change both.
 *
 * @throws AppError `managed_elsewhere`
 */
export function refuseManagedGroup({ actor }: Pick<Context, 'actor'>, { managed_by }: Managed): void {
  // A file describes the group, not who its members are.
  if (managed_by === byFile) return
  if (managed_by === null || actor.connection === undefined || actor.connection.id === managed_by) return
  throw new AppError('managed_elsewhere', 'Another provisioning connection manages this group.')
}

/** The connection that manages a group from its change on, if no other does. */
export function adopterOf({ actor }: Pick<Context, 'actor'>): string | null {
  return actor.connection?.id ?? null
}

type Managed = Pick<GroupRow, 'managed_by'>

type Standing = { role: string; group_roles: string }

/** @throws AppError `user_outranks_caller` */
export function refuseOutrankingMember(ctx: Caller, standings: readonly Standing[]): void {
  if (standings.every((standing) => mayChange(ctx, standing))) return
  throw new AppError(
    'user_outranks_caller',
    'A member of this group has permissions that your credential lacks, so you cannot change what the group gives.',
  )
}
