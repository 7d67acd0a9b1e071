/** Who may change whom, and who may give what. */

import { AppError } from '../../core/errors.ts'
import { type Context, holds, permissionsOfRole, type Rules } from '../../store/context.ts'
import type { UserRow } from './store.ts'

/** Only the roles among the rules matter here. */
export type Ruled = { rules: Pick<Rules, 'roles'> }
type Caller = Pick<Context, 'actor'> & Ruled

/** Whether the user may do nothing that the caller may not. */
export function mayChange(ctx: Caller, { role }: Pick<UserRow, 'role'>): boolean {
  // A caller who sets an administrator's password could sign in as that administrator.
  return mayGrant(ctx, role)
}

/** @throws AppError `user_outranks_caller` */
export function refuseOutranked(ctx: Caller, { role }: Pick<UserRow, 'role'>): void {
  if (mayChange(ctx, { role })) return
  throw new AppError(
    'user_outranks_caller',
    `To change a user with the role ${role} you need every permission of that role.`,
  )
}

/** @throws AppError `role_not_grantable` */
export function refuseUngrantableRole(ctx: Caller, role: string): void {
  if (mayGrant(ctx, role)) return
  throw new AppError('role_not_grantable', `The role ${role} has permissions that your credential lacks.`)
}

function mayGrant(ctx: Caller, role: string): boolean {
  return permissionsOfRole(ctx.rules.roles, role).every((permission) => holds(ctx.actor.permissions, permission))
}

/** An administering role is one that holds everything: only its users can grant every role again. */
export function administeringRoles({ rules }: Ruled): string[] {
  return Object.keys(rules.roles).filter((role) => permissionsOfRole(rules.roles, role).includes('*'))
}

export function administers(ctx: Ruled, { role, active }: Pick<UserRow, 'role' | 'active'>): boolean {
  return active === 1 && permissionsOfRole(ctx.rules.roles, role).includes('*')
}
