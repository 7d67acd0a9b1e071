/** Selects the users of a SCIM list: by the indexes of our own list if the filter allows, otherwise by a scan. */

import * as list from '../../administration/users-list/service.ts'
import {
  filtersWithin,
  type ListPlan,
  type Position,
  planFilters,
  type ScopedFilters,
} from '../../administration/users-list/service.ts'
import type { Scope } from '../../core/scope.ts'
import * as documents from '../../directory/scim-documents/service.ts'
import { keyOrNothing, type Search, searchForPart } from '../../directory/search/service.ts'
import { emailKey } from '../../lib/email-form.ts'
import type { Db } from '../../store/db/db.ts'
import type { Filter } from '../filter/ast.ts'
import { compileFilter, type Predicate } from '../filter/evaluate.ts'
import { conditionsIn, type Work } from '../filter/work.ts'
import type { Condition } from '../mapping/list-filter.ts'
import { mostKeys, userListQuery } from '../mapping/list-query.ts'
import type { ListRequest } from '../paging/list-request.ts'
import { compileKey, type Key } from '../paging/sort.ts'
import { ScimError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import { readUsers } from '../resources/users.ts'
import { writeAttributePath } from '../schemas/attribute-path.ts'
import { type Definition, findTarget, userDefinition } from '../schemas/definition.ts'
import { mostComparisons, select, workOfList } from './select.ts'
import { type Asked, cut, foreignCursor, type Mark, type Marked, type Window, windowOf } from './window.ts'

/** The most users that a list scans if no index serves the filter. */
const mostLookedAt = 50_000
/** The most users that may share an email address: more of them are not one person. */
const mostWithEmail = 500

export interface UsersAsked extends Asked {
  readonly scope: Scope
  readonly base: string
  readonly booleansAsText: boolean
  /** A search of all types: an attribute of another type has no value here. */
  readonly isForAll?: boolean
  /** The number of users, if known: counting them takes longer than reading a page. */
  readonly known?: number | undefined
}

export interface Found extends Marked {
  readonly resources: readonly JsonObject[]
  readonly total: number
  readonly window: Window
}

export type Plan = {
  filters: ScopedFilters
  sort: ListPlan['sort']
  /** The filter, to be compared with each user; undefined if the indexes cover all of it. */
  matches: Predicate | undefined
  /** How many conditions that has, and what comparing them costs. */
  conditions: number
  work: Work
  /** What users sort by, if our own list has no equivalent order or the filter is compared with each user. */
  keyOf: ((resource: JsonObject) => Key) | undefined
}

/** @throws ScimError, AppError `list_too_costly` */
export async function findUsers(db: Db, query: UsersAsked, window = windowOf(query)): Promise<Found> {
  const plan = await planOf(db, query)
  const isServed = plan.matches === undefined && plan.keyOf === undefined
  return isServed ? findByIndex(db, query, plan, window) : findByLooking(db, query, plan, window)
}

export async function planOf(
  db: Db,
  { request, booleansAsText, now, scope, isForAll = false }: UsersAsked,
): Promise<Plan> {
  const { filter, sortBy, descending } = request
  const ours = sortBy && ourOrders.get(writeAttributePath(sortBy).toLowerCase())
  const keyOf = keyIn(request, userDefinition, isForAll)
  const byUserId = { sort: { column: 'user_id', descending: false }, keyOf } as const
  const ordered: Pick<Plan, 'sort' | 'keyOf'> =
    ours === undefined ? byUserId : { sort: { column: ours, descending }, keyOf: undefined }
  const work = workOfList()
  const all = filtersWithin(scope, {})
  if (filter === undefined) return { filters: all, matches: undefined, conditions: 0, work, ...ordered }
  // Compile the whole filter, to find errors in the indexed part too.
  const options = { booleansAsText, unknownIsAbsent: isForAll, spend: work.spend }
  const whole = compileFilter(filter, userDefinition, options)
  const compared = { matches: whole, conditions: conditionsIn(filter), work, ...byUserId }
  if (isForAll && !isKnown(filter, userDefinition)) return { filters: all, ...compared }
  const { filters: query, rest, others } = userListQuery(filter, booleansAsText)
  const filters = planFilters(scope, query, now)
  for (const other of others) {
    const found = await idsOfKeys(db, other)
    if (found === undefined) continue
    const before = filters.user_ids
    filters.user_ids = before === undefined ? found : found.filter((id) => before.includes(id))
  }
  const search = rest && searchIn(rest)
  if (search !== undefined) filters.contains = search
  if (rest === undefined) return { filters, matches: undefined, conditions: 0, work, ...ordered }
  return { filters, ...compared }
}

/** The users whom a condition of several keys means; undefined if no index finds them. */
async function idsOfKeys(db: Db, condition: Condition): Promise<string[] | undefined> {
  if (!('values' in condition) || condition.values.length > mostKeys) return undefined
  const { on, values } = condition
  if (on === 'email') return documents.findByEmail(db, values.map(emailKey), mostWithEmail)
  if (on === 'userName') return documents.findByKeys(db, 'username_key', values.map(keyOrNothing))
  return on === 'externalId' ? documents.findByKeys(db, 'external_id', values) : undefined
}

/** Attributes that SCIM and our list sort in the same order. */
const ourOrders: ReadonlyMap<string, 'username_key' | 'created_at'> = new Map([
  ['username', 'username_key'],
  ['meta.created', 'created_at'],
])

/** Returns what resources sort by. Undefined in a search of all types if this type lacks the attribute. */
export function keyIn(
  { sortBy }: ListRequest,
  definition: Definition,
  isForAll: boolean,
): ((resource: JsonObject) => Key) | undefined {
  if (sortBy === undefined || (isForAll && findTarget(definition, sortBy) === undefined)) return undefined
  return compileKey(sortBy, definition)
}

/** Whether the type has every attribute of the filter. */
export function isKnown(filter: Filter, definition: Definition): boolean {
  if ('filters' in filter) return filter.filters.every((part) => isKnown(part, definition))
  if (filter.kind === 'not') return isKnown(filter.filter, definition)
  return findTarget(definition, filter.path) !== undefined
}

const searched = new Set(['username', 'name.givenname', 'name.familyname'])

/** Returns a search that finds every match. Undefined if the search cannot help. */
function searchIn(filter: Filter): Search | undefined {
  if (filter.kind === 'and') return filter.filters.map(searchIn).find((search) => search !== undefined)
  if (filter.kind !== 'compare' || typeof filter.value !== 'string') return undefined
  const { path, operator, value } = filter
  if (path.urn !== undefined || !searched.has(writeAttributePath(path).toLowerCase())) return undefined
  if (!['eq', 'co', 'sw', 'ew'].includes(operator)) return undefined
  return searchForPart(value)
}

async function findByIndex(db: Db, query: UsersAsked, plan: Plan, window: Window): Promise<Found> {
  const found = await findMarks(db, query, plan, window)
  return { resources: await readUsers(db, query.scope, idsOf(found), query.base), window, ...found }
}

export function idsOf({ marks }: Marked): string[] {
  return marks.map(({ id }) => id)
}

/** The users of a page that an index finds. */
export async function findMarks(
  db: Db,
  query: UsersAsked,
  { filters, sort }: Plan,
  { skipped, count: limit, place }: Window,
): Promise<Marked & { total: number }> {
  const descending = sort.descending !== (place?.backwards ?? false)
  const page = await list.pageOfRows(db, {
    filters,
    sort: { ...sort, descending },
    limit,
    ...(place?.mark && { after: positionOf(sort, place.mark) }),
    ...(skipped > 0 && { offset: skipped }),
    count: false,
    format: 'json',
  })
  const found = page.rows.map(({ user_id: id, sort_value }) => ({
    id,
    key: sort.column === 'user_id' ? null : sort_value,
  }))
  const marks = place?.backwards ? found.toReversed() : found
  // The last page reveals the total; a page behind the end does not.
  const isEnd = place === undefined && page.next === undefined && (marks.length > 0 || skipped === 0) && limit > 0
  if (isEnd) return { marks, more: false, total: skipped + marks.length }
  const total = isAll(filters) ? await countAll(db, query) : await list.boundedCount(db, filters)
  return { marks, more: limit === 0 ? total > 0 : page.next !== undefined, total }
}

function positionOf({ column }: Plan['sort'], { id, key }: Mark): Position {
  if (column === 'user_id') return { user_id: id }
  if (typeof key !== 'string') throw foreignCursor()
  return { value: key, user_id: id }
}

/** How many users there are. */
export async function countAll(db: Db, { known, scope }: UsersAsked): Promise<number> {
  return known ?? list.boundedCount(db, filtersWithin(scope, {}))
}

/** Whether all users are listed in the default order. */
export function isPlain({ filters, sort }: Plan): boolean {
  return isAll(filters) && sort.column === 'user_id' && !sort.descending
}

function isAll(filters: ScopedFilters): boolean {
  return Object.keys(filters).length === 0
}

/** @throws ScimError `tooMany` */
async function findByLooking(db: Db, query: UsersAsked, plan: Plan, window: Window): Promise<Found> {
  const { filters, sort, matches = () => true, conditions, keyOf, work } = plan
  const most = Math.min(mostLookedAt, Math.floor(mostComparisons / Math.max(conditions, 1)))
  if (isAll(filters) && (await countAll(db, query)) > most) throw tooMany(most)
  const matching: Mark[] = []
  let examined = 0
  for await (const rows of list.piecesOfRows(db, { filters, sort, count: false, format: 'json' })) {
    examined += rows.length
    if (examined > most) throw tooMany(most)
    const ids = rows.map(({ user_id }) => user_id)
    for (const resource of await select(db, await readUsers(db, query.scope, ids, query.base), matches, work)) {
      matching.push({ id: String(resource.id), key: keyOf?.(resource) ?? null })
    }
  }
  const page = cut(matching, window, query.request)
  return {
    resources: await readUsers(db, query.scope, idsOf(page), query.base),
    total: matching.length,
    window,
    ...page,
  }
}

/** @param most how many users may be examined for this filter */
function tooMany(most: number): ScimError {
  const fewer = most < mostLookedAt ? 'Use fewer conditions, or filter' : 'Filter'
  return new ScimError(
    'tooMany',
    `No index serves this filter or order, and more than ${most} users would have to be looked at. ${fewer} by id, userName, externalId, emails.value or active as well.`,
  )
}
