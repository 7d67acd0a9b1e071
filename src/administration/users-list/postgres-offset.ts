/**
 * Finds a page far after a place, on PostgreSQL: an index alone finds the keys of the page if possible, then its rows
 * are fetched (docs/decisions/0008-lists-probe-or-walk.md, 0036).
 */
import type { Db } from '../../store/db/db.ts'
import { joinSql, rawSql, type Sql, sql } from '../../store/db/sql.ts'
import { membersOfPage } from './members.ts'
import type { Filters, ListPlan, SortColumn } from './plan.ts'
import {
  besideRuns,
  conditionOn,
  conditions,
  estimate,
  firstRows,
  matchesInOrder,
  orderOf,
  refuseCostly,
  runsAlong,
} from './postgres.ts'
import { placeBefore, placeStep } from './postgres-places.ts'
import {
  allOf,
  columnOf,
  type FilterName,
  filtersAlong,
  hasKey,
  isGroupWalked,
  type ListRow,
  onlyOrganization,
  type Run,
  type Sort,
} from './sql.ts'

/** How many excluded keys fit into a statement's memory (work_mem, 4 MB). */
const fewOthers = 20_000
/** If fewer than this share of all users match, they may be anywhere in the order, and are sorted. */
const commonShare = 1 / 3

type KeyColumn = Extract<SortColumn, 'user_id' | 'username_key' | 'email_key'>
type Found = { column: KeyColumn; keys: string[] }

/** The rows of a page: with an offset, by their keys. */
export async function rowsOfPage(db: Db, fullPlan: ListPlan, limit: number): Promise<ListRow[]> {
  const plan = await fromNearestPlace(db, fullPlan)
  if (isGroupWalked(plan) && Object.keys(plan.filters).length === 1) return membersOfPage(db, plan, limit)
  if (!plan.offset) return firstRows(db, plan, limit)
  const found = (await isWalked(db, plan)) ? await keysAlong(db, plan, limit) : [await keysOfMatches(db, plan, limit)]
  const rows: ListRow[] = []
  for (const { column, keys } of found) rows.push(...(await rowsOf(db, plan.sort, column, keys)))
  return rows
}

async function fromNearestPlace(db: Db, plan: ListPlan): Promise<ListPlan> {
  const { filters, sort, after, offset = 0 } = plan
  const organization = onlyOrganization(filters)
  const isPlain = Object.keys(filters).length === 0 || organization !== undefined
  const isInOrder = sort.column === 'user_id' && !sort.descending
  if (!isPlain || !isInOrder || after !== undefined || offset < placeStep) return plan
  const place = await placeBefore(db, offset, organization)
  return place === undefined ? plan : { ...plan, after: { user_id: place.user_id }, offset: place.offset }
}

/** Whether to scan the index of the order, because nearly every row matches. */
async function isWalked(db: Db, { filters, sort, offset = 0 }: ListPlan): Promise<boolean> {
  if (hasKey(filters)) return false
  const looked = (Object.keys(filters) as FilterName[]).filter((name) => !filtersAlong(filters, sort).includes(name))
  if (looked.length === 0) return true
  // Ids grow with the time of creation, so users that do not match are together at one end of the order.
  if (sort.column === 'user_id' && looked.some((name) => name.startsWith('created_'))) return false
  for (const name of looked) {
    if ((await othersOf(db, filters, name)) === undefined) {
      const { total: matches } = await estimate(db, filters)
      const share = matches / (await estimate(db, {})).total
      // A step to the next row by an index costs about what it costs to find a match and sort it.
      return share > commonShare && offset / share < matches
    }
  }
  return true
}

async function keysAlong(db: Db, plan: ListPlan, limit: number): Promise<Found[]> {
  const { filters, sort, after, offset = 0 } = plan
  const found: Found[] = []
  let left = offset
  let wanted = limit
  const runs = runsAlong(plan, after)
  for (const [i, run] of runs.entries()) {
    if (wanted === 0) break
    const column = keyOf(sort, run)
    const from = sql`FROM users WHERE ${await conditionsAlong(db, filters, sort, column)} AND ${run.where}`
    const statement = sql`
      SELECT ${rawSql(column)} AS key ${from} ORDER BY ${orderOf(sort, run)} LIMIT ${wanted} OFFSET ${left}`
    await refuseCostly(db, statement, plan)
    const rows = await db.all<{ key: string }>(statement)
    found.push({ column, keys: rows.map(({ key }) => key) })
    wanted -= rows.length
    if (rows.length > 0) left = 0
    else if (i < runs.length - 1) {
      left -= Math.min(left, (await db.get<{ n: number }>(sql`SELECT count(*) AS n ${from}`))?.n ?? 0)
    }
  }
  return found
}

/** If few users do not match, they are excluded by their keys, which the index has. */
async function conditionsAlong(db: Db, filters: Filters, sort: Sort, column: KeyColumn): Promise<Sql> {
  const along = filtersAlong(filters, sort)
  const all: Sql[] = []
  for (const name of Object.keys(besideRuns({ filters, sort })) as FilterName[]) {
    const others = along.includes(name) ? undefined : await othersOf(db, filters, name)
    if (others === undefined) all.push(conditionOn(filters, name))
    else {
      const key = rawSql(column)
      const keys = others.map((where) => sql`SELECT ${key} FROM users WHERE ${where} AND ${key} IS NOT NULL`)
      all.push(sql`users.${key} NOT IN (${joinSql(keys, ' UNION ALL ')})`)
    }
  }
  return allOf(all)
}

/** Conditions that find, by an index, all users that fail this filter. Undefined if there is no index or they are many. */
async function othersOf(db: Db, filters: Filters, name: FilterName): Promise<Sql[] | undefined> {
  const others = otherConditions(filters, name)
  if (others === undefined) return undefined
  const rows = others.map((where) => sql`SELECT 1 FROM users WHERE ${where}`)
  const found = await db.get<{ n: number }>(sql`
    SELECT count(*) AS n FROM (${joinSql(rows, ' UNION ALL ')} LIMIT ${fewOthers + 1}) AS others`)
  return (found?.n ?? 0) > fewOthers ? undefined : others
}

function otherConditions(filters: Filters, name: FilterName): Sql[] | undefined {
  if (name === 'role') return [sql`role < ${filters.role as string}`, sql`role > ${filters.role as string}`]
  if (name === 'active' && filters.active) return [conditions({ active: false })]
  if (name === 'invited' && !filters.invited) return [conditions({ invited: true })]
  if (name === 'kind' && filters.kind === 'person') return [conditions({ kind: 'service' })]
  if (name === 'has_password' && filters.has_password) return [conditions({ has_password: false })]
  if (name === 'has_signed_in') return [conditions({ has_signed_in: !filters.has_signed_in })]
  return undefined
}

/** All matches are sorted alone, without their documents. */
async function keysOfMatches(db: Db, plan: ListPlan, limit: number): Promise<Found> {
  const statement = sql`
    SELECT user_id AS key ${matchesInOrder(plan, plan.after)} LIMIT ${limit} OFFSET ${plan.offset ?? 0}`
  await refuseCostly(db, statement, plan)
  const rows = await db.all<{ key: string }>(statement)
  return { column: 'user_id', keys: rows.map(({ key }) => key) }
}

/** The key that distinguishes the rows of this part of the order, and is in its index. */
function keyOf({ column }: Sort, { isEmpty }: Run): KeyColumn {
  return (column === 'username_key' || column === 'email_key') && !isEmpty ? column : 'user_id'
}

/** The rows of these keys, in their order. */
export async function rowsOf(db: Db, sort: Sort, column: KeyColumn, keys: readonly string[]): Promise<ListRow[]> {
  if (keys.length === 0) return []
  const list = joinSql(
    keys.map((key) => sql`${key}`),
    ', ',
  )
  const rows = await db.all<ListRow & { key: string }>(sql`
    SELECT user_id, document, ${columnOf(sort)} AS sort_value, ${rawSql(column)} AS key FROM users
    WHERE ${rawSql(column)} IN (${list})`)
  const byKey = new Map(rows.map(({ key, ...row }) => [key, row]))
  return keys.flatMap((key) => byKey.get(key) ?? [])
}
