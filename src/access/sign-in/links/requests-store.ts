import type { Db, Transaction } from '../../../store/db/db.ts'
import { texts } from '../../../store/db/dialect.ts'
import { sql } from '../../../store/db/sql.ts'

type RequestRow = { request_id: string; name: string; network: string; created_at: string }

export async function insertRequest(db: Transaction, row: RequestRow): Promise<void> {
  await db.run(sql`
    INSERT INTO password_reset_requests (request_id, name, network, created_at)
    VALUES (${row.request_id}, ${row.name}, ${row.network}, ${row.created_at})`)
}

/** Returns when the latest but `skipped` request of this network came. */
export async function findRequestBefore(db: Db, network: string, skipped: number): Promise<string | undefined> {
  const row = await db.get<{ created_at: string }>(sql`
    SELECT created_at FROM password_reset_requests WHERE network = ${network}
    ORDER BY created_at DESC LIMIT 1 OFFSET ${skipped}`)
  return row?.created_at
}

export async function hasOpenRequests(db: Db): Promise<boolean> {
  return (await db.get(sql`SELECT 1 FROM password_reset_requests WHERE name IS NOT NULL LIMIT 1`)) !== undefined
}

export function listOpenRequests(db: Db, limit: number): Promise<Pick<RequestRow, 'request_id' | 'name'>[]> {
  return db.all(sql`
    SELECT request_id, name FROM password_reset_requests WHERE name IS NOT NULL ORDER BY request_id LIMIT ${limit}`)
}

/** Deletes the names; the rows still count for their networks. */
export async function closeRequests(db: Transaction, requestIds: readonly string[]): Promise<void> {
  await db.run(sql`
    UPDATE password_reset_requests SET name = NULL
    WHERE request_id IN (SELECT value FROM ${texts(db, requestIds)})`)
}

export function deleteRequestsBefore(db: Transaction, before: string, limit: number): Promise<number> {
  return db.run(sql`
    DELETE FROM password_reset_requests WHERE request_id IN (
      SELECT request_id FROM password_reset_requests WHERE created_at < ${before} AND name IS NULL LIMIT ${limit})`)
}

/** Returns how many were open. */
export function closeAllRequests(db: Transaction): Promise<number> {
  return db.run(sql`UPDATE password_reset_requests SET name = NULL WHERE name IS NOT NULL`)
}
