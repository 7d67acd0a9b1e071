/** The state of the users page, as its address has it: Back, reload and shared links show the same. */
import type { Operations } from 'rollbook/client'

export type Sort = NonNullable<Operations['GET /users']['query']['sort']>
export const sorts = [
  'username',
  '-username',
  'email',
  '-email',
  'created_at',
  '-created_at',
  'last_login_at',
  '-last_login_at',
] as const satisfies readonly Sort[]
export const kinds = ['person', 'service'] as const
export type Kind = (typeof kinds)[number]
const states = ['active', 'disabled', 'expired'] as const
export type State = (typeof states)[number]
const filterNames = [
  'q',
  'role',
  'group',
  'organization',
  'managed_by',
  'kind',
  'active',
  'state',
  'expires_after',
  'expires_before',
  'locked',
  'invited',
  'has_password',
  'created_after',
  'created_before',
  'has_signed_in',
  'last_login_after',
  'last_login_before',
] as const

/** The order of the list if the address has none. */
export const usualSort = '-created_at' satisfies Sort

/** `attributes.department`: a filter by an attribute, or its column. */
export type AttributeKey = `attributes.${string}`
export type AttributeFilters = { [Key in AttributeKey]?: string }

export type UsersSearch = AttributeFilters & {
  q?: string
  role?: string
  /** The ID of a group. */
  group?: string
  /** The ID of an organization; `none`: who belong to none. */
  organization?: string
  /** The `connection_id` of a provisioning connection. */
  managed_by?: string
  kind?: Kind
  active?: boolean
  state?: State
  expires_after?: string
  expires_before?: string
  locked?: boolean
  invited?: boolean
  has_password?: boolean
  has_signed_in?: boolean
  created_after?: string
  created_before?: string
  last_login_after?: string
  last_login_before?: string
  sort?: Sort
  /** The chosen columns, instead of those that fit: `email,role`. */
  columns?: string
  density?: 'compact'
  /** The page in page mode, from 1. */
  page?: number
  /** The first row in view, from 0. */
  row?: number
}

const mostRows = 2_147_483_647

// The router parses `?q=1815` and `?q=true` as JSON.
const text = (value: unknown) =>
  ['string', 'number', 'boolean'].includes(typeof value) ? String(value).slice(0, 256) : undefined
const flag = (value: unknown) =>
  value === true || value === 'true' ? true : value === false || value === 'false' ? false : undefined
/** At most the greatest `offset` of the API. */
const count = (value: unknown, most: number) =>
  Number.isSafeInteger(value) && (value as number) >= 1 ? Math.min(value as number, most) : undefined
const instant = (value: unknown) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined

/** The filters of an address or an API request. */
export type Filters = AttributeFilters & Pick<UsersSearch, (typeof filterNames)[number]>
export type FilterName = (typeof filterNames)[number] | AttributeKey

export function isAttributeKey(name: string): name is AttributeKey {
  return /^attributes\.[a-z][a-z0-9_]{0,63}$/.test(name)
}

/** The names of the filters that are set: those of every user in their order, then attributes. */
export function namesOfFilters(filters: Filters): FilterName[] {
  const own = filterNames.filter((name) => filters[name] !== undefined)
  return [
    ...own,
    ...Object.keys(filters)
      .filter(isAttributeKey)
      .filter((name) => filters[name] !== undefined)
      .sort(),
  ]
}

/** Reads an address. Invalid values are left out. */
export function usersSearch(raw: Record<string, unknown>): UsersSearch {
  const search: { [Name in keyof UsersSearch]: UsersSearch[Name] | undefined } = {
    q: text(raw.q) || undefined,
    role: text(raw.role) || undefined,
    group: text(raw.group) || undefined,
    organization: text(raw.organization) || undefined,
    managed_by: text(raw.managed_by) || undefined,
    kind: kinds.find((kind) => kind === raw.kind),
    active: flag(raw.active),
    state: states.find((state) => state === raw.state),
    expires_after: instant(raw.expires_after),
    expires_before: instant(raw.expires_before),
    locked: flag(raw.locked),
    invited: flag(raw.invited),
    has_password: flag(raw.has_password),
    has_signed_in: flag(raw.has_signed_in),
    created_after: instant(raw.created_after),
    created_before: instant(raw.created_before),
    last_login_after: instant(raw.last_login_after),
    last_login_before: instant(raw.last_login_before),
    sort: sorts.find((sort) => sort === raw.sort && sort !== usualSort),
    columns: text(raw.columns) || undefined,
    density: raw.density === 'compact' ? 'compact' : undefined,
    page: count(raw.page, Math.floor(mostRows / 50)),
    row: count(raw.row, mostRows),
    ...Object.fromEntries(
      Object.keys(raw)
        .filter(isAttributeKey)
        .map((name) => [name, text(raw[name]) || undefined]),
    ),
  }
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as UsersSearch
}

export function filtersOf(search: UsersSearch): Filters {
  return Object.fromEntries(namesOfFilters(search).map((name) => [name, search[name]])) as Filters
}

/** Returns the order as the table takes it. Columns have the API's names. */
export function sortingOf(sort: Sort | undefined): { id: string; desc: boolean }[] {
  return sort === undefined ? [] : [{ id: sort.replace(/^-/, ''), desc: sort.startsWith('-') }]
}

export function sortOf([first]: readonly { id: string; desc: boolean }[]): Sort | undefined {
  return first && sorts.find((sort) => sort === `${first.desc ? '-' : ''}${first.id}`)
}
