/** Selects the users of a SCIM list: by the indexes of our own list if the filter allows, otherwise by a scan. */
import * as documents from '../../directory/scim-documents/service.ts'
import { emailKey } from '../../directory/users/input.ts'
import * as list from '../../directory/users/list/list.ts'
import { type Filters, type ListPlan, planFilters } from '../../directory/users/list/plan.ts'
import { searchedText } from '../../directory/users/search-terms.ts'
import type { Db } from '../../store/db/db.ts'
import type { Filter } from '../filter/ast.ts'
import { compileFilter, type Predicate } from '../filter/evaluate.ts'
import { userListQuery } from '../mapping/list-query.ts'
import type { ListRequest } from '../paging/list-request.ts'
import { compileOrder } from '../paging/sort.ts'
import { ScimError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import { readUsers } from '../resources/users.ts'
import { writeAttributePath } from '../schemas/attribute-path.ts'
import { type Definition, findTarget, userDefinition } from '../schemas/definition.ts'
import { type Asked, type Position, type Window, windowOf } from './window.ts'

/** The most users that a list scans if no index serves the filter. */
const mostLookedAt = 50_000
/** The most users that may share an email address: more of them are not one person. */
const mostWithEmail = 500

export interface UsersAsked extends Asked {
  readonly base: string
  readonly booleansAsText: boolean
  /** A search of all types: an attribute of another type has no value here. */
  readonly isForAll?: boolean
  /** The number of users, if known: counting them takes longer than reading a page. */
  readonly known?: number | undefined
}

export interface Found {
  readonly resources: readonly JsonObject[]
  readonly total: number
  readonly window: Window
  /** Where the next page starts, if it is found by a place. */
  readonly next?: Position | undefined
}

export type Plan = {
  filters: Filters
  sort: ListPlan['sort']
  /** The rest of the filter, to be compared with each user. */
  matches: Predicate | undefined
  /** The order, if our own list has no equivalent. */
  order: ((a: JsonObject, b: JsonObject) => number) | undefined
}

/** @throws ScimError, AppError `list_too_costly` */
export async function findUsers(db: Db, asked: UsersAsked): Promise<Found> {
  const window = windowOf(asked)
  const plan = await planOf(db, asked)
  const isServed = plan.matches === undefined && plan.order === undefined
  return isServed ? findByIndex(db, asked, plan, window) : findByLooking(db, asked, plan, window)
}

export async function planOf(db: Db, { request, booleansAsText, now, isForAll = false }: UsersAsked): Promise<Plan> {
  const { filter, sortBy, descending } = request
  const ours = sortBy && ourOrders.get(writeAttributePath(sortBy).toLowerCase())
  const ordered: Pick<Plan, 'sort' | 'order'> =
    ours === undefined
      ? { sort: { column: 'user_id', descending: false }, order: orderOf(request, userDefinition, isForAll) }
      : { sort: { column: ours, descending }, order: undefined }
  if (filter === undefined) return { filters: {}, matches: undefined, ...ordered }
  // Compile the whole filter, to find errors in the indexed part too.
  const whole = compileFilter(filter, userDefinition, { booleansAsText, unknownIsAbsent: isForAll })
  if (isForAll && !isKnown(filter, userDefinition)) return { filters: {}, matches: whole, ...ordered }
  const { filters: query, rest, others } = userListQuery(filter, booleansAsText)
  const filters = planFilters(query, now)
  for (const other of others) {
    if (other.on !== 'email') continue
    const found = await documents.findByEmail(db, other.values.map(emailKey), mostWithEmail)
    const before = filters.user_ids
    filters.user_ids = before === undefined ? found : found.filter((id) => before.includes(id))
  }
  const text = rest && containedText(rest)
  if (text !== undefined) filters.contains = text
  return { filters, matches: rest === undefined ? undefined : whole, ...ordered }
}

/** Attributes that SCIM and our list sort in the same order. */
const ourOrders: ReadonlyMap<string, 'username_key' | 'created_at'> = new Map([
  ['username', 'username_key'],
  ['meta.created', 'created_at'],
])

/** Returns the requested order. Undefined in a search of all types if this type lacks the attribute. */
export function orderOf(
  { sortBy, descending }: ListRequest,
  definition: Definition,
  isForAll: boolean,
): ((a: JsonObject, b: JsonObject) => number) | undefined {
  if (sortBy === undefined || (isForAll && findTarget(definition, sortBy) === undefined)) return undefined
  return compileOrder(sortBy, descending, definition)
}

/** Whether the type has every attribute of the filter. */
export function isKnown(filter: Filter, definition: Definition): boolean {
  if ('filters' in filter) return filter.filters.every((part) => isKnown(part, definition))
  if (filter.kind === 'not') return isKnown(filter.filter, definition)
  return findTarget(definition, filter.path) !== undefined
}

const searched = new Set(['username', 'name.givenname', 'name.familyname'])

/** Returns a text that the search text of every match contains. Undefined if the search cannot help. */
function containedText(filter: Filter): string | undefined {
  if (filter.kind === 'and') return filter.filters.map(containedText).find((text) => text !== undefined)
  if (filter.kind !== 'compare' || typeof filter.value !== 'string') return undefined
  const { path, operator, value } = filter
  if (path.urn !== undefined || !searched.has(writeAttributePath(path).toLowerCase())) return undefined
  if (!['eq', 'co', 'sw', 'ew'].includes(operator)) return undefined
  const text = searchedText(value)
  // A shorter text would match only the beginning of words.
  return text === undefined || text.startsWith('\n') ? undefined : text
}

async function findByIndex(db: Db, asked: UsersAsked, plan: Plan, window: Window): Promise<Found> {
  const { ids, total, next } = await findIds(db, asked, plan, window)
  return { resources: await readUsers(db, ids, asked.base), total, window, next }
}

type Ids = { ids: string[]; total: number; next: Position | undefined }

/** The users of a page that an index finds. */
export async function findIds(db: Db, asked: UsersAsked, plan: Plan, window: Window): Promise<Ids> {
  const { filters, sort } = plan
  const { after, count: limit } = window
  const offset = after === undefined ? window.skipped : 0
  const page = await list.pageOfRows(db, {
    filters,
    sort,
    limit,
    ...(after !== undefined && { after }),
    ...(offset > 0 && { offset }),
    count: false,
    format: 'json',
  })
  const ids = page.rows.map(({ user_id }) => user_id)
  // The last page reveals the total; a page behind the end does not.
  const isEnd = page.next === undefined && (ids.length > 0 || window.skipped === 0) && limit > 0
  if (isEnd) return { ids, total: window.skipped + ids.length, next: page.next }
  const total = isAll(filters) ? await countAll(db, asked) : await list.boundedCount(db, filters)
  return { ids, total, next: page.next }
}

/** How many users there are. */
export async function countAll(db: Db, { known }: UsersAsked): Promise<number> {
  return known ?? list.boundedCount(db, {})
}

/** Whether all users are listed in the default order. */
export function isPlain({ filters, sort }: Plan): boolean {
  return isAll(filters) && sort.column === 'user_id' && !sort.descending
}

function isAll(filters: Filters): boolean {
  return Object.keys(filters).length === 0
}

/** @throws ScimError `tooMany` */
async function findByLooking(db: Db, asked: UsersAsked, plan: Plan, window: Window): Promise<Found> {
  const { filters, sort, matches = () => true, order } = plan
  const start = window.skipped
  const [kept, end] = [[] as JsonObject[], start + window.count]
  let [looked, total] = [0, 0]
  for await (const rows of list.piecesOfRows(db, { filters, sort, count: false, format: 'json' })) {
    looked += rows.length
    if (looked > mostLookedAt) throw tooMany()
    const ids = rows.map(({ user_id }) => user_id)
    for (const resource of await readUsers(db, ids, asked.base)) {
      if (!matches(resource)) continue
      if (order !== undefined || (total >= start && total < end)) kept.push(resource)
      total++
    }
  }
  const resources = order === undefined ? kept : kept.sort(order).slice(start, end)
  return { resources, total, window }
}

function tooMany(): ScimError {
  return new ScimError(
    'tooMany',
    `No index serves this filter or order, and more than ${mostLookedAt} users would have to be looked at. Filter by id, userName, externalId, emails.value or active as well.`,
  )
}
