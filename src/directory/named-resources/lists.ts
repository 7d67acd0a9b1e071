/** Lists that are ordered by one column and the id: what a query asks for, its statement, and the place of the next page. */
import { badCursor, readCursor, writeCursor } from '../../http/request/cursor.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import type { Db } from '../../store/db/db.ts'
import { texts } from '../../store/db/dialect.ts'
import { joinSql, rawSql, type Sql, sql } from '../../store/db/sql.ts'

/** The last row of a page. */
export type Place = { value: string | number; id: string }
export type ListPlan<Column extends string> = {
  sort: { column: Column; descending: boolean }
  after: Place | undefined
  limit: number
}
type Query = { limit?: number; cursor?: string; sort?: string }

const usualSort = 'name'

/**
 * @param columns by the member of the resource
 * @param numeric the members whose values are numbers
 * @throws AppError `bad_cursor`
 */
export function planList<Column extends string>(
  { limit = 100, cursor, sort = usualSort }: Query,
  columns: Readonly<Record<string, Column>>,
  numeric: readonly string[] = [],
): ListPlan<Column> {
  const member = sort.replace('-', '')
  return {
    sort: { column: columns[member] as Column, descending: sort.startsWith('-') },
    after: cursor === undefined ? undefined : readPlace(cursor, sort, numeric.includes(member)),
    limit,
  }
}

export function cursorAt({ sort = usualSort }: Query, { value, id }: Place): string {
  return writeCursor([sort, value, id])
}

function readPlace(cursor: string, sort: string, isNumeric: boolean): Place {
  const [name, value, id, ...rest] = readCursor(cursor)
  const isValue = isNumeric ? Number.isSafeInteger(value) : typeof value === 'string' && !value.includes('\0')
  if (name !== sort || !isValue || typeof id !== 'string' || !isUuid(id) || rest.length > 0) throw badCursor()
  return { value: value as string | number, id }
}

type Filters = { ids?: readonly string[]; [column: string]: unknown }

/**
 * What follows the table in a statement that lists the rows of a plan. There are some ten thousand rows at most: whatever the order, they are
 * sorted.
 *
 * @param key the column of the id
 * @param filters values that columns have, and the ids of which the row has one
 * @param others further conditions
 * @param column that of the plan, or what stands for it
 */
export function listed(
  db: Db,
  key: string,
  { sort, after, limit, filters: { ids, ...equal } }: ListPlan<string> & { filters: Filters },
  others: readonly Sql[] = [],
  column: string = sort.column,
): Sql {
  const [by, id] = [rawSql(column), rawSql(key)]
  const conditions = Object.entries(equal).map(([name, value]) => sql`${rawSql(name)} = ${value as string | number}`)
  conditions.push(...others)
  if (ids !== undefined) conditions.push(sql`${id} IN (SELECT value FROM ${texts(db, ids)})`)
  if (after !== undefined) {
    conditions.push(sql`(${by}, ${id}) ${rawSql(sort.descending ? '<' : '>')} (${after.value}, ${after.id})`)
  }
  const where = conditions.length === 0 ? sql`1 = 1` : joinSql(conditions, ' AND ')
  const direction = rawSql(sort.descending ? 'DESC' : '')
  return sql`WHERE ${where} ORDER BY ${by} ${direction}, ${id} ${direction} LIMIT ${limit}`
}
