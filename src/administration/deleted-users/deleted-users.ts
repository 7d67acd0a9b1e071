/**
 * Deletion of users, and its reversal: a deleted user can be restored for a while, and is erased after that, or at once.
 * Leaves the rules of users to directory/users/users.ts, and the rest of an erasure to erasure.ts.
 */

import { system } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import { type ExpectedVersion, refuseUnexpected } from '../../core/expected-version.ts'
import { type Scope, scopeOf } from '../../core/scope.ts'
import type { Places } from '../../directory/search/service.ts'
import * as users from '../../directory/users/service.ts'
import { isPowerful, keptRow, refuseOutranked, rolesThrough } from '../../directory/users/service.ts'
import { pageOf } from '../../http/request/cursor.ts'
import { timestamp } from '../../lib/instant.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import { type EndsByGroup, holdGroups, listAll as listGroups, rejoin } from '../groups/service.ts'
import { beginErasure } from './erasure.ts'
import { isLeftBehind } from './erasure-store.ts'
import { type Removed, removeFound } from './removal.ts'
import type { DeletedUser } from './schema.ts'
import * as store from './store.ts'

type Removal = {
  user_id: string
  expected: ExpectedVersion
  /** For how many days the user can be restored. */
  graceDays: number
  /** Erases the user at once. */
  purge?: boolean
  /** Also if an identity provider manages the user. */
  override?: boolean
}

/**
 * Deletes a user. With `purge` it also erases a user who was deleted before.
 *
 * @throws AppError `user_not_found`, `precondition_failed`, `user_outranks_caller`, `last_admin`, `managed_elsewhere`
 */
export async function remove(ctx: ChangeContext, removal: Removal): Promise<Removed> {
  if (!removal.purge) return removeUser(ctx, removal)
  // Locked before the search: a user who is being restored right now is then found as a user.
  await ctx.db.lock([lockOf(removal.user_id)])
  try {
    return await removeUser(ctx, removal)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'user_not_found') throw error
    return purge(ctx, removal, error)
  }
}

async function removeUser(ctx: ChangeContext, { user_id, expected, override, ...rest }: Removal): Promise<Removed> {
  return removeFound(ctx, await users.getForRemoval(ctx, user_id, { expected, override }), rest)
}

async function purge(ctx: ChangeContext, { user_id, expected }: Removal, unknown: AppError): Promise<Removed> {
  const row = (await claim(ctx, user_id))?.row
  // Of what is left behind nothing says to whom it belonged.
  const mayBeLeft = scopeOf(ctx.actor).kind === 'everyone'
  if (row === undefined && !(mayBeLeft && (await isLeftBehind(ctx.db, user_id)))) throw unknown
  if (row !== undefined) refuseUnexpected('user', row, expected)
  if (row !== undefined) refuseOutranked(ctx, row)
  await beginErasure(ctx, row ?? { user_id })
  return { user_id, restorable_until: null }
}

/**
 * Restores a deleted user unchanged, in those of their groups that still exist. Credentials issued before the deletion stay
 * void.
 *
 * @throws AppError `user_not_found`, `user_outranks_caller`, `username_taken`, `email_taken`, `external_id_taken`
 */
export async function restore(
  ctx: ChangeContext,
  { user_id, places }: { user_id: string; places?: Places | undefined },
): Promise<users.UserDocument> {
  await ctx.db.lock([lockOf(user_id)])
  const taken = await claim(ctx, user_id)
  if (taken === undefined)
    throw new AppError(
      'user_not_found',
      'There is no deleted user with this id, or the user can no longer be restored.',
    )
  // By what the role and the groups give now: it may have grown since the deletion.
  const groups = await holdGroups(ctx, taken.groupIds)
  const group_roles = [...new Set(groups.flatMap((group) => rolesThrough(ctx, group)))].join(' ')
  refuseOutranked(ctx, { role: taken.row.role, group_roles })
  const restored = await users.restore(ctx, taken.row, places)
  await rejoin(ctx, user_id, { groups, ends: taken.ends })
  return restored
}

/** Whether restoring this user returns power. */
export async function isPowerfulIfRestored(ctx: Context, userId: string): Promise<boolean> {
  const found = isUuid(userId) ? await store.findDeletedUser(ctx.db, scopeOf(ctx.actor), userId) : undefined
  if (found === undefined) return false
  const groups = await listGroups(ctx.db, scopeOf(system), { ids: membershipsOf(ctx, found).groupIds })
  return isPowerful(ctx, { role: found.role, groups })
}

/** Whether there is a deleted user with this id who is not erased yet. */
export async function isDeleted(db: Db, scope: Scope, userId: string): Promise<boolean> {
  return isUuid(userId) && (await store.findDeletedUser(db, scope, userId)) !== undefined
}

/**
 * Returns a deleted user for a change of what they left behind, and lets no other change restore or erase them meanwhile.
 *
 * @throws AppError `user_not_found`, `user_outranks_caller`
 */
export async function holdForChange(
  ctx: ChangeContext,
  user_id: string,
): Promise<Pick<users.UserRow, 'user_id' | 'username' | 'organization_id'>> {
  await ctx.db.lock([lockOf(user_id)])
  const found = isUuid(user_id) ? await store.findDeletedUser(ctx.db, scopeOf(ctx.actor), user_id) : undefined
  if (found === undefined) throw new AppError('user_not_found', 'There is no user with this id.')
  const groups = await listGroups(ctx.db, scopeOf(system), { ids: membershipsOf(ctx, found).groupIds })
  const group_roles = [...new Set(groups.flatMap((group) => rolesThrough(ctx, group)))].join(' ')
  refuseOutranked(ctx, { role: found.role, group_roles })
  const { username } = JSON.parse(found.document) as DeletedUser
  return { user_id, username, organization_id: found.organization_id }
}

/** Returns the usernames that these deleted users had, and lets no other change restore or erase them meanwhile. */
export async function holdFormerNames(ctx: ChangeContext, userIds: readonly string[]): Promise<Map<string, string>> {
  await ctx.db.lock(userIds.map(lockOf))
  return store.findFormerNames(ctx.db, scopeOf(ctx.actor), userIds)
}

/** Takes the row of a user who can still be restored; a second caller finds none. */
async function claim(ctx: ChangeContext, userId: string): Promise<({ row: users.UserRow } & Memberships) | undefined> {
  const found = isUuid(userId) ? await store.takeDeletedUser(ctx.db, scopeOf(ctx.actor), userId) : undefined
  // After the grace period it is too late, even if the erasing job has not run yet.
  if (found === undefined || found.restorable_until <= timestamp(ctx.now)) return undefined
  return { row: keptRow(found), ...membershipsOf(ctx, found) }
}

type Memberships = { groupIds: string[]; ends: EndsByGroup }

/** The groups to which a restoration returns the user: not those whose membership has ended meanwhile. */
function membershipsOf(
  { now }: Pick<Context, 'now'>,
  { group_ids, group_ends }: { group_ids: string; group_ends: string },
): Memberships {
  const ends = JSON.parse(group_ends) as EndsByGroup
  const all = JSON.parse(group_ids) as string[]
  return { groupIds: all.filter((id) => ends[id] === undefined || ends[id] > timestamp(now)), ends }
}

type DeletedPage = { users: DeletedUser[]; next: store.Position | undefined; total: number | undefined }

export async function list(
  ctx: Context,
  { count, ...plan }: Omit<store.DeletedPlan, 'now'> & { count: boolean },
): Promise<DeletedPage> {
  const now = timestamp(ctx.now)
  const rows = await store.listDeletedUsers(ctx.db, scopeOf(ctx.actor), { ...plan, now, limit: plan.limit + 1 })
  const { page, last } = pageOf(rows, plan.limit)
  const users = page.map(({ document, deleted_at, restorable_until }) => ({
    ...(JSON.parse(document) as Omit<DeletedUser, 'deleted_at' | 'restorable_until'>),
    deleted_at,
    restorable_until,
  }))
  return {
    users,
    next: last && { value: last.sort_value, user_id: last.user_id },
    total: count ? await store.countDeletedUsers(ctx.db, scopeOf(ctx.actor), now, plan.filters) : undefined,
  }
}

function lockOf(userId: string): string {
  return `user:${userId}`
}
