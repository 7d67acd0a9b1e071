/**
 * Operators' actions on deliveries: list them, retry one, send a test. Sending is in dispatch.ts. Each change runs in
 * a transaction.
 */

import { AppError } from '../../core/errors.ts'
import { checkIdCursor, pageOf } from '../../http/request/cursor.ts'
import { timestamp } from '../../lib/instant.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import * as store from './deliveries-store.ts'
import type { Delivery, DeliveryWithAttempts, ListDeliveries } from './delivery-schema.ts'
import * as endpoints from './endpoints.ts'

const defaultLimit = 100

type Ids = { endpoint_id: string; delivery_id: string }

/** The only function that decides which columns of a row may leave. */
function toDelivery(row: store.DeliveryRow): Delivery {
  return {
    delivery_id: row.delivery_id,
    endpoint_id: row.endpoint_id,
    event_id: row.event_id,
    type: row.type,
    status: row.status,
    attempt_count: row.attempt_count,
    next_attempt_at: row.next_attempt_at,
    created_at: row.created_at,
    finished_at: row.finished_at,
  }
}

/**
 * Returns a page, newest first, and where the next one starts.
 *
 * @throws AppError `endpoint_not_found`, `bad_cursor`
 */
export async function list(
  ctx: Context,
  endpointId: string,
  { status, limit = defaultLimit, cursor }: ListDeliveries,
): Promise<{ deliveries: Delivery[]; next: string | undefined }> {
  checkIdCursor(cursor)
  await endpoints.get(ctx, endpointId)
  const rows = await store.listDeliveries(ctx.db, {
    endpoint_id: endpointId,
    limit: limit + 1,
    ...(status !== undefined && { status }),
    ...(cursor !== undefined && { before: cursor }),
  })
  const { page, last } = pageOf(rows, limit)
  return { deliveries: page.map(toDelivery), next: last?.delivery_id }
}

/** @throws AppError `endpoint_not_found`, `delivery_not_found` */
export async function get(ctx: Context, ids: Ids): Promise<DeliveryWithAttempts> {
  await endpoints.get(ctx, ids.endpoint_id)
  const row = await getRow(ctx, ids)
  return { ...toDelivery(row), attempts: JSON.parse(row.attempts) as DeliveryWithAttempts['attempts'] }
}

/**
 * Sends a test event ahead of everything that waits.
 *
 * @throws AppError `endpoint_not_found`, `endpoint_inactive`
 */
export async function test(
  ctx: ChangeContext,
  { endpoint_id, source }: { endpoint_id: string; source: string },
): Promise<Delivery> {
  const endpoint = await endpoints.getForChange(ctx, endpoint_id, undefined)
  refuseInactive(endpoint)
  const [delivery_id, now] = [ctx.newId(), timestamp(ctx.now)]
  const body = JSON.stringify({
    specversion: '1.0',
    id: delivery_id,
    source,
    type: 'webhook.test',
    subject: endpoint_id,
    time: now,
    datacontenttype: 'application/json',
    data: { endpoint_id },
    timestamp: now,
  })
  await store.insertTestDelivery(ctx.db, { delivery_id, endpoint_id, body, now })
  ctx.record({ action: 'webhook.tested', target: endpoints.targetOf(endpoint), details: { delivery_id } })
  return toDelivery(await getRow(ctx, { endpoint_id, delivery_id }))
}

/**
 * Sends a delivered or given-up delivery again, with the same `webhook-id`, so that a receiver can recognize it.
 *
 * @throws AppError `endpoint_not_found`, `endpoint_inactive`, `delivery_not_found`, `delivery_in_progress`
 */
export async function repeat(ctx: ChangeContext, ids: Ids): Promise<Delivery> {
  const endpoint = await endpoints.getForChange(ctx, ids.endpoint_id, undefined)
  refuseInactive(endpoint)
  const { delivery_id, event_id, type } = await getRow(ctx, ids)
  if (!(await store.repeatDelivery(ctx.db, { ...ids, now: timestamp(ctx.now) }))) {
    throw new AppError('delivery_in_progress', 'This delivery is still in progress: Rollbook retries it.')
  }
  const details = { delivery_id, event_id, type }
  ctx.record({ action: 'delivery.repeated', target: endpoints.targetOf(endpoint), details })
  return toDelivery(await getRow(ctx, ids))
}

function refuseInactive({ active }: { active: number }): void {
  if (active === 1) return
  throw new AppError('endpoint_inactive', 'This endpoint is not active. Set `active` to true first.')
}

async function getRow(ctx: Context | ChangeContext, ids: Ids): Promise<store.DeliveryRow> {
  const found = isUuid(ids.delivery_id) ? await store.findDelivery(ctx.db, ids) : undefined
  if (found === undefined) throw new AppError('delivery_not_found', 'This endpoint has no delivery with this id.')
  return found
}

export { eraseAttempts } from './deliveries-store.ts'

/** For a restored store. Returns how many deliveries are not sent. */
export function giveUpWaiting(ctx: ChangeContext, newest: { before: number; after: number }): Promise<number> {
  const now = timestamp(ctx.now)
  const why = { attempted_at: now, duration_ms: 0, response_status: null, error: 'store_restored', response_body: null }
  return store.giveUpWaiting(ctx.db, { newest, now, attempts: JSON.stringify([why]) })
}
