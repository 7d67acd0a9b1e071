import type { Db } from '../db/db.ts'
import { sql } from '../db/sql.ts'

/** The greatest numbers that were given: two looks at the end of an index. */
export async function findHeads(db: Db): Promise<{ audit: number; events: number }> {
  const row = await db.get<{ audit: number | null; events: number | null }>(sql`
    SELECT (SELECT max(seq) FROM audit_records) AS audit, (SELECT max(seq) FROM events) AS events`)
  return { audit: Number(row?.audit ?? 0), events: Number(row?.events ?? 0) }
}

/** More than this are not counted: it would take longer the worse things are. */
export const pendingLimit = 10_000

/** PostgreSQL only: what has no place in the journal yet. */
export async function findPending(db: Db): Promise<{ count: number; oldest: string | null }> {
  const row = await db.get<{ count: number; oldest: string | null }>(sql`
    SELECT (SELECT count(*) FROM (SELECT FROM journal_pending LIMIT ${pendingLimit}) AS found) AS count,
      (SELECT entry FROM journal_pending ORDER BY id LIMIT 1) AS oldest`)
  return { count: Number(row?.count ?? 0), oldest: row?.oldest ?? null }
}
