/**
 * Which users, in which order. A page is one buffer; the whole list is a stream of buffers from one snapshot. Runs in
 * a reader thread on SQLite, save for what an index answers at once. How rows are found: docs/decisions/0008.
 */
import type { Db } from '../db/db.ts'
import { type Sql, sql } from '../db/sql.ts'
import { writeRows } from './formats.ts'
import type { Filters, ListPlan, Position } from './list-plan.ts'
import {
  anyOf,
  columnOf,
  conditions,
  foundBy,
  foundBySearch,
  hasKey,
  indexedFilters,
  orderOf,
  segments,
  walked,
} from './list-sql.ts'
import { trigramQuery } from './search-index.ts'

type ListRow = { row_id: number; user_id: string; document: string; sort_value: string | null }

export type Page = { body: Uint8Array; next?: Position; total?: number }

/** Up to so many found rows are sorted; with more it is quicker to walk the order and look at each row. */
const sortableRows = 2000
const chunkRows = 500
/** The first piece of a sought list is small: it is there sooner where matches are rare. */
const firstRows = 20

export async function page(db: Db, plan: ListPlan): Promise<Page> {
  const limit = plan.limit ?? 0
  const total = plan.count ? { total: await count(db, plan.filters) } : {}
  if (plan.format === 'json' && isPlain(plan)) return { ...(await plainPage(db, plan.after, limit)), ...total }
  const rows = await (await finder(db, plan))(plan.after, limit + 1)
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
 * snapshot open until the last one is taken. It is read by the page, so that no more than a page is in memory.
 */
export async function* stream(db: Db, plan: ListPlan): AsyncGenerator<Uint8Array> {
  if (plan.format !== 'csv' && isPlain(plan)) {
    yield* plainStream(db, plan)
    return
  }
  const find = await finder(db, plan)
  let after = plan.after
  for (let first = true, last = false; !last; first = false) {
    const limit = first ? firstRows : chunkRows
    const rows = await find(after, limit)
    const end = rows.at(-1)
    last = rows.length < limit
    if (end) after = positionOf(plan, end)
    const documents = rows.map((row) => row.document)
    yield await writeRows(plan.format, documents, { first, last })
  }
}

async function* plainStream(db: Db, { format, after }: ListPlan): AsyncGenerator<Uint8Array> {
  let start = after !== undefined && 'user_id' in after ? after.user_id : ''
  let first = true
  const separator = format === 'json' ? ',' : '\n'
  for (;;) {
    const opening = format === 'json' ? (first ? '[' : ',') : ''
    const chunk = await db.get<{ body: Uint8Array | null; last: string | null }>(sql`
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
  const { active, ...others } = filters
  if (active && others.contains === undefined && !hasKey(others)) {
    return (await count(db, others)) - (await count(db, { ...others, active: false }))
  }
  const few = await fewRows(db, filters)
  if (few) return countRows(db, sql`${rowsAmong(few)} WHERE ${conditions(filters)}`)
  if (filters.contains === undefined) {
    const [byIndex] = indexedFilters(filters)
    return countRows(db, sql`users WHERE ${conditions(filters, byIndex)}`)
  }
  const waiting = sql`search_pending CROSS JOIN users ON users.row_id = search_pending.row_id`
  const found = sql`users_search CROSS JOIN users ON users.row_id = users_search.rowid`
  return (
    (await countRows(db, sql`${waiting} WHERE ${conditions(filters)}`)) +
    (await countRows(
      db,
      sql`${found} WHERE users_search MATCH ${trigramQuery(filters.contains)} AND ${conditions(filters)}
        AND NOT EXISTS (SELECT 1 FROM search_pending WHERE search_pending.row_id = users.row_id)`,
    ))
  )
}

async function countRows(db: Db, from: Sql): Promise<number> {
  return (await db.get<{ n: number }>(sql`SELECT count(*) AS n FROM ${from}`))?.n ?? 0
}

type Find = (after: Position | undefined, limit: number) => Promise<ListRow[]>

/** Chooses how to find the rows of a plan; the function it answers hands out those behind a place, in their order. */
async function finder(db: Db, plan: ListPlan): Promise<Find> {
  const { filters, sort } = plan
  const inDefaultOrder = sort.column === 'user_id'
  const walkFrom: Find = (after, limit) => walk(db, { ...plan, ...(after && { after }) }, limit)
  // The rows of up to 500 ids come in their order as they are.
  if (inDefaultOrder && hasKey(filters)) return walkFrom
  const few = await fewRows(db, filters, { search: !inDefaultOrder })
  if (few) return (after, limit) => sortRows(db, plan, few, after, limit)
  if (inDefaultOrder && filters.contains !== undefined) {
    return (after, limit) => searchInOrder(db, filters, after, limit)
  }
  return walkFrom
}

/** The row_ids among which all matches are, if the index of one filter finds few. */
async function fewRows(db: Db, filters: Filters, { search = false } = {}): Promise<number[] | undefined> {
  const probes = indexedFilters(filters).map((names) => foundBy(filters, names))
  if (search && filters.contains !== undefined) probes.push(foundBySearch(filters.contains))
  for (const probe of probes) {
    const found = await db.all<{ row_id: number }>(sql`${probe} LIMIT ${sortableRows + 1}`)
    if (found.length <= sortableRows) return [...new Set(found.map(({ row_id }) => row_id))]
  }
  return undefined
}

function rowsAmong(rowIds: number[]): Sql {
  return sql`json_each(${JSON.stringify(rowIds)}) AS found CROSS JOIN users ON users.row_id = found.value`
}

/** Sorts by what the order needs, and fetches the documents of the rows that are shown. */
async function sortRows(
  db: Db,
  { filters, sort }: ListPlan,
  among: number[],
  after: Position | undefined,
  limit: number,
): Promise<ListRow[]> {
  const rows = await db.all<Omit<ListRow, 'document'>>(sql`
    SELECT users.row_id, users.user_id, ${columnOf(sort)} AS sort_value FROM ${rowsAmong(among)}
    WHERE ${conditions(filters)} AND ${anyOf(segments(sort, after))} ORDER BY ${orderOf(sort)} LIMIT ${limit}`)
  const documents = await db.all<{ row_id: number; document: string }>(sql`
    SELECT users.row_id, users.document FROM ${rowsAmong(rows.map(({ row_id }) => row_id))}`)
  const byRow = new Map(documents.map(({ row_id, document }) => [row_id, document]))
  return rows.map((row) => ({ ...row, document: byRow.get(row.row_id) as string }))
}

/** The rows in the order of an index, each looked at until enough are found. */
async function walk(db: Db, plan: ListPlan, limit: number): Promise<ListRow[]> {
  const rows: ListRow[] = []
  for (const segment of segments(plan.sort, plan.after)) {
    if (rows.length >= limit) break
    rows.push(...(await db.all<ListRow>(walked(plan, segment, limit - rows.length))))
  }
  return rows
}

/**
 * In the default order the search index itself hands out rows in the right order (row_id grows as user_id does), so a
 * page costs what it shows, however many match. Rows that wait for indexing are looked through one by one.
 */
async function searchInOrder(
  db: Db,
  filters: Filters,
  position: Position | undefined,
  limit: number,
): Promise<ListRow[]> {
  const after = position !== undefined && 'user_id' in position ? position.user_id : ''
  const start = sql`coalesce((SELECT max(row_id) FROM users WHERE user_id = (SELECT max(user_id) FROM users WHERE user_id <= ${after})), 0)`
  const indexed = await db.all<ListRow>(sql`
    SELECT users.row_id, users.user_id, users.document, NULL AS sort_value
    FROM users_search CROSS JOIN users ON users.row_id = users_search.rowid
    WHERE users_search MATCH ${trigramQuery(filters.contains as string)} AND users_search.rowid > ${start}
      AND ${conditions(filters)}
    ORDER BY users_search.rowid LIMIT ${limit}`)
  const end = indexed.length < limit ? Number.MAX_SAFE_INTEGER : (indexed.at(-1)?.row_id as number)
  const waiting = await db.all<ListRow>(sql`
    SELECT users.row_id, users.user_id, users.document, NULL AS sort_value
    FROM search_pending CROSS JOIN users ON users.row_id = search_pending.row_id
    WHERE search_pending.row_id > ${start} AND search_pending.row_id < ${end} AND ${conditions(filters)}
    ORDER BY search_pending.row_id LIMIT ${limit}`)
  if (waiting.length === 0) return indexed
  const byRow = new Map([...indexed, ...waiting].map((row) => [row.row_id, row]))
  return [...byRow.values()].sort((a, b) => a.row_id - b.row_id).slice(0, limit)
}

function isPlain({ sort, filters }: ListPlan): boolean {
  return sort.column === 'user_id' && Object.keys(filters).length === 0
}

function positionOf(plan: ListPlan, row: ListRow): Position {
  return plan.sort.column === 'user_id' ? { user_id: row.user_id } : { value: row.sort_value, row_id: row.row_id }
}
