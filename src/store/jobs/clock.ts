/**
 * Decides whether the clock can be trusted with deletions by age. A clock that is years ahead for a minute would erase users
 * within their grace period, and audit records. So each round of housekeeping records the time, and after a jump nothing is
 * deleted until the clock has run for a day without another jump, or the operator confirms the date.
 */

import { timestamp } from '../../lib/instant.ts'
import type { ChangeContext } from '../context.ts'
import type { Db } from '../db/db.ts'
import { isServer } from '../db/dialect.ts'
import { sql } from '../db/sql.ts'
import { findState, setState } from '../state.ts'

/** `trusted`: the time of the last round that could delete. */
export type ClockState = {
  trusted: string
  /** Rounds since `since` delete nothing; the last of them was at `seen`. */
  waiting?: { since: string; seen: string }
}

export type ClockInput = {
  /** The process has been running since a trusted round, and its monotonic clock agrees with this one. */
  isSteady: boolean
  /** The operator confirmed the date. */
  isConfirmed: boolean
}

const stateName = 'housekeeping_clock'
/** Longer than a restart or an upgrade takes, and short compared with every retention time. */
export const toleranceMs = 3_600_000
/** How long a clock must run without a jump before it is trusted again. */
const steadyMs = 86_400_000

/** Returns the next state. @param now epoch milliseconds */
function judge({ trusted, waiting }: ClockState, now: number, { isSteady, isConfirmed }: ClockInput): ClockState {
  const aheadMs = now - Date.parse(trusted)
  const isNear = aheadMs <= toleranceMs
  if (isNear || isSteady || isConfirmed) return { trusted: timestamp(now) }
  const sinceSeenMs = waiting === undefined ? Number.NaN : now - Date.parse(waiting.seen)
  // A second jump restarts the wait; so does a gap in which no process could see a jump.
  const goesOn = Math.abs(sinceSeenMs) <= toleranceMs
  const since = goesOn && waiting !== undefined ? waiting.since : timestamp(now)
  if (now - Date.parse(since) >= steadyMs) return { trusted: timestamp(now) }
  return { trusted, waiting: { since, seen: timestamp(now) } }
}

/** Returns the clock that all nodes share, in epoch milliseconds; undefined on SQLite, which has one process. */
export async function databaseClock(db: Db): Promise<number | undefined> {
  if (!isServer(db)) return undefined
  const row = await db.get<{ ms: number | string }>(sql`SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms`)
  return Number(row?.ms)
}

/** Explains why this node deletes nothing. */
export function explainApart(now: number, shared: number): string {
  return (
    `The clock of this node says ${timestamp(now)}, the clock of the database ${timestamp(Math.round(shared))}. This node deletes ` +
    'nothing by age until they agree within an hour; the other nodes still do. Correct the wrong clock.'
  )
}

/** Records the time of a round. Returns the verdict on it. */
export async function judgeClock(ctx: ChangeContext, input: ClockInput): Promise<ClockState> {
  await ctx.db.lock([stateName])
  const before = (await findClock(ctx.db)) ?? { trusted: (await newestRecord(ctx.db)) ?? timestamp(ctx.now) }
  const state = judge(before, ctx.now, input)
  await setState(ctx.db, stateName, JSON.stringify(state))
  return state
}

export async function findClock(db: Db): Promise<ClockState | undefined> {
  const state = await findState(db, stateName)
  return state === undefined ? undefined : (JSON.parse(state) as ClockState)
}

/** Whether the clock is trusted: housekeeping is not paused, and its last round was not long ago. */
export async function isTrusted(db: Db, now: number): Promise<boolean> {
  const state = await findClock(db)
  return state === undefined || (state.waiting === undefined && now - Date.parse(state.trusted) <= toleranceMs)
}

/** Before the first round: the service has written something at this time. */
async function newestRecord(db: Db): Promise<string | undefined> {
  const row = await db.get<{ occurred_at: string }>(
    sql`SELECT occurred_at FROM audit_records ORDER BY seq DESC LIMIT 1`,
  )
  return row?.occurred_at
}

/** Explains what is paused, why, and until when. */
export function explainWait({ trusted, waiting }: ClockState): string | undefined {
  if (waiting === undefined) return undefined
  const until = timestamp(Date.parse(waiting.since) + steadyMs)
  return (
    `The clock says ${waiting.seen}, but the last round of housekeeping was at ${trusted}. Nothing is deleted by age until the ` +
    `clock has run on without a jump, at ${until}. If the date is right, restart with ROLLBOOK_CONFIRM_DATE set to it ` +
    '(such as 2026-11-22); if not, correct the clock.'
  )
}
