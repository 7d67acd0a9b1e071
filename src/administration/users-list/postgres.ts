/**
 * Finds the rows of a list on PostgreSQL. Its planner knows roughly how many rows match, but not where in an order
 * they are. So we first check the next rows of the order, and sort all matches if too few of these match
 * (docs/decisions/0008-lists-probe-or-walk.md, 0012).
 */
import { fullBlocks } from '../../lib/full-blocks.ts'
import type { Db } from '../../store/db/db.ts'
import { fixedSql, rawSql, type Sql, sql } from '../../store/db/sql.ts'
import { statementCost, statementCostWithCount, tooCostly } from './cost.ts'
import { countMembers } from './members.ts'
import type { Filters, ListPlan, Position } from './plan.ts'
import { behind, countOfOrganization } from './postgres-places.ts'
import {
  allOf,
  anyOf,
  behindUser,
  columnOf,
  condition,
  type Estimate,
  type FilterName,
  type Find,
  filteredColumns,
  filtersOn,
  hasKey,
  isGroupWalked,
  isOrderOfOrganizations,
  type Joints,
  type ListRow,
  membersBehind,
  type Ordered,
  onlyOrganization,
  type PlainPage,
  type PlainPlace,
  type Run,
  runsOf,
  type Sort,
} from './sql.ts'

/** We check a hundred times as many rows as requested, but not more than this. */
const glanceRows = 10_000
/** About the size of one COPY, all of which is in memory while the reader is slow; and the rows of the first one. */
const [copyBytes, firstCopyRows] = [2 * 1024 * 1024, 1000]
/** Large enough for the stream to free each block when it has been sent (src/http/response/snapshot-stream.ts). */
const blockBytes = 256 * 1024
/** What the planner adds for a method that the operator has disabled (`enable_seqscan`) if there is no other. */
const disabledCost = 1e10
/** In the planner's unit: some 5 ms. */
const countableCost = 5000

/**
 * A page in the default order without filters, and one more row, which tells whether there are more. The documents come one by
 * one: a text of all of them took the server two and a half times as long (docs/decisions/speed.md, 0121).
 */
export async function plainPage(db: Db, { after, organization }: PlainPlace, limit: number): Promise<PlainPage> {
  if (db.texts === undefined) throw new Error('A page needs a connection to PostgreSQL.')
  const { bytes, ends } = await db.texts(
    sql`
      SELECT document FROM (
        SELECT document FROM users WHERE ${behind({ after, organization })} ${limit < smallPage ? smallBound : largeBound}
      ) AS next LIMIT ${limit + 1}`,
    (limit + 1) * documentBytes,
  )
  const more = ends.length > limit
  const end = ends.at(more ? -2 : -1)
  if (end === undefined) return { body: Buffer.from('[]'), last: null, more }
  for (const each of ends) bytes[each] = comma
  bytes[0] = opening
  bytes[end] = closing
  const last = more ? idIn(bytes.toString('utf8', (ends.at(-3) ?? 0) + 1, end)) : null
  return { body: bytes.subarray(0, end + 1), last, more }
}

const [opening, comma, closing] = Buffer.from('[,]') as unknown as [number, number, number]
/** Enough for most users; where it is more, the page is copied once. */
const documentBytes = 512

/**
 * For a limit that is a parameter alone, PostgreSQL expects a tenth of all rows, finds that too much, and plans each page
 * again, which took as long as reading it.
 */
const smallPage = 101
const [smallBound, largeBound] = [fixedSql(`LIMIT ${smallPage}`), fixedSql('LIMIT 1001')]

/**
 * Every document after a user, in blocks of one size, in the caller's open transaction. They arrive as bytes and are
 * concatenated here: PostgreSQL takes nearly twice as long to join them. Full blocks are returned while a COPY continues.
 */
export async function* plainPieces(
  db: Db,
  { after, organization }: PlainPlace,
  { opening, separator }: Joints,
  document: Sql,
): AsyncGenerator<Uint8Array> {
  if (db.copy === undefined) throw new Error('A whole list needs a connection of its own.')
  const joint = Buffer.from(separator)
  const blocks = fullBlocks(blockBytes)
  let before = Buffer.from(opening)
  let start = after
  let wanted = firstCopyRows
  for (let isEnd = false; !isEnd; ) {
    let [rows, size] = [0, 0]
    const copied = db.copy(
      sql`SELECT ${document} AS document FROM users WHERE ${behind({ after: start, organization })} LIMIT ${wanted}`,
      (bytes, at) => {
        const from = at + lengthBytes
        const end = from + bytes.readUInt32BE(at)
        blocks.add(before, 0, before.length)
        before = joint
        blocks.add(bytes, from, end)
        size += end - from
        if (++rows === wanted) start = idIn(bytes.toString('utf8', from, end))
      },
    )
    yield* blocks.until(copied)
    isEnd = rows < wanted
    wanted = Math.ceil((rows * copyBytes) / size)
  }
  const rest = blocks.rest()
  if (rest.length > 0) yield rest
}

/** The length of a column, in front of it. */
const lengthBytes = 4

function idIn(document: string): string {
  return (JSON.parse(document) as { user_id: string }).user_id
}

/**
 * `most`: less for each where one statement counts and another finds the rows.
 *
 * @throws AppError `list_too_costly`, where a page may not have the statement that finds these rows
 */
export async function refuseCostly(
  db: Db,
  rows: Sql,
  plan: ListPlan,
  most = plan.count === true ? statementCostWithCount : statementCost,
): Promise<void> {
  const { cost } = await expect(db, rows)
  if (cost % disabledCost > most) throw tooCostly({ counts: plan.count === true, offset: !!plan.offset })
}

/** The planner's expected cost of a statement. */
async function expect(db: Db, statement: Sql): Promise<{ cost: number; rows: number }> {
  type Plan = { Plan: { 'Plan Rows': number; 'Total Cost': number } }
  const found = await db.get<{ 'QUERY PLAN': [Plan] }>(sql`EXPLAIN (FORMAT JSON) ${statement}`)
  const [{ Plan: plan }] = (found as NonNullable<typeof found>)['QUERY PLAN']
  return { cost: plan['Total Cost'], rows: plan['Plan Rows'] }
}

export async function count(db: Db, filters: Filters, page?: ListPlan): Promise<number> {
  const { group_id, ...beside } = filters
  if (group_id !== undefined && Object.keys(beside).length === 0) return countMembers(db, group_id)
  const organization = onlyOrganization(filters)
  if (organization !== undefined) return countOfOrganization(db, organization)
  const statement = countOf(filters)
  if (page !== undefined) await refuseCostly(db, statement, page)
  return (await db.get<{ n: number }>(statement))?.n ?? 0
}

export function countOf(filters: Filters): Sql {
  return sql`SELECT count(*) AS n FROM users WHERE ${conditions(filters)}`
}

/** The rows of a page without an offset. @throws AppError `list_too_costly` */
export async function firstRows(db: Db, plan: ListPlan, limit: number): Promise<ListRow[]> {
  return finder(db, plan, (rows) => refuseCostly(db, rows, plan))(plan.after, limit)
}

/** `refuse` may refuse to sort all matches. */
export function finder(db: Db, plan: ListPlan, refuse: (rows: Sql) => Promise<void> = async () => {}): Find {
  const names = Object.keys(plan.filters) as FilterName[]
  const along = filtersAlong(plan)
  if (isGroupWalked(plan)) return (after, limit) => walkGroup(db, plan, after, limit)
  if (hasKey(plan.filters)) return (after, limit) => sorted(db, plan, after, limit)
  if (along.length === names.length) return (after, limit) => walk(db, plan, after, limit)
  return async (after, limit) => {
    const rows = await glance(db, plan, after, limit)
    if (rows.length === limit) return rows
    await refuse(sql`SELECT user_id, document ${matchesInOrder(plan, after)} LIMIT ${limit}`)
    return sorted(db, plan, after, limit)
  }
}

/** What the planner expects, which knows how common a value is; counted where it says that this is quickly done. */
export async function estimate(db: Db, filters: Filters): Promise<Estimate> {
  const { cost, rows } = await expect(db, sql`SELECT 1 FROM users WHERE ${conditions(filters)}`)
  if (cost <= countableCost) return { total: await count(db, filters), isExact: true }
  return { total: rows, isExact: false }
}

/** The filters in use whose index has the rows in the order of the list, or that nearly all rows pass. */
function filtersAlong({ filters, sort }: Ordered): FilterName[] {
  const names = Object.keys(filters) as FilterName[]
  if (isWalkedWithin({ filters, sort })) return ['organization_id']
  if (sort.column === 'user_id') return names.filter((name) => name === 'role' || name === 'active')
  return filtersOn(filters, sort)
}

/** The rows of an order, by its index. */
async function walk(
  db: Db,
  { filters, sort }: ListPlan,
  after: Position | undefined,
  limit: number,
): Promise<ListRow[]> {
  const rows: ListRow[] = []
  for (const run of runsAlong({ filters, sort }, after)) {
    if (rows.length >= limit) break
    rows.push(
      ...(await db.all<ListRow>(sql`
        SELECT user_id, document, ${columnOf(sort)} AS sort_value FROM users
        WHERE ${conditions(besideRuns({ filters, sort }))} AND ${run.where}
        ORDER BY ${orderOf(sort, run)} LIMIT ${limit - rows.length}`)),
    )
  }
  return rows
}

/** The members of a group in the default order. The limit keeps the planner on the index of the memberships. */
function walkGroup(db: Db, { filters }: ListPlan, after: Position | undefined, limit: number): Promise<ListRow[]> {
  const { group_id: _, ...beside } = filters
  return db.all<ListRow>(sql`
    SELECT users.user_id, document, users.user_id AS sort_value
    FROM group_members JOIN users ON users.user_id = group_members.user_id
    WHERE ${membersBehind(filters, after)} AND ${conditions(beside)}
    ORDER BY group_members.user_id LIMIT ${limit}`)
}

/** The matches among the next rows of the order; there may be more behind them. */
export async function glance(db: Db, plan: ListPlan, after: Position | undefined, limit: number): Promise<ListRow[]> {
  const { filters, sort } = plan
  const [run] = runsAlong(plan, after)
  if (run === undefined) return []
  const order = orderOf(sort, run)
  const along = filtersAlong({ filters: besideRuns(plan), sort })
  const next = allOf([run.where, ...along.map((name) => conditionOn(filters, name))])
  return db.all<ListRow>(sql`
    SELECT user_id, document, ${columnOf(sort)} AS sort_value
    FROM (SELECT * FROM users WHERE ${next} ORDER BY ${order} LIMIT ${Math.min(100 * limit, glanceRows)}) AS users
    WHERE ${conditions(filters)} ORDER BY ${order} LIMIT ${limit}`)
}

/**
 * All matches, found by whichever index the planner takes, and sorted. By an expression, which is no order of an index:
 * the planner would believe that matches are spread evenly over that order, and walk it from end to end where they are
 * not, such as those named Zoe by username.
 */
function sorted(db: Db, plan: ListPlan, after: Position | undefined, limit: number): Promise<ListRow[]> {
  return db.all<ListRow>(sql`
    SELECT user_id, document, ${columnOf(plan.sort)} AS sort_value ${matchesInOrder(plan, after)} LIMIT ${limit}`)
}

/** All matches behind a place, sorted. */
export function matchesInOrder({ filters, sort }: ListPlan, after: Position | undefined): Sql {
  const order = rawSql(sort.descending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST')
  const behind =
    after === undefined ? sql`1 = 1` : anyOf(runsBehind({ filters, sort }, after).map(({ where }) => where))
  return sql`FROM users WHERE ${conditions(filters)} AND ${behind}
    ORDER BY ${columnOf(sort)} || '' ${order}, user_id ${order}`
}

export function runsBehind(ordered: Ordered, after: Position | undefined): Run[] {
  const { sort } = ordered
  if (sort.column === 'user_id') return [{ where: behindUser(after, sort), isEmpty: false }]
  const place = after && { value: 'value' in after ? after.value : null, tie: after.user_id }
  return runsOf(ordered, place, rawSql('users.user_id'))
}

/** The runs of an order as it is walked: within an organization, along its own index. */
export function runsAlong(ordered: Ordered, after: Position | undefined): WalkedRun[] {
  const { filters, sort } = ordered
  if (!isWalkedWithin(ordered)) return runsBehind(ordered, after)
  const organization = filters.organization_id as string
  // By its two ends, as in `behind`.
  const within = sql`users.organization_id >= ${organization} AND users.organization_id <= ${organization}`
  if (after === undefined) return [{ where: within, isEmpty: false, isWithin: true }]
  const beyond = rawSql(sort.descending ? '<' : '>')
  // A username sorts after none.
  const place = 'value' in after ? (after.value ?? '') : after.user_id
  const where = sql`(users.organization_id, ${columnOf(sort)}) ${beyond} (${organization}, ${place}) AND ${within}`
  return [{ where, isEmpty: false, isWithin: true }]
}

/** `isWithin`: the run is one of an organization, and says so itself. */
type WalkedRun = Run & { isWithin?: true }

function isWalkedWithin({ filters, sort }: Ordered): boolean {
  return typeof filters.organization_id === 'string' && isOrderOfOrganizations(sort)
}

/** What the runs do not say themselves: of a condition said twice the planner expects that far fewer rows pass. */
export function besideRuns({ filters, sort }: Ordered): Filters {
  if (isWalkedWithin({ filters, sort })) return without(filters, 'organization_id')
  return sort.column === 'last_login_at' ? without(filters, 'has_signed_in') : filters
}

function without(filters: Filters, name: FilterName): Filters {
  const { [name]: _, ...others } = filters
  return others
}

/** The order of an index, which therefore leaves out `user_id` where no two users have the same value. */
export function orderOf({ column, descending }: Sort, { isEmpty, isWithin }: WalkedRun): Sql {
  const isUnique = column === 'username_key' || column === 'email_key'
  const columns =
    column === 'user_id' || (isUnique && isEmpty) ? ['user_id'] : isUnique ? [column] : [column, 'user_id']
  if (isWithin) columns.unshift('organization_id')
  return rawSql(columns.map((name) => `users.${name}${descending ? ' DESC' : ''}`).join(', '))
}

export function conditions(filters: Filters): Sql {
  return allOf((Object.keys(filters) as FilterName[]).map((name) => conditionOn(filters, name)))
}

export function conditionOn(filters: Filters, name: FilterName): Sql {
  const column = rawSql(`users.${filteredColumns[name]}`)
  if (name === 'contains') return allOf((filters.contains?.clauses ?? []).map(containsAny))
  return condition(filters, name, column)
}

/** Whether the search text of a user contains a text, by the index of trigrams. */
export function containsOnPostgres(text: string): Sql {
  return sql`users.search_text LIKE ${patternOf(text)}`
}

/**
 * Whether it contains one of some texts. A regular expression looks into the index once, where an OR would for each text. But `pg_trgm` finds
 * no trigrams in its characters beyond U+07FF, such as those of Chinese or Hindi: with "佐藤 Anna", each Anna was read.
 */
function containsAny(texts: readonly string[]): Sql {
  const [only = '', ...others] = texts
  if (others.length === 0) return containsOnPostgres(only)
  if (texts.some((text) => /[\u{800}-\u{10ffff}]/u.test(text))) return anyOf(texts.map(containsOnPostgres))
  return sql`users.search_text ~ ${texts.map(escapedForRegex).join('|')}`
}

function escapedForRegex(text: string): string {
  return text.replace(/[^\p{L}\p{N}\s]/gu, '\\$&')
}

function patternOf(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
