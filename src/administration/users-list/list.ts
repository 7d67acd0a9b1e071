/**
 * Lists users. A page is one buffer; the whole list is a stream of buffers from one snapshot. docs/decisions/0008 and
 * 0012 explain how each engine finds the rows.
 */

import { system } from '../../core/actor.ts'
import { scopeOf } from '../../core/scope.ts'
import { readDefinitions } from '../../directory/attributes/service.ts'
import { hasOrganizations } from '../../directory/organizations/service.ts'
import { hasEnds } from '../../directory/users/service.ts'
import type { Db, Engine } from '../../store/db/db.ts'
import { rawSql, type Sql } from '../../store/db/sql.ts'
import { pageCost, tooCostly } from './cost.ts'
import { documentWithGroups, withGroups } from './documents-with-groups.ts'
import { splitMeant } from './exact-matches.ts'
import { type Extend, extended } from './extended-documents.ts'
import { type Columns, rowWriter } from './formats.ts'
import { hasEndsIn, withMembershipEnds } from './members.ts'
import { type Filters, hasColumns, type ListPlan, type Place, type Position, type ScopedFilters } from './plan.ts'
import * as postgres from './postgres.ts'
import { countedRows as countedRowsOnPostgres } from './postgres-counted.ts'
import { rowsOfPage as rowsOfPageOnPostgres } from './postgres-offset.ts'
import {
  type CountedRows,
  type Estimate,
  type Find,
  hasKey,
  type Joints,
  type ListRow,
  onlyOrganization,
  orderWalked,
  type PlainPage,
  type PlainPlace,
} from './sql.ts'
import * as sqlite from './sqlite.ts'
import { countedRows as countedRowsOnSqlite } from './sqlite-counted.ts'
import { estimate as estimateOnSqlite } from './sqlite-estimate.ts'

export type Page = { body: Uint8Array; next?: Place; total?: number; isEstimated?: boolean }

type Finders = {
  plainPage(db: Db, { after, organization }: PlainPlace, limit: number): Promise<PlainPage>
  /** `document`: the expression that replaces a row of `users`. */
  plainPieces(db: Db, { after, organization }: PlainPlace, joints: Joints, document: Sql): AsyncGenerator<Uint8Array>
  finder(db: Db, plan: ListPlan): Find | Promise<Find>
  /** The rows of the plan after its place and offset. */
  rowsOfPage(db: Db, plan: ListPlan, limit: number, count: () => Promise<number>): Promise<ListRow[]>
  /**
   * The number of matches, and the rows of the page if they were found with it. Undefined if counting first gains
   * nothing.
   */
  countedRows(db: Db, plan: ListPlan, limit: number): Promise<CountedRows | undefined>
  /** `page`: counts for a page, and refuses if that costs more than a page may. */
  count(db: Db, filters: Filters, page?: ListPlan): Promise<number>
  estimate(db: Db, filters: Filters): Promise<Estimate>
}

const finders: Record<Engine, Finders> = {
  sqlite: { ...sqlite, countedRows: countedRowsOnSqlite, estimate: estimateOnSqlite },
  postgres: { ...postgres, countedRows: countedRowsOnPostgres, rowsOfPage: rowsOfPageOnPostgres },
}

const chunkRows = 500
/** The first chunk of a search is small, so that it arrives sooner if matches are rare. */
const firstRows = 20

/** @throws AppError `list_too_costly` */
export async function page(db: Db, plan: ListPlan): Promise<Page> {
  const { meter } = db
  const found =
    meter === undefined ? await wholePage(db, plan) : await meter.within(pageCost, () => wholePage(db, plan))
  if (found === undefined) throw tooCostly({ counts: plan.count === true, offset: !!plan.offset })
  const { rows = 0, ...page } = found
  // Reads only a sample, which needs no limit.
  return plan.count === 'estimate' ? { ...page, ...(await estimateTotal(db, plan, rows)) } : page
}

async function wholePage(db: Db, plan: ListPlan): Promise<Page & { rows?: number }> {
  const limit = plan.limit ?? 0
  if (plan.format === 'json' && isPlain(plan) && !plan.withGroups && !plan.offset && plan.count !== 'estimate') {
    const total = plan.count === true ? { total: await countRest(db, plan.filters, plan) } : {}
    const { body, last, more } = await finders[db.engine].plainPage(db, placeIn(plan), limit)
    return { body, ...(more && last !== null && { next: { after: { user_id: last } } }), ...total }
  }
  const { rows, next, ...counted } = await wholePageOfRows(db, plan)
  const write = await rowWriter(plan, await columnsOf(db, plan))
  const body = await write(await documentsOf(db, plan, rows), { first: true, last: true })
  return { body, ...(next && { next }), ...counted, rows: rows.length + (next === undefined ? 0 : 1) }
}

export type RowsPage = { rows: ListRow[]; next?: Place; total?: number }

/**
 * The same as rows, for callers that write them in another form.
 *
 * @throws AppError `list_too_costly`
 */
export async function pageOfRows(db: Db, plan: ListPlan): Promise<RowsPage> {
  const { meter } = db
  const found =
    meter === undefined
      ? await wholePageOfRows(db, plan)
      : await meter.within(pageCost, () => wholePageOfRows(db, plan))
  if (found === undefined) throw tooCostly({ counts: plan.count === true, offset: !!plan.offset })
  return found
}

/** The users whom a search names exactly come first, then the others. */
async function wholePageOfRows(db: Db, plan: ListPlan): Promise<RowsPage> {
  const { limit = 0, offset = 0 } = plan
  const { meant, filters } = await splitMeant(db, plan.filters, find)
  if (meant.length === 0) return pageOfRest(db, { ...plan, filters })
  const waiting = behind(meant, plan)
  const named = waiting.slice(offset, offset + limit)
  const rest = await pageOfRest(db, {
    ...plan,
    filters,
    limit: limit - named.length,
    offset: Math.max(0, offset - waiting.length),
  })
  const last = named.at(-1)
  const isCut = waiting.length > offset + limit || (rest.rows.length === 0 && rest.next !== undefined)
  return {
    rows: [...named, ...rest.rows],
    ...(isCut && last ? { next: { afterMeant: last.user_id } } : rest.next && { next: rest.next }),
    ...(rest.total !== undefined && { total: rest.total + meant.length }),
  }
}

/** Those of the users named exactly who come after the place of the plan. */
function behind(meant: ListRow[], { after, afterMeant }: Place): ListRow[] {
  if (after !== undefined) return []
  return afterMeant === undefined ? meant : meant.slice(meant.findIndex(({ user_id }) => user_id === afterMeant) + 1)
}

async function find(db: Db, filters: ScopedFilters, limit: number): Promise<ListRow[]> {
  const plan = { filters, sort: byUserId, count: false, format: 'json' } as const
  return (await finders[db.engine].finder(db, plan))(undefined, limit)
}

const byUserId = { column: 'user_id', descending: false } as const

async function pageOfRest(db: Db, plan: ListPlan): Promise<RowsPage> {
  const limit = plan.limit ?? 0
  const walked = { ...plan, sort: orderWalked(plan) }
  const { rowsOfPage, countedRows } = finders[db.engine]
  const counted = plan.count === true ? await countedRows(db, walked, limit + 1) : undefined
  const total = plan.count === true ? (counted?.total ?? (await countRest(db, plan.filters, plan))) : undefined
  const rows =
    counted?.rows ?? (await rowsOfPage(db, walked, limit + 1, async () => total ?? countRest(db, plan.filters, plan)))
  const visible = rows.slice(0, limit)
  const last = visible.at(-1)
  return {
    rows: visible,
    // After no row, the page continues where it starts.
    ...(rows.length > limit && { next: last ? { after: positionOf(plan, last) } : {} }),
    ...(total !== undefined && { total }),
  }
}

/** How many match. @throws AppError `list_too_costly` */
export async function boundedCount(db: Db, filters: ScopedFilters): Promise<number> {
  const plan = { filters, sort: byUserId, count: true, format: 'json' } as const
  const { meter } = db
  const found =
    meter === undefined ? await count(db, filters, plan) : await meter.within(pageCost, () => count(db, filters, plan))
  if (found === undefined) throw tooCostly({ counts: true, offset: false })
  return found
}

/** All rows of the plan, in chunks. */
export async function* piecesOfRows(db: Db, plan: ListPlan): AsyncGenerator<ListRow[]> {
  const find = await finders[db.engine].finder(db, { ...plan, sort: orderWalked(plan) })
  let after = plan.after
  for (;;) {
    const rows = await find(after, chunkRows)
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < chunkRows) return
    after = positionOf(plan, last)
  }
}

/** `found`: the rows of the page, and one more if there is one. */
async function estimateTotal(db: Db, plan: ListPlan, found: number): Promise<Pick<Page, 'total' | 'isEstimated'>> {
  const { after, afterMeant, offset = 0, limit = 0 } = plan
  const isEnd = found <= limit
  const seen = found > 0 ? offset + found : 0
  if (isEnd && (after ?? afterMeant) === undefined && (found > 0 || offset === 0)) return { total: seen }
  const { meant, filters } = await splitMeant(db, plan.filters, find)
  const { total, isExact } = await finders[db.engine].estimate(db, filters)
  const all = total + meant.length
  return isExact ? { total: all } : { total: Math.max(all, seen), isEstimated: true }
}

/**
 * Every row of the plan as buffers of the chosen format, which together are one well-formed text. The caller keeps the
 * snapshot open until the last one is read. Reads page by page, so that at most one page is in memory.
 */
export async function* stream(db: Db, plan: ListPlan, extend?: Extend): AsyncGenerator<Uint8Array> {
  // The database adds the groups of each user, wherever they belong.
  const showsElsewhere = plan.withGroups?.kind === 'organization'
  if (Object.hasOwn(plainJoints, plan.format) && isPlain(plan) && extend === undefined && !showsElsewhere) {
    yield* plainStream(db, plan)
    return
  }
  const { meant, filters } = await splitMeant(db, plan.filters, find)
  const rest = { ...plan, filters }
  const findNext = await finders[db.engine].finder(db, { ...rest, sort: orderWalked(rest) })
  const write = await rowWriter(plan, await columnsOf(db, plan))
  let after = plan.after
  for (let first = true, last = false; !last; first = false) {
    const limit = first ? firstRows : chunkRows
    const found = await findNext(after, limit)
    const end = found.at(-1)
    last = found.length < limit
    if (end) after = positionOf(plan, end)
    const rows = first ? [...behind(meant, plan), ...found] : found
    const bytes = await write(await documentsOf(db, plan, rows, extend), { first, last })
    // A compressed format holds some back; an empty piece would end the reading of the stream.
    if (bytes.length > 0 || last) yield bytes
  }
}

/** What only some stores have, if the format has a column for it. */
async function columnsOf(db: Db, { format, membersOf, within = scopeOf(system) }: ListPlan): Promise<Columns> {
  if (!hasColumns(format)) return {}
  const hasMembershipEnds = membersOf !== undefined && (await hasEndsIn(db, within, membersOf))
  return {
    attributes: [...(await readDefinitions(db)).values()],
    hasEnds: await hasEnds(db, within),
    hasOrganizations: await hasOrganizations(db),
    hasMembershipEnds,
  }
}

/** The documents of these rows, with the members that the plan adds. */
async function documentsOf(db: Db, plan: ListPlan, found: readonly ListRow[], extend?: Extend): Promise<string[]> {
  const members = plan.membersOf === undefined ? found : await withMembershipEnds(db, found, plan.membersOf)
  const rows = plan.withGroups ? await withGroups(db, plan.withGroups, members) : members
  return extend === undefined ? rows.map((row) => row.document) : extended(db, rows, extend)
}

const plainJoints = { json: { opening: '[', separator: ',' }, ndjson: { opening: '', separator: '\n' } }

/** All users in the default order: the database joins the stored documents, and no row becomes an object. */
async function* plainStream(db: Db, plan: ListPlan): AsyncGenerator<Uint8Array> {
  const { format, withGroups } = plan
  const joints = plainJoints[format as keyof typeof plainJoints]
  const document = withGroups ? documentWithGroups(db) : rawSql('document')
  let isEmpty = true
  for await (const piece of finders[db.engine].plainPieces(db, placeIn(plan), joints, document)) {
    isEmpty = false
    yield piece
  }
  if (format === 'json') yield Buffer.from(isEmpty ? '[]' : ']')
  else if (!isEmpty) yield Buffer.from('\n')
}

/** The ids of matching users, in the default order, after one of them. */
export async function matching(
  db: Db,
  { filters, after, limit }: { filters: ScopedFilters; after?: string | undefined; limit: number },
): Promise<string[]> {
  const { meant, filters: rest } = await splitMeant(db, filters, find)
  const sort = orderWalked({ filters: rest, sort: byUserId })
  const findNext = await finders[db.engine].finder(db, { filters: rest, sort, limit, count: false, format: 'json' })
  const rows = await findNext(after === undefined ? undefined : { user_id: after }, limit)
  const ids = rows.map(({ user_id }) => user_id)
  if (meant.length === 0) return ids
  const others = meant.map(({ user_id }) => user_id).filter((id) => after === undefined || id > after)
  return [...ids, ...others].sort().slice(0, limit)
}

export async function count(db: Db, filters: ScopedFilters, page?: ListPlan): Promise<number> {
  const { meant, filters: rest } = await splitMeant(db, filters, find)
  return meant.length + (await countRest(db, rest, page))
}

async function countRest(db: Db, filters: Filters, page?: ListPlan): Promise<number> {
  const { inactive_since, ...all } = filters
  // Two filters that no user passes both, each with an index of its own.
  if (inactive_since !== undefined && all.contains === undefined && !hasKey(all)) {
    const earlier = (bound: string | undefined) =>
      bound === undefined || bound > inactive_since ? inactive_since : bound
    const seen = { ...all, last_login_before: earlier(all.last_login_before) }
    const unseen = { ...all, has_signed_in: false, created_before: earlier(all.created_before) }
    const isNone = all.has_signed_in === true || (all.last_login_before ?? all.last_login_after) !== undefined
    return (await countRest(db, seen, page)) + (isNone ? 0 : await countRest(db, unseen, page))
  }
  // Nearly all are active, and most have a password: all users and the exceptions are each counted by an index.
  for (const name of ['active', 'has_password'] as const) {
    const { [name]: isUsual, ...others } = filters
    if (isUsual && others.contains === undefined && !hasKey(others)) {
      return (await countRest(db, others, page)) - (await countRest(db, { ...others, [name]: false }, page))
    }
  }
  if (filters.invited === false && filters.contains === undefined && !hasKey(filters)) {
    const { invited: _, ...others } = filters
    return (await countRest(db, others, page)) - (await countRest(db, { ...others, invited: true }, page))
  }
  if (filters.kind === 'person' && filters.contains === undefined && !hasKey(filters)) {
    const { kind: _, ...others } = filters
    return (await countRest(db, others, page)) - (await countRest(db, { ...others, kind: 'service' }, page))
  }
  const { unlocked_at, ...others } = filters
  if (unlocked_at !== undefined && others.contains === undefined && !hasKey(others)) {
    return (await countRest(db, others, page)) - (await countRest(db, { ...others, locked_at: unlocked_at }, page))
  }
  const { unexpired_at, ...rest } = filters
  if (unexpired_at !== undefined && rest.contains === undefined && !hasKey(rest)) {
    return (await countRest(db, rest, page)) - (await countRest(db, { ...rest, expired_at: unexpired_at }, page))
  }
  return finders[db.engine].count(db, filters, page)
}

/** All users, or all of an organization, in the default order. The groups within a scope are read row by row. */
function isPlain({ sort, filters, withGroups }: ListPlan): boolean {
  const isWhole = Object.keys(filters).length === 0 || onlyOrganization(filters) !== undefined
  return sort.column === 'user_id' && isWhole && withGroups?.kind !== 'organization'
}

function placeIn({ filters, after }: ListPlan): PlainPlace {
  return { after: after?.user_id ?? '', organization: onlyOrganization(filters) }
}

function positionOf({ sort }: ListPlan, { user_id, sort_value }: ListRow): Position {
  return sort.column === 'user_id' ? { user_id } : { value: sort_value, user_id }
}
