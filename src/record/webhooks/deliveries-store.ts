import type { Db, Transaction } from '../../store/db/db.ts'
import { forUpdate } from '../../store/db/dialect.ts'
import { fixedSql, joinSql, rawSql, sql } from '../../store/db/sql.ts'
import { type EventRow, findById } from '../journal/service.ts'
import type { EndpointRow } from './store.ts'

/** `queued`: behind an unfinished one with the same order key; `dead`: given up. */
export type DeliveryStatus = 'queued' | 'due' | 'delivered' | 'dead'

export type DeliveryRow = {
  delivery_id: string
  endpoint_id: string
  /** Null for a test. */
  event_seq: number | null
  /** The `webhook-id`; for a test the delivery_id. */
  event_id: string
  type: string
  status: DeliveryStatus
  attempt_count: number
  /** While it is being sent: when it is sent again unless an outcome is reported by then. */
  next_attempt_at: string | null
  /** JSON array of Attempt, the newest last. */
  attempts: string
  created_at: string
  finished_at: string | null
}

const columns =
  fixedSql(`delivery_id, endpoint_id, event_seq, event_id, type, status, attempt_count, next_attempt_at, attempts,
  created_at, finished_at`)

export type Attempt = {
  attempted_at: string
  duration_ms: number
  response_status: number | null
  /** A word for why there was no response, or why it did not count. */
  error: string | null
  /** The beginning of the response body. */
  response_body: string | null
}

type Ids = { endpoint_id: string; delivery_id: string }

/** The newest first. */
export function listDeliveries(
  db: Db,
  {
    endpoint_id,
    status,
    before,
    limit,
  }: { endpoint_id: string; status?: DeliveryStatus; before?: string; limit: number },
): Promise<DeliveryRow[]> {
  const conditions = [sql`endpoint_id = ${endpoint_id}`]
  if (status !== undefined) conditions.push(sql`status = ${status}`)
  if (before !== undefined) conditions.push(sql`delivery_id < ${before}`)
  return db.all<DeliveryRow>(sql`
    SELECT ${columns}
    FROM webhook_deliveries WHERE ${joinSql(conditions, ' AND ')} ORDER BY delivery_id DESC LIMIT ${limit}`)
}

export function findDelivery(db: Db, { endpoint_id, delivery_id }: Ids): Promise<DeliveryRow | undefined> {
  return db.get<DeliveryRow>(sql`
    SELECT ${columns}
    FROM webhook_deliveries WHERE delivery_id = ${delivery_id} AND endpoint_id = ${endpoint_id}`)
}

/** Inserts a delivery that waits for nothing, and nothing waits for it. Its `body` is what is sent. */
export async function insertTestDelivery(
  db: Transaction,
  { delivery_id, endpoint_id, body, now }: Ids & { body: string; now: string },
): Promise<void> {
  await db.run(sql`
    INSERT INTO webhook_deliveries (delivery_id, endpoint_id, event_id, order_key, type, body, status, attempt_count,
      next_attempt_at, attempts, created_at)
    VALUES (${delivery_id}, ${endpoint_id}, ${delivery_id}, ${delivery_id}, 'webhook.test', ${body}, 'due', 0, ${now},
      '[]', ${now})`)
}

/**
 * Restarts a finished delivery, behind unfinished ones with its order key. Returns false if it is not finished. The caller
 * has locked the endpoint.
 */
export async function repeatDelivery(
  db: Transaction,
  { endpoint_id, delivery_id, now }: Ids & { now: string },
): Promise<boolean> {
  const repeated = await db.run(sql`
    UPDATE webhook_deliveries SET attempt_count = 0, finished_at = NULL, next_attempt_at = ${now},
      status = CASE WHEN EXISTS (SELECT 1 FROM webhook_deliveries AS other
          WHERE other.endpoint_id = ${endpoint_id} AND other.order_key = webhook_deliveries.order_key
            AND other.status IN ('queued', 'due')) THEN 'queued' ELSE 'due' END
    WHERE delivery_id = ${delivery_id} AND endpoint_id = ${endpoint_id} AND status IN ('delivered', 'dead')`)
  return repeated > 0
}

/** Retries at once whatever waits for its next try. The caller has locked the endpoint. */
export async function resumeDeliveries(
  db: Transaction,
  { endpoint_id, now }: { endpoint_id: string; now: string },
): Promise<void> {
  await db.run(sql`
    UPDATE webhook_deliveries SET next_attempt_at = ${now}
    WHERE endpoint_id = ${endpoint_id} AND status = 'due' AND next_attempt_at > ${now}
      AND (claimed_until IS NULL OR claimed_until <= ${now})`)
  await db.run(sql`
    UPDATE webhook_endpoints SET failure_count = 0, paused_until = NULL WHERE endpoint_id = ${endpoint_id}`)
}

/**
 * For a restored store: gives up what waits, because the store that it comes from has probably sent it, and continues after the
 * newest event. Returns how many deliveries waited.
 */
export async function giveUpWaiting(
  db: Transaction,
  { newest, now, attempts }: { newest: { before: number; after: number }; now: string; attempts: string },
): Promise<number> {
  await db.run(sql`
    UPDATE webhook_deliveries SET event_seq = ${newest.after} WHERE event_seq = ${newest.before}`)
  await db.run(sql`DELETE FROM webhook_backlogs`)
  await db.run(sql`UPDATE webhook_endpoints SET cursor = ${newest.after}`)
  return db.run(sql`
    UPDATE webhook_deliveries SET status = 'dead', next_attempt_at = NULL, claimed_until = NULL, finished_at = ${now},
      attempts = ${attempts}
    WHERE status IN ('queued', 'due')`)
}

/** Returns the logs of some failed deliveries that will be retried. Uses the index `webhook_deliveries_status`. */
export async function listFailedAttempts(db: Db, endpointId: string): Promise<string[]> {
  const rows = await db.all<{ attempts: string }>(sql`
    SELECT attempts FROM webhook_deliveries
    WHERE endpoint_id = ${endpointId} AND status = 'due' AND attempt_count > 0 AND event_seq IS NOT NULL
    ORDER BY delivery_id LIMIT 20`)
  return rows.map(({ attempts }) => attempts)
}

/** Receivers may echo what they were sent, so some of this owner's response logs are emptied. Returns how many. */
export function eraseAttempts(db: Transaction, ownerId: string, limit: number): Promise<number> {
  return db.run(sql`
    UPDATE webhook_deliveries SET attempts = '[]' WHERE delivery_id IN (
      SELECT delivery_id FROM webhook_deliveries
      WHERE endpoint_id IN (SELECT endpoint_id FROM webhook_endpoints) AND order_key = ${ownerId} AND attempts <> '[]'
      LIMIT ${limit})`)
}

/** An endpoint as the dispatcher sees it. */
export type Target = Pick<
  EndpointRow,
  | 'endpoint_id'
  | 'url'
  | 'event_types'
  | 'active'
  | 'secret'
  | 'previous_secret'
  | 'previous_expires_at'
  | 'cursor'
  | 'failing_since'
> & {
  /** Failed attempts since the last success. */
  failure_count: number
  /** Until then only tests are sent. */
  paused_until: string | null
}

/** Reads and locks the endpoint until the transaction ends: work on its deliveries is serialized. */
export function findTargetForChange(db: Db, endpointId: string): Promise<Target | undefined> {
  return db.get<Target>(sql`
    SELECT endpoint_id, url, event_types, active, secret, previous_secret, previous_expires_at, cursor,
      failure_count, failing_since, paused_until
    FROM webhook_endpoints WHERE endpoint_id = ${endpointId} ${forUpdate(db)}`)
}

/** Whether there is work for an endpoint, and when. */
export type Work = {
  endpoint_id: string
  cursor: number
  newest: number
  paused_until: string | null
  due_at: string | null
  test_due_at: string | null
}

export function listWork(db: Db): Promise<Work[]> {
  return db.all<Work>(sql`
    SELECT endpoint_id, cursor, paused_until, (SELECT coalesce(max(seq), 0) FROM events) AS newest,
      (SELECT min(next_attempt_at) FROM webhook_deliveries
        WHERE endpoint_id = webhook_endpoints.endpoint_id AND status = 'due') AS due_at,
      (SELECT min(next_attempt_at) FROM webhook_deliveries
        WHERE endpoint_id = webhook_endpoints.endpoint_id AND status = 'due' AND event_seq IS NULL) AS test_due_at
    FROM webhook_endpoints WHERE active = 1`)
}

/** Returns how many are due, at most one per user. */
export async function countDue(db: Db, endpointId: string, most: number): Promise<number> {
  const row = await db.get<{ count: number }>(sql`
    SELECT count(*) AS count FROM (SELECT 1 FROM webhook_deliveries
      WHERE endpoint_id = ${endpointId} AND status = 'due' LIMIT ${most}) AS due`)
  return Number(row?.count)
}

export type EventHead = Pick<EventRow, 'seq' | 'event_id' | 'type' | 'owner_id'>

export function listEventHeads(db: Db, after: number, limit: number): Promise<EventHead[]> {
  return db.all<EventHead>(sql`
    SELECT seq, event_id, type, owner_id FROM events WHERE seq > ${after} ORDER BY seq LIMIT ${limit}`)
}

/** An owner's events up to the cursor of the endpoint. */
export function listEventHeadsOf(
  db: Db,
  { owner_id, after, upTo, limit }: { owner_id: string; after: number; upTo: number; limit: number },
): Promise<EventHead[]> {
  const columns = rawSql('seq, event_id, type, owner_id')
  return findById(db, 'event_owners', columns, { id: owner_id, above: after, below: upTo + 1, limit })
}

export type Unfinished = { order_key: string; count: number }

/** Returns how many unfinished deliveries each order key has; keys without any are left out. */
export function countUnfinished(db: Db, endpointId: string, orderKeys: readonly string[]): Promise<Unfinished[]> {
  return db.all<Unfinished>(sql`
    SELECT order_key, count(*) AS count FROM webhook_deliveries
    WHERE endpoint_id = ${endpointId} AND status IN ('queued', 'due') AND order_key IN (${listOf(orderKeys)})
    GROUP BY order_key`)
}

/** Returns those of the order keys with a backlog: events up to the cursor, after a number, without deliveries yet. */
export async function listBacklogged(db: Db, endpointId: string, orderKeys: readonly string[]): Promise<string[]> {
  const rows = await db.all<{ order_key: string }>(sql`
    SELECT order_key FROM webhook_backlogs
    WHERE endpoint_id = ${endpointId} AND order_key IN (${listOf(orderKeys)})`)
  return rows.map(({ order_key }) => order_key)
}

export type Backlog = { order_key: string; after_seq: number }

/** Backlogs of users without unfinished deliveries. */
export function listReadyBacklogs(db: Db, endpointId: string, limit: number): Promise<Backlog[]> {
  return db.all<Backlog>(sql`
    SELECT order_key, after_seq FROM webhook_backlogs
    WHERE endpoint_id = ${endpointId} AND NOT EXISTS (SELECT 1 FROM webhook_deliveries
      WHERE endpoint_id = ${endpointId} AND order_key = webhook_backlogs.order_key AND status IN ('queued', 'due'))
    LIMIT ${limit}`)
}

export async function saveBacklog(
  db: Transaction,
  { endpoint_id, order_key, after_seq }: Backlog & { endpoint_id: string },
): Promise<void> {
  await db.run(sql`
    INSERT INTO webhook_backlogs (endpoint_id, order_key, after_seq) VALUES (${endpoint_id}, ${order_key}, ${after_seq})
    ON CONFLICT (endpoint_id, order_key) DO UPDATE SET after_seq = excluded.after_seq`)
}

export async function deleteBacklog(db: Transaction, endpointId: string, orderKey: string): Promise<void> {
  await db.run(sql`DELETE FROM webhook_backlogs WHERE endpoint_id = ${endpointId} AND order_key = ${orderKey}`)
}

export type NewDelivery = Ids & {
  event: EventHead
  status: 'queued' | 'due'
  now: string
}

export async function insertDelivery(
  db: Transaction,
  { delivery_id, endpoint_id, event, status, now }: NewDelivery,
): Promise<void> {
  await db.run(sql`
    INSERT INTO webhook_deliveries (delivery_id, endpoint_id, event_seq, event_id, order_key, type, status,
      attempt_count, next_attempt_at, attempts, created_at)
    VALUES (${delivery_id}, ${endpoint_id}, ${event.seq}, ${event.event_id}, ${event.owner_id}, ${event.type},
      ${status}, 0, ${now}, '[]', ${now})`)
}

export async function moveCursor(db: Transaction, endpointId: string, cursor: number): Promise<void> {
  await db.run(sql`UPDATE webhook_endpoints SET cursor = ${cursor} WHERE endpoint_id = ${endpointId}`)
}

/** A delivery that one node has claimed to send. */
export type Claimed = Pick<DeliveryRow, 'delivery_id' | 'event_seq' | 'event_id' | 'type'> & {
  /** The body to send; null if it is built from the event. */
  body: string | null
}

/** Returns what is due now, the longest waiting first. */
export function listDue(
  db: Db,
  { endpoint_id, now, limit, testsOnly }: { endpoint_id: string; now: string; limit: number; testsOnly: boolean },
): Promise<Claimed[]> {
  if (testsOnly) {
    return db.all<Claimed>(sql`
      SELECT delivery_id, event_seq, event_id, type, body FROM webhook_deliveries
      WHERE endpoint_id = ${endpoint_id} AND status = 'due' AND event_seq IS NULL AND next_attempt_at <= ${now}
      ORDER BY next_attempt_at LIMIT ${limit}`)
  }
  return db.all<Claimed>(sql`
    SELECT delivery_id, event_seq, event_id, type, body FROM webhook_deliveries
    WHERE endpoint_id = ${endpoint_id} AND status = 'due' AND next_attempt_at <= ${now}
    ORDER BY next_attempt_at LIMIT ${limit}`)
}

/** A node that finds it due after `until` claims it: the previous node is gone. */
export async function claimDelivery(db: Transaction, deliveryId: string, until: string): Promise<void> {
  await db.run(sql`
    UPDATE webhook_deliveries SET claimed_until = ${until}, next_attempt_at = ${until}
    WHERE delivery_id = ${deliveryId}`)
}

export type ClaimedRow = Pick<DeliveryRow, 'delivery_id' | 'event_seq' | 'attempt_count' | 'attempts'> & {
  order_key: string
  claimed_until: string | null
  /** 1: the event's content was erased. */
  erased: number
}

export function listClaimed(db: Db, endpointId: string, deliveryIds: readonly string[]): Promise<ClaimedRow[]> {
  return db.all<ClaimedRow>(sql`
    SELECT delivery_id, event_seq, order_key, attempt_count, attempts, claimed_until,
      CASE WHEN EXISTS (SELECT 1 FROM events WHERE seq = event_seq AND data IS NULL) THEN 1 ELSE 0 END AS erased
    FROM webhook_deliveries
    WHERE endpoint_id = ${endpointId} AND status = 'due'
      AND delivery_id IN (${listOf(deliveryIds)})`)
}

export type Settled = Pick<
  DeliveryRow,
  'delivery_id' | 'status' | 'attempt_count' | 'next_attempt_at' | 'attempts' | 'finished_at'
>

export async function writeOutcome(db: Transaction, row: Settled): Promise<void> {
  await db.run(sql`
    UPDATE webhook_deliveries SET status = ${row.status}, attempt_count = ${row.attempt_count},
      next_attempt_at = ${row.next_attempt_at}, attempts = ${row.attempts}, finished_at = ${row.finished_at},
      claimed_until = NULL
    WHERE delivery_id = ${row.delivery_id}`)
}

/** Makes the next one with this order key due, after the previous one finished. */
export async function releaseNext(
  db: Transaction,
  { endpoint_id, order_key, now }: { endpoint_id: string; order_key: string; now: string },
): Promise<void> {
  await db.run(sql`
    UPDATE webhook_deliveries SET status = 'due', next_attempt_at = ${now}
    WHERE delivery_id = (SELECT delivery_id FROM webhook_deliveries
      WHERE endpoint_id = ${endpoint_id} AND order_key = ${order_key} AND status = 'queued'
      ORDER BY event_seq LIMIT 1)`)
}

export type Health = Pick<Target, 'endpoint_id' | 'failure_count' | 'failing_since' | 'paused_until'>

/** `isNews`: the change is visible to others, so the endpoint gets a new version. */
export async function setHealth(db: Transaction, health: Health, isNews: boolean): Promise<void> {
  await db.run(sql`
    UPDATE webhook_endpoints SET failure_count = ${health.failure_count}, failing_since = ${health.failing_since},
      paused_until = ${health.paused_until}, version = version + ${isNews ? 1 : 0}
    WHERE endpoint_id = ${health.endpoint_id}`)
}

export async function disableEndpoint(
  db: Transaction,
  { endpoint_id, reason, now }: { endpoint_id: string; reason: string; now: string },
): Promise<void> {
  await db.run(sql`
    UPDATE webhook_endpoints SET active = 0, disabled_reason = ${reason}, version = version + 1, updated_at = ${now}
    WHERE endpoint_id = ${endpoint_id}`)
}

/** The source of a delivery's content at the time it is sent: erased content is not sent. */
export function listEventsBySeq(db: Db, seqs: readonly number[]): Promise<EventRow[]> {
  return db.all<EventRow>(sql`
    SELECT seq, event_id, type, subject, owner_id, occurred_at, data FROM events
    WHERE seq IN (${listOf(seqs)})`)
}

function listOf(values: readonly (string | number)[]) {
  return joinSql(
    values.map((value) => sql`${value}`),
    ', ',
  )
}

/** Deletes some deliveries finished with this status before the time. Returns how many. */
export function deleteFinished(
  db: Transaction,
  { status, before, limit }: { status: 'delivered' | 'dead'; before: string; limit: number },
): Promise<number> {
  return db.run(sql`
    DELETE FROM webhook_deliveries WHERE delivery_id IN (
      SELECT delivery_id FROM webhook_deliveries WHERE status = ${status} AND finished_at < ${before} LIMIT ${limit})`)
}

/** Deletes some of an endpoint's deliveries, finished or not. Returns how many. */
export function deleteDeliveries(db: Transaction, endpointId: string, limit: number): Promise<number> {
  return db.run(sql`
    DELETE FROM webhook_deliveries WHERE delivery_id IN (
      SELECT delivery_id FROM webhook_deliveries WHERE endpoint_id = ${endpointId} LIMIT ${limit})`)
}

/** Makes due whatever is planned for after `latest`: the clock was ahead when it was planned. */
export async function bringForward(db: Transaction, { now, latest }: { now: string; latest: string }): Promise<void> {
  // By endpoint, for the index, so that a long backlog is not scanned.
  await db.run(sql`
    UPDATE webhook_deliveries SET next_attempt_at = ${now}
    WHERE endpoint_id IN (SELECT endpoint_id FROM webhook_endpoints) AND status = 'due' AND next_attempt_at > ${latest}`)
  await db.run(sql`UPDATE webhook_endpoints SET paused_until = NULL WHERE paused_until > ${latest}`)
}
