import type { Db } from '../../store/db/db.ts'
import { sql } from '../../store/db/sql.ts'

/** Reads the greatest assigned numbers: two index lookups. */
export async function findHeads(db: Db): Promise<{ audit: number; events: number }> {
  const row = await db.get<{ audit: number | null; events: number | null }>(sql`
    SELECT (SELECT max(seq) FROM audit_records) AS audit, (SELECT max(seq) FROM events) AS events`)
  return { audit: Number(row?.audit ?? 0), events: Number(row?.events ?? 0) }
}

const dayMs = 24 * 3600 * 1000

/** Returns when the first long-lived API key (over a month) expires, in epoch milliseconds. Short-lived keys are meant to expire. */
export async function findNextKeyExpiry(db: Db, now: string): Promise<number | undefined> {
  const rows = await db.all<{ created_at: string; expires_at: string }>(sql`
    SELECT created_at, expires_at FROM api_keys WHERE expires_at > ${now} ORDER BY expires_at`)
  const spans = rows.map(({ created_at, expires_at }) => ({ from: Date.parse(created_at), to: Date.parse(expires_at) }))
  return spans.find(({ from, to }) => to - from > 30 * dayMs)?.to
}

/** The count stops here: it would take longer, the worse things are. */
export const pendingLimit = 10_000

/** PostgreSQL only: entries without a place in the journal yet. */
export async function findPending(db: Db): Promise<{ count: number; oldest: string | null }> {
  const row = await db.get<{ count: number; oldest: string | null }>(sql`
    SELECT (SELECT count(*) FROM (SELECT FROM journal_pending LIMIT ${pendingLimit}) AS found) AS count,
      (SELECT entry FROM journal_pending ORDER BY id LIMIT 1) AS oldest`)
  return { count: Number(row?.count ?? 0), oldest: row?.oldest ?? null }
}
