/** Users as the rows of a table for people: labels, yes and no, and the times of their clocks. */
import type { ListedUser } from 'rollbook/client'
import { csvLine, protectCell } from '../../../../src/lib/csv-formula.ts'
import { joinNames } from '../../../../src/lib/name-list.ts'
import type { Cell } from '../../../../src/lib/xlsx-writer.ts'
import { clockText, zoneClock } from '../../../../src/lib/zone-clock.ts'

/** A column: a member of a user, or `attributes.department`. */
export type SheetColumn = { id: string; label: string; type?: 'date' | 'datetime' | undefined }

export type SheetLanguage = {
  locale: string
  /** The zone of the clocks, such as `Europe/Berlin`. It is in the header of each time. */
  timeZone: string
  yes: string
  no: string
}

const times = ['last_login_at', 'created_at', 'updated_at']

export function headerOf(columns: readonly SheetColumn[], { timeZone }: SheetLanguage): string[] {
  return columns.map(({ id, label, type }) =>
    type === 'datetime' || times.includes(id) ? `${label} (${timeZone})` : label,
  )
}

/** The names of organizations by their ids: people read names, and an import finds the organization by either. */
export type OrganizationNames = ReadonlyMap<string, string>

/** Returns a function from a user to the cells of a row. */
export function cellsOf(
  columns: readonly SheetColumn[],
  { timeZone }: SheetLanguage,
  names: OrganizationNames = new Map(),
): (user: ListedUser) => Cell[] {
  const onClock = zoneClock(timeZone)
  const cellOf = ({ id, type }: SheetColumn, user: ListedUser): Cell => {
    const value = id === 'organization' ? nameIn(user, names) : valueIn(id, user)
    if (value === undefined || value === null) return null
    if (typeof value === 'object') return joinNames(value)
    if (typeof value !== 'string') return value
    if (type === 'date') return { clockMs: Date.parse(value), isDay: true }
    return type === 'datetime' || times.includes(id) ? { clockMs: onClock(Date.parse(value)) } : value
  }
  return (user) => columns.map((column) => cellOf(column, user))
}

function nameIn({ organization_id }: ListedUser, names: OrganizationNames): string | undefined {
  return organization_id && (names.get(organization_id) ?? organization_id)
}

function valueIn(id: string, user: ListedUser): string | number | boolean | readonly string[] | null | undefined {
  if (id.startsWith('attributes.')) return user.attributes[id.slice('attributes.'.length)]
  if (id === 'kind') return user.kind ?? 'person'
  return user[id as 'username']
}

/** Excel splits at the list separator of the system, which most languages have as a semicolon. */
export function separatorOf(locale: string): ',' | ';' {
  return locale.startsWith('en') ? ',' : ';'
}

/** Returns a line of a CSV file that Excel opens, without its end. */
export function sheetLine(cells: readonly Cell[], { locale, yes, no }: SheetLanguage): string {
  const separator = separatorOf(locale)
  const hasComma = new Intl.NumberFormat(locale).format(0.5).includes(',')
  const texts = cells.map((cell) => {
    if (cell === null) return ''
    if (typeof cell === 'boolean') return cell ? yes : no
    if (typeof cell === 'number') return hasComma ? String(cell).replace('.', ',') : String(cell)
    if (typeof cell === 'string') return protectCell(cell)
    const text = clockText(cell.clockMs)
    return cell.isDay ? text.slice(0, 10) : text
  })
  return csvLine(texts, separator)
}

/** The columns of a table for people, in their order: what a list shows of a user takes several. */
const ofShown: Readonly<Record<string, readonly string[]>> = {
  username: ['username', 'first_name', 'last_name'],
  state: ['active'],
}
const allMembers = [
  'username',
  'email',
  'first_name',
  'last_name',
  'external_id',
  'role',
  'active',
  'locale',
  'kind',
  'last_login_at',
  'created_at',
  'updated_at',
  'user_id',
]

type Offered = { attributes: readonly string[]; hasGroups: boolean; hasOrganizations: boolean }

/** @param listColumns the columns of the list; undefined for all */
export function columnIdsOf(
  listColumns: Iterable<string> | undefined,
  { attributes, hasGroups, hasOrganizations }: Offered,
): string[] {
  if (listColumns !== undefined) return [...listColumns].flatMap((id) => ofShown[id] ?? [id])
  const lists = hasGroups ? ['groups', 'effective_roles'] : []
  const organization = hasOrganizations ? ['organization'] : []
  return [...allMembers, ...organization, ...attributes.map((name) => `attributes.${name}`), ...lists]
}
