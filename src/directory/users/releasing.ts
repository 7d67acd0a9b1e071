/** Releases the users of deleted provisioning connections: they stay as they are and are no longer managed. */
import { scopeOf } from '../../core/scope.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { ChangeRequest, Storage } from '../../store/storage/storage.ts'
import { deleteConnection, findDeleted, findManaged } from '../provisioning/service.ts'
import { changedRow } from './rows.ts'
import { findUserForChange } from './store.ts'
import { write } from './write.ts'

/** A larger transaction would delay others. */
const atOnce = 200
/** The rest is released in the next round. */
const piecesLimit = 100

export async function releaseManaged(storage: Storage, request: ChangeRequest): Promise<void> {
  for (let piece = 0; piece < piecesLimit; piece++) {
    if (!(await storage.change('provisioning.release_users', undefined, request)).result) return
  }
}

/** Releases some of them. Returns whether there may be more. */
export async function releaseUsers(ctx: ChangeContext): Promise<boolean> {
  const deleted = await findDeleted(ctx.db)
  if (deleted === undefined) return false
  const userIds = await findManaged(ctx.db, deleted, atOnce)
  for (const userId of userIds) {
    const found = await findUserForChange(ctx.db, scopeOf(ctx.actor), userId)
    if (found?.managed_by === deleted) await write(ctx, found, changedRow(ctx, found, { managed_by: null }))
  }
  if (userIds.length < atOnce) await deleteConnection(ctx.db, deleted)
  return true
}
