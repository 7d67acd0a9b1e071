import type { Db, Transaction } from '../../store/db/db.ts'
import { texts } from '../../store/db/dialect.ts'
import { sql } from '../../store/db/sql.ts'
import { defineTable, integer, type RowOf, text } from '../../store/db/table.ts'
import { type Erased, findMentions } from '../../store/mentions.ts'

const rejected = defineTable('rejected_requests', {
  rejection_id: text(),
  connection_id: text(),
  rejected_at: text(),
  request_id: text(),
  method: text(),
  /** Behind the SCIM address, with the query. */
  path: text(),
  /** JSON without passwords. */
  body: text(null),
  status: integer(),
  scim_type: text(null),
  detail: text(),
})

export type RejectedRow = RowOf<typeof rejected>

const insertion = rejected.insertion()

export async function insertRejected(db: Transaction, row: RejectedRow): Promise<void> {
  await db.run(insertion(row))
}

/** The latest first. */
export function listRejected(db: Db, connectionId: string, limit: number): Promise<RejectedRow[]> {
  return db.all<RejectedRow>(sql`
    SELECT ${rejected.columns} FROM rejected_requests
    WHERE connection_id = ${connectionId} ORDER BY rejection_id DESC LIMIT ${limit}`)
}

/** Deletes all of a connection but the latest. */
export async function deleteAllBut(db: Transaction, connectionId: string, keptCount: number): Promise<void> {
  await db.run(sql`
    DELETE FROM rejected_requests WHERE connection_id = ${connectionId} AND rejection_id <= (
      SELECT rejection_id FROM rejected_requests WHERE connection_id = ${connectionId}
      ORDER BY rejection_id DESC LIMIT 1 OFFSET ${keptCount})`)
}

/** Deletes those that mention the user, of every connection. */
export async function deleteRejectedAbout(db: Transaction, erased: Erased): Promise<void> {
  const place = { table: 'rejected_requests', id: 'rejection_id', columns: ['path', 'body', 'detail'] }
  const ids = await findMentions(db, erased, place)
  await db.run(sql`DELETE FROM rejected_requests WHERE rejection_id IN (SELECT value FROM ${texts(db, ids)})`)
}

export async function deleteBefore(db: Transaction, instant: string): Promise<void> {
  await db.run(sql`DELETE FROM rejected_requests WHERE rejected_at < ${instant}`)
}
