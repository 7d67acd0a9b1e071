/** Finds a page of a search and its exact count together, on PostgreSQL (docs/decisions/0003-search-index.md, 0120). */
import type { Db } from '../../store/db/db.ts'
import { rawSql, sql } from '../../store/db/sql.ts'
import { statementCost } from './cost.ts'
import type { ListPlan } from './plan.ts'
import { conditions, countOf, glance, refuseCostly, runsBehind } from './postgres.ts'
import { rowsOf } from './postgres-offset.ts'
import { anyOf, type CountedRows, columnOf, hasKey } from './sql.ts'

/**
 * Returns undefined without a search, or if a filter has few users: then the number and the rows are read separately.
 *
 * @throws AppError `list_too_costly`
 */
export async function countedRows(db: Db, plan: ListPlan, limit: number): Promise<CountedRows | undefined> {
  const { filters, sort, after, offset } = plan
  if (filters.contains === undefined || hasKey(filters) || offset) return undefined
  const next = await glance(db, plan, after, limit)
  if (next.length === limit) {
    const counting = countOf(filters)
    await refuseCostly(db, counting, plan, statementCost)
    return { total: (await db.get<{ n: number }>(counting))?.n ?? 0, rows: next }
  }
  const columns = sort.column === 'user_id' ? 'user_id' : `user_id, ${sort.column}`
  const order = rawSql(sort.descending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST')
  const behind = after === undefined ? sql`1 = 1` : anyOf(runsBehind(plan, after).map(({ where }) => where))
  const statement = sql`
    WITH found AS MATERIALIZED (SELECT ${rawSql(columns)} FROM users WHERE ${conditions(filters)})
    SELECT (SELECT count(*) FROM found) AS total, ARRAY(
      SELECT user_id FROM found AS users WHERE ${behind}
      ORDER BY ${columnOf(sort)} ${order}, user_id ${order} LIMIT ${limit}) AS ids`
  await refuseCostly(db, statement, plan, statementCost)
  const found = await db.get<{ total: number; ids: string[] }>(statement)
  const { total, ids } = found as NonNullable<typeof found>
  return { total, rows: await rowsOf(db, sort, 'user_id', ids) }
}
