/** The consequences of attempts: for each delivery, for those behind it, and for the endpoint as a whole. */

import { timestamp } from '../../lib/instant.ts'
import type { ChangeContext } from '../../store/context.ts'
import { isTrusted } from '../../store/jobs/clock.ts'
import { type Health, healthAfter, type Learned } from '../delivery/service.ts'
import * as store from './deliveries-store.ts'
import * as schedule from './schedule.ts'

/** The outcome of a claimed delivery. */
export type Outcome = {
  delivery_id: string
  /** The end of the lease as claimed: a later outcome is ignored. */
  claimed_until: string
  /** The URL it was sent to: the endpoint may have another one by now. */
  url: string
  /** Undefined: it was released unsent, or without waiting for the response. */
  attempt: store.Attempt | undefined
  retry_after_ms: number | undefined
  /** A random number from 0 to 1 that spreads the next try. */
  spread: number
}

/** How many attempts are kept per delivery: those of two rounds. */
const keptAttempts = 20

/** A response that confirms receipt. */
export const isSuccess = ({ response_status }: store.Attempt) =>
  response_status !== null && response_status >= 200 && response_status < 300

/** The event no longer exists, which is not the receiver's fault. */
export const eventGone = 'event_gone'

/** Settles the outcomes of deliveries of one endpoint, whose row is locked. Returns the endpoint's new state. */
export async function recordOutcomes(
  ctx: ChangeContext,
  target: store.Target,
  outcomes: readonly Outcome[],
): Promise<store.Target> {
  if (outcomes.length === 0) return target
  const ids = outcomes.map(({ delivery_id }) => delivery_id)
  const rows = new Map((await store.listClaimed(ctx.db, target.endpoint_id, ids)).map((row) => [row.delivery_id, row]))
  // Another node has claimed it with a later lease: its outcome counts, and this one came too late.
  const valid = outcomes
    .filter((one) => rows.get(one.delivery_id)?.claimed_until === one.claimed_until)
    .map((one) => (one.url === target.url ? one : ofEarlierAddress(one)))
  await Promise.all(valid.map((one) => recordOutcome(ctx, rows.get(one.delivery_id) as store.ClaimedRow, one, target)))
  const current = valid.filter(({ url }) => url === target.url)
  return recordEndpoint(ctx, target, current, rows)
}

/** Deliveries that failed at the old URL are sent to the new one at once, as are all pending ones. */
function ofEarlierAddress(one: Outcome): Outcome {
  return one.attempt && isSuccess(one.attempt) ? one : { ...one, attempt: undefined, retry_after_ms: undefined }
}

async function recordOutcome(
  ctx: ChangeContext,
  row: store.ClaimedRow,
  outcome: Outcome,
  { endpoint_id }: store.Target,
): Promise<void> {
  const afterwards = afterAttempt(row, outcome, ctx.now)
  await store.writeOutcome(ctx.db, afterwards)
  if (afterwards.finished_at === null) return
  await store.releaseNext(ctx.db, { endpoint_id, order_key: row.order_key, now: timestamp(ctx.now) })
}

function afterAttempt(row: store.ClaimedRow, { attempt, retry_after_ms, spread }: Outcome, now: number): store.Settled {
  const { delivery_id, attempt_count } = row
  if (attempt === undefined) {
    const next_attempt_at = timestamp(now)
    return { delivery_id, status: 'due', attempt_count, next_attempt_at, attempts: row.attempts, finished_at: null }
  }
  const count = attempt_count + 1
  const earlier = JSON.parse(row.attempts) as store.Attempt[]
  // A receiver may echo what it was sent, which must not come back after an erasure.
  const stored = row.erased === 1 ? { ...attempt, response_body: null } : attempt
  const attempts = JSON.stringify([...earlier, stored].slice(-keptAttempts))
  // A person is watching a test, so it is not retried for days.
  const isLast = row.event_seq === null || attempt.error === eventGone
  const delay = isSuccess(attempt) || isLast ? undefined : schedule.retryDelayMs(count, spread, retry_after_ms)
  const common = { delivery_id, attempt_count: count, attempts }
  if (delay !== undefined) {
    return { ...common, status: 'due', next_attempt_at: timestamp(now + delay), finished_at: null }
  }
  const status = isSuccess(attempt) ? 'delivered' : 'dead'
  return { ...common, status, next_attempt_at: null, finished_at: timestamp(now) }
}

async function recordEndpoint(
  ctx: ChangeContext,
  target: store.Target,
  outcomes: readonly Outcome[],
  rows: ReadonlyMap<string, store.ClaimedRow>,
): Promise<store.Target> {
  const { endpoint_id } = target
  const health = healthAfter(target, learnedFrom(outcomes, rows), ctx.now)
  if (health !== undefined) {
    const isNews = health.failing_since !== target.failing_since || hasFailed(health) !== hasFailed(target)
    await store.setHealth(ctx.db, { endpoint_id, ...health }, isNews)
  }
  const next = { ...target, ...health }
  const reason = reasonToDisable(next, outcomes, ctx.now)
  if (reason === undefined || next.active === 0) return next
  // A clock that jumped ahead makes every failure look old.
  if (reason === 'failing' && !(await isTrusted(ctx.db, ctx.now))) return next
  await store.disableEndpoint(ctx.db, { endpoint_id, reason, now: timestamp(ctx.now) })
  ctx.record({
    action: 'webhook.disabled',
    target: { kind: 'webhook', id: endpoint_id, name: new URL(target.url).host },
    changes: { active: { before: true, after: false } },
    details: { reason, failing_since: next.failing_since },
  })
  return { ...next, active: 0 }
}

/** Derives the health of the endpoint from the outcomes. */
function learnedFrom(outcomes: readonly Outcome[], rows: ReadonlyMap<string, store.ClaimedRow>): Learned {
  const attempts = outcomes.flatMap(({ attempt, delivery_id }) =>
    attempt === undefined ? [] : [{ attempt, isTest: rows.get(delivery_id)?.event_seq === null }],
  )
  const hasTestSucceeded = attempts.some(({ attempt, isTest }) => isTest && isSuccess(attempt))
  const wishes = outcomes.map(({ attempt, retry_after_ms = 0 }) =>
    attempt && !isSuccess(attempt) ? retry_after_ms : 0,
  )
  return {
    hasSucceeded: attempts.some(({ attempt, isTest }) => !isTest && isSuccess(attempt)),
    failures: attempts.filter(({ attempt, isTest }) => !isTest && !isSuccess(attempt) && attempt.error !== eventGone)
      .length,
    askedMs: Math.min(schedule.longestRetryAfterMs, Math.max(0, ...wishes)),
    // A successful test alone does not make the endpoint healthy: the receiver may still refuse real events.
    isProbeWanted: hasTestSucceeded || outcomes.length > attempts.length,
  }
}

function hasFailed({ failure_count }: Health): boolean {
  return failure_count > 0
}

function reasonToDisable(target: store.Target, outcomes: readonly Outcome[], now: number): string | undefined {
  // RFC 9110 §15.5.11: gone, probably permanently. Standard Webhooks: the receiver wants no more.
  if (outcomes.some(({ attempt }) => attempt?.response_status === 410)) return 'gone'
  if (target.failing_since === null || !outcomes.some(({ attempt }) => attempt && !isSuccess(attempt))) return undefined
  return now - Date.parse(target.failing_since) >= schedule.failingUntilDisabledMs ? 'failing' : undefined
}
