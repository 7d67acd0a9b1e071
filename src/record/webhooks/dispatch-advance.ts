/**
 * One step for one endpoint, in one transaction: settles the last outcomes, turns new events into deliveries, and claims
 * what is due. Leaves making deliveries to dispatch-fan-out.ts, sending to dispatch-lane.ts.
 */

import { timestamp } from '../../lib/instant.ts'
import type { ChangeContext } from '../../store/context.ts'
import * as store from './deliveries-store.ts'
import { fanOut, refill } from './dispatch-fan-out.ts'
import { type Outcome, recordOutcomes } from './dispatch-outcomes.ts'
import * as schedule from './schedule.ts'

export type Step = {
  endpoint_id: string
  outcomes: Outcome[]
  /** How many may be claimed. */
  room: number
  /** The end of the lease: a node that has not reported the outcome by then loses the delivery to others. */
  lease_ms: number
}

export type Stepped = {
  /** Undefined: there is nothing to send to. */
  target: store.Target | undefined
  claimed: store.Claimed[]
  claimed_until: string
  /** There is more to do immediately. */
  hasMore: boolean
  /** So much is due that new events have to wait. */
  isFull: boolean
}

/**
 * The most deliveries that wait for one endpoint; further events wait in the feed. At most one delivery per user is due, so
 * one user's failing events cannot block the rest.
 */
const dueLimit = 10_000

export async function advance(ctx: ChangeContext, { endpoint_id, outcomes, room, lease_ms }: Step): Promise<Stepped> {
  const claimed_until = timestamp(ctx.now + lease_ms)
  const found = await store.findTargetForChange(ctx.db, endpoint_id)
  const target = found && (await recordOutcomes(ctx, found, outcomes))
  if (target === undefined || target.active === 0) {
    return { target: undefined, claimed: [], claimed_until, hasMore: false, isFull: false }
  }
  const hasRefilled = await refill(ctx, target)
  const isFull = (await store.countDue(ctx.db, endpoint_id, dueLimit)) >= dueLimit
  const hasMore = (!isFull && (await fanOut(ctx, target))) || hasRefilled
  const claimed = await claim(ctx, target, { room, claimed_until })
  return { target, claimed, claimed_until, hasMore, isFull }
}

async function claim(
  ctx: ChangeContext,
  target: store.Target,
  { room, claimed_until }: { room: number; claimed_until: string },
): Promise<store.Claimed[]> {
  const { endpoint_id, failing_since, paused_until } = await forgiveAfterQuiet(ctx, target)
  const now = timestamp(ctx.now)
  const claimDue = async (limit: number, testsOnly: boolean): Promise<store.Claimed[]> => {
    const due = limit > 0 ? await store.listDue(ctx.db, { endpoint_id, now, limit, testsOnly }) : []
    await Promise.all(due.map(({ delivery_id }) => store.claimDelivery(ctx.db, delivery_id, claimed_until)))
    return due
  }
  // A person is waiting for the result of a test.
  const tests = await claimDue(room, true)
  if (paused_until !== null && paused_until > now) return tests
  const others = await claimDue(Math.min(room - tests.length, failing_since === null ? room : 1), false)
  const isProbe = failing_since !== null && others.length > 0
  // This node takes over the probe for all nodes.
  if (isProbe) await store.setHealth(ctx.db, { ...target, paused_until: claimed_until }, false)
  return [...tests, ...others]
}

/** An endpoint that failed long ago and was not tried since starts over: its state is unknown. */
async function forgiveAfterQuiet(ctx: ChangeContext, target: store.Target): Promise<store.Target> {
  const { failing_since, paused_until } = target
  const isQuiet = paused_until !== null && ctx.now - Date.parse(paused_until) > schedule.quietMs
  if (failing_since === null || !isQuiet) return target
  const next = { ...target, failure_count: 0, failing_since: null, paused_until: null }
  await store.setHealth(ctx.db, next, true)
  return next
}
