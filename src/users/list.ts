/**
 * Which users, in which order: the SQL of the list. A page is one buffer; the whole list is a stream of buffers from
 * one snapshot. Runs in a reader thread on SQLite, save for what an index answers at once.
 */
import type { Db } from '../db/db.ts'
import { joinSql, rawSql, type Sql, sql } from '../db/sql.ts'
import type { Connection } from '../db/sqlite/connection.ts'
import { writeRows } from './formats.ts'
import type { Filters, ListPlan, Position } from './list-plan.ts'
import { trigramQuery } from './search-index.ts'

type ListRow = { row_id: number; user_id: string; document: string; sort_value: string | null }

export type Page = { body: Uint8Array; next?: Position; total?: number }

/** Up to so many found rows are sorted; with more it is quicker to walk the order and look at each row. */
const sortableMatches = 2000
const chunkRows = 500

export async function page(db: Db, plan: ListPlan): Promise<Page> {
  const limit = plan.limit ?? 0
  const total = plan.count ? { total: await count(db, plan.filters) } : {}
  if (plan.format === 'json' && plan.sort.column === 'user_id' && Object.keys(plan.filters).length === 0) {
    return { ...(await plainPage(db, plan.after, limit)), ...total }
  }
  const rows = await findRows(db, plan, limit + 1)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const body = await writeRows(
    plan.format,
    shown.map((row) => row.document),
  )
  return { body, ...(rows.length > limit && last && { next: positionOf(plan, last) }), ...total }
}

/** A page in the default order without filters: SQLite joins the stored documents, no row becomes an object. */
async function plainPage(db: Db, after: Position | undefined, limit: number): Promise<Page> {
  const start = after !== undefined && 'user_id' in after ? after.user_id : ''
  const found = await db.get<{ body: Uint8Array; last: string | null }>(sql`
    SELECT CAST('[' || coalesce(group_concat(document, ','), '') || ']' AS BLOB) AS body, max(user_id) AS last
    FROM (SELECT user_id, document FROM users WHERE user_id > ${start} ORDER BY user_id LIMIT ${limit})`)
  const { body, last } = found as { body: Uint8Array; last: string | null }
  const more = last !== null && (await db.get(sql`SELECT 1 FROM users WHERE user_id > ${last} LIMIT 1`)) !== undefined
  return { body, ...(more && { next: { user_id: last } }) }
}

/**
 * Every row of the plan as buffers of the chosen format, the parts of one well-formed text. The caller holds the
 * snapshot open until the last one is taken.
 */
export async function* stream(connection: Connection, plan: ListPlan): AsyncGenerator<Uint8Array> {
  const { format, sort, filters } = plan
  if (format !== 'csv' && sort.column === 'user_id' && Object.keys(filters).length === 0) {
    yield* plainStream(connection, plan)
    return
  }
  let first = true
  let documents: string[] = []
  for (const segment of segments(plan)) {
    for (const row of connection.iterate<ListRow>(selectRows(plan, matching(filters), segment))) {
      if (documents.push(row.document) < chunkRows) continue
      yield await writeRows(format, documents, { first, last: false })
      first = false
      documents = []
    }
  }
  yield await writeRows(format, documents, { first, last: true })
}

async function* plainStream(connection: Connection, { format, after }: ListPlan): AsyncGenerator<Uint8Array> {
  let start = after !== undefined && 'user_id' in after ? after.user_id : ''
  let first = true
  const separator = format === 'json' ? ',' : '\n'
  for (;;) {
    const opening = format === 'json' ? (first ? '[' : ',') : ''
    const chunk = await connection.get<{ body: Uint8Array | null; last: string | null }>(sql`
      SELECT CAST(${opening} || group_concat(document, ${separator}) || ${format === 'json' ? '' : '\n'} AS BLOB) AS body,
        max(user_id) AS last
      FROM (SELECT user_id, document FROM users WHERE user_id > ${start} ORDER BY user_id LIMIT ${chunkRows})`)
    if (!chunk?.body || chunk.last === null) break
    yield chunk.body
    first = false
    start = chunk.last
  }
  if (format === 'json') yield Buffer.from(first ? '[]' : ']')
}

export async function count(db: Db, filters: Filters): Promise<number> {
  const where = [...conditions(filters), ...matching(filters)]
  const found = await db.get<{ n: number }>(sql`SELECT count(*) AS n FROM users WHERE ${allOf(where)}`)
  return found?.n ?? 0
}

async function findRows(db: Db, plan: ListPlan, limit: number): Promise<ListRow[]> {
  const { contains } = plan.filters
  if (contains === undefined) return walk(db, plan, limit)
  if (plan.sort.column === 'user_id') return searchInOrder(db, plan, contains, limit)
  const matches = await db.all<{ row_id: number }>(sql`
    SELECT rowid AS row_id FROM users_search WHERE users_search MATCH ${trigramQuery(contains)}
    LIMIT ${sortableMatches + 1}`)
  return walk(db, plan, limit, matches.length > sortableMatches ? [] : matching(plan.filters))
}

/** The rows in the order of an index, each looked at until enough are found. */
async function walk(db: Db, plan: ListPlan, limit: number, further: Sql[] = []): Promise<ListRow[]> {
  const rows: ListRow[] = []
  for (const segment of segments(plan)) {
    if (rows.length >= limit) break
    rows.push(...(await db.all<ListRow>(selectRows(plan, further, segment, limit - rows.length))))
  }
  return rows
}

/**
 * In the default order the search index itself hands out rows in the right order (row_id grows as user_id does), so a
 * page costs what it shows, however many match. Rows that wait for indexing are few and looked through one by one.
 */
async function searchInOrder(db: Db, plan: ListPlan, contains: string, limit: number): Promise<ListRow[]> {
  const where = allOf(conditions(plan.filters))
  const after = plan.after !== undefined && 'user_id' in plan.after ? plan.after.user_id : ''
  const start = sql`coalesce((SELECT max(row_id) FROM users WHERE user_id = (SELECT max(user_id) FROM users WHERE user_id <= ${after})), 0)`
  const indexed = await db.all<ListRow>(sql`
    SELECT users.row_id, users.user_id, users.document, NULL AS sort_value
    FROM users_search CROSS JOIN users ON users.row_id = users_search.rowid
    WHERE users_search MATCH ${trigramQuery(contains)} AND users_search.rowid > ${start} AND ${where}
    ORDER BY users_search.rowid LIMIT ${limit}`)
  const waiting = await db.all<ListRow>(sql`
    SELECT users.row_id, users.user_id, users.document, NULL AS sort_value
    FROM search_pending CROSS JOIN users ON users.row_id = search_pending.row_id
    WHERE search_pending.row_id > ${start} AND ${where}
    ORDER BY search_pending.row_id LIMIT ${limit}`)
  if (waiting.length === 0) return indexed
  const byRow = new Map([...indexed, ...waiting].map((row) => [row.row_id, row]))
  return [...byRow.values()].sort((a, b) => a.row_id - b.row_id).slice(0, limit)
}

function selectRows(plan: ListPlan, further: Sql[], segment: Sql, limit?: number): Sql {
  const column = rawSql(plan.sort.column)
  const where = allOf([...conditions(plan.filters), ...further, segment])
  const bound = limit === undefined ? sql`` : sql`LIMIT ${limit}`
  return sql`SELECT row_id, user_id, document, ${column} AS sort_value FROM users
    WHERE ${where} ORDER BY ${orderOf(plan)} ${bound}`
}

function orderOf({ sort }: ListPlan): Sql {
  const direction = sort.descending ? ' DESC' : ''
  return rawSql(sort.column === 'user_id' ? `user_id${direction}` : `${sort.column}${direction}, row_id${direction}`)
}

/**
 * The order cut into runs that one index delivers each: rows without a value count as the smallest, and SQL compares
 * nothing with NULL.
 */
function segments({ sort, after }: ListPlan): Sql[] {
  const column = rawSql(sort.column)
  if (sort.column === 'user_id') {
    return [after !== undefined && 'user_id' in after ? sql`user_id > ${after.user_id}` : sql`1 = 1`]
  }
  const beyond = rawSql(sort.descending ? '<' : '>')
  const empty = sql`${column} IS NULL`
  const filled = sql`${column} IS NOT NULL`
  if (after === undefined || !('row_id' in after)) return sort.descending ? [filled, empty] : [empty, filled]
  const { value, row_id } = after
  if (value === null) {
    const rest = sql`${column} IS NULL AND row_id ${beyond} ${row_id}`
    return sort.descending ? [rest] : [rest, filled]
  }
  const rest = sql`${filled} AND (${column}, row_id) ${beyond} (${value}, ${row_id})`
  return sort.descending ? [rest, empty] : [rest]
}

/** The filters as conditions on the row itself. */
function conditions(filters: Filters): Sql[] {
  const list: Sql[] = []
  if (filters.contains !== undefined) list.push(sql`instr(users.search_text, ${filters.contains}) > 0`)
  if (filters.role !== undefined) list.push(sql`users.role = ${filters.role}`)
  if (filters.active !== undefined) list.push(filters.active ? sql`users.active = 1` : sql`users.active = 0`)
  if (filters.created_after !== undefined) list.push(sql`users.created_at > ${filters.created_after}`)
  if (filters.created_before !== undefined) list.push(sql`users.created_at < ${filters.created_before}`)
  if (filters.last_login_after !== undefined) list.push(sql`users.last_login_at > ${filters.last_login_after}`)
  if (filters.last_login_before !== undefined) list.push(sql`users.last_login_at < ${filters.last_login_before}`)
  if (filters.username_key !== undefined) list.push(sql`users.username_key = ${filters.username_key}`)
  if (filters.email_key !== undefined) list.push(sql`users.email_key = ${filters.email_key}`)
  if (filters.external_id !== undefined) list.push(sql`users.external_id = ${filters.external_id}`)
  if (filters.user_ids !== undefined) {
    const ids = filters.user_ids.map((id) => sql`${id}`)
    list.push(sql`users.user_id IN (${joinSql(ids, ', ')})`)
  }
  return list
}

/** The same search by way of the index: only rows that hold every trigram, or wait for indexing, are looked at. */
function matching(filters: Filters): Sql[] {
  if (filters.contains === undefined) return []
  return [
    sql`users.row_id IN (SELECT rowid FROM users_search WHERE users_search MATCH ${trigramQuery(filters.contains)}
      UNION ALL SELECT row_id FROM search_pending)`,
  ]
}

function allOf(list: Sql[]): Sql {
  return list.length === 0 ? sql`1 = 1` : joinSql(list, ' AND ')
}

function positionOf(plan: ListPlan, row: ListRow): Position {
  return plan.sort.column === 'user_id' ? { user_id: row.user_id } : { value: row.sort_value, row_id: row.row_id }
}
