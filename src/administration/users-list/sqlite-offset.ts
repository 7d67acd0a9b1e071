/**
 * Finds a page far after a place, on SQLite. Skips along indexes alone, some 20 ns a step, from the nearer end; then
 * fetches the rows of the page (docs/decisions/0008-lists-probe-or-walk.md, 0036).
 */

import { isExactQuery } from '../../directory/search/service.ts'
import type { Db } from '../../store/db/db.ts'
import { rawSql, type Sql, sql } from '../../store/db/sql.ts'
import { spending } from '../../store/db/sqlite/meter.ts'
import type { Filters, ListPlan, Position } from './plan.ts'
import { allOf, columnOf, filtersAlong, type ListRow, onlyOrganization, type Sort } from './sql.ts'
import { numbersOfOrganization } from './sqlite-organization.ts'
import {
  conditionOn,
  containing,
  costs,
  countRows,
  fewRows,
  onNumber,
  orderOf,
  rowNumber,
  rowsAmong,
  runsBehind,
  someRows,
  without,
} from './sqlite-rows.ts'
import { sortRows, withDocuments } from './sqlite-sort.ts'

/** From here on it pays to know how many there are; sooner where the index has others between them. */
const [farOffset, farAmongOthers] = [10_000, 5000]

/** `count` returns the number of matches. */
export async function skip(db: Db, plan: ListPlan, limit: number, count: () => Promise<number>): Promise<ListRow[]> {
  const { filters, sort, after, offset = 0 } = plan
  const few = (await fewRows(db, filters, { search: true })) ?? (await lookedAt(db, plan))
  if (few) return sortRows(db, plan, few, after, limit)
  const search = await searched(db, filters, sort)
  const isAlong = Object.keys(filters).length === filtersAlong(filters, sort).length
  const isFar = after === undefined && offset >= (isAlong ? farOffset : farAmongOthers)
  const total = isFar ? (search?.count ?? (await count())) : undefined
  const organization = sort.column === 'user_id' && after === undefined ? onlyOrganization(filters) : undefined
  if (organization !== undefined) {
    const { descending } = sort
    const isNear = total === undefined || offset <= total / 2
    const wanted = isNear ? limit : Math.max(0, Math.min(limit, total - offset))
    const place = isNear ? { descending, offset } : { descending: !descending, offset: total - offset - wanted }
    const numbers = await numbersOfOrganization(db, organization, { ...place, limit: wanted })
    return rowsOf(db, sort, isNear ? numbers : numbers.reverse())
  }
  if (total === undefined || offset <= total / 2) {
    const runs = await runsOfNumbers(db, { filters, sort, search, after })
    return rowsOf(db, sort, await numbersBehind(db, runs, { limit, offset }))
  }
  const wanted = Math.min(limit, total - offset)
  if (wanted <= 0) return []
  const runs = await runsOfNumbers(db, { filters, sort: { ...sort, descending: !sort.descending }, search })
  const numbers = await numbersBehind(db, runs, { limit: wanted, offset: total - offset - wanted })
  return rowsOf(db, sort, numbers.reverse())
}

/** Whether a page looks at the rows anyway: for a search that the index cannot answer alone, or a sorted one. */
async function lookedAt(db: Db, { filters, sort }: ListPlan): Promise<number[] | undefined> {
  const { contains } = filters
  if (contains === undefined || (sort.column === 'user_id' && isExactQuery(contains.clauses))) return undefined
  return someRows(db, filters)
}

/** The row_ids that a search finds, and how many they are where that is known. */
type Search = { found: Sql; count?: number }

/** Materialized if each run of the order would repeat the search or look at each row again. */
async function searched(db: Db, { contains, ...others }: Filters, { column }: Sort): Promise<Search | undefined> {
  if (contains === undefined) return undefined
  const found = await containing(db, contains.clauses, others)
  if (column === 'user_id' && isExactQuery(contains.clauses)) return { found }
  const written = await db.get<{ count: number; numbers: string }>(
    sql`SELECT count(*) AS count, json_group_array(row_id) AS numbers FROM (${found})`,
  )
  const { count, numbers } = written as NonNullable<typeof written>
  db.meter?.spend(count * costs.member)
  return { found: sql`SELECT value AS row_id FROM json_each(${numbers})`, count }
}

/** A part of the order: where its row_ids are, and how they are ordered. */
type Run = { from: Sql; order: Sql }

async function numbersBehind(
  db: Db,
  runs: readonly Run[],
  { limit, offset }: { limit: number; offset: number },
): Promise<number[]> {
  const numbers: number[] = []
  let left = offset
  for (const [i, { from, order }] of runs.entries()) {
    if (numbers.length === limit) break
    const found = await db.all<{ row_id: number }>(sql`
      SELECT row_id FROM ${from} ORDER BY ${order} LIMIT ${limit - numbers.length} OFFSET ${left}`)
    numbers.push(...found.map(({ row_id }) => row_id))
    if (found.length > 0) left = 0
    else if (i < runs.length - 1) left -= Math.min(left, await countRows(db, from))
  }
  return numbers
}

type Way = { filters: Filters; sort: Sort; search: Search | undefined; after?: Position | undefined }

async function runsOfNumbers(db: Db, { filters, sort, search, after }: Way): Promise<Run[]> {
  if (sort.column === 'user_id' && search !== undefined) {
    const behind = after ? [sql`found.row_id > ${await rowNumber(db, after.user_id)}`] : []
    const order = rawSql(`found.row_id${sort.descending ? ' DESC' : ''}`)
    return [{ from: sql`(${search.found}) AS found WHERE ${allOf(behind)}`, order }]
  }
  const along = filtersAlong(filters, sort)
  // Where the way begins at a place, the bound behind it would only compete with that place for the index.
  const passed = after === undefined ? undefined : sort.descending ? 'before' : 'after'
  const held = along.map((name) => conditionOn(filters, name, passed === undefined || !name.endsWith(`_${passed}`)))
  const number = rawSql('+users.row_id')
  // Rows found by a search have already passed the other filters.
  const rest =
    search === undefined ? await onNumber(db, without(filters, along), number) : [sql`${number} IN (${search.found})`]
  rest.unshift(spending(costs.step + rest.length * costs.lookup, number))
  const runs = await runsBehind(db, { filters, sort }, after)
  return runs.map((run) => ({
    from: sql`users WHERE ${allOf([...held, ...rest, run])}`,
    order: orderOf(sort, { filters }),
  }))
}

/** The rows of these numbers, in their order. */
export async function rowsOf(db: Db, sort: Sort, numbers: readonly number[]): Promise<ListRow[]> {
  const found = await db.all<{ row_id: number; user_id: string; sort_value: string | null }>(sql`
    SELECT users.row_id, users.user_id, ${columnOf(sort)} AS sort_value FROM ${rowsAmong(numbers)}`)
  const byNumber = new Map(found.map((row) => [row.row_id, row]))
  return withDocuments(
    db,
    numbers.flatMap((number) => byNumber.get(number) ?? []),
  )
}
