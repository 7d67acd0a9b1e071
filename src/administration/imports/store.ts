import type { Scope } from '../../core/scope.ts'
import type { Db, Transaction } from '../../store/db/db.ts'
import { forUpdate } from '../../store/db/dialect.ts'
import { andWithin, conditionsWithin } from '../../store/db/scope.ts'
import { rawSql, sql } from '../../store/db/sql.ts'
import { bigint, defineTable, type RowOf, text } from '../../store/db/table.ts'

const imports = defineTable('imports', {
  job_id: text(),
  state: text<'running' | 'interrupted' | 'done' | 'cancelled'>(),
  /** JSON of ImportOptions. */
  options: text(),
  rows_done: bigint(),
  created: bigint(),
  updated: bigint(),
  unchanged: bigint(),
  skipped: bigint(),
  rejected: bigint(),
  /** Lines of the processed rows, if they all came in one request; null if unknown. */
  digest: text(null),
  created_at: text(),
  updated_at: text(),
  finished_at: text(null),
  /** The organization that its caller was limited to. */
  organization_id: text(null),
})

export type ImportRecord = RowOf<typeof imports>

/** Verdicts on consecutive rows. */
export type VerdictsRow = { job_id: string; first_row: number; rejected: number; verdicts: string }

export const counts = ['created', 'updated', 'unchanged', 'skipped', 'rejected'] as const

const insertion = imports.insertion('ON CONFLICT DO NOTHING')

/** Returns false if the id exists. */
export async function insertImport(db: Transaction, row: ImportRecord): Promise<boolean> {
  return (await db.run(insertion(row))) === 1
}

export async function findImport(db: Db, scope: Scope, jobId: string): Promise<ImportRecord | undefined> {
  const row = await db.get<ImportRecord>(sql`
    SELECT ${imports.columns}
    FROM imports WHERE job_id = ${jobId}${andWithin(scope)}`)
  return row && withNumbers(row)
}

/** Reads the import and locks it until the transaction ends. */
export async function findImportForChange(
  db: Transaction,
  scope: Scope,
  jobId: string,
): Promise<ImportRecord | undefined> {
  const row = await db.get<ImportRecord>(sql`
    SELECT ${imports.columns}
    FROM imports WHERE job_id = ${jobId}${andWithin(scope)} ${forUpdate(db)}`)
  return row && withNumbers(row)
}

/** The most recently changed first. */
export async function listImports(db: Db, scope: Scope, limit: number): Promise<ImportRecord[]> {
  const [within] = conditionsWithin(scope, rawSql('organization_id'))
  const rows = await db.all<ImportRecord>(
    within === undefined
      ? sql`
    SELECT ${imports.columns}
    FROM imports ORDER BY updated_at DESC, job_id DESC LIMIT ${limit}`
      : sql`
    SELECT ${imports.columns}
    FROM imports WHERE ${within} ORDER BY updated_at DESC, job_id DESC LIMIT ${limit}`,
  )
  return rows.map(withNumbers)
}

/** PostgreSQL's driver returns a bigint as text. */
function withNumbers(row: ImportRecord): ImportRecord {
  const numbers = Object.fromEntries(['rows_done' as const, ...counts].map((column) => [column, Number(row[column])]))
  return { ...row, ...numbers }
}

const update = imports.update('job_id', { except: ['options', 'created_at'] })

export async function updateImport(db: Transaction, row: ImportRecord): Promise<void> {
  await db.run(update(row))
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
