/**
 * Forgets deliveries that are finished: those that arrived after a week, those that were given up after a month; and all
 * that endpoints which were deleted have left.
 */
import { type ChangeContext, timestamp } from '../../store/context.ts'
import type { ChangeRequest, Storage } from '../../store/storage/storage.ts'
import { bringForward, deleteDeliveries, deleteFinished } from './deliveries-store.ts'
import { latestRetryMs } from './schedule.ts'
import { deleteEndpoint, findDeletedEndpoint } from './store.ts'

const dayMs = 86_400_000
const keptMs = { delivered: 7 * dayMs, dead: 30 * dayMs }
/** More in one transaction would keep others waiting. */
const atOnce = 500
/** What is left is deleted in the next round. */
const piecesLimit = 100

export async function pruneDeliveries(storage: Storage, request: ChangeRequest): Promise<void> {
  for (let piece = 0; piece < piecesLimit; piece++) {
    if (!(await storage.change('webhooks.prune', undefined, request)).result) return
  }
}

/** Deletes some of them, and brings forward what a clock that ran ahead has put off. Returns whether there may be more. */
export async function prune(ctx: ChangeContext): Promise<boolean> {
  await bringForward(ctx.db, { now: timestamp(ctx.now), latest: timestamp(ctx.now + latestRetryMs) })
  const deleteSome = (status: keyof typeof keptMs) =>
    deleteFinished(ctx.db, { status, before: timestamp(ctx.now - keptMs[status]), limit: atOnce })
  if ((await deleteSome('delivered')) === atOnce || (await deleteSome('dead')) === atOnce) return true
  const deleted = await findDeletedEndpoint(ctx.db)
  if (deleted === undefined) return false
  if ((await deleteDeliveries(ctx.db, deleted, atOnce)) < atOnce) await deleteEndpoint(ctx.db, deleted)
  return true
}
