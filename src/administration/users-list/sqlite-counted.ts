/** Finds a page of a search and its exact number of matches together, on SQLite (docs/decisions/0003-search-index.md, 0120). */
import type { Db } from '../../store/db/db.ts'
import { sql } from '../../store/db/sql.ts'
import type { ListPlan } from './plan.ts'
import { type CountedRows, hasKey } from './sql.ts'
import { rowsOf } from './sqlite-offset.ts'
import { containing, costs, fewRows, rowNumber } from './sqlite-rows.ts'
import { sortRows } from './sqlite-sort.ts'

/** Up to this many matches are sorted for another order. */
const sortedMatches = 10_000

/**
 * Returns the rows as well if the matches show which ones. Undefined without a search, or if another index finds few
 * rows: then the number and the rows are read separately.
 */
export async function countedRows(db: Db, plan: ListPlan, limit: number): Promise<CountedRows | undefined> {
  const { filters, sort, after, offset = 0 } = plan
  const { contains, ...others } = filters
  if (contains === undefined || hasKey(filters) || (await fewRows(db, filters)) !== undefined) return undefined
  const isInOrder = sort.column === 'user_id' && !sort.descending
  const start = isInOrder && after !== undefined ? await rowNumber(db, after.user_id) : 0
  const part = isInOrder
    ? sql`WHERE row_id > ${start} ORDER BY row_id LIMIT ${limit} OFFSET ${offset}`
    : sql`LIMIT ${sortedMatches + 1}`
  const found = await db.get<{ total: number; numbers: string }>(sql`
    WITH found (row_id) AS MATERIALIZED (${await containing(db, contains.clauses, others)})
    SELECT (SELECT count(*) FROM found) AS total,
      (SELECT json_group_array(row_id) FROM (SELECT row_id FROM found ${part})) AS numbers`)
  const { total, numbers } = found as NonNullable<typeof found>
  db.meter?.spend(total * costs.lookup)
  const rowIds: number[] = JSON.parse(numbers)
  if (isInOrder) return { total, rows: await rowsOf(db, sort, rowIds) }
  return total > sortedMatches ? { total } : { total, rows: await sortRows(db, plan, rowIds, after, limit) }
}
