/**
 * The words of the list's statements: filters as conditions, ways to find rows by the index of a filter, orders and
 * places in them. They leave SQLite no choice of index, since it knows nothing of how many rows a filter finds.
 */
import { joinSql, rawSql, type Sql, sql } from '../db/sql.ts'
import type { Filters, ListPlan, Position } from './list-plan.ts'
import { trigramQuery } from './search-index.ts'

export type FilterName = keyof Filters
type Sort = ListPlan['sort']

const filteredColumns: Record<FilterName, string> = {
  contains: 'search_text',
  role: 'role',
  active: 'active',
  created_after: 'created_at',
  created_before: 'created_at',
  last_login_after: 'last_login_at',
  last_login_before: 'last_login_at',
  user_ids: 'user_id',
  username_key: 'username_key',
  email_key: 'email_key',
  external_id: 'external_id',
}

/** Filters of which each user has a value of their own: they find as many users as they name. */
const keys: readonly FilterName[] = ['user_ids', 'username_key', 'email_key', 'external_id']

/** Filters that one index answers together, the most selective first. Active users have none: they are nearly all. */
const indexed: readonly (readonly FilterName[])[] = [
  ...keys.map((key) => [key]),
  ['active'],
  ['role'],
  ['last_login_after', 'last_login_before'],
  ['created_after', 'created_before'],
]

export function hasKey(filters: Filters): boolean {
  return keys.some((key) => filters[key] !== undefined)
}

/** The groups of filters in use that have an index. */
export function indexedFilters(filters: Filters): FilterName[][] {
  return indexed
    .map((group) => group.filter((name) => filters[name] !== undefined && !(name === 'active' && filters.active)))
    .filter((group) => group.length > 0)
}

/** All filters as conditions on the row. Only for those in `byIndex` may SQLite use an index. */
export function conditions(filters: Filters, byIndex: readonly FilterName[] = []): Sql {
  const names = Object.keys(filters) as FilterName[]
  return allOf(names.map((name) => condition(filters, name, byIndex.includes(name))))
}

function condition(filters: Filters, name: FilterName, byIndex: boolean): Sql {
  // SQLite uses no index for a column behind a plus.
  const column = rawSql(`${byIndex ? '' : '+'}users.${filteredColumns[name]}`)
  switch (name) {
    case 'contains':
      return sql`instr(${column}, ${filters.contains as string}) > 0`
    case 'active':
      // Written out, so that SQLite sees that the partial index holds these rows.
      return sql`${column} = ${rawSql(filters.active ? '1' : '0')}`
    case 'user_ids': {
      const ids = (filters.user_ids as string[]).map((id) => sql`${id}`)
      return sql`${column} IN (${joinSql(ids, ', ')})`
    }
    case 'created_after':
    case 'last_login_after':
      return sql`${column} > ${filters[name] as string}`
    case 'created_before':
    case 'last_login_before':
      return sql`${column} < ${filters[name] as string}`
    default:
      return sql`${column} = ${filters[name] as string}`
  }
}

/** The row_ids that the index of these filters finds, the other filters aside. */
export function foundBy(filters: Filters, names: readonly FilterName[]): Sql {
  return sql`SELECT row_id FROM users WHERE ${allOf(names.map((name) => condition(filters, name, true)))}`
}

/** The row_ids that the search index finds, and those that wait for indexing; perhaps some of them twice. */
export function foundBySearch(contains: string): Sql {
  return sql`SELECT rowid AS row_id FROM users_search WHERE users_search MATCH ${trigramQuery(contains)}
    UNION ALL
    SELECT users.row_id FROM search_pending CROSS JOIN users ON users.row_id = search_pending.row_id
    WHERE ${conditions({ contains })}`
}

/** Rows in an order from which SQLite need not sort them: that of an index, from the place on. */
export function walked(plan: ListPlan, segment: Sql, limit: number): Sql {
  return sql`SELECT row_id, user_id, document, ${columnOf(plan.sort)} AS sort_value FROM users
    WHERE ${conditions(plan.filters, alongTheOrder(plan))} AND ${segment} ORDER BY ${orderOf(plan.sort)} LIMIT ${limit}`
}

/** The filters whose index has the rows in the order of the plan. */
function alongTheOrder({ filters, sort, after }: ListPlan): FilterName[] {
  const { column, descending } = sort
  if (column === 'user_id') {
    if (hasKey(filters)) return [...keys]
    return filters.active === false ? ['active'] : ['role']
  }
  // Where the walk goes on from a place, the bound behind it would only compete with that place for the index.
  const bounds = after === undefined ? ['after', 'before'] : descending ? ['after'] : ['before']
  return bounds.map((bound) => column.replace(/at$/, bound) as FilterName)
}

export function columnOf({ column }: Sort): Sql {
  return rawSql(`users.${column}`)
}

export function orderOf({ column, descending }: Sort): Sql {
  const direction = descending ? ' DESC' : ''
  return rawSql(
    column === 'user_id' ? `users.user_id${direction}` : `users.${column}${direction}, users.row_id${direction}`,
  )
}

/**
 * The order cut into runs that one index delivers each: rows without a value count as the smallest, and SQL compares
 * nothing with NULL.
 */
export function segments(sort: Sort, after: Position | undefined): Sql[] {
  const column = columnOf(sort)
  if (sort.column === 'user_id') {
    return [after !== undefined && 'user_id' in after ? sql`users.user_id > ${after.user_id}` : sql`1 = 1`]
  }
  const beyond = rawSql(sort.descending ? '<' : '>')
  const empty = sql`${column} IS NULL`
  const filled = sql`${column} IS NOT NULL`
  if (after === undefined || !('row_id' in after)) return sort.descending ? [filled, empty] : [empty, filled]
  const { value, row_id } = after
  if (value === null) {
    const rest = sql`${column} IS NULL AND users.row_id ${beyond} ${row_id}`
    return sort.descending ? [rest] : [rest, filled]
  }
  const rest = sql`${filled} AND (${column}, users.row_id) ${beyond} (${value}, ${row_id})`
  return sort.descending ? [rest, empty] : [rest]
}

export function anyOf(list: Sql[]): Sql {
  return sql`((${joinSql(list, ') OR (')}))`
}

function allOf(list: Sql[]): Sql {
  return list.length === 0 ? sql`1 = 1` : joinSql(list, ' AND ')
}
