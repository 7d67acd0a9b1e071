/**
 * Which numbers (`row_id`) the filters of a list find on SQLite, and how its orders are walked. A number is in every
 * index, so that a filter can be looked up without its rows.
 */
import type { Db } from '../db/db.ts'
import { rawSql, type Sql, sql } from '../db/sql.ts'
import type { Filters, Position } from './list-plan.ts'
import {
  allOf,
  behindUser,
  condition,
  type FilterName,
  filteredColumns,
  indexedFilters,
  type Ordered,
  type Place,
  runsOf,
  type Sort,
} from './list-sql.ts'
import { isExactQuery, trigramQuery } from './search-index.ts'

/** Up to so many found rows are sorted; with more it is quicker to walk the order and look at each row. */
const sortableRows = 2000
/** Who has another role than the one sought is left out one by one where there are no more than these. */
const fewOthers = 100_000

/** The row_ids among which all matches are, if the index of one filter finds few. */
export async function fewRows(db: Db, filters: Filters, { search = false } = {}): Promise<number[] | undefined> {
  const probes = indexedFilters(filters).map((names) => foundBy(filters, names))
  if (search && filters.contains !== undefined) probes.push(foundBySearch(filters.contains))
  for (const probe of probes) {
    const found = await db.all<{ row_id: number }>(sql`${probe} LIMIT ${sortableRows + 1}`)
    if (found.length <= sortableRows) return [...new Set(found.map(({ row_id }) => row_id))]
  }
  return undefined
}

/** The row_ids that the index of these filters finds, the other filters aside. */
export function foundBy(filters: Filters, names: readonly FilterName[]): Sql {
  return sql`SELECT row_id FROM users WHERE ${allOf(names.map((name) => conditionOn(filters, name, true)))}`
}

/** The row_ids that the search index finds, and those that wait for indexing; perhaps some of them twice. */
function foundBySearch(contains: string): Sql {
  return sql`SELECT rowid AS row_id FROM users_search WHERE users_search MATCH ${trigramQuery(contains)}
    UNION ALL ${waitingFor(contains)}`
}

function waitingFor(contains: string): Sql {
  return sql`SELECT users.row_id FROM search_pending CROSS JOIN users ON users.row_id = search_pending.row_id
    WHERE ${conditions({ contains })}`
}

/** The row_ids of all whose text contains this, each once. */
export async function containing(db: Db, contains: string): Promise<Sql> {
  const isExact = isExactQuery(contains)
  const found = sql`SELECT users_search.rowid FROM users_search WHERE users_search MATCH ${trigramQuery(contains)}`
  // From here on it is quicker to read all rows than most of them one by one.
  const most = isExact ? 0 : Math.ceil((await countRows(db, sql`users`)) / 3)
  if (!isExact && (await countRows(db, sql`(${found} LIMIT ${most})`)) === most) {
    return sql`SELECT users.row_id FROM users WHERE ${conditions({ contains })}`
  }
  const indexed = isExact
    ? sql`SELECT users_search.rowid AS row_id FROM users_search WHERE users_search MATCH ${trigramQuery(contains)}`
    : sql`SELECT users_search.rowid AS row_id FROM users_search
        CROSS JOIN users ON users.row_id = users_search.rowid
        WHERE users_search MATCH ${trigramQuery(contains)} AND ${conditions({ contains })}`
  const waits = (await db.get(sql`SELECT 1 FROM search_pending LIMIT 1`)) !== undefined
  if (!waits) return indexed
  return sql`${indexed} AND users_search.rowid NOT IN (SELECT row_id FROM search_pending)
    UNION ALL ${waitingFor(contains)}`
}

/** The filters, but for a text that is sought, as conditions on a number alone. */
export async function onNumber(db: Db, filters: Omit<Filters, 'contains'>, number: Sql): Promise<Sql[]> {
  const { role, active, has_password, has_signed_in } = filters
  const found: Sql[] = []
  if (active !== undefined) {
    found.push(sql`${number} ${rawSql(active ? 'NOT IN' : 'IN')} (${foundBy({ active: false }, ['active'])})`)
  }
  if (has_password !== undefined) {
    const without = foundBy({ has_password: false }, ['has_password'])
    found.push(sql`${number} ${rawSql(has_password ? 'NOT IN' : 'IN')} (${without})`)
  }
  if (role !== undefined) {
    const others = sql`SELECT row_id FROM users WHERE role < ${role} UNION ALL SELECT row_id FROM users WHERE role > ${role}`
    const count = await countRows(db, sql`(${others} LIMIT ${fewOthers + 1})`)
    found.push(
      count > fewOthers ? sql`${number} IN (${foundBy({ role }, ['role'])})` : sql`${number} NOT IN (${others})`,
    )
  }
  for (const bounds of [
    ['last_login_after', 'last_login_before'],
    ['created_after', 'created_before'],
  ] as const) {
    const given = bounds.filter((name) => filters[name] !== undefined)
    if (given.length > 0) found.push(sql`${number} IN (${foundBy(filters, given)})`)
  }
  if (has_signed_in !== undefined) {
    const never = foundBy({ has_signed_in: false }, ['has_signed_in'])
    // In a new directory nearly all, in an old one nearly nobody.
    const areFew = (await countRows(db, sql`(${never} LIMIT ${fewOthers + 1})`)) <= fewOthers
    const listed = areFew ? never : foundBy({ has_signed_in: true }, ['has_signed_in'])
    found.push(sql`${number} ${rawSql(has_signed_in === areFew ? 'NOT IN' : 'IN')} (${listed})`)
  }
  return found
}

export function without(filters: Filters, names: readonly FilterName[]): Filters {
  return Object.fromEntries(Object.entries(filters).filter(([name]) => !names.includes(name as FilterName)))
}

export function rowsAmong(rowIds: readonly number[]): Sql {
  return sql`json_each(${JSON.stringify(rowIds)}) AS found CROSS JOIN users ON users.row_id = found.value`
}

export async function countRows(db: Db, from: Sql): Promise<number> {
  return (await db.get<{ n: number }>(sql`SELECT count(*) AS n FROM ${from}`))?.n ?? 0
}

/** The runs of the order behind a user. Here equals are told apart by row_id, which every index has at hand. */
export async function runsBehind(db: Db, ordered: Ordered, after: Position | undefined): Promise<Sql[]> {
  const { sort } = ordered
  if (sort.column === 'user_id') return [behindUser(after)]
  const place: Place | undefined = after && {
    value: 'value' in after ? after.value : null,
    tie: await rowNumber(db, after.user_id, sort),
  }
  return runsOf(ordered, place, rawSql('users.row_id')).map(({ where }) => where)
}

/** The row of a user; of one who is gone, the row that the order goes on behind. */
export async function rowNumber(
  db: Db,
  userId: string,
  { descending }: { descending?: boolean } = {},
): Promise<number> {
  const row = descending
    ? await db.get<{ row_id: number }>(
        sql`SELECT row_id FROM users WHERE user_id >= ${userId} ORDER BY user_id LIMIT 1`,
      )
    : await db.get<{ row_id: number }>(
        sql`SELECT row_id FROM users WHERE user_id <= ${userId} ORDER BY user_id DESC LIMIT 1`,
      )
  return row?.row_id ?? (descending ? Number.MAX_SAFE_INTEGER : 0)
}

export function orderOf({ column, descending }: Sort): Sql {
  const direction = descending ? ' DESC' : ''
  return rawSql(
    column === 'user_id' ? `users.user_id${direction}` : `users.${column}${direction}, users.row_id${direction}`,
  )
}

/** All filters as conditions on the row. Only for those in `byIndex` may SQLite use an index. */
export function conditions(filters: Filters, byIndex: readonly FilterName[] = []): Sql {
  const names = Object.keys(filters) as FilterName[]
  return allOf(names.map((name) => conditionOn(filters, name, byIndex.includes(name))))
}

export function conditionOn(filters: Filters, name: FilterName, byIndex: boolean): Sql {
  // SQLite uses no index for a column behind a plus.
  const column = rawSql(`${byIndex ? '' : '+'}users.${filteredColumns[name]}`)
  if (name === 'contains') return sql`instr(${column}, ${filters.contains as string}) > 0`
  return condition(filters, name, column)
}
