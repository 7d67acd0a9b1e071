/**
 * Which users, in which order. A page is one buffer; the whole list is a stream of buffers from one snapshot. How each
 * engine finds the rows: docs/decisions/0008 and 0012.
 */
import type { Db, Engine } from '../../../store/db/db.ts'
import { pageCost, tooCostly } from './cost.ts'
import { documentsWithPasswords } from './documents-with-passwords.ts'
import { writeRows } from './formats.ts'
import type { Filters, ListPlan, Position } from './plan.ts'
import * as postgres from './postgres.ts'
import { rowsOfPage as rowsOfPageOnPostgres } from './postgres-offset.ts'
import { type Estimate, type Find, hasKey, type Joints, type ListRow, orderWalked, type PlainPage } from './sql.ts'
import * as sqlite from './sqlite.ts'
import { estimate as estimateOnSqlite } from './sqlite-estimate.ts'

export type Page = { body: Uint8Array; next?: Position; total?: number; isEstimated?: boolean }

type Finders = {
  plainPage(db: Db, after: string, limit: number): Promise<PlainPage>
  plainPieces(db: Db, after: string, joints: Joints): AsyncGenerator<Uint8Array>
  finder(db: Db, plan: ListPlan): Find | Promise<Find>
  /** The rows of the plan behind its place and offset. */
  rowsOfPage(db: Db, plan: ListPlan, limit: number, count: () => Promise<number>): Promise<ListRow[]>
  /** `page`: for it, and refused where that costs more than a page may. */
  count(db: Db, filters: Filters, page?: ListPlan): Promise<number>
  estimate(db: Db, filters: Filters): Promise<Estimate>
}

const finders: Record<Engine, Finders> = {
  sqlite: { ...sqlite, estimate: estimateOnSqlite },
  postgres: { ...postgres, rowsOfPage: rowsOfPageOnPostgres },
}

const chunkRows = 500
/** The first piece of a sought list is small: it is there sooner where matches are rare. */
const firstRows = 20

/** @throws AppError `list_too_costly` */
export async function page(db: Db, plan: ListPlan): Promise<Page> {
  const { meter } = db
  const found =
    meter === undefined ? await wholePage(db, plan) : await meter.within(pageCost, () => wholePage(db, plan))
  if (found === undefined) throw tooCostly({ counts: plan.count === true, offset: !!plan.offset })
  const { rows = 0, ...page } = found
  // A look at a sample, which needs no bound.
  return plan.count === 'estimate' ? { ...page, ...(await estimateTotal(db, plan, rows)) } : page
}

async function wholePage(db: Db, plan: ListPlan): Promise<Page & { rows?: number }> {
  const limit = plan.limit ?? 0
  const total = plan.count === true ? { total: await count(db, plan.filters, plan) } : {}
  if (plan.format === 'json' && isPlain(plan) && !plan.offset && plan.count !== 'estimate') {
    const { body, last, more } = await finders[db.engine].plainPage(db, plan.after?.user_id ?? '', limit)
    return { body, ...(more && last !== null && { next: { user_id: last } }), ...total }
  }
  const walked = { ...plan, sort: orderWalked(plan) }
  const rows = await finders[db.engine].rowsOfPage(db, walked, limit + 1, async () => {
    return total.total ?? count(db, plan.filters, plan)
  })
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const body = await writeRows(
    plan.format,
    shown.map((row) => row.document),
  )
  const next = rows.length > limit && last ? { next: positionOf(plan, last) } : {}
  return { body, ...next, ...total, rows: rows.length }
}

/** `found`: the rows of the page, and one more if there is one. */
async function estimateTotal(db: Db, plan: ListPlan, found: number): Promise<Pick<Page, 'total' | 'isEstimated'>> {
  const { after, offset = 0, limit = 0, filters } = plan
  const isEnd = found <= limit
  const seen = found > 0 ? offset + found : 0
  if (isEnd && after === undefined && (found > 0 || offset === 0)) return { total: seen }
  const { total, isExact } = await finders[db.engine].estimate(db, filters)
  return isExact ? { total } : { total: Math.max(total, seen), isEstimated: true }
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
  const find = await finders[db.engine].finder(db, { ...plan, sort: orderWalked(plan) })
  let after = plan.after
  for (let first = true, last = false; !last; first = false) {
    const limit = first ? firstRows : chunkRows
    const rows = await find(after, limit)
    const end = rows.at(-1)
    last = rows.length < limit
    if (end) after = positionOf(plan, end)
    const documents = plan.withPasswords ? await documentsWithPasswords(db, rows) : rows.map((row) => row.document)
    yield await writeRows(plan.format, documents, { first, last })
  }
}

const plainJoints = { json: { opening: '[', separator: ',' }, ndjson: { opening: '', separator: '\n' } }

/** All users in the default order: the database joins the stored documents, and no row becomes an object. */
async function* plainStream(db: Db, { format, after }: ListPlan): AsyncGenerator<Uint8Array> {
  const joints = plainJoints[format as keyof typeof plainJoints]
  let isEmpty = true
  for await (const piece of finders[db.engine].plainPieces(db, after?.user_id ?? '', joints)) {
    isEmpty = false
    yield piece
  }
  if (format === 'json') yield Buffer.from(isEmpty ? '[]' : ']')
  else if (!isEmpty) yield Buffer.from('\n')
}

/** The ids of matching users, in the default order, after one of them. */
export async function matching(
  db: Db,
  { filters, after, limit }: { filters: Filters; after?: string | undefined; limit: number },
): Promise<string[]> {
  const sort = orderWalked({ filters, sort: { column: 'user_id', descending: false } })
  const find = await finders[db.engine].finder(db, { filters, sort, limit, count: false, format: 'json' })
  return (await find(after === undefined ? undefined : { user_id: after }, limit)).map(({ user_id }) => user_id)
}

export async function count(db: Db, filters: Filters, page?: ListPlan): Promise<number> {
  // Nearly all are active, and most have a password: all users and the exceptions are each counted by an index.
  for (const name of ['active', 'has_password'] as const) {
    const { [name]: isUsual, ...others } = filters
    if (isUsual && others.contains === undefined && !hasKey(others)) {
      return (await count(db, others, page)) - (await count(db, { ...others, [name]: false }, page))
    }
  }
  const { unlocked_at, ...others } = filters
  if (unlocked_at !== undefined && others.contains === undefined && !hasKey(others)) {
    return (await count(db, others, page)) - (await count(db, { ...others, locked_at: unlocked_at }, page))
  }
  return finders[db.engine].count(db, filters, page)
}

function isPlain({ sort, filters, withPasswords }: ListPlan): boolean {
  return sort.column === 'user_id' && Object.keys(filters).length === 0 && !withPasswords
}

function positionOf({ sort }: ListPlan, { user_id, sort_value }: ListRow): Position {
  return sort.column === 'user_id' ? { user_id } : { value: sort_value, user_id }
}
