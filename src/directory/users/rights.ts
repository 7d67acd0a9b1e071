/** Decides who may change which user and grant which role. */

import { AppError, memberFault, validationFailed } from '../../core/errors.ts'
import {
  holds,
  isOrganizationActive,
  permissionsOfRole,
  permissionsOfUser,
  type Rules,
  rolesOfGroups,
} from '../../core/rules.ts'
import { holdsInCall, mayGivePermission } from '../../core/scope.ts'
import { isRequiredOfGroup } from '../../core/second-factor.ts'
import type { Context } from '../../store/context.ts'
import type { Giver, UserRow } from './store.ts'

/** Only the roles among the rules matter here. */
export type Ruled = { rules: Pick<Rules, 'roles'> & Partial<Pick<Rules, 'closedRoles'>> }
/** What says who remains besides: members of disabled organizations do not. */
export type RuledAccess = Ruled & { rules: Pick<Rules, 'disabledOrganizations'> }
type Caller = Pick<Context, 'actor'> & Ruled

/**
 * The roles that members have through a group: its own, and the one that it is named like. Products read both from the
 * header `Remote-Groups`.
 */
export function rolesThrough({ rules }: Ruled, { role, name_key }: Omit<Giver, 'name'>): string[] {
  const isNamedLikeRole = Object.hasOwn(rules.roles, name_key)
  return [...(role === null ? [] : [role]), ...(isNamedLikeRole && role !== name_key ? [name_key] : [])]
}

type Held = { role?: string; groups?: readonly Giver[] }

/**
 * Whether it gives or returns power to make a user active, or a member of these groups, or whether leaving them ends the
 * duty to use a second factor. A session that was confirmed long ago may not do that.
 */
export function isPowerful(ctx: { rules: Pick<Rules, 'roles' | 'secondFactor'> }, held: Held): boolean {
  const { role = 'user', groups = [] } = held
  return (
    role !== 'user' ||
    groups.some((group) => rolesThrough(ctx, group).length > 0 || isRequiredOfGroup(ctx.rules.secondFactor, group.name))
  )
}

/** The parts of a user that give permissions. `user_id`: of one who exists. */
export type Holder = Pick<UserRow, 'role' | 'group_roles'> & Partial<Pick<UserRow, 'user_id'>>

/** Whether the user may do nothing that the caller may not. Users may do no more than themselves, whatever the call is about. */
export function mayChange(ctx: Caller, user: Holder): boolean {
  if (user.user_id !== undefined && ctx.actor.signedIn?.user_id === user.user_id) {
    return permissionsOfUser(ctx.rules.roles, user).every((permission) => holds(ctx.actor.permissions, permission))
  }
  // A caller who sets an administrator's password could sign in as that administrator.
  return permissionsOfUser(ctx.rules.roles, user).every((permission) => holdsInCall(ctx.actor, permission))
}

/** @throws AppError `user_outranks_caller` */
export function refuseOutranked(ctx: Caller, user: Holder): void {
  if (mayChange(ctx, user)) return
  if (ctx.actor.limitedTo !== undefined) {
    // Not by which role: it may come from a group of which this caller must not learn.
    throw new AppError('user_outranks_caller', 'This user has permissions that your credential lacks.')
  }
  const beyond = [user.role, ...rolesOfGroups(user.group_roles)].filter((role) => !mayGrant(ctx, role))
  const [role] = beyond
  const through = role === user.role ? '' : ', which this user has through a group'
  throw new AppError(
    'user_outranks_caller',
    `To change a user with the role ${role}${through} you need every permission of that role.`,
  )
}

/** Refuses to give a user or group this role. @throws AppError `role_not_grantable`, `validation_failed` */
export function refuseUngrantableRole(ctx: Caller, role: string): void {
  refuseMissingRole(ctx, role)
  refuseBeyondCaller(ctx, role)
}

/** The role may have been deleted since the request was checked, or is being replaced. @throws AppError `validation_failed` */
export function refuseMissingRole({ rules: { roles, closedRoles = [] } }: Ruled, role: string): void {
  if (Object.hasOwn(roles, role) && !closedRoles.includes(role)) return
  throw validationFailed([memberFault('role', 'role_unknown', 'This role does not exist, or is being removed.')])
}

/** @throws AppError `role_not_grantable` */
export function refuseBeyondCaller(ctx: Caller, role: string): void {
  if (mayGrant(ctx, role)) return
  throw new AppError('role_not_grantable', `The role ${role} has permissions that ${beyondCaller(ctx)}.`)
}

/** Why permissions cannot be given, as the end of a sentence. */
export function beyondCaller({ actor }: Pick<Context, 'actor'>): string {
  return actor.limitedTo === undefined
    ? 'your credential lacks'
    : 'your credential lacks, or that reach beyond your organization'
}

export function mayGrant(ctx: Caller, role: string): boolean {
  return permissionsOfRole(ctx.rules.roles, role).every((permission) => mayGivePermission(ctx.actor, permission))
}

/** An administering role is one that holds everything: only its users can grant every role again. */
export function administeringRoles(ruled: Ruled): string[] {
  return rolesHolding(ruled, '*')
}

/** The roles with this permission, by itself or by `*`. */
export function rolesHolding({ rules }: Ruled, permission: string): string[] {
  return Object.keys(rules.roles).filter((role) => holds(permissionsOfRole(rules.roles, role), permission))
}

type Lasts = Pick<UserRow, 'active' | 'kind' | 'access_ends_at'>
type Remaining = Lasts & Pick<UserRow, 'organization_id'>
type Lasting = Holder & Pick<UserRow, 'ending_roles'>

/** Whether the user is an active administrator who can sign in, and neither the user nor all memberships that make them one have an end date. */
export function administers(ctx: RuledAccess, user: Lasting & Remaining): boolean {
  return (
    remains(ctx, user) && permissionsOfUser(ctx.rules.roles, { ...user, group_roles: lastingRoles(user) }).includes('*')
  )
}

/** The permission of those who administer an organization: the users of it, who are their own organization. */
const administration = 'users:write@organization'

/** The roles with which users administer their organization: with the limited permission, or the whole one. */
export function rolesAdministeringOrganizations(ruled: Ruled): string[] {
  return rolesHolding(ruled, administration)
}

/** As above, for the administrators of this organization. */
export function administersOrganization(ctx: RuledAccess, organizationId: string, user: Lasting & Remaining): boolean {
  if (user.organization_id !== organizationId || !remains(ctx, user)) return false
  return holds(permissionsOfUser(ctx.rules.roles, { ...user, group_roles: lastingRoles(user) }), administration)
}

/** Those of `group_roles` that do not end, in the same form. */
export function lastingRoles({ group_roles, ending_roles }: Omit<Lasting, 'role'>): string {
  const ending = rolesOfGroups(ending_roles)
  return ending.length === 0
    ? group_roles
    : rolesOfGroups(group_roles)
        .filter((role) => !ending.includes(role))
        .join(' ')
}

/** Whether the user counts for the rule that an administrator remains, whatever their roles are. */
function remains({ rules }: { rules: Pick<Rules, 'disabledOrganizations'> }, user: Remaining): boolean {
  return lasts(user) && isOrganizationActive(rules, user)
}

/** The same where the organization does not count, or was looked at before. */
export function lasts({ active, kind, access_ends_at }: Lasts): boolean {
  return active === 1 && kind === 'person' && access_ends_at === null
}
