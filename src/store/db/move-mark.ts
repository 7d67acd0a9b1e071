/** Marks a store that `rollbook move` is filling until it is complete, so that no service starts on half of the users. */
import { OperatorError } from '../../core/errors.ts'
import { hasTable } from './catalog.ts'
import type { Db, Transaction } from './db.ts'
import { rawSql, sql } from './sql.ts'

/** The table that serves as the mark. */
export const moveMark = 'move_under_way'
export const moveAdvice = 'rollbook move has not finished. Run the same move again; it continues where it stopped.'

/** An unfinished move: the fingerprint of the source store, and the operator's name for it. */
export type Mark = { source: string; place: string; started_at: string }

export async function findMark(db: Db): Promise<Mark | undefined> {
  if (!(await hasTable(db, moveMark))) return undefined
  return db.get<Mark>(sql`SELECT source, place, started_at FROM ${rawSql(moveMark)}`)
}

type Writable = { exec(text: string): Promise<void> }

export async function markTarget(
  db: Transaction,
  { exec }: Writable,
  { source, place, started_at }: Mark,
): Promise<void> {
  await exec('BEGIN')
  await exec(`CREATE TABLE ${moveMark} (source TEXT NOT NULL, place TEXT NOT NULL, started_at TEXT NOT NULL)`)
  await db.run(sql`INSERT INTO ${rawSql(moveMark)} VALUES (${source}, ${place}, ${started_at})`)
  await exec('COMMIT')
}

/** @throws OperatorError if a move into this store is unfinished */
export async function refuseHalfMoved(db: Db): Promise<void> {
  const mark = await findMark(db)
  if (mark === undefined) return
  throw new OperatorError(
    `This store is not complete: a move from ${mark.place} into it started at ${mark.started_at}, and ${moveAdvice}`,
  )
}
