/**
 * Deletes audit records by age. A record first announces how far the deletion goes, and the deletion follows once that
 * record is in the chain. Deleting old records by hand is detectable: no record in the chain announces it.
 */

import { timestamp } from '../../lib/instant.ts'
import { claimRun } from '../../store/claim-run.ts'
import type { ChangeContext } from '../../store/context.ts'
import { setState } from '../../store/state.ts'
import type { ChangeRequest, Storage } from '../../store/storage/storage.ts'
import { findBase, type Link } from './audit.ts'
import { linkOf, prunedAction } from './pruned.ts'
import * as store from './store.ts'

const dayMs = 24 * 3_600_000
/** A larger transaction would delay others. */
const chunkRows = 1000
/** Per round of housekeeping; the rest is deleted in the next. */
const chunksLimit = 250

/** Deletes records older than this many days; 0 keeps everything. One of the nodes starts it once a day. */
export async function pruneAudit(storage: Storage, days: number, request: ChangeRequest): Promise<void> {
  if (days === 0) return
  const before = timestamp(request.now - days * dayMs)
  await storage.settleJournal()
  const last = await storage.query('audit.last_before', { before }, request)
  const { base } = await storage.query('audit.ends', undefined, request)
  if (last <= base.seq) return
  await storage.change('audit.announce_pruning', { last, before }, request)
  await storage.settleJournal()
  // Also what an earlier run announced and could not finish.
  for (let chunk = 0; chunk < chunksLimit; chunk++) {
    if (!(await storage.change('audit.prune', undefined, request)).result) return
  }
}

/** Announces up to which record the oldest ones are deleted. */
export async function announcePruning(
  ctx: ChangeContext,
  { last, before }: { last: number; before: string },
): Promise<void> {
  await ctx.db.lock(['audit.prune'])
  const base = await findBase(ctx.db)
  if (last <= base.seq || last <= (await findAnnounced(ctx)).seq) return
  const hash = await store.findHash(ctx.db, last)
  if (hash === undefined || !(await claimRun(ctx, 'audit.prune', dayMs))) return
  const details = { seq: last, hash, records: last - base.seq, occurred_before: before }
  ctx.record({ action: prunedAction, details })
}

/** Deletes some of the announced records. Returns whether there are more. */
export async function prune(ctx: ChangeContext): Promise<boolean> {
  await ctx.db.lock(['audit.prune'])
  const base = await findBase(ctx.db)
  const announced = await findAnnounced(ctx)
  if (announced.seq <= base.seq) return false
  const seq = Math.min(announced.seq, base.seq + chunkRows)
  const hash = await store.findHash(ctx.db, seq)
  // An operator deleted them before us; verification reports which ones are missing.
  if (hash === undefined) return false
  await setState(ctx.db, 'audit_base', JSON.stringify({ seq, hash } satisfies Link))
  await store.deleteRecordsUpTo(ctx.db, seq)
  return seq < announced.seq
}

async function findAnnounced({ db }: ChangeContext): Promise<Link> {
  const newest = await store.findNewestPruned(db)
  const link = linkOf(newest?.what ?? null)
  // A manipulated announcement must not make us delete the end of the chain too.
  return link !== undefined && link.seq < Number(newest?.seq) ? link : { seq: 0, hash: '' }
}
