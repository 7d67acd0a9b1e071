import type { Db, Transaction } from '../../store/db/db.ts'
import { sql } from '../../store/db/sql.ts'

export type EndpointRow = {
  endpoint_id: string
  url: string
  description: string
  /** A JSON array of event types, or null for all. */
  event_types: string | null
  active: number
  /** Why Rollbook itself disabled it. */
  disabled_reason: string | null
  /** The signing secret, sealed if an encryption secret is configured. */
  secret: string
  /** Also signs, until `previous_expires_at`. */
  previous_secret: string | null
  previous_expires_at: string | null
  /** 1: every secret of the row is sealed. */
  sealed: number
  /** The newest event that became a delivery, or was not meant for this endpoint. */
  cursor: number
  /** Since when no delivery has succeeded. */
  failing_since: string | null
  /** Failed attempts since the last success. Written with the deliveries, like the cursor. */
  failure_count: number
  version: number
  created_at: string
  updated_at: string
}

export async function insertEndpoint(db: Transaction, row: EndpointRow): Promise<void> {
  await db.run(sql`
    INSERT INTO webhook_endpoints (endpoint_id, url, description, event_types, active, disabled_reason, secret,
      previous_secret, previous_expires_at, sealed, cursor, failing_since, version, created_at, updated_at)
    VALUES (${row.endpoint_id}, ${row.url}, ${row.description}, ${row.event_types}, ${row.active},
      ${row.disabled_reason}, ${row.secret}, ${row.previous_secret}, ${row.previous_expires_at}, ${row.sealed},
      ${row.cursor}, ${row.failing_since}, ${row.version}, ${row.created_at}, ${row.updated_at})`)
}

export function listEndpoints(db: Db): Promise<EndpointRow[]> {
  return db.all<EndpointRow>(sql`
    SELECT endpoint_id, url, description, event_types, active, disabled_reason, secret, previous_secret,
      previous_expires_at, sealed, cursor, failing_since, failure_count, version, created_at, updated_at
    FROM webhook_endpoints WHERE deleted = 0 ORDER BY endpoint_id`)
}

export function findEndpoint(db: Db, endpointId: string): Promise<EndpointRow | undefined> {
  return db.get<EndpointRow>(sql`
    SELECT endpoint_id, url, description, event_types, active, disabled_reason, secret, previous_secret,
      previous_expires_at, sealed, cursor, failing_since, failure_count, version, created_at, updated_at
    FROM webhook_endpoints WHERE endpoint_id = ${endpointId} AND deleted = 0`)
}

/** Reads the endpoint and locks it until the transaction ends. */
export function findEndpointForChange(db: Db, endpointId: string): Promise<EndpointRow | undefined> {
  if (db.engine === 'sqlite') return findEndpoint(db, endpointId)
  return db.get<EndpointRow>(sql`
    SELECT endpoint_id, url, description, event_types, active, disabled_reason, secret, previous_secret,
      previous_expires_at, sealed, cursor, failing_since, failure_count, version, created_at, updated_at
    FROM webhook_endpoints WHERE endpoint_id = ${endpointId} AND deleted = 0 FOR UPDATE`)
}

export async function countEndpoints(db: Db): Promise<number> {
  const row = await db.get<{ count: number }>(sql`
    SELECT count(*) AS count FROM webhook_endpoints WHERE deleted = 0`)
  return Number(row?.count)
}

/** Every column except those written with the deliveries: the cursor and the number of failed attempts. */
export async function updateEndpoint(db: Transaction, row: EndpointRow): Promise<void> {
  await db.run(sql`
    UPDATE webhook_endpoints SET url = ${row.url}, description = ${row.description}, event_types = ${row.event_types},
      active = ${row.active}, disabled_reason = ${row.disabled_reason}, secret = ${row.secret},
      previous_secret = ${row.previous_secret}, previous_expires_at = ${row.previous_expires_at},
      sealed = ${row.sealed}, failing_since = ${row.failing_since}, version = ${row.version},
      updated_at = ${row.updated_at}
    WHERE endpoint_id = ${row.endpoint_id}`)
}

/** Hides the endpoint and stops sending to it. The row stays until its deliveries are deleted, which takes a while. */
export async function markDeleted(db: Transaction, endpointId: string): Promise<void> {
  await db.run(sql`
    UPDATE webhook_endpoints SET deleted = 1, active = 0, url = '', description = '', secret = '', previous_secret = NULL
    WHERE endpoint_id = ${endpointId}`)
}

export async function findDeletedEndpoint(db: Db): Promise<string | undefined> {
  const row = await db.get<{ endpoint_id: string }>(sql`
    SELECT endpoint_id FROM webhook_endpoints WHERE deleted = 1 LIMIT 1`)
  return row?.endpoint_id
}

/** Deletes it with its last deliveries; see deleteDeliveries. */
export async function deleteEndpoint(db: Transaction, endpointId: string): Promise<void> {
  await db.run(sql`DELETE FROM webhook_endpoints WHERE endpoint_id = ${endpointId}`)
}

/** Replaces plain secrets with sealed ones. Does nothing if the secret was rotated in the meantime. */
export function sealEndpoint(
  db: Transaction,
  before: Pick<EndpointRow, 'endpoint_id' | 'secret'>,
  sealed: Pick<EndpointRow, 'secret' | 'previous_secret'>,
): Promise<number> {
  return db.run(sql`
    UPDATE webhook_endpoints SET secret = ${sealed.secret}, previous_secret = ${sealed.previous_secret}, sealed = 1
    WHERE endpoint_id = ${before.endpoint_id} AND secret = ${before.secret}`)
}
