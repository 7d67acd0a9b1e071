import type { Db, Transaction } from '../../store/db/db.ts'
import { sql } from '../../store/db/sql.ts'
import { type EventRow, events, newEvents, type RecordRow, records } from './rows.ts'

const recordInsertion = records.insertion()
const eventInsertion = newEvents.insertion()

export async function insertRecord(db: Transaction, row: RecordRow): Promise<void> {
  await db.run(recordInsertion(row))
}

/** On SQLite: a new row of `events` gets the number after the greatest. */
export async function insertEvent(db: Transaction, row: Omit<EventRow, 'seq'>): Promise<void> {
  await db.run(eventInsertion(row))
}

/** On PostgreSQL: a change's entries wait here, as JSON, for their numbers. */
export async function insertPending(db: Transaction, entry: string): Promise<void> {
  await db.run(sql`INSERT INTO journal_pending (entry) VALUES (${entry})`)
}

/** Ids are drawn while the change holds its locks, so a change that waited for another has a later id. */
export async function takePending(db: Transaction, after: number, limit: number): Promise<string[]> {
  const rows = await db.returning<{ id: number; entry: string }>(sql`
    DELETE FROM journal_pending WHERE id IN (
      SELECT id FROM journal_pending WHERE id > ${after} ORDER BY id LIMIT ${limit})
    RETURNING id, entry`)
  return rows.toSorted((a, b) => Number(a.id) - Number(b.id)).map(({ entry }) => entry)
}

export async function hasPending(db: Db, after: number): Promise<boolean> {
  return (await db.get(sql`SELECT 1 FROM journal_pending WHERE id > ${after} ORDER BY id LIMIT 1`)) !== undefined
}

/** Inserts many rows from a JSON array of objects: one parameter, and one constant statement. */
export async function insertRecords(db: Transaction, rows: readonly RecordRow[]): Promise<void> {
  await db.run(sql`
    INSERT INTO audit_records (${records.columns}) SELECT ${records.columns}
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS row (${records.definitions})`)
}

export async function insertEvents(db: Transaction, rows: readonly EventRow[]): Promise<void> {
  await db.run(sql`
    INSERT INTO events (${events.columns}) SELECT ${events.columns}
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS row (${events.definitions})`)
}

/** Reads the greatest assigned numbers: two index lookups. */
export async function findHeads(db: Db): Promise<{ audit: number; events: number }> {
  const row = await db.get<{ audit: number | null; events: number | null }>(sql`
    SELECT (SELECT max(seq) FROM audit_records) AS audit, (SELECT max(seq) FROM events) AS events`)
  return { audit: Number(row?.audit ?? 0), events: Number(row?.events ?? 0) }
}

/** The count stops here: it would take longer, the worse things are. */
const pendingLimit = 10_000

/** PostgreSQL only: entries without a place in the journal yet. */
export async function findPending(db: Db): Promise<{ count: number; oldest: string | null }> {
  const row = await db.get<{ count: number; oldest: string | null }>(sql`
    SELECT (SELECT count(*) FROM (SELECT FROM journal_pending LIMIT ${pendingLimit}) AS found) AS count,
      (SELECT entry FROM journal_pending ORDER BY id LIMIT 1) AS oldest`)
  return { count: Number(row?.count ?? 0), oldest: row?.oldest ?? null }
}
