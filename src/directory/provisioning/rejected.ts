/** The requests of identity providers that were rejected: kept for some days, so that an operator can see what to change. */
import { scopeOf } from '../../core/scope.ts'
import { timestamp } from '../../lib/instant.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import type { Erased } from '../../store/mentions.ts'
import { adviceFor } from './advice.ts'
import * as store from './rejected-store.ts'
import type { RejectedRequest } from './schema.ts'
import { findConnection } from './store.ts'

/** The number kept per connection. */
const keptCount = 200
/** They contain personal data that a client sent, which is kept no longer than needed. */
const keptMs = 14 * 86_400_000

/** Without the ids that storing gives them. */
export type Rejection = Omit<store.RejectedRow, 'rejection_id'>

export async function recordRejections(ctx: ChangeContext, rejections: readonly Rejection[]): Promise<void> {
  const connectionIds = new Set(rejections.map(({ connection_id }) => connection_id))
  for (const connectionId of connectionIds) {
    // It may have been deleted in the meantime.
    if ((await findConnection(ctx.db, scopeOf(ctx.actor), connectionId)) === undefined) continue
    const own = rejections.filter(({ connection_id }) => connection_id === connectionId)
    for (const rejection of own) await store.insertRejected(ctx.db, { rejection_id: ctx.newId(), ...rejection })
    await store.deleteAllBut(ctx.db, connectionId, keptCount)
  }
}

/** The latest first. */
export async function listRejections(
  { db }: Pick<Context, 'db'>,
  connectionId: string,
  limit: number,
): Promise<RejectedRequest[]> {
  const rows = await store.listRejected(db, connectionId, limit)
  return rows.map(({ connection_id: _, ...row }) => ({ ...row, advice: adviceFor(row) }))
}

/** Deletes those that mention a user who is erased. */
export async function erase(ctx: ChangeContext, user: Erased): Promise<void> {
  await store.deleteRejectedAbout(ctx.db, user)
}

export async function pruneRejections(ctx: ChangeContext): Promise<void> {
  await store.deleteBefore(ctx.db, timestamp(ctx.now - keptMs))
}
