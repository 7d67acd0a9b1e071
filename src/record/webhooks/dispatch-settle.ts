/** What follows from attempts: for each delivery, for those that wait behind it, and for the endpoint as a whole. */
import { type ChangeContext, timestamp } from '../../store/context.ts'
import { isTrusted } from '../../store/jobs/clock.ts'
import * as store from './deliveries-store.ts'
import * as schedule from './schedule.ts'

/** What came of a delivery that was claimed. */
export type Outcome = {
  delivery_id: string
  /** As it was claimed: who comes later than that has nothing to say any more. */
  claimed_until: string
  /** Where it was sent to: the endpoint may have another address by now. */
  url: string
  /** Undefined: it was let go of, unsent or without waiting for the answer. */
  attempt: store.Attempt | undefined
  retry_after_ms: number | undefined
  /** From 0 to 1: the dice for its next try. */
  spread: number
}

/** Attempts that are kept of one delivery: those of two rounds. */
const keptAttempts = 20

/** An answer that the receiver has it. */
const isSuccess = ({ response_status }: store.Attempt) =>
  response_status !== null && response_status >= 200 && response_status < 300

/** The event is not there any more: no receiver is to blame. */
export const eventGone = 'event_gone'

/** Settles what came of some deliveries of one endpoint, which is held; answers the endpoint as it is from now on. */
export async function settle(
  ctx: ChangeContext,
  target: store.Target,
  outcomes: readonly Outcome[],
): Promise<store.Target> {
  if (outcomes.length === 0) return target
  const ids = outcomes.map(({ delivery_id }) => delivery_id)
  const rows = new Map((await store.listClaimed(ctx.db, target.endpoint_id, ids)).map((row) => [row.delivery_id, row]))
  // Another node has taken over what is claimed until another time: its answer counts, and this one came too late.
  const valid = outcomes
    .filter((one) => rows.get(one.delivery_id)?.claimed_until === one.claimed_until)
    .map((one) => (one.url === target.url ? one : ofEarlierAddress(one)))
  await Promise.all(valid.map((one) => settleOne(ctx, rows.get(one.delivery_id) as store.ClaimedRow, one, target)))
  const current = valid.filter(({ url }) => url === target.url)
  return settleEndpoint(ctx, target, current, rows)
}

/** What did not arrive there is sent to the new address at once, as all that waits. */
function ofEarlierAddress(one: Outcome): Outcome {
  return one.attempt && isSuccess(one.attempt) ? one : { ...one, attempt: undefined, retry_after_ms: undefined }
}

async function settleOne(
  ctx: ChangeContext,
  row: store.ClaimedRow,
  outcome: Outcome,
  { endpoint_id }: store.Target,
): Promise<void> {
  const settled = afterAttempt(row, outcome, ctx.now)
  await store.settleDelivery(ctx.db, settled)
  if (settled.finished_at === null) return
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
  // A receiver may answer with what it was sent, which must not come back once it is erased.
  const kept = row.erased === 1 ? { ...attempt, response_body: null } : attempt
  const attempts = JSON.stringify([...earlier, kept].slice(-keptAttempts))
  // Somebody looks at what comes of a test, and does not wait for days.
  const isLast = row.event_seq === null || attempt.error === eventGone
  const delay = isSuccess(attempt) || isLast ? undefined : schedule.retryDelayMs(count, spread, retry_after_ms)
  const common = { delivery_id, attempt_count: count, attempts }
  if (delay !== undefined) {
    return { ...common, status: 'due', next_attempt_at: timestamp(now + delay), finished_at: null }
  }
  const status = isSuccess(attempt) ? 'delivered' : 'dead'
  return { ...common, status, next_attempt_at: null, finished_at: timestamp(now) }
}

async function settleEndpoint(
  ctx: ChangeContext,
  target: store.Target,
  outcomes: readonly Outcome[],
  rows: ReadonlyMap<string, store.ClaimedRow>,
): Promise<store.Target> {
  const { endpoint_id } = target
  const health = healthAfter(target, outcomes, rows, ctx.now)
  if (health !== undefined) {
    const isNews = health.failing_since !== target.failing_since || hasFailed(health) !== hasFailed(target)
    await store.setHealth(ctx.db, { endpoint_id, ...health }, isNews)
  }
  const next = { ...target, ...health }
  const reason = reasonToDisable(next, outcomes, ctx.now)
  if (reason === undefined || next.active === 0) return next
  // A clock that jumped ahead makes every failure old.
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

type Health = Pick<store.Target, 'failure_count' | 'failing_since' | 'paused_until'>

/** How the endpoint is to be treated from now on; undefined: as before. */
function healthAfter(
  target: store.Target,
  outcomes: readonly Outcome[],
  rows: ReadonlyMap<string, store.ClaimedRow>,
  now: number,
): Health | undefined {
  const attempts = outcomes.flatMap(({ attempt, delivery_id }) =>
    attempt === undefined ? [] : [{ attempt, isTest: rows.get(delivery_id)?.event_seq === null }],
  )
  const hasSucceeded = attempts.some(({ attempt, isTest }) => !isTest && isSuccess(attempt))
  const hasTestSucceeded = attempts.some(({ attempt, isTest }) => isTest && isSuccess(attempt))
  const failures = attempts.filter(
    ({ attempt, isTest }) => !isTest && !isSuccess(attempt) && attempt.error !== eventGone,
  ).length
  const wishes = outcomes.map(({ attempt, retry_after_ms = 0 }) =>
    attempt && !isSuccess(attempt) ? retry_after_ms : 0,
  )
  const asked = Math.min(schedule.longestRetryAfterMs, Math.max(0, ...wishes))
  const pauseFor = (ms: number) => (ms > 0 ? timestamp(now + ms) : null)

  if (hasSucceeded) {
    if (target.failure_count === 0 && target.failing_since === null && asked === 0) return undefined
    const kept = target.failing_since === null ? target.paused_until : null
    return { failure_count: 0, failing_since: null, paused_until: pauseFor(asked) ?? kept }
  }
  if (failures === 0) {
    // Another probe may be made at once: one was let go of, or a test says that there is somebody. A test that is taken
    // alone shows nothing: the receiver may refuse all that it is for.
    const isProbeWanted = hasTestSucceeded || outcomes.length > attempts.length
    return target.failing_since !== null && isProbeWanted ? { ...healthOf(target), paused_until: null } : undefined
  }
  const failure_count = target.failure_count + failures
  const isFailing = target.failing_since !== null || failure_count >= schedule.failuresUntilFailing
  const failing_since = isFailing ? (target.failing_since ?? timestamp(now)) : null
  const pause = failing_since === null ? 0 : schedule.pauseMs(now - Date.parse(failing_since))
  return { failure_count, failing_since, paused_until: pauseFor(Math.max(pause, asked)) ?? target.paused_until }
}

function hasFailed({ failure_count }: Health): boolean {
  return failure_count > 0
}

function healthOf({ failure_count, failing_since, paused_until }: store.Target): Health {
  return { failure_count, failing_since, paused_until }
}

function reasonToDisable(target: store.Target, outcomes: readonly Outcome[], now: number): string | undefined {
  // RFC 9110 §15.5.11: gone, and likely for ever. Standard Webhooks: the receiver wants no more.
  if (outcomes.some(({ attempt }) => attempt?.response_status === 410)) return 'gone'
  if (target.failing_since === null || !outcomes.some(({ attempt }) => attempt && !isSuccess(attempt))) return undefined
  return now - Date.parse(target.failing_since) >= schedule.failingUntilDisabledMs ? 'failing' : undefined
}
