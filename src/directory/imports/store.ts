import type { Db, Transaction } from '../../store/db/db.ts'
import { sql } from '../../store/db/sql.ts'

export type ImportRecord = {
  job_id: string
  state: 'running' | 'interrupted' | 'done' | 'cancelled'
  /** JSON of ImportOptions. */
  options: string
  rows_done: number
  created: number
  updated: number
  unchanged: number
  skipped: number
  rejected: number
  /** Lines of the processed rows, if they all came in one request; null if unknown. */
  digest: string | null
  created_at: string
  updated_at: string
  finished_at: string | null
}

/** Verdicts on consecutive rows. */
export type VerdictsRow = { job_id: string; first_row: number; rejected: number; verdicts: string }

export const counts = ['created', 'updated', 'unchanged', 'skipped', 'rejected'] as const

/** Returns false if the id exists. */
export async function insertImport(db: Transaction, row: ImportRecord): Promise<boolean> {
  const inserted = await db.run(sql`
    INSERT INTO imports (job_id, state, options, rows_done, created, updated, unchanged, skipped, rejected, digest, created_at,
      updated_at, finished_at)
    VALUES (${row.job_id}, ${row.state}, ${row.options}, ${row.rows_done}, ${row.created}, ${row.updated}, ${row.unchanged},
      ${row.skipped}, ${row.rejected}, ${row.digest}, ${row.created_at}, ${row.updated_at}, ${row.finished_at})
    ON CONFLICT DO NOTHING`)
  return inserted === 1
}

export async function findImport(db: Db, jobId: string): Promise<ImportRecord | undefined> {
  const row = await db.get<ImportRecord>(sql`
    SELECT job_id, state, options, rows_done, created, updated, unchanged, skipped, rejected, digest, created_at, updated_at,
      finished_at
    FROM imports WHERE job_id = ${jobId}`)
  return row && withNumbers(row)
}

/** Reads the import and locks it until the transaction ends. */
export async function findImportForChange(db: Transaction, jobId: string): Promise<ImportRecord | undefined> {
  if (db.engine === 'sqlite') return findImport(db, jobId)
  const row = await db.get<ImportRecord>(sql`
    SELECT job_id, state, options, rows_done, created, updated, unchanged, skipped, rejected, digest, created_at, updated_at,
      finished_at
    FROM imports WHERE job_id = ${jobId} FOR UPDATE`)
  return row && withNumbers(row)
}

/** The most recently changed first. */
export async function listImports(db: Db, limit: number): Promise<ImportRecord[]> {
  const rows = await db.all<ImportRecord>(sql`
    SELECT job_id, state, options, rows_done, created, updated, unchanged, skipped, rejected, digest, created_at, updated_at,
      finished_at
    FROM imports ORDER BY updated_at DESC, job_id DESC LIMIT ${limit}`)
  return rows.map(withNumbers)
}

/** PostgreSQL's driver returns a bigint as text. */
function withNumbers(row: ImportRecord): ImportRecord {
  const numbers = Object.fromEntries(['rows_done' as const, ...counts].map((column) => [column, Number(row[column])]))
  return { ...row, ...numbers }
}

export async function updateImport(db: Transaction, row: ImportRecord): Promise<void> {
  await db.run(sql`
    UPDATE imports SET state = ${row.state}, rows_done = ${row.rows_done}, created = ${row.created},
      updated = ${row.updated}, unchanged = ${row.unchanged}, skipped = ${row.skipped}, rejected = ${row.rejected},
      digest = ${row.digest}, updated_at = ${row.updated_at}, finished_at = ${row.finished_at}
    WHERE job_id = ${row.job_id}`)
}

export async function insertVerdicts(db: Transaction, row: VerdictsRow): Promise<void> {
  await db.run(sql`
    INSERT INTO import_rows (job_id, first_row, rejected, verdicts)
    VALUES (${row.job_id}, ${row.first_row}, ${row.rejected}, ${row.verdicts})`)
}

type Piece = { jobId: string; after: number; limit: number }

/** Returns where the verdicts start that include a row. */
export async function findBegin(db: Db, jobId: string, row: number): Promise<number> {
  const found = await db.get<{ begin: number | null }>(sql`
    SELECT max(first_row) AS begin FROM import_rows WHERE job_id = ${jobId} AND first_row <= ${row}`)
  return Number(found?.begin ?? 1)
}

/** Returns the next verdicts after a row. */
export function findVerdicts(db: Db, { jobId, after, limit }: Piece): Promise<VerdictsRow[]> {
  return db.all(sql`
    SELECT job_id, first_row, rejected, verdicts FROM import_rows
    WHERE job_id = ${jobId} AND first_row > ${after} ORDER BY first_row LIMIT ${limit}`)
}

/** The same, for verdicts with a rejected row. */
export function findRejects(db: Db, { jobId, after, limit }: Piece): Promise<VerdictsRow[]> {
  return db.all(sql`
    SELECT job_id, first_row, rejected, verdicts FROM import_rows
    WHERE job_id = ${jobId} AND first_row > ${after} AND rejected > 0 ORDER BY first_row LIMIT ${limit}`)
}

export async function deleteVerdicts(db: Transaction, jobId: string): Promise<void> {
  await db.run(sql`DELETE FROM import_rows WHERE job_id = ${jobId}`)
}

/** Deletes imports without changes since then. Returns how many. */
export function deleteImportsBefore(db: Transaction, before: string, limit: number): Promise<number> {
  return db.run(sql`
    DELETE FROM imports WHERE job_id IN (
      SELECT job_id FROM imports WHERE updated_at < ${before} ORDER BY updated_at LIMIT ${limit})`)
}
