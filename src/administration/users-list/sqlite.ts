/**
 * Finds the rows of a list on SQLite. SQLite does not know how many rows a filter finds, so we probe and choose the
 * index ourselves: few matches are sorted, many are met along an index in the order of the list. Each branch exists because a page
 * may cost 90 ms and is refused otherwise. With a million users, `role=user&sort=username` took 275 ms and takes 0.9; of 452
 * combinations a quarter took more than 100 ms, up to 3.8 s, and 4 % do (docs/decisions/0008-lists-probe-or-walk.md).
 */

import { trigramQuery } from '../../directory/search/service.ts'
import type { Db } from '../../store/db/db.ts'
import { rawSql, type Sql, sql } from '../../store/db/sql.ts'
import { spending } from '../../store/db/sqlite/meter.ts'
import { countMembers, membersOfPage } from './members.ts'
import type { Filters, ListPlan, Position } from './plan.ts'
import {
  allOf,
  columnOf,
  type FilterName,
  type Find,
  hasKey,
  indexedFilters,
  isGroupWalked,
  isOrderOfOrganizations,
  type Joints,
  keys,
  type ListRow,
  membersBehind,
  onlyOrganization,
  type PlainPage,
  type PlainPlace,
} from './sql.ts'
import { skip } from './sqlite-offset.ts'
import { countOfOrganization } from './sqlite-organization.ts'
import {
  conditionOn,
  conditions,
  containing,
  costs,
  countRows,
  fewRows,
  foundBy,
  onNumber,
  orderOf,
  rowNumber,
  rowsAmong,
  runsBehind,
  someRows,
  without,
} from './sqlite-rows.ts'
import { type NumberedRow, sortRows } from './sqlite-sort.ts'

const [firstPieceRows, pieceRows] = [20, 500]

/**
 * A page in the default order without filters: SQLite joins the stored documents, no row becomes an object. The rows stand
 * in that order (row-order.ts), so they are read one after another instead of through the index of the ids.
 */
export async function plainPage(db: Db, { after, organization }: PlainPlace, limit: number): Promise<PlainPage> {
  if (organization !== undefined) return pageOfOrganization(db, organization, after, limit)
  const found = await db.get<{ body: Uint8Array; last: string | null; more: number }>(sql`
    SELECT CAST('[' || coalesce(documents, '') || ']' AS BLOB) AS body,
      (SELECT user_id FROM users WHERE row_id = last_row) AS last,
      EXISTS (SELECT 1 FROM users WHERE row_id > last_row) AS more
    FROM (
      SELECT group_concat(document, ',') AS documents, max(row_id) AS last_row
      FROM (
        SELECT row_id, document FROM users
        WHERE row_id > coalesce((SELECT row_id FROM users WHERE user_id <= ${after} ORDER BY user_id DESC LIMIT 1), 0)
        ORDER BY row_id LIMIT ${limit}))`)
  const { body, last, more } = found as NonNullable<typeof found>
  return { body, last, more: more === 1 }
}

async function pageOfOrganization(db: Db, organization: string, after: string, limit: number): Promise<PlainPage> {
  const start = after === '' ? 0 : await rowNumber(db, after)
  const found = await db.get<{ body: Uint8Array; last: string | null; more: number }>(sql`
    SELECT CAST('[' || coalesce(documents, '') || ']' AS BLOB) AS body,
      (SELECT user_id FROM users WHERE row_id = last_row) AS last,
      EXISTS (SELECT 1 FROM users WHERE organization_id = ${organization} AND row_id > last_row) AS more
    FROM (
      SELECT group_concat(document, ',') AS documents, max(row_id) AS last_row
      FROM (
        SELECT row_id, document FROM users WHERE organization_id = ${organization} AND row_id > ${start}
        ORDER BY row_id LIMIT ${limit}))`)
  const { body, last, more } = found as NonNullable<typeof found>
  return { body, last, more: more === 1 }
}

/** Every document after a user, in chunks, read in the order of the rows like a page. The first is small, to be there soon. */
export async function* plainPieces(
  db: Db,
  { after, organization }: PlainPlace,
  joints: Joints,
  document: Sql,
): AsyncGenerator<Uint8Array> {
  const { separator } = joints
  let { opening } = joints
  let rows = firstPieceRows
  const within = organization === undefined ? sql`1 = 1` : sql`organization_id = ${organization}`
  for (let start = await rowNumber(db, after); ; [opening, rows] = [separator, pieceRows]) {
    const piece = await db.get<{ body: Uint8Array | null; last: number | null }>(sql`
      SELECT CAST(${opening} || group_concat(document, ${separator}) AS BLOB) AS body, max(row_id) AS last
      FROM (
        SELECT row_id, ${document} AS document FROM users WHERE ${within} AND row_id > ${start}
        ORDER BY row_id LIMIT ${rows})`)
    if (!piece?.body || piece.last === null) return
    yield piece.body
    start = piece.last
  }
}

export async function count(db: Db, filters: Filters): Promise<number> {
  const organization = onlyOrganization(filters)
  if (organization !== undefined) return countOfOrganization(db, organization)
  const few = await fewRows(db, filters)
  if (few) return countRows(db, sql`${rowsAmong(few)} WHERE ${conditions(filters)}`)
  const { contains, ...others } = filters
  const { group_id, ...beside } = others
  if (contains === undefined && group_id !== undefined) {
    if (Object.keys(beside).length === 0) return countMembers(db, group_id)
    return countRows(
      db,
      sql`group_members CROSS JOIN users USING (user_id) WHERE ${membersBehind(filters, undefined)}
        AND ${spending(costs.look, rawSql('+users.row_id'))} AND ${conditions(beside)}`,
    )
  }
  const { attributes, ...rest } = others
  if (contains === undefined && attributes?.some(({ isIndexed }) => isIndexed)) {
    return countRows(
      db,
      sql`(${foundBy({ attributes }, ['attributes'])} AND ${spending(Object.keys(rest).length * costs.look, rawSql('+users.row_id'))}
        AND ${conditions(rest)})`,
    )
  }
  if (contains === undefined) {
    const [byIndex = []] = indexedFilters(filters)
    const along = byIndex.map((name) => conditionOn(filters, name, true))
    const rest = await onNumber(db, without(filters, byIndex), rawSql('+users.row_id'))
    const cost = spending(costs.step + rest.length * costs.lookup, rawSql('+users.row_id'))
    return countRows(db, sql`users WHERE ${allOf([...along, cost, ...rest])}`)
  }
  return countRows(db, sql`(${await containing(db, contains.clauses, others)})`)
}

/** The part of a page's budget that is spent along the order before searching the matches themselves. */
const glanceShare = 1 / 4

/**
 * The rows of a page: found along an order, which is left when its next rows hold too few matches; else among the rows that
 * the indexes of the filters find, or by numbers alone.
 */
export async function rowsOfPage(
  db: Db,
  plan: ListPlan,
  limit: number,
  count: () => Promise<number>,
): Promise<ListRow[]> {
  if (isGroupWalked(plan) && Object.keys(plan.filters).length === 1) return membersOfPage(db, plan, limit)
  if (!plan.offset) {
    const glance = async () => (await finder(db, plan))(plan.after, limit)
    const rows = await within(db, glanceShare, glance)
    if (rows !== undefined) return rows
    const some = await someRows(db, plan.filters)
    if (some !== undefined) return sortRows(db, plan, some, plan.after, limit)
  }
  return skip(db, plan, limit, count)
}

function within<T>({ meter }: Db, share: number, work: () => Promise<T>): Promise<T | undefined> {
  return meter === undefined ? work() : meter.within(meter.left() * share, work)
}

export async function finder(db: Db, plan: ListPlan): Promise<Find> {
  const { filters, sort } = plan
  const inDefaultOrder = sort.column === 'user_id'
  const walkFrom: Find = (after, limit) => walk(db, plan, after, limit)
  // The rows of up to 500 ids come in their order as they are, and the members of a group in theirs.
  if ((inDefaultOrder && hasKey(filters)) || isGroupWalked(plan)) return walkFrom
  if (onlyOrganization(filters) !== undefined && isOrderOfOrganizations(sort)) return walkFrom
  const few = await fewRows(db, filters, { search: !inDefaultOrder })
  if (few) return (after, limit) => sortRows(db, plan, few, after, limit)
  const { contains } = filters
  if (inDefaultOrder && contains !== undefined) {
    const match = trigramQuery(contains.clauses)
    return (after, limit) => searchInOrder(db, { filters, match, after, limit })
  }
  return walkFrom
}

/** The rows in the order of an index, each looked at until enough are found. */
async function walk(db: Db, plan: ListPlan, after: Position | undefined, limit: number): Promise<ListRow[]> {
  if (isGroupWalked(plan)) return walkGroup(db, plan, after, limit)
  const byIndex = alongTheOrder(plan, after)
  const rows: ListRow[] = []
  for (const run of await runsBehind(db, plan, after)) {
    if (rows.length >= limit) break
    rows.push(
      ...(await db.all<ListRow>(sql`
        SELECT user_id, document, ${columnOf(plan.sort)} AS sort_value FROM users
        WHERE ${spending(costs.look, rawSql('+users.row_id'))} AND ${conditions(plan.filters, byIndex)} AND ${run}
        ORDER BY ${orderOf(plan.sort, plan)} LIMIT ${limit - rows.length}`)),
    )
  }
  return rows
}

/** The members of a group in the default order, each looked at until enough are found. */
function walkGroup(db: Db, plan: ListPlan, after: Position | undefined, limit: number): Promise<ListRow[]> {
  const { group_id: _, ...beside } = plan.filters
  return db.all<ListRow>(sql`
    SELECT users.user_id, document, users.user_id AS sort_value
    FROM group_members CROSS JOIN users ON users.user_id = group_members.user_id
    WHERE ${membersBehind(plan.filters, after)} AND ${spending(costs.look, rawSql('+users.row_id'))}
      AND ${conditions(beside)}
    ORDER BY group_members.user_id ${rawSql(plan.sort.descending ? 'DESC' : '')} LIMIT ${limit}`)
}

/** The filters whose index has the rows in the order of the plan. */
function alongTheOrder({ filters, sort }: ListPlan, after: Position | undefined): FilterName[] {
  const { column, descending } = sort
  if (column === 'user_id') {
    if (hasKey(filters)) return [...keys]
    if (filters.managed_by !== undefined) return ['managed_by']
    if (typeof filters.organization_id === 'string') return ['organization_id']
    if (filters.kind === 'service') return ['kind']
    if (filters.active === false) return ['active']
    if (filters.invited) return ['invited']
    return filters.has_password === false ? ['has_password'] : ['role']
  }
  if (typeof filters.organization_id === 'string' && isOrderOfOrganizations(sort)) return ['organization_id']
  // When the walk continues from a place, the bound after it would only compete with that place for the index.
  const bounds = after === undefined ? ['after', 'before'] : descending ? ['after'] : ['before']
  return bounds.map((bound) => column.replace(/at$/, bound) as FilterName)
}

type InOrder = { filters: Filters; match: string; after: Position | undefined; limit: number }

/**
 * In the default order the search index itself hands out rows in the right order (row_id grows as user_id does), so a
 * page costs what it shows, however many match. Rows that wait for indexing are looked through one by one.
 */
async function searchInOrder(db: Db, { filters, match, after, limit }: InOrder): Promise<ListRow[]> {
  const start = after === undefined ? 0 : await rowNumber(db, after.user_id)
  const indexed = await db.all<NumberedRow>(sql`
    SELECT users.row_id, users.user_id, users.document, NULL AS sort_value
    FROM users_search CROSS JOIN users ON users.row_id = users_search.rowid
    WHERE users_search MATCH ${match} AND users_search.rowid > ${start}
      AND ${spending(costs.look, rawSql('+users_search.rowid'))} AND ${conditions(filters)}
    ORDER BY users_search.rowid LIMIT ${limit}`)
  const end = indexed.length < limit ? Number.MAX_SAFE_INTEGER : (indexed.at(-1)?.row_id as number)
  const waiting = await db.all<NumberedRow>(sql`
    SELECT users.row_id, users.user_id, users.document, NULL AS sort_value
    FROM search_pending CROSS JOIN users ON users.row_id = search_pending.row_id
    WHERE search_pending.row_id > ${start} AND search_pending.row_id < ${end}
      AND ${spending(costs.look, rawSql('+search_pending.row_id'))} AND ${conditions(filters)}
    ORDER BY search_pending.row_id LIMIT ${limit}`)
  if (waiting.length === 0) return indexed
  const byRow = new Map([...indexed, ...waiting].map((row) => [row.row_id, row]))
  return [...byRow.values()].sort((a, b) => a.row_id - b.row_id).slice(0, limit)
}
