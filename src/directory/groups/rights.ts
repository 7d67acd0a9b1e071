/** Decides who may change which group. */

import { AppError } from '../../core/errors.ts'
import type { Context, Rules } from '../../store/context.ts'
import { mayChange, mayGrant } from '../users/rights.ts'
import type { GroupRow } from './store.ts'

type Caller = Pick<Context, 'actor'> & { rules: Pick<Rules, 'roles'> }

/**
 * Refuses to give or take what the caller lacks. A name that is also that of a role counts as this role: products read both
 * from the header `Remote-Groups`.
 *
 * @throws AppError `role_not_grantable`
 */
export function refuseUngrantableGroup(ctx: Caller, { role, name_key }: Pick<GroupRow, 'role' | 'name_key'>): void {
  if (role !== null && !mayGrant(ctx, role)) {
    throw new AppError(
      'role_not_grantable',
      `The group gives the role ${role}, which has permissions that your credential lacks.`,
    )
  }
  if (Object.hasOwn(ctx.rules.roles, name_key) && !mayGrant(ctx, name_key)) {
    throw new AppError(
      'role_not_grantable',
      `The group is named like the role ${name_key}, which has permissions that your credential lacks.`,
    )
  }
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
