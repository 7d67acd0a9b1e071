/** Decides who may change which group. */

import { AppError } from '../../core/errors.ts'
import type { Context, Rules } from '../../store/context.ts'
import { mayChange, mayGrant, rolesThrough } from '../users/rights.ts'
import type { GroupRow } from './store.ts'

type Caller = Pick<Context, 'actor'> & { rules: Pick<Rules, 'roles'> }

/** Refuses to give or take what the caller lacks. @throws AppError `role_not_grantable` */
export function refuseUngrantableGroup(ctx: Caller, group: Pick<GroupRow, 'role' | 'name_key'>): void {
  const role = rolesThrough(ctx, group).find((one) => !mayGrant(ctx, one))
  if (role === undefined) return
  const what = role === group.role ? 'gives' : 'is named like'
  throw new AppError(
    'role_not_grantable',
    `The group ${what} the role ${role}, which has permissions that your credential lacks.`,
  )
}

type Standing = { role: string; group_roles: string }

/** @throws AppError `user_outranks_caller` */
export function refuseOutrankingMember(ctx: Caller, standings: readonly Standing[]): void {
  if (standings.every((standing) => mayChange(ctx, standing))) return
  throw new AppError(
    'user_outranks_caller',
    'A member of this group has permissions that your credential lacks, so you cannot change what the group gives.',
  )
}
