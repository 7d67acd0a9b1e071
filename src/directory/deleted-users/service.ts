/**
 * Deletion of users, and its reversal: a deleted user can be restored for a while, and is erased after that, or at once.
 * Leaves the rules of users to directory/users/service.ts, and the rest of an erasure to erasure.ts.
 */

import { AppError } from '../../core/errors.ts'
import { timestamp } from '../../lib/instant.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import { apart } from '../../record/journal/apart.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import type { ManyVerdict } from '../users/many.ts'
import { refuseOutranked } from '../users/rights.ts'
import * as users from '../users/service.ts'
import type { UserRow } from '../users/store.ts'
import { isLeftBehind } from './erasure-store.ts'
import { beginErasure } from './leave.ts'
import type { DeletedUser } from './schema.ts'
import * as store from './store.ts'

type Removal = Parameters<typeof users.remove>[1]

/** Like deleting a user; with `purge` it also erases a user who was deleted before. */
export async function remove(
  ctx: ChangeContext,
  removal: Removal,
): Promise<{ user_id: string; restorable_until: string | null }> {
  if (!removal.purge) return users.remove(ctx, removal)
  // Lock before the search: a user who is being restored right now is then found as a user.
  await ctx.db.lock([lockOf(removal.user_id)])
  try {
    return await users.remove(ctx, removal)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'user_not_found') throw error
    return purge(ctx, removal, error)
  }
}

async function purge(ctx: ChangeContext, { user_id, expected }: Removal, unknown: AppError) {
  const row = await take(ctx, user_id)
  if (row === undefined && !(await isLeftBehind(ctx.db, user_id))) throw unknown
  if (row !== undefined) users.refuseUnexpected(row, expected)
  if (row !== undefined) refuseOutranked(ctx, row)
  await beginErasure(ctx, user_id)
  return { user_id, restorable_until: null }
}

/**
 * Restores a deleted user unchanged. Credentials issued before the deletion stay void.
 *
 * @throws AppError `user_not_found`, `user_outranks_caller`, `username_taken`, `email_taken`, `external_id_taken`
 */
export async function restore(ctx: ChangeContext, { user_id }: { user_id: string }): Promise<users.UserDocument> {
  await ctx.db.lock([lockOf(user_id)])
  const row = await take(ctx, user_id)
  if (row === undefined)
    throw new AppError(
      'user_not_found',
      'There is no deleted user with this id, or the user can no longer be restored.',
    )
  return users.bringBack(ctx, row)
}

/** The same for several users; a user who cannot be restored does not prevent the others. */
export async function restoreMany(
  ctx: ChangeContext,
  { user_ids }: { user_ids: readonly string[] },
): Promise<ManyVerdict[]> {
  await ctx.db.lock(user_ids.map(lockOf))
  const names = await store.findFormerNames(ctx.db, user_ids)
  const verdicts: ManyVerdict[] = []
  for (const user_id of user_ids) {
    const username = names.get(user_id) ?? null
    const one = apart(ctx)
    try {
      await ctx.db.undoable(() => restore(one.ctx, { user_id }))
      one.tell()
      verdicts.push({ user_id, username, verdict: 'changed' })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { code, message: detail } = error
      verdicts.push({ user_id, username, verdict: 'refused', code, detail })
    }
  }
  return verdicts
}

/** Takes the row of a user who can still be restored; a second caller finds none. */
async function take(ctx: ChangeContext, userId: string): Promise<UserRow | undefined> {
  const found = isUuid(userId) ? await store.takeDeletedUser(ctx.db, userId) : undefined
  // After the grace period it is too late, even if the erasing job has not run yet.
  if (found === undefined || found.restorable_until <= timestamp(ctx.now)) return undefined
  return { ...(JSON.parse(found.user_row) as Omit<UserRow, 'document'>), document: found.document }
}

export async function list(
  ctx: Context,
  { after, limit }: { after: store.Position | undefined; limit: number },
): Promise<{ users: DeletedUser[]; next: store.Position | undefined }> {
  const rows = await store.listDeletedUsers(ctx.db, { now: timestamp(ctx.now), after, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  const users = shown.map(({ document, deleted_at, restorable_until }) => ({
    ...(JSON.parse(document) as Omit<DeletedUser, 'deleted_at' | 'restorable_until'>),
    deleted_at,
    restorable_until,
  }))
  return { users, next: rows.length > limit ? shown.at(-1) : undefined }
}

function lockOf(userId: string): string {
  return `user:${userId}`
}
