/**
 * Counts password attempts for all nodes together: an attempt is reserved before it is checked. throttle.ts has the rules.
 * Leaves to sign-in.ts what an attempt is counted under, and what it opens.
 */

import { AppError } from '../../../core/errors.ts'
import { keptMs } from '../../../directory/users/service.ts'
import { networksOf } from '../../../lib/address.ts'
import { timestamp } from '../../../lib/instant.ts'
import { claimRun } from '../../../store/claim-run.ts'
import type { ChangeContext } from '../../../store/context.ts'
import type { Db } from '../../../store/db/db.ts'
import { codeRequestBudgets } from './attempt.ts'
import {
  type Attempt,
  type Budget,
  type Counted,
  clear,
  giveBack,
  keysOf,
  type Reservation,
  reserve,
  spend,
  untilAllowed,
  untouched,
  waitMs,
} from './throttle.ts'
import * as store from './throttle-store.ts'

/** Five at once, and five an hour. */
const uniqueTries = { burst: 5, refillMs: 12 * 60_000 }

/** Twenty at once, and twenty an hour: enough for an office. Eight times as many for a site of many networks. */
const [entries, entriesRefillMs, networksPerSite] = [20, 3 * 60_000, 8]

/** Refuses immediately if the attempt would have to wait, so that a flood costs reads instead of commits. */
export async function refuseEarly({ db, now }: { db: Db; now: number }, attempt: Attempt): Promise<void> {
  refuseTooEarly(attempt, await store.findThrottles(db, keysOf(attempt)), now)
}

/** @throws AppError `too_many_attempts`; then nothing is counted, and nothing may be checked */
export async function reserveAttempt(ctx: ChangeContext, attempt: Attempt): Promise<Reservation> {
  const counted = await store.holdThrottles(ctx.db, keysOf(attempt), ctx.now)
  refuseTooEarly(attempt, counted, ctx.now)
  const { reservation, next } = reserve(attempt, counted, ctx.now)
  await store.setThrottles(ctx.db, next, ctx.now)
  return reservation
}

/** After a correct password: resets the account's failures. */
export async function clearFailures(ctx: ChangeContext, reservation: Reservation): Promise<void> {
  const counted = await store.holdThrottles(ctx.db, keysOf(reservation), ctx.now)
  await store.setThrottles(ctx.db, clear(reservation, counted), ctx.now)
}

/** After an attempt whose password was not checked. */
export async function giveBackAttempt(ctx: ChangeContext, reservation: Reservation): Promise<void> {
  const counted = await store.holdThrottles(ctx.db, keysOf(reservation), ctx.now)
  await store.setThrottles(ctx.db, giveBack(reservation, counted), ctx.now)
}

/**
 * Counts a signed-in user's question whether a value that must be unique is free, whatever the response is.
 *
 * @throws AppError `too_many_attempts`
 */
export async function countUniqueTry(ctx: ChangeContext, { user_id }: { user_id: string }): Promise<void> {
  // Not among the keys of the user, which a change of the password deletes.
  const budget = { key: `unique:${user_id}`, ...uniqueTries }
  const detail = 'You have tried too many email addresses or values that must be unique. Wait before the next one.'
  await spendAll(ctx, [budget], { detail, limit: 'unique-values' })
}

/** Counts an address that a stranger enters to ask for access. @throws AppError `too_many_attempts` */
export async function countEntry(ctx: ChangeContext, address: string): Promise<void> {
  const { network, site } = networksOf(address)
  const own = { key: `access:${network}`, burst: entries, refillMs: entriesRefillMs }
  const wide = { burst: entries * networksPerSite, refillMs: entriesRefillMs / networksPerSite }
  const budgets = site === undefined ? [own] : [own, { key: `access:${site}`, ...wide }]
  const detail = 'Access was requested from your network too often. Wait before the next request.'
  await spendAll(ctx, budgets, { detail, limit: 'access-requests' })
}

type RefusedBudget = { detail: string; limit: 'attempts' | 'unique-values' | 'access-requests' }

/** Takes one from each allowance, or none. @throws AppError `too_many_attempts` */
async function spendAll(ctx: ChangeContext, budgets: readonly Budget[], refused: RefusedBudget): Promise<void> {
  const spendOne = await holdBudgets(ctx, budgets, refused)
  await spendOne()
}

/**
 * Holds allowances until this change ends. The returned function counts one try of each.
 *
 * @throws AppError `too_many_attempts` if one is used up
 */
export async function holdBudgets(
  ctx: ChangeContext,
  budgets: readonly Budget[],
  { detail, limit }: RefusedBudget,
): Promise<() => Promise<void>> {
  const keys = budgets.map(({ key }) => key)
  const counted = await store.holdThrottles(ctx.db, keys, ctx.now)
  const wait = Math.max(...keys.map((key) => untilAllowed(counted.get(key) ?? untouched, ctx.now)))
  if (wait > 0) throw new AppError('too_many_attempts', detail, { retryAfterSeconds: Math.ceil(wait / 1000), limit })
  const next = budgets.map(
    (budget) => [budget.key, spend(budget, counted.get(budget.key) ?? untouched, ctx.now)] as const,
  )
  return () => store.setThrottles(ctx.db, new Map(next), ctx.now)
}

/**
 * Counts a request for a code by email, whatever its name is: otherwise one network could flood many mailboxes.
 *
 * @throws AppError `too_many_attempts`
 */
export async function countCodeRequest(ctx: ChangeContext, address: string): Promise<void> {
  const budgets = codeRequestBudgets(address)
  const keys = budgets.map(({ key }) => key)
  const counted = await store.holdThrottles(ctx.db, keys, ctx.now)
  const wait = Math.max(...keys.map((key) => untilAllowed(counted.get(key) ?? untouched, ctx.now)))
  if (wait > 0) {
    const detail = 'Too many codes were requested from your network. Wait before the next one.'
    const retryAfterSeconds = Math.ceil(wait / 1000)
    throw new AppError('too_many_attempts', detail, { retryAfterSeconds, limit: 'email-codes' })
  }
  const next = budgets.map(
    (budget) => [budget.key, spend(budget, counted.get(budget.key) ?? untouched, ctx.now)] as const,
  )
  await store.setThrottles(ctx.db, new Map(next), ctx.now)
}

/** Deletes counts without attempts for a day, unless a node did so within `everyMs`. Returns how many. */
export async function prune(ctx: ChangeContext, { everyMs }: { everyMs: number }): Promise<number> {
  if (!(await claimRun(ctx, 'throttles.prune', everyMs))) return 0
  return store.deleteThrottlesBefore(ctx.db, timestamp(ctx.now - keptMs))
}

/** The same text and the same counting in all cases: it reveals neither whether the name exists, nor what has to wait. */
function refuseTooEarly(attempt: Attempt, counted: Counted, now: number): void {
  const wait = waitMs(attempt, counted, now)
  if (wait === 0) return
  throw new AppError('too_many_attempts', 'Too many attempts have failed. Wait before the next one.', {
    retryAfterSeconds: Math.ceil(wait / 1000),
    limit: 'attempts',
  })
}
