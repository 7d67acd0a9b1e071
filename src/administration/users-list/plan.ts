/** Translates a list request into the store's terms: filters, an order, and a position to continue from. */

import type { Scope } from '../../core/scope.ts'
import type { AttributeFilter } from '../../directory/attributes/service.ts'
import { keyOrNothing, type Search, searchFor, textOrNothing } from '../../directory/search/service.ts'
import type { ListUsers } from '../../directory/users/schema.ts'
import { badCursor, readCursor, writeCursor } from '../../http/request/cursor.ts'
import { emailKey } from '../../lib/email-form.ts'
import { timestamp, wholeMilliseconds } from '../../lib/instant.ts'
import { trimEnds } from '../../lib/typed-name.ts'
import { isUuid } from '../../lib/uuidv7.ts'

const formats = ['json', 'ndjson', 'csv', 'xlsx'] as const
export type Format = (typeof formats)[number]

/** Whether the rows are cells of a table, which has a column for each attribute. */
export function hasColumns(format: Format): boolean {
  return format === 'csv' || format === 'xlsx'
}

export type SortColumn = 'user_id' | 'username_key' | 'email_key' | 'created_at' | 'last_login_at'

/** The last row of the previous page: by user_id in the default order, otherwise by sort value and user_id. */
export type Position = { user_id: string } | { value: string | null; user_id: string }

export type Filters = {
  contains?: Search
  role?: string
  /** Only members of this group. */
  group_id?: string
  /** The organization to which the group must belong: a limited caller does not learn who is a guest elsewhere. */
  group_within?: { group_id: string; organization_id: string }
  /** Only users of this organization; null: of none. */
  organization_id?: string | null
  /** Only users whom this provisioning connection manages. */
  managed_by?: string
  active?: boolean
  has_password?: boolean
  has_signed_in?: boolean
  invited?: boolean
  kind?: 'person' | 'service'
  /** The instant for which to decide whether sign-in must wait. */
  locked_at?: string
  unlocked_at?: string
  created_after?: string
  created_before?: string
  last_login_after?: string
  last_login_before?: string
  /** The instant for which to decide whether the end date has passed. */
  expired_at?: string
  unexpired_at?: string
  expires_after?: string
  expires_before?: string
  /** Last signed in before this instant; who never has, was created before it. */
  inactive_since?: string
  user_ids?: string[]
  username_key?: string
  email_key?: string
  external_id?: string
  /** All but these users. */
  except_ids?: readonly string[]
  /** At least one. */
  attributes?: readonly AttributeFilter[]
}

declare const withinScope: unique symbol

/** The filters of a list, within the scope of its caller. Only `filtersWithin` makes them, so that no list can be read without. */
export type ScopedFilters = Filters & { readonly [withinScope]: true }

export function filtersWithin(scope: Scope, wanted: Filters): ScopedFilters {
  if (scope.kind === 'everyone') return wanted as ScopedFilters
  const { organization_id } = scope
  const { group_id } = wanted
  const isElsewhere = wanted.organization_id !== undefined && wanted.organization_id !== organization_id
  return {
    ...wanted,
    organization_id,
    ...(group_id !== undefined && { group_within: { group_id, organization_id } }),
    ...(isElsewhere && { user_ids: [] }),
  } as ScopedFilters
}

/** Where a page starts: after one of these. */
export type Place = Pick<ListPlan, 'after' | 'afterMeant'>

export type ListPlan = {
  filters: ScopedFilters
  sort: { column: SortColumn; descending: boolean }
  after?: Position
  /** The last row of the previous page, if it is a user whom the search names exactly: see exact-matches.ts. */
  afterMeant?: string
  limit?: number
  /** How many rows after the place to skip; only with a limit. */
  offset?: number
  /** `estimate`: about how many, at once; a list without a limit is counted. */
  count: boolean | 'estimate'
  format: Format
  /** Adds the names of the user's groups within this scope to each row. */
  withGroups?: Scope
  /** Adds the end dates of the memberships of this group to the rows. */
  membersOf?: string
  /** Of a limited caller: columns that only some stores have must not tell of users elsewhere. */
  within?: Scope
}

const columns: Record<string, SortColumn> = {
  username: 'username_key',
  email: 'email_key',
  created_at: 'created_at',
  last_login_at: 'last_login_at',
}

/** `pointer`: how refusals name a parameter. */
type How = { pointer?: (name: string) => string }

/** @throws AppError `bad_cursor`, and `validation_failed` for a search of too many words */
export function planList(scope: Scope, query: ListUsers, format: Format, now = Date.now(), how: How = {}): ListPlan {
  const name = query.sort?.replace(/^-/, '')
  const sort = {
    column: name === undefined ? 'user_id' : (columns[name] as SortColumn),
    descending: query.sort?.startsWith('-') ?? false,
  }
  return {
    filters: planFilters(scope, query, now, how),
    sort,
    ...(query.cursor !== undefined && readPlace(query.cursor, query.sort)),
    ...(query.limit !== undefined && { limit: query.limit }),
    ...(query.offset && { offset: query.offset }),
    count: query.count ?? false,
    format,
    ...(query.include === 'groups' && { withGroups: scope }),
    ...(scope.kind === 'organization' && { within: scope }),
  }
}

/** @throws AppError `validation_failed` for a search of too many words */
export function planFilters(
  scope: Scope,
  query: ListUsers,
  now: number,
  { pointer = (name) => `?${name}` }: How = {},
): ScopedFilters {
  const filters: Filters = {}
  if (query.q !== undefined) {
    const search = searchFor(query.q, pointer('q'))
    if (search !== undefined) filters.contains = search
  }
  if (query.role !== undefined) filters.role = textOrNothing(query.role)
  if (query.group !== undefined) filters.group_id = textOrNothing(query.group.toLowerCase())
  if (query.managed_by !== undefined) filters.managed_by = textOrNothing(query.managed_by.toLowerCase())
  if (query.organization !== undefined) {
    const organization = query.organization.toLowerCase()
    filters.organization_id = organization === 'none' ? null : textOrNothing(organization)
  }
  if (query.active !== undefined) filters.active = query.active
  if (query.has_password !== undefined) filters.has_password = query.has_password
  if (query.has_signed_in !== undefined) filters.has_signed_in = query.has_signed_in
  if (query.invited !== undefined) filters.invited = query.invited
  if (query.kind !== undefined) filters.kind = query.kind
  if (query.locked !== undefined) filters[query.locked ? 'locked_at' : 'unlocked_at'] = timestamp(now)
  if (query.state !== undefined) {
    const isActive = query.state !== 'disabled'
    filters.active = isActive
    if (isActive) filters[query.state === 'expired' ? 'expired_at' : 'unexpired_at'] = timestamp(now)
  }
  for (const member of instants) {
    const instant = query[member]
    if (instant !== undefined) filters[member] = wholeMilliseconds(instant, { up: !member.endsWith('_after') })
  }
  if (query.user_id !== undefined) filters.user_ids = query.user_id.map((id) => id.toLowerCase()).filter(isUuid)
  // No user is in two states.
  if (query.state !== undefined && query.active === (query.state === 'disabled')) filters.user_ids = []
  if (query.username !== undefined) filters.username_key = keyOrNothing(query.username)
  if (query.email !== undefined) filters.email_key = textOrNothing(emailKey(trimEnds(query.email)))
  if (query.external_id !== undefined) filters.external_id = textOrNothing(query.external_id)
  return filtersWithin(scope, filters)
}

const instants = [
  'created_after',
  'created_before',
  'last_login_after',
  'last_login_before',
  'inactive_since',
  'expires_after',
  'expires_before',
] as const

/**
 * Whether one statement finds the rows by an index at once, so that the main thread can run it. (A plain page checks
 * with a second statement whether there is more, which need not be consistent with the first.) Other orders take
 * several statements, which are consistent only in a transaction of the reader.
 */
export function isQuick({ filters, sort, count, limit, offset, withGroups }: ListPlan): boolean {
  if (limit === undefined || count || offset || withGroups || sort.column !== 'user_id') return false
  const { user_ids, username_key, email_key, external_id, organization_id, ...slow } = filters
  return organization_id !== null && Object.keys(slow).length === 0
}

export function cursorAt({ after, afterMeant }: Place, sort: string | undefined): string {
  if (after === undefined) return writeCursor([meantMark, afterMeant])
  return cursorOf(after, sort)
}

function cursorOf(position: Position, sort: string | undefined): string {
  return writeCursor('value' in position ? [sort, position.value, position.user_id] : [position.user_id])
}

/** No order has this name. */
const meantMark = '='

function readPlace(cursor: string, sort: string | undefined): Place {
  const parts = readCursor(cursor)
  if (parts.length === 2 && parts[0] === meantMark && isUserId(parts[1])) return { afterMeant: parts[1] }
  return { after: readPosition(parts, sort) }
}

function readPosition(parts: readonly unknown[], sort: string | undefined): Position {
  if (sort === undefined) {
    const [userId] = parts
    if (parts.length === 1 && isUserId(userId)) return { user_id: userId }
  } else {
    const [name, value, userId] = parts
    const isValue = value === null || (typeof value === 'string' && !value.includes('\0'))
    if (parts.length === 3 && name === sort && isValue && isUserId(userId)) return { value, user_id: userId }
  }
  throw badCursor()
}

function isUserId(part: unknown): part is string {
  return typeof part === 'string' && isUuid(part)
}
