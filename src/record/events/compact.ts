/**
 * Compaction: keeps only the last event about each subject from long ago, and nothing about ended subjects. A follower
 * that starts at 0 still arrives at the same directory. One that stopped among such events starts over: it may miss an end.
 */

import { timestamp } from '../../lib/instant.ts'
import { claimRun } from '../../store/claim-run.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import { findState, setState } from '../../store/state.ts'
import type { ChangeRequest, Storage } from '../../store/storage/storage.ts'
import { type EventRow, findNewestEvent } from '../journal/service.ts'
import { deleteEventsBefore, findEventFrom, listEventsAfter } from './store.ts'
import { endings } from './types.ts'

const dayMs = 86_400_000
/** A larger transaction would delay others. */
const atOnce = 200
/** Per minute; the rest follows in the next. */
const piecesLimit = 250

/** `compacted_to` is what followers see; `done` is how far the work has come. */
type Progress = { compacted_to: number; done: number }

/** Compacts the feed step by step. A new run starts once a day; an interrupted one continues. */
export async function compactEvents(storage: Storage, days: number, request: ChangeRequest): Promise<void> {
  if (days === 0) return
  await storage.settleJournal()
  for (let piece = 0; piece < piecesLimit; piece++) {
    if (!(await storage.change('events.compact', { days }, request)).result.isUnfinished) return
  }
}

/** One step of the work. */
export async function compact(ctx: ChangeContext, { days }: { days: number }): Promise<{ isUnfinished: boolean }> {
  await ctx.db.lock(['events.compact'])
  const before = await findProgress(ctx.db)
  const progress = before.done < before.compacted_to ? before : await beginRun(ctx, before, days)
  if (progress.done === progress.compacted_to) return { isUnfinished: false }
  const rows = await listEventsAfter(ctx.db, progress.done, atOnce)
  const piece = rows.filter(({ seq }) => seq <= progress.compacted_to)
  if (piece.length > 0) await deleteEventsBefore(ctx.db, newestOfEach(piece).map(upTo))
  const isLast = piece.length < atOnce
  const done = isLast ? progress.compacted_to : (piece.at(-1)?.seq ?? progress.compacted_to)
  await setState(ctx.db, 'events_compaction_done', String(done))
  return { isUnfinished: !isLast }
}

/** Published first: a follower that reads during the work must not miss an end unknowingly. */
async function beginRun(ctx: ChangeContext, { done, compacted_to }: Progress, days: number): Promise<Progress> {
  if (!(await claimRun(ctx, 'events.compact', dayMs))) return { done, compacted_to }
  const next = await findLastBefore(ctx.db, timestamp(ctx.now - days * dayMs), compacted_to)
  if (next > compacted_to) await setState(ctx.db, 'events_compacted_to', String(next))
  return { done, compacted_to: next }
}

/**
 * Finds the last event before this instant by bisection, but never the newest of all, which carries the counter. Times
 * increase with the numbers, apart from small clock differences.
 */
async function findLastBefore(db: Db, instant: string, from: number): Promise<number> {
  let low = from
  let high = (await findNewestEvent(db)) - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const found = await findEventFrom(db, middle)
    if (found !== undefined && found.seq <= high && found.occurred_at < instant) low = found.seq
    else high = middle - 1
  }
  return low
}

async function findProgress(db: Db): Promise<Progress> {
  const [to, done] = [await findState(db, 'events_compacted_to'), await findState(db, 'events_compaction_done')]
  return { compacted_to: Number(to ?? 0), done: Number(done ?? 0) }
}

function newestOfEach(rows: readonly EventRow[]): EventRow[] {
  return [...new Map(rows.map((row) => [`${row.owner_id} ${row.subject}`, row])).values()]
}

/** The events that the last one supersedes: all earlier ones, and an ending event itself. */
function upTo(row: EventRow): EventRow {
  return endings.includes(row.type) ? { ...row, seq: row.seq + 1 } : row
}
