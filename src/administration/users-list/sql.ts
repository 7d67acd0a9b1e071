/** The SQL that the list's statements share on both engines: the columns of filters, and the runs of an order. */

import { attributeCondition } from '../../directory/attributes/service.ts'
import { lockedUsers } from '../../directory/users/service.ts'
import { joinSql, rawSql, type Sql, type SqlValue, sql } from '../../store/db/sql.ts'
import type { Filters, ListPlan, Position } from './plan.ts'

export type FilterName = keyof Filters
export type Sort = ListPlan['sort']
/** The users to list, and their order. */
export type Ordered = { filters: Filters; sort: ListPlan['sort'] }
export type ListRow = { user_id: string; document: string; sort_value: string | null }

/** Returns the rows of a plan after a place, in their order. */
export type Find = (after: Position | undefined, limit: number) => Promise<ListRow[]>

/** The number of matches, with the rows of the page if they were found with it. */
export type CountedRows = { total: number; rows?: ListRow[] }

/** The number of matches, exact or estimated. */
export type Estimate = { total: number; isExact: boolean }

/** The text before the first document, and before each later one. */
export type Joints = { opening: string; separator: string }

/** After a user, of an organization or of all. */
export type PlainPlace = { after: string; organization: string | undefined }

export type PlainPage = { body: Uint8Array; last: string | null; more: boolean }

/** A place in an order: after the row with this value, which `tie` distinguishes from rows with the same value. */
export type Place = { value: string | null; tie: SqlValue }

export const filteredColumns: Record<FilterName, string> = {
  contains: 'search_text',
  role: 'role',
  group_id: 'user_id',
  group_within: 'user_id',
  organization_id: 'organization_id',
  managed_by: 'managed_by',
  active: 'active',
  has_password: 'password_hash',
  has_signed_in: 'last_login_at',
  invited: 'invited',
  kind: 'kind',
  locked_at: 'user_id',
  unlocked_at: 'user_id',
  expired_at: 'user_id',
  unexpired_at: 'user_id',
  expires_after: 'user_id',
  expires_before: 'user_id',
  created_after: 'created_at',
  created_before: 'created_at',
  last_login_after: 'last_login_at',
  last_login_before: 'last_login_at',
  inactive_since: 'last_login_at',
  user_ids: 'user_id',
  username_key: 'username_key',
  email_key: 'email_key',
  external_id: 'external_id',
  except_ids: 'user_id',
  attributes: 'user_id',
}

/** Filters by unique values: they find at most as many users as they name. Few users are locked, or have an end date. */
export const keys: readonly FilterName[] = [
  'user_ids',
  'username_key',
  'email_key',
  'external_id',
  'locked_at',
  'expired_at',
  'expires_after',
  'expires_before',
]

/** Filters that one index answers together, the most selective first. Active users have none, nor those with a password. */
const indexed: readonly (readonly FilterName[])[] = [
  ...keys.map((key) => [key]),
  ['group_id'],
  ['attributes'],
  ['managed_by'],
  ['organization_id'],
  ['kind'],
  ['active'],
  ['invited'],
  ['has_password'],
  ['role'],
  ['has_signed_in', 'last_login_after', 'last_login_before'],
  ['created_after', 'created_before'],
]

export function hasKey(filters: Filters): boolean {
  return keys.some((key) => filters[key] !== undefined)
}

/** The groups of filters in use that have an index. */
export function indexedFilters(filters: Filters): FilterName[][] {
  return indexed
    .map((group) => group.filter((name) => filters[name] !== undefined && !isUsual(filters, name)))
    .filter((group) => group.length > 0)
}

function isUsual(filters: Filters, name: FilterName): boolean {
  if (name === 'attributes') return !filters.attributes?.some(({ isIndexed }) => isIndexed)
  if (name === 'invited') return !filters.invited
  if (name === 'kind') return filters.kind === 'person'
  if (name === 'organization_id') return filters.organization_id === null
  return (name === 'active' || name === 'has_password') && filters[name] === true
}

/** A filter on its column, except the search, which differs per engine. */
export function condition(filters: Filters, name: Exclude<FilterName, 'contains'>, column: Sql): Sql {
  switch (name) {
    case 'active':
    case 'invited':
      // As literal text, so that the engine recognizes the partial index.
      return sql`${column} = ${rawSql(filters[name] ? '1' : '0')}`
    case 'kind':
      return sql`${column} = ${rawSql(filters.kind === 'service' ? "'service'" : "'person'")}`
    case 'has_password':
    case 'has_signed_in':
      return sql`${column} IS ${rawSql(filters[name] ? 'NOT NULL' : 'NULL')}`
    case 'organization_id':
      return filters.organization_id === null
        ? sql`${column} IS NULL`
        : sql`${column} = ${filters.organization_id as string}`
    case 'user_ids': {
      const ids = (filters.user_ids as string[]).map((id) => sql`${id}`)
      return ids.length === 0 ? sql`1 = 0` : sql`${column} IN (${joinSql(ids, ', ')})`
    }
    case 'group_id':
      return sql`EXISTS (SELECT 1 FROM group_members
        WHERE group_members.group_id = ${filters.group_id as string} AND group_members.user_id = ${column})`
    case 'group_within': {
      const group = filters.group_within as NonNullable<Filters['group_within']>
      // It names no column of the row, so it is looked up once.
      return sql`EXISTS (SELECT 1 FROM user_groups
        WHERE user_groups.group_id = ${group.group_id} AND user_groups.organization_id = ${group.organization_id})`
    }
    case 'attributes':
      return allOf((filters.attributes ?? []).map((one) => attributeCondition(one, column)))
    case 'locked_at':
      return sql`${column} IN (${lockedUsers(filters.locked_at as string)})`
    case 'unlocked_at':
      return sql`${column} NOT IN (${lockedUsers(filters.unlocked_at as string)})`
    case 'expired_at':
      return sql`${column} IN (${endedUsers(filters.expired_at as string)})`
    case 'unexpired_at':
      return sql`${column} NOT IN (${endedUsers(filters.unexpired_at as string)})`
    case 'expires_after':
      return sql`${column} IN (SELECT user_id FROM user_ends WHERE expires_at > ${filters.expires_after as string})`
    case 'expires_before':
      return sql`${column} IN (SELECT user_id FROM user_ends WHERE expires_at < ${filters.expires_before as string})`
    case 'except_ids':
      return sql`${column} NOT IN (${joinSql(
        (filters.except_ids ?? []).map((id) => sql`${id}`),
        ', ',
      )})`
    case 'inactive_since': {
      const since = filters.inactive_since as string
      return sql`(${column} < ${since} OR (${column} IS NULL AND users.created_at < ${since}))`
    }
    case 'created_after':
    case 'last_login_after':
      return sql`${column} > ${filters[name] as string}`
    case 'created_before':
    case 'last_login_before':
      return sql`${column} < ${filters[name] as string}`
    default:
      return sql`${column} = ${filters[name] as string}`
  }
}

/** The users whose end date has passed at this instant. */
function endedUsers(now: string): Sql {
  return sql`SELECT user_id FROM user_ends WHERE expires_at <= ${now}`
}

/** The filters that an index in this order answers itself. Two indexes find the inactive users. */
export function filtersOn(filters: Filters, { column }: Pick<Sort, 'column'>): FilterName[] {
  const names = Object.keys(filters) as FilterName[]
  return names.filter(
    (name) => filteredColumns[name] === column && name !== 'inactive_since' && name !== 'group_within',
  )
}

export function columnOf({ column }: Sort): Sql {
  return rawSql(`users.${column}`)
}

/** In the order of ids: the rows after a user. */
export function behindUser(after: Position | undefined, { descending }: Sort): Sql {
  if (after === undefined) return sql`1 = 1`
  return sql`users.user_id ${rawSql(descending ? '<' : '>')} ${after.user_id}`
}

/**
 * Users who have never signed in have the default order among themselves when sorted by last sign-in, and an index of their own there.
 * Fewer are disabled, invited, programs or without a password, and a search hands out its rows in the default order.
 */
export function orderWalked({ filters, sort }: Ordered): Sort {
  const { has_signed_in, active, has_password, invited, kind, contains, group_id, attributes } = filters
  const isNarrower =
    active === false ||
    invited === true ||
    kind === 'service' ||
    has_password === false ||
    contains !== undefined ||
    group_id !== undefined ||
    typeof filters.organization_id === 'string' ||
    attributes !== undefined ||
    hasKey(filters)
  return sort.column === 'user_id' && has_signed_in === false && !isNarrower
    ? { ...sort, column: 'last_login_at' }
    : sort
}

/** A part of an order in which either all rows or none have a value. */
export type Run = { where: Sql; isEmpty: boolean }

/**
 * The order cut into runs that one index delivers each: rows without a value count as the smallest, and SQL compares
 * nothing with NULL. `tie` is the column that tells equals apart. A run that no filter lets pass is left out.
 */
export function runsOf({ filters, sort }: Ordered, place: Place | undefined, tie: Sql): Run[] {
  const before = sort.column === 'last_login_at' ? filters.inactive_since : undefined
  const runs = everyRun(sort, place, tie, before)
  if (sort.column !== 'last_login_at' || filters.has_signed_in === undefined) return runs
  return runs.filter(({ isEmpty }) => isEmpty !== filters.has_signed_in)
}

/** `before`: a filter lets no later value pass, so that the index can start there. */
function everyRun(sort: Sort, place: Place | undefined, tie: Sql, before: string | undefined): Run[] {
  const column = columnOf(sort)
  const beyond = rawSql(sort.descending ? '<' : '>')
  const empty = { where: sql`${column} IS NULL`, isEmpty: true }
  const bound = before === undefined ? rawSql('') : sql` AND ${column} < ${before}`
  const filled = { where: sql`${column} IS NOT NULL${bound}`, isEmpty: false }
  const mayBeEmpty = sort.column === 'email_key' || sort.column === 'last_login_at'
  if (place === undefined) {
    if (!mayBeEmpty) return [filled]
    return sort.descending ? [filled, empty] : [empty, filled]
  }
  if (place.value === null) {
    if (!mayBeEmpty) return sort.descending ? [] : [filled]
    const rest = { where: sql`${column} IS NULL AND ${tie} ${beyond} ${place.tie}`, isEmpty: true }
    return sort.descending ? [rest] : [rest, filled]
  }
  const rest = {
    where: sql`${filled.where} AND (${column}, ${tie}) ${beyond} (${place.value}, ${place.tie})`,
    isEmpty: false,
  }
  return sort.descending && mayBeEmpty ? [rest, empty] : [rest]
}

/** The organization whose users are all that is listed: its index has them in the default order. */
export function onlyOrganization({ organization_id, ...others }: Filters): string | undefined {
  return typeof organization_id === 'string' && Object.keys(others).length === 0 ? organization_id : undefined
}

/** Whether an index has the users of an organization in this order. */
export function isOrderOfOrganizations({ column }: Sort): boolean {
  return column === 'user_id' || column === 'username_key'
}

/** The filters whose index has the rows in this order. */
export function filtersAlong(filters: Filters, sort: Sort): FilterName[] {
  const { column } = sort
  if (typeof filters.organization_id === 'string' && isOrderOfOrganizations(sort)) return ['organization_id']
  if (column !== 'user_id') return filtersOn(filters, { column })
  if (filters.kind === 'service') return ['kind']
  if (filters.active === false) return ['active']
  if (filters.invited) return ['invited']
  if (filters.has_password === false) return ['has_password']
  return filters.role === undefined ? [] : ['role']
}

/** Whether the members of a group are walked in their own index: in the default order it has them as they are wanted. */
export function isGroupWalked({ filters, sort }: Ordered): boolean {
  const isNarrower = filters.contains !== undefined || hasKey(filters)
  return filters.group_id !== undefined && sort.column === 'user_id' && !isNarrower
}

/** The members of a group behind a place, as `group_members` has them; a user who is gone is in no group. */
export function membersBehind(filters: Filters, after: Position | undefined): Sql {
  const behind = after === undefined ? sql`1 = 1` : sql`group_members.user_id > ${after.user_id}`
  return sql`group_members.group_id = ${filters.group_id as string} AND ${behind}`
}

export function anyOf(list: Sql[]): Sql {
  return list.length === 0 ? sql`1 = 0` : sql`((${joinSql(list, ') OR (')}))`
}

export function allOf(list: Sql[]): Sql {
  return list.length === 0 ? sql`1 = 1` : joinSql(list, ' AND ')
}
