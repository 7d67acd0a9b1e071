/**
 * The rules of groups: what must stay unique, who may change what a group gives, that an administrator remains. Leaves who is
 * a member to members.ts. Each change runs in a transaction, which holds the group first and then the users.
 */

import { AppError } from '../../core/errors.ts'
import { type ExpectedVersion, refuseUnexpected } from '../../core/expected-version.ts'
import { hasLimit } from '../../core/inactivity.ts'
import { refuseNamedOrganization, type Scope, scopeOf, withinOrganization } from '../../core/scope.ts'
import { isRequiredOfGroup } from '../../core/second-factor.ts'
import { idsFound, type Place, takenError } from '../../directory/named-resources/service.ts'
import { getForMember } from '../../directory/organizations/service.ts'
import * as users from '../../directory/users/service.ts'
import {
  administeringRoles,
  isPowerful,
  lastOrganizationAdmin,
  organizationToKeep,
  refuseMissingRole,
  regroup,
  rolesAdministeringOrganizations,
} from '../../directory/users/service.ts'
import { pageOf } from '../../http/request/cursor.ts'
import { timestamp } from '../../lib/instant.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import { overrideDetails, refuseManagedByFile } from '../../store/managed-by-file.ts'
import { listEndsOfUsers } from './ends-store.ts'
import { type GroupInput, unknownGroup } from './input.ts'
import { emitDeleted, emitGroup, groupChanges, groupTarget } from './journal.ts'
import {
  adopterOf,
  refuseManagedGroup,
  refuseOtherRoleOfGuests,
  refuseOutrankingMember,
  refuseUngrantableGroup,
} from './rights.ts'
import type { Group, GroupOfUser } from './schema.ts'
import * as store from './store.ts'

export type Versioned = { group: Group; version: number }

/** Guests are counted apart for a limited caller, who sees no more of them. */
export function toGroup(
  scope: Scope,
  { name_key: _, version: __, managed_by, organization_id, guest_count, ...group }: store.GroupRow,
): Group {
  return {
    ...group,
    member_count: visibleCount(scope, { ...group, guest_count }),
    ...(managed_by !== null && { managed_by }),
    ...(organization_id !== null && { organization_id, guest_count }),
  }
}

function visibleCount(
  { kind }: Scope,
  { member_count, guest_count }: Pick<store.GroupRow, 'member_count' | 'guest_count'>,
): number {
  return kind === 'everyone' ? member_count : member_count - guest_count
}

function toVersioned({ actor }: Pick<Context, 'actor'>, row: store.GroupRow): Versioned {
  return { group: toGroup(scopeOf(actor), row), version: row.version }
}

export async function get(ctx: Context, groupId: string): Promise<Versioned> {
  return toVersioned(ctx, await getRow(ctx.db, scopeOf(ctx.actor), groupId))
}

/** @throws AppError `group_not_found` */
export async function getRow(db: Db, scope: Scope, groupId: string): Promise<store.GroupRow> {
  const row = await store.findGroup(db, scope, groupId)
  if (row === undefined) throw unknownGroup()
  return row
}

/** Whether the group gives something, or a duty, to its members. @throws AppError `group_not_found` */
export async function isPowerfulGroup(ctx: Context, groupId: string): Promise<boolean> {
  return isPowerful(ctx, { groups: [await getRow(ctx.db, scopeOf(ctx.actor), groupId)] })
}

/**
 * A page, and the place behind it if there is more.
 *
 * @param q the search, as that of users: all words of the name in any order, or exactly the external id or the id
 * @throws AppError `validation_failed` for too many words
 */
export async function list(
  ctx: Context,
  { q, ...plan }: store.GroupList & { q: string | undefined },
): Promise<{ groups: Group[]; next: Place | undefined }> {
  const scope = scopeOf(ctx.actor)
  const ids = q === undefined ? undefined : idsFound(await store.listSearched(ctx.db, scope), q)
  const filters = { ...plan.filters, ...(ids !== undefined && { ids }) }
  const rows = await store.listGroups(ctx.db, scope, { ...plan, filters, limit: plan.limit + 1 })
  const { page, last } = pageOf(rows, plan.limit)
  const place = last && { ...last, member_count: visibleCount(scope, last) }
  const next = place && { value: place[plan.sort.column], id: place.group_id }
  return { groups: page.map((row) => toGroup(scope, row)), next }
}

export async function listOfUser(ctx: Context, userId: string): Promise<GroupOfUser[]> {
  await users.get(ctx, userId)
  const rows = await store.listGroupsOfUser(ctx.db, scopeOf(ctx.actor), userId)
  const ends = new Map((await listEndsOfUsers(ctx.db, [userId])).map((end) => [end.group_id, end.expires_at]))
  return rows.flatMap((row) => {
    const expires_at = ends.get(row.group_id)
    if (expires_at !== undefined && expires_at <= timestamp(ctx.now)) return []
    return [{ ...toGroup(scopeOf(ctx.actor), row), ...(expires_at !== undefined && { expires_at }) }]
  })
}

/** All groups that pass the filters, by name. */
export function listAll(db: Db, scope: Scope, filters: store.GroupFilters): Promise<store.GroupRow[]> {
  const sort = { column: 'name_key', descending: false } as const
  return store.listGroups(db, scope, { filters, sort, after: undefined, limit: mostGroups })
}

/** More than anyone has: they are sorted in memory. */
const mostGroups = 100_000

/**
 * @param promisedId the id, if the caller has promised one to others already
 * @throws AppError `permission_denied`, `role_not_grantable`, `group_name_taken`, `external_id_taken`
 */
export async function create(ctx: ChangeContext, sent: GroupInput, promisedId?: string): Promise<Versioned> {
  const input = withinOrganization(ctx.actor, sent)
  const now = timestamp(ctx.now)
  const row: store.GroupRow = {
    group_id: promisedId ?? ctx.newId(),
    version: 1,
    name: input.name ?? '',
    name_key: input.name_key ?? '',
    description: input.description ?? '',
    external_id: input.external_id ?? null,
    role: input.role ?? null,
    member_count: 0,
    guest_count: 0,
    managed_by: adopterOf(ctx),
    organization_id: input.organization_id ?? null,
    created_at: now,
    updated_at: now,
  }
  if (row.role !== null) refuseMissingRole(ctx, row.role)
  refuseUngrantableGroup(ctx, row)
  if (row.organization_id !== null) await getForMember(ctx.db, row.organization_id)
  if (!(await store.insertGroup(ctx.db, row))) await refuseTaken(ctx, row)
  emitGroup(ctx, 'group.created', row)
  ctx.record({ action: 'group.created', target: groupTarget(row), changes: groupChanges(undefined, row) })
  return toVersioned(ctx, row)
}

type Update = { group_id: string; input: GroupInput; expected: ExpectedVersion; override?: boolean }

/**
 * @throws AppError `group_not_found`, `precondition_failed`, `role_not_grantable`, `user_outranks_caller`, `last_admin`,
 *   `group_name_taken`, `external_id_taken`, `group_in_policy`, `managed_elsewhere`
 */
export async function update(ctx: ChangeContext, { group_id, input, expected, override }: Update): Promise<Versioned> {
  const found = await getForChange(ctx, group_id, expected)
  refuseNamedOrganization(ctx.actor, input)
  const next = { ...found, ...input }
  const changes = groupChanges(found, next)
  refuseManagedByFile(ctx, 'group', found, { override, changed: Object.keys(changes) })
  const beside = overrideDetails(ctx, found, override)
  const target = { ...groupTarget(next), former_organization_id: found.organization_id }
  ctx.record({ action: 'group.updated', target, changes, ...beside })
  if (Object.keys(changes).length === 0) return toVersioned(ctx, found)
  if (next.role !== null && next.role !== found.role) refuseMissingRole(ctx, next.role)
  refuseUngrantableGroup(ctx, next)
  refuseOtherRoleOfGuests(ctx, found, next)
  if (next.organization_id !== null && next.organization_id !== found.organization_id) {
    await getForMember(ctx.db, next.organization_id)
  }
  refuseLeavingPolicy(ctx, found, next)
  const managed_by = found.managed_by ?? adopterOf(ctx)
  const row = { ...next, managed_by, version: found.version + 1, updated_at: timestamp(ctx.now) }
  const write = async () => {
    if (!(await store.updateGroup(ctx.db, row))) await refuseTaken(ctx, row)
  }
  // Products decide by the names of groups as well.
  if (next.role !== found.role || next.name !== found.name) await changeForMembers(ctx, found, write)
  else await write()
  if (next.organization_id !== found.organization_id) await store.recountGuests(ctx.db, [group_id])
  emitGroup(ctx, 'group.updated', row)
  return toVersioned(ctx, row)
}

/** Policies name groups, so they cannot follow a new name. @throws AppError `group_in_policy` */
function refuseLeavingPolicy({ rules }: ChangeContext, found: store.GroupRow, next: store.GroupRow): void {
  const { secondFactor, configuredSecondFactor, inactivity } = rules
  if (isRequiredOfGroup(secondFactor, found.name) && !isRequiredOfGroup(secondFactor, next.name)) {
    const where = configuredSecondFactor === undefined ? 'The policy' : 'ROLLBOOK_SECOND_FACTOR'
    const detail = `${where} requires a second factor of this group, by its name. Add the new name there first.`
    throw new AppError('group_in_policy', detail)
  }
  if (inactivity !== undefined && hasLimit(inactivity.rule, found.name) && !hasLimit(inactivity.rule, next.name)) {
    const detail = 'The inactivity rule has a limit for this group, by its name. Add the new name there first.'
    throw new AppError('group_in_policy', detail)
  }
}

/**
 * Deletes a group. Its members lose its role.
 *
 * @throws AppError `group_not_found`, `precondition_failed`, `role_not_grantable`, `user_outranks_caller`, `last_admin`,
 *   `managed_elsewhere`
 */
export async function remove(
  ctx: ChangeContext,
  { group_id, expected, override }: Pick<Update, 'group_id' | 'expected' | 'override'>,
): Promise<{ group_id: string }> {
  const found = await getForChange(ctx, group_id, expected)
  refuseManagedByFile(ctx, 'group', found, { override })
  await changeForMembers(ctx, found, () => store.deleteGroup(ctx.db, group_id))
  emitDeleted(ctx, found)
  const changes = groupChanges(found, undefined)
  const beside = overrideDetails(ctx, found, override)
  ctx.record({ action: 'group.deleted', target: groupTarget(found), changes, ...beside })
  return { group_id }
}

/** Gives a group that has the one role the other one. Returns false if no group has it. */
export async function replaceRole(ctx: ChangeContext, { from, to }: { from: string; to: string }): Promise<boolean> {
  const found = await store.findGroupWithRole(ctx.db, from)
  if (found === undefined) return false
  const row = { ...found, role: to, version: found.version + 1, updated_at: timestamp(ctx.now) }
  const members = await store.holdMembers(ctx.db, found.group_id)
  await store.updateGroup(ctx.db, row)
  await regroup(ctx, members)
  emitGroup(ctx, 'group.updated', row)
  ctx.record({ action: 'group.updated', target: groupTarget(row), changes: groupChanges(found, row) })
  return true
}

/**
 * The group, held until this change ends, if the caller may change it.
 *
 * @throws AppError `group_not_found`, `precondition_failed`, `role_not_grantable`, `managed_elsewhere`
 */
export async function getForChange(
  ctx: ChangeContext,
  groupId: string,
  expected: ExpectedVersion,
): Promise<store.GroupRow> {
  const found = await store.findGroupForChange(ctx.db, scopeOf(ctx.actor), groupId)
  if (found === undefined) throw unknownGroup()
  refuseUnexpected('group', found, expected)
  refuseUngrantableGroup(ctx, found)
  refuseManagedGroup(ctx, found)
  return found
}

/** Makes a change that all members feel. @throws AppError `user_outranks_caller`, `last_admin`, `last_organization_admin` */
async function changeForMembers(ctx: ChangeContext, found: store.GroupRow, write: () => Promise<void>): Promise<void> {
  const { group_id, role } = found
  const organization = organizationToKeep(ctx.actor)
  const administering = organization === undefined ? administeringRoles(ctx) : rolesAdministeringOrganizations(ctx)
  const administers = role !== null && administering.includes(role)
  const isAnyLeft = () =>
    organization === undefined
      ? users.hasActiveAdministrator(ctx)
      : users.hasOrganizationAdministrator(ctx, organization)
  if (administers) await ctx.db.lock(['last_admin'])
  const members = await store.holdMembers(ctx.db, group_id)
  // Of guests a limited caller learns nothing, and gives and takes no more than a name.
  refuseOutrankingMember(ctx, await store.listStandings(ctx.db, scopeOf(ctx.actor), group_id))
  const hadAdministrator = administers && (await isAnyLeft())
  await write()
  await regroup(ctx, members)
  if (!hadAdministrator || (await isAnyLeft())) return
  if (organization !== undefined) throw lastOrganizationAdmin()
  throw new AppError(
    'last_admin',
    'The last active administrators have this role only through this group. Make another user an administrator first.',
  )
}

/** @throws AppError `group_name_taken`, `external_id_taken` */
async function refuseTaken(ctx: ChangeContext, row: store.GroupRow): Promise<never> {
  throw takenError(row, await store.findTaken(ctx.db, row), { noun: 'group', code: 'group_name_taken' })
}

export type { GroupFilters, GroupRow } from './store.ts'
export {
  countGroupsWithRole,
  findGroup,
  findGroupsWithMember,
  listGroupsOfUsers,
  listMembersOfGroups,
  membershipsBetween,
} from './store.ts'
