/** Sorts rows that were found by their numbers on SQLite, and reads their documents. */
import type { Db } from '../../store/db/db.ts'
import { sql } from '../../store/db/sql.ts'
import type { ListPlan, Position } from './plan.ts'
import { anyOf, columnOf, type ListRow } from './sql.ts'
import { conditions, costs, orderOf, rowsAmong, runsBehind } from './sqlite-rows.ts'

export type NumberedRow = ListRow & { row_id: number }

/** Sorts by the columns of the order, and reads the documents of the rows that are shown. */
export async function sortRows(
  db: Db,
  plan: ListPlan,
  among: number[],
  after: Position | undefined,
  limit: number,
): Promise<ListRow[]> {
  const { filters, sort, offset = 0 } = plan
  const runs = await runsBehind(db, plan, after)
  db.meter?.spend(among.length * costs.look)
  const rows = await db.all<Omit<NumberedRow, 'document'>>(sql`
    SELECT users.row_id, users.user_id, ${columnOf(sort)} AS sort_value FROM ${rowsAmong(among)}
    WHERE ${conditions(filters)} AND ${anyOf(runs)} ORDER BY ${orderOf(sort)} LIMIT ${limit} OFFSET ${offset}`)
  return withDocuments(db, rows)
}

/** Numbered rows with what is shown of them. */
export async function withDocuments(db: Db, rows: Omit<NumberedRow, 'document'>[]): Promise<ListRow[]> {
  const documents = await db.all<{ row_id: number; document: string }>(sql`
    SELECT users.row_id, users.document FROM ${rowsAmong(rows.map(({ row_id }) => row_id))}`)
  const byRow = new Map(documents.map(({ row_id, document }) => [row_id, document]))
  return rows.map((row) => ({ ...row, document: byRow.get(row.row_id) as string }))
}
