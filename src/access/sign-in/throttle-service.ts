/**
 * Counts tries at passwords, for all nodes together: a try is reserved before it is looked at. The rules are those of
 * throttle.ts. Leaves to sign-in.ts what a try is counted under, and what it opens.
 */

import { AppError } from '../../core/errors.ts'
import { timestamp } from '../../lib/instant.ts'
import { claimRun } from '../../store/claim-run.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import { type Attempt, type Counted, clear, giveBack, keysOf, type Reservation, reserve, waitMs } from './throttle.ts'
import * as store from './throttle-store.ts'

/** A day without a try, and it begins anew; but not the count of failures in a row. */
export const keptMs = 86_400_000

/** Refuses at once what would only wait, so that a flood of tries costs reads instead of commits. */
export async function refuseEarly({ db, now }: { db: Db; now: number }, attempt: Attempt): Promise<void> {
  refuseTooEarly(attempt, await store.findThrottles(db, keysOf(attempt)), now)
}

/** @throws AppError `too_many_attempts`; then nothing is counted, and nothing may be looked at */
export async function reserveAttempt(ctx: ChangeContext, attempt: Attempt): Promise<Reservation> {
  const counted = await store.holdThrottles(ctx.db, keysOf(attempt), ctx.now)
  refuseTooEarly(attempt, counted, ctx.now)
  const { reservation, next } = reserve(attempt, counted, ctx.now)
  await store.setThrottles(ctx.db, next, ctx.now)
  return reservation
}

/** After a right password: the failures of the account are forgotten. */
export async function clearFailures(ctx: ChangeContext, reservation: Reservation): Promise<void> {
  const counted = await store.holdThrottles(ctx.db, keysOf(reservation), ctx.now)
  await store.setThrottles(ctx.db, clear(reservation, counted), ctx.now)
}

/** After a password that was not looked at. */
export async function giveBackAttempt(ctx: ChangeContext, reservation: Reservation): Promise<void> {
  const counted = await store.holdThrottles(ctx.db, keysOf(reservation), ctx.now)
  await store.setThrottles(ctx.db, giveBack(reservation, counted), ctx.now)
}

/** Forgets what nobody has tried for a day, unless a node has done so within `everyMs`. Answers how much went. */
export async function prune(ctx: ChangeContext, { everyMs }: { everyMs: number }): Promise<number> {
  if (!(await claimRun(ctx, 'throttles.prune', everyMs))) return 0
  return store.deleteThrottlesBefore(ctx.db, timestamp(ctx.now - keptMs))
}

/** One text and one way to count for all: it tells nobody whether the name is known, nor what it is that has to wait. */
function refuseTooEarly(attempt: Attempt, counted: Counted, now: number): void {
  const wait = waitMs(attempt, counted, now)
  if (wait === 0) return
  throw new AppError('too_many_attempts', 'Too many attempts have failed. Wait before the next one.', {
    retryAfterSeconds: Math.ceil(wait / 1000),
  })
}
