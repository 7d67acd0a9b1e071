/**
 * Turns events into deliveries. For a user whose deliveries fail, only the first become rows; the rest is the user's
 * backlog, which becomes rows when those are finished. So no queue grows without limit, and the cursor moves on for all
 * others.
 */

import { timestamp } from '../../lib/instant.ts'
import type { ChangeContext } from '../../store/context.ts'
import { isWanted } from '../events/service.ts'
import * as store from './deliveries-store.ts'

/** How many events become deliveries at a time. */
const eventsAtOnce = 500
/** The most waiting deliveries of one user. */
const queueLimit = 100
/** How many backlogs one step resumes. */
const backlogsAtOnce = 5

/** Processes the events after the cursor. Returns whether there are more. */
export async function fanOut(ctx: ChangeContext, target: store.Target): Promise<boolean> {
  const { endpoint_id } = target
  const events = await store.listEventHeads(ctx.db, target.cursor, eventsAtOnce)
  const last = events.at(-1)
  if (last === undefined) return false
  await makeDeliveries(ctx, target, wantedOf(target, events))
  await store.moveCursor(ctx.db, endpoint_id, last.seq)
  return events.length === eventsAtOnce
}

/** Resumes backlogs of users with no pending delivery. Returns whether any were resumed. */
export async function refill(ctx: ChangeContext, target: store.Target): Promise<boolean> {
  const { endpoint_id, cursor } = target
  const backlogs = await store.listReadyBacklogs(ctx.db, endpoint_id, backlogsAtOnce)
  for (const { order_key, after_seq } of backlogs) {
    const range = { owner_id: order_key, after: after_seq, upTo: cursor, limit: queueLimit }
    const events = await store.listEventHeadsOf(ctx.db, range)
    const last = events.at(-1)
    await store.deleteBacklog(ctx.db, endpoint_id, order_key)
    await makeDeliveries(ctx, target, wantedOf(target, events))
    if (last !== undefined && events.length === queueLimit) {
      await store.saveBacklog(ctx.db, { endpoint_id, order_key, after_seq: last.seq })
    }
  }
  return backlogs.length > 0
}

function wantedOf({ event_types }: store.Target, events: readonly store.EventHead[]): store.EventHead[] {
  const types = event_types === null ? null : (JSON.parse(event_types) as string[])
  return events.filter(({ type }) => isWanted(types, type))
}

async function makeDeliveries(
  ctx: ChangeContext,
  { endpoint_id }: store.Target,
  events: readonly store.EventHead[],
): Promise<void> {
  if (events.length === 0) return
  const owners = [...new Set(events.map(({ owner_id }) => owner_id))]
  const backlogged = new Set(await store.listBacklogged(ctx.db, endpoint_id, owners))
  const unfinished = await store.countUnfinished(ctx.db, endpoint_id, owners)
  const queues = new Map(unfinished.map(({ order_key, count }) => [order_key, Number(count)]))
  const rows: store.NewDelivery[] = []
  const left: store.Backlog[] = []
  for (const event of events) {
    const { owner_id } = event
    const waiting = queues.get(owner_id) ?? 0
    if (backlogged.has(owner_id)) continue
    if (waiting >= queueLimit) {
      backlogged.add(owner_id)
      left.push({ order_key: owner_id, after_seq: event.seq - 1 })
      continue
    }
    queues.set(owner_id, waiting + 1)
    const status = waiting > 0 ? 'queued' : 'due'
    rows.push({ delivery_id: ctx.newId(), endpoint_id, event, status, now: timestamp(ctx.now) })
  }
  await Promise.all([
    ...rows.map((row) => store.insertDelivery(ctx.db, row)),
    ...left.map((backlog) => store.saveBacklog(ctx.db, { endpoint_id, ...backlog })),
  ])
}
