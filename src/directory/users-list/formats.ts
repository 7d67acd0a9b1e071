/** The three formats of a list, from stored documents. */
import { protectCell } from '../../lib/csv-formula.ts'
import { joinNames } from '../../lib/name-list.ts'
import { toCell } from '../attributes/service.ts'
import { type ListedUser, rowMembers } from '../users/schema.ts'
import type { Format, ListPlan } from './plan.ts'

export const contentTypes: Record<Format, string> = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
}

type Place = { first: boolean; last: boolean }

/** Rows as bytes: a whole text, or the part of one that stands at `place`. CSV has a column for each of `attributes`. */
export async function writeRows(
  { format, withGroups }: Pick<ListPlan, 'format' | 'withGroups'>,
  documents: readonly string[],
  place: Place = { first: true, last: true },
  attributes: readonly string[] = [],
): Promise<Uint8Array> {
  if (format === 'csv') return Buffer.from(await csv(documents, place, { attributes, withGroups }))
  if (format === 'ndjson') return Buffer.from(documents.map((document) => `${document}\n`).join(''))
  const opening = place.first ? '[' : documents.length > 0 ? ',' : ''
  return Buffer.from(`${opening}${documents.join(',')}${place.last ? ']' : ''}`)
}

const ownColumns = rowMembers.filter((member) => member !== 'attributes')

/** A cell for each attribute, and one for the groups, which an import reads back. */
function withCells({ attributes, groups, ...user }: ListedUser): Record<string, unknown> {
  // A node of the release before wrote the document without.
  const cells = Object.entries(attributes ?? {}).map(([name, value]) => [`attributes.${name}`, toCell(value)])
  return { ...user, ...Object.fromEntries(cells), groups: joinNames(groups ?? []) }
}

type Columns = { attributes: readonly string[]; withGroups: true | undefined }

async function csv(documents: readonly string[], place: Place, { attributes, withGroups }: Columns): Promise<string> {
  const { stringify } = await import('csv-stringify/sync')
  return stringify(
    documents.map((document) => withCells(JSON.parse(document) as ListedUser)),
    {
      header: place.first,
      columns: [...ownColumns, ...attributes.map((name) => `attributes.${name}`), ...(withGroups ? ['groups'] : [])],
      record_delimiter: 'windows', // RFC 4180 §2: CRLF
      cast: { boolean: String, string: protectCell },
    },
  )
}
