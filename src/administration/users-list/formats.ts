/** The formats of a list, from stored documents. */

import { type Definition, toCell } from '../../directory/attributes/service.ts'
import { type ListedUser, rowMembers } from '../../directory/users/schema.ts'
import { protectCell } from '../../lib/csv-formula.ts'
import { joinNames } from '../../lib/name-list.ts'
import { xlsxMediaType } from '../../lib/xlsx-reader.ts'
import type { Cell } from '../../lib/xlsx-writer.ts'
import type { Format, ListPlan } from './plan.ts'

export const contentTypes: Record<Format, string> = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  xlsx: xlsxMediaType,
}

type Place = { first: boolean; last: boolean }
type Attributes = readonly Pick<Definition, 'name' | 'type'>[]
/** Formats with columns have one for each attribute, and one for end dates of users and memberships, and for organizations, once there are any. */
export type Columns = {
  attributes?: Attributes
  hasEnds?: boolean
  hasOrganizations?: boolean
  hasMembershipEnds?: boolean
}
/** Returns the bytes of some documents, perhaps none: together they are one well-formed file. */
export type RowWriter = (documents: readonly string[], place: Place) => Promise<Uint8Array>

/** Writes the rows of one file, which come in order. */
export async function rowWriter(
  { format, withGroups }: Pick<ListPlan, 'format' | 'withGroups'>,
  { attributes = [], hasEnds = false, hasOrganizations = false, hasMembershipEnds = false }: Columns = {},
): Promise<RowWriter> {
  const columns = [
    ...ownColumns,
    ...(hasEnds ? ['expires_at'] : []),
    ...(hasOrganizations ? ['organization_id'] : []),
    ...(hasMembershipEnds ? ['membership_expires_at'] : []),
    ...attributes.map(({ name }) => `attributes.${name}`),
    ...(withGroups ? ['groups', 'effective_roles'] : []),
  ]
  if (format === 'csv') return async (documents, place) => Buffer.from(await csv(documents, place, columns))
  if (format === 'xlsx') return workbook(columns, attributes)
  if (format === 'ndjson')
    return async (documents) => Buffer.from(documents.map((document) => `${document}\n`).join(''))
  return async (documents, { first, last }) => {
    const opening = first ? '[' : documents.length > 0 ? ',' : ''
    return Buffer.from(`${opening}${documents.join(',')}${last ? ']' : ''}`)
  }
}

const ownColumns = rowMembers.filter((member) => member !== 'attributes')

type CellValue = string | number | boolean | null | undefined

/** A cell for each attribute, and one each for the groups, which an import reads back, and the roles. */
function withCells(document: string): Record<string, CellValue> {
  // A node of the release before wrote the document without attributes.
  const { attributes, groups, effective_roles, ...user } = JSON.parse(document) as ListedUser
  const cells = Object.entries(attributes ?? {}).map(([name, value]) => [`attributes.${name}`, toCell(value)])
  const lists = { groups: joinNames(groups ?? []), effective_roles: joinNames(effective_roles ?? []) }
  return { ...user, ...Object.fromEntries(cells), ...lists }
}

async function csv(documents: readonly string[], place: Place, columns: string[]): Promise<string> {
  const { stringify } = await import('csv-stringify/sync')
  return stringify(documents.map(withCells), {
    header: place.first,
    columns,
    record_delimiter: 'windows', // RFC 4180 §2: CRLF
    cast: { boolean: String, string: protectCell },
  })
}

/** An Excel file. Days and times are cells of that kind, in UTC. */
async function workbook(columns: readonly string[], attributes: Attributes): Promise<RowWriter> {
  const { workbookWriter } = await import('../../lib/xlsx-writer.ts')
  const writer = workbookWriter({ header: columns, sheetName: 'users' })
  const kinds = new Map(attributes.map(({ name, type }) => [`attributes.${name}`, type]))
  const cellOf = (column: string, value: CellValue): Cell => {
    const kind = kinds.get(column) ?? (column.endsWith('_at') ? 'datetime' : 'string')
    if (typeof value !== 'string' || (kind !== 'date' && kind !== 'datetime')) return value ?? null
    return { clockMs: Date.parse(value), isDay: kind === 'date' }
  }
  return async (documents, { last }) => {
    const rows = documents.map((document) => {
      const cells = withCells(document)
      return columns.map((column) => cellOf(column, cells[column]))
    })
    const bytes = writer.add(rows)
    return last ? Buffer.concat([bytes, writer.end()]) : bytes
  }
}
