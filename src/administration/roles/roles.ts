/**
 * The rules of roles that are stored: who may change one, what must remain, and what follows. Leaves the roles in force to
 * store/rules, what holders lose and get to users/, and the steps of a replacement to replacement.ts.
 */

import { AppError, validationFailed } from '../../core/errors.ts'
import { type ExpectedVersion, refuseUnexpected } from '../../core/expected-version.ts'
import { holds, permissionsOfRole } from '../../core/rules.ts'
import { holdsInCall } from '../../core/scope.ts'
import { builtInRoles } from '../../core/settings/access.ts'
import * as users from '../../directory/users/service.ts'
import { counted } from '../../lib/amounts.ts'
import { timestamp } from '../../lib/instant.ts'
import { isSameSet } from '../../lib/same-set.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import { byFile, overrideDetails, refuseManagedByFile } from '../../store/managed-by-file.ts'
import { publishRules } from '../../store/rules/publish.ts'
import * as groups from '../groups/service.ts'
import { checkRoleInput } from './input.ts'
import { emitRole, permissionsIn, roleChanges, roleTarget } from './journal.ts'
import { type CreateRole, type DeletedRole, mostRoles, type UpdateRole } from './schema.ts'
import * as store from './store.ts'

/**
 * Creates a role. A role that left the settings, and is still held, gets these permissions.
 *
 * @throws AppError `validation_failed`, `role_taken`, `role_not_grantable`, `too_many_roles`
 */
export async function create(ctx: ChangeContext, input: CreateRole): Promise<store.RoleRow> {
  const { role, description = '', permissions } = checkRoleInput(input)
  if (Object.hasOwn(ctx.rules.configuredRoles, role)) throw roleTaken()
  refuseBeyondCaller(ctx, permissions)
  const now = timestamp(ctx.now)
  const row: store.RoleRow = {
    role,
    version: 1,
    description,
    permissions: JSON.stringify(permissions),
    managed_by: ctx.byFile ? byFile : null,
    replaced_by: null,
    created_at: now,
    updated_at: now,
  }
  await insert(ctx, row)
  emitRole(ctx, 'role.created', row)
  ctx.record({ action: 'role.created', target: roleTarget(row), changes: roleChanges(undefined, row) })
  await follow(ctx, { role, before: [], after: permissions })
  return row
}

type Update = { role: string; input: UpdateRole; expected: ExpectedVersion; override?: boolean }

/**
 * @throws AppError `role_not_found`, `role_built_in`, `managed_elsewhere`, `precondition_failed`, `validation_failed`,
 *   `role_not_grantable`, `role_in_use`, `last_admin`, `last_password_admin`
 */
export async function update(ctx: ChangeContext, { role, input, expected, override }: Update): Promise<store.RoleRow> {
  checkRoleInput(input)
  const found = await getForChange(ctx, role, expected)
  const { description = found.description } = input
  const before = permissionsIn(found)
  const permissions = input.permissions && !isSameSet(input.permissions, before) ? input.permissions : before
  const next = { ...found, description, permissions: JSON.stringify(permissions) }
  const changes = roleChanges(found, next)
  refuseManagedByFile(ctx, 'role', found, { override, changed: Object.keys(changes) })
  refuseBeyondCaller(ctx, [...before, ...permissions])
  const beside = overrideDetails(ctx, found, override)
  ctx.record({ action: 'role.updated', target: roleTarget(found), changes, ...beside })
  if (Object.keys(changes).length === 0) return found
  const row = { ...next, version: found.version + 1, updated_at: timestamp(ctx.now) }
  if (found.version === 0) await insert(ctx, row)
  else await store.updateRole(ctx.db, row)
  emitRole(ctx, 'role.updated', row)
  await follow(ctx, { role, before, after: permissions })
  return row
}

type Removal = { role: string; replace_with?: string | undefined; expected: ExpectedVersion; override?: boolean }

/**
 * Deletes a role that nobody holds, or begins to replace it: from then on it permits what its replacement does, and nobody can be
 * given it. `replacement.ts` moves the holders.
 *
 * @throws AppError `role_not_found`, `role_built_in`, `managed_elsewhere`, `precondition_failed`, `validation_failed`,
 *   `role_not_grantable`, `role_in_use`, `last_admin`, `last_password_admin`
 */
export async function remove(
  ctx: ChangeContext,
  { role, replace_with, expected, override }: Removal,
): Promise<DeletedRole> {
  const found = await getForChange(ctx, role, expected)
  refuseManagedByFile(ctx, 'role', found, { override })
  refuseBeyondCaller(ctx, permissionsIn(found))
  const counts = await countHolders(ctx, role)
  await refuseNamed(ctx, role, counts)
  const isHeld = counts.user_count + counts.group_count > 0
  if (isHeld && replace_with === undefined) throw inUse(heldBy(counts), counts)
  if (!isHeld) {
    await erase(ctx, found)
    return { role, deleted: true, replaced_by: null, ...counts }
  }
  const to = replace_with as string
  refuseBadReplacement(ctx, role, to)
  const row = { ...found, replaced_by: to, version: found.version + 1, updated_at: timestamp(ctx.now) }
  if (found.version === 0) await insert(ctx, row)
  else await store.updateRole(ctx.db, row)
  const after = [...permissionsOfRole(ctx.rules.roles, to)]
  emitRole(ctx, 'role.updated', { ...row, permissions: JSON.stringify(after) })
  ctx.record({ action: 'role.updated', target: roleTarget(row), changes: roleChanges(found, row) })
  await follow(ctx, { role, before: permissionsIn(found), after })
  return { role, deleted: false, replaced_by: to, ...counts }
}

/** Deletes the row of a role without holders. */
export async function erase(
  ctx: ChangeContext,
  found: store.RoleRow,
  details?: Record<string, unknown>,
): Promise<void> {
  await store.deleteRole(ctx.db, found.role)
  emitRole(ctx, 'role.deleted', found)
  const changes = roleChanges(found, undefined)
  ctx.record({ action: 'role.deleted', target: roleTarget(found), changes, ...(details && { details }) })
  await publishRules(ctx)
}

type Counts = Pick<DeletedRole, 'user_count' | 'group_count'>

export async function countHolders({ db }: Pick<Context, 'db'>, role: string): Promise<Counts> {
  return {
    user_count: await users.countWithRole(db, role),
    group_count: await groups.countGroupsWithRole(db, role),
  }
}

/** A role that left the settings, and is still held, is found as one without permissions and with version 0. */
async function getForChange(ctx: ChangeContext, role: string, expected: ExpectedVersion): Promise<store.RoleRow> {
  if (Object.hasOwn(builtInRoles, role)) {
    throw new AppError('role_built_in', 'The roles admin and user cannot be changed or deleted.')
  }
  if (Object.hasOwn(ctx.rules.configuredRoles, role)) {
    throw new AppError(
      'managed_elsewhere',
      'This role is in ROLLBOOK_ROLES. Change that setting and restart the service.',
    )
  }
  const found = (await store.findRoleForChange(ctx.db, role)) ?? (await findLeft(ctx, role))
  if (found === undefined) throw roleNotFound()
  if (found.version > 0) refuseUnexpected('role', found, expected)
  if (found.replaced_by !== null) {
    throw inUse('The role is being replaced; it is deleted when the last holder has the other one.', {})
  }
  return found
}

async function findLeft(ctx: ChangeContext, role: string): Promise<store.RoleRow | undefined> {
  const { user_count, group_count } = await countHolders(ctx, role)
  if (user_count + group_count === 0) return undefined
  const now = timestamp(ctx.now)
  const nothing = { description: '', permissions: '[]', managed_by: null, replaced_by: null }
  return { role, version: 0, ...nothing, created_at: now, updated_at: now }
}

/** @throws AppError `role_taken`, `too_many_roles` */
async function insert(ctx: ChangeContext, row: store.RoleRow): Promise<void> {
  if ((await store.countRoles(ctx.db)) >= mostRoles) {
    throw new AppError('too_many_roles', `There can be ${mostRoles} roles. Delete one that is not used.`)
  }
  if (!(await store.insertRole(ctx.db, row))) throw roleTaken()
}

/** What other nodes, administrators and holders need to know when the permissions of a role are different. */
async function follow(
  ctx: ChangeContext,
  { role, before, after }: { role: string; before: readonly string[]; after: readonly string[] },
): Promise<void> {
  const rules = ctx.rules
  await publishRules(ctx)
  if (before.includes('*') && !after.includes('*')) await users.keepAdministrators(ctx, rules)
  const isRaised = after.some((permission) => !holds(before, permission))
  if (isRaised || before.some((permission) => !holds(after, permission))) {
    await users.renewHolders(ctx, { role, isRaised })
  }
}

/** @throws AppError `role_not_grantable` */
function refuseBeyondCaller({ actor }: ChangeContext, permissions: readonly string[]): void {
  const beyond = [...new Set(permissions)].filter((permission) => !holdsInCall(actor, permission))
  if (beyond.length === 0) return
  throw new AppError('role_not_grantable', `Your credential lacks these permissions of the role: ${beyond.join(', ')}.`)
}

/** Otherwise a sign-in would give a role that is gone, and a policy would have no effect. @throws AppError `role_in_use` */
async function refuseNamed(ctx: ChangeContext, role: string, counts: Counts): Promise<void> {
  const { secondFactor, inactivity, rolesOfIssuers } = ctx.rules
  const replaced = (await store.listRoles(ctx.db)).filter(({ replaced_by }) => replaced_by === role)
  const named_by = [
    ...(await ctx.access.findNamesOfRole(ctx.db, role)),
    ...(Object.hasOwn(secondFactor, role) ? ['the policy second_factor'] : []),
    ...(inactivity !== undefined && Object.hasOwn(inactivity.rule, role) ? ['the policy inactivity'] : []),
    ...Object.entries(rolesOfIssuers).flatMap(([issuer, roles]) =>
      roles.includes(role) ? [`the trusted issuer ${issuer}`] : [],
    ),
    ...replaced.map((one) => `the replacement of the role ${one.role}`),
  ]
  if (named_by.length === 0) return
  throw inUse(`The role is named by ${named_by.join(', ')}. Change that first.`, { ...counts, named_by })
}

/** @throws AppError `validation_failed`, `role_not_grantable` */
function refuseBadReplacement(ctx: ChangeContext, role: string, to: string): void {
  const { roles, closedRoles } = ctx.rules
  if (to === role || !Object.hasOwn(roles, to) || closedRoles.includes(to)) {
    const detail = 'replace_with must be another role that exists.'
    throw validationFailed([{ pointer: '#/replace_with', code: 'role_unknown', detail }])
  }
  users.refuseBeyondCaller(ctx, to)
}

function heldBy({ user_count, group_count }: Counts): string {
  const [ofUsers, ofGroups] = [counted(user_count, 'user'), counted(group_count, 'group')]
  return `${ofUsers} and ${ofGroups} have this role. Give them another one with replace_with, or change them first.`
}

function inUse(detail: string, members: Partial<Counts> & { named_by?: string[] }): AppError {
  return new AppError('role_in_use', detail, { members })
}

function roleTaken(): AppError {
  return new AppError('role_taken', 'There is already a role with this name.')
}

export function roleNotFound(): AppError {
  return new AppError('role_not_found', 'There is no role with this name. GET /roles lists them.')
}
