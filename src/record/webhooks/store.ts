import type { Db, Transaction } from '../../store/db/db.ts'
import { forUpdate } from '../../store/db/dialect.ts'
import { sql } from '../../store/db/sql.ts'
import { bigint, defineTable, integer, type RowOf, text } from '../../store/db/table.ts'

const endpoints = defineTable('webhook_endpoints', {
  endpoint_id: text(),
  url: text(),
  description: text(),
  /** A JSON array of event types, or null for all. */
  event_types: text(null),
  active: integer(),
  /** Why Rollbook itself disabled it. */
  disabled_reason: text(null),
  /** The signing secret, sealed if an encryption secret is configured. */
  secret: text(),
  /** Also signs, until `previous_expires_at`. */
  previous_secret: text(null),
  previous_expires_at: text(null),
  /** 1: every secret of the row is sealed. */
  sealed: integer(),
  /** The newest event that became a delivery, or was not meant for this endpoint. */
  cursor: bigint(),
  /** Since when no delivery has succeeded. */
  failing_since: text(null),
  /** Failed attempts since the last success. Written with the deliveries, like the cursor. */
  failure_count: integer(),
  version: integer(),
  created_at: text(),
  updated_at: text(),
  managed_by: text(null),
})

export type EndpointRow = RowOf<typeof endpoints>

const insertion = endpoints.insertion()

export async function insertEndpoint(db: Transaction, row: EndpointRow): Promise<void> {
  await db.run(insertion(row))
}

export function listEndpoints(db: Db): Promise<EndpointRow[]> {
  return db.all<EndpointRow>(sql`
    SELECT ${endpoints.columns}
    FROM webhook_endpoints WHERE deleted = 0 ORDER BY endpoint_id`)
}

export function findEndpoint(db: Db, endpointId: string): Promise<EndpointRow | undefined> {
  return db.get<EndpointRow>(sql`
    SELECT ${endpoints.columns}
    FROM webhook_endpoints WHERE endpoint_id = ${endpointId} AND deleted = 0`)
}

/** Reads the endpoint and locks it until the transaction ends. */
export function findEndpointForChange(db: Db, endpointId: string): Promise<EndpointRow | undefined> {
  return db.get<EndpointRow>(sql`
    SELECT ${endpoints.columns}
    FROM webhook_endpoints WHERE endpoint_id = ${endpointId} AND deleted = 0 ${forUpdate(db)}`)
}

export async function countEndpoints(db: Db): Promise<number> {
  const row = await db.get<{ count: number }>(sql`
    SELECT count(*) AS count FROM webhook_endpoints WHERE deleted = 0`)
  return Number(row?.count)
}

/** Every column except those written with the deliveries: the cursor and the number of failed attempts. */
export async function updateEndpoint(db: Transaction, row: EndpointRow): Promise<void> {
  await db.run(update(row))
}

const update = endpoints.update('endpoint_id', { except: ['cursor', 'failure_count', 'created_at'] })

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
