/**
 * Deletes finished deliveries: those that arrived after a week, those that were given up after a month, and everything left
 * by deleted endpoints.
 */

import { timestamp } from '../../lib/instant.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { ChangeRequest, Storage } from '../../store/storage/storage.ts'
import { bringForward, deleteDeliveries, deleteFinished } from './deliveries-store.ts'
import { latestRetryMs } from './schedule.ts'
import { deleteEndpoint, findDeletedEndpoint } from './store.ts'

const dayMs = 86_400_000
const keptMs = { delivered: 7 * dayMs, dead: 30 * dayMs }
/** A larger transaction would delay others. */
const atOnce = 500
/** The rest is deleted in the next round. */
const piecesLimit = 100

export async function pruneDeliveries(storage: Storage, request: ChangeRequest): Promise<void> {
  for (let piece = 0; piece < piecesLimit; piece++) {
    if (!(await storage.change('webhooks.prune', undefined, request)).result) return
  }
}

/** Deletes some of them, and brings forward what a fast clock planned too late. Returns whether there may be more. */
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
