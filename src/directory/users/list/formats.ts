/** The three formats of a list, from stored documents. */
import { protectCell } from '../../../lib/csv-formula.ts'
import type { User } from '../schema.ts'
import { userSchema } from '../schema.ts'
import type { Format } from './plan.ts'

export const contentTypes: Record<Format, string> = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
}

type Place = { first: boolean; last: boolean }

/** Rows as bytes: a whole text, or the part of one that stands at `place`. */
export async function writeRows(
  format: Format,
  documents: readonly string[],
  place: Place = { first: true, last: true },
): Promise<Uint8Array> {
  if (format === 'csv') return Buffer.from(await csv(documents, place))
  if (format === 'ndjson') return Buffer.from(documents.map((document) => `${document}\n`).join(''))
  const opening = place.first ? '[' : documents.length > 0 ? ',' : ''
  return Buffer.from(`${opening}${documents.join(',')}${place.last ? ']' : ''}`)
}

async function csv(documents: readonly string[], place: Place): Promise<string> {
  const { stringify } = await import('csv-stringify/sync')
  return stringify(
    documents.map((document) => JSON.parse(document) as User),
    {
      header: place.first,
      columns: [...userSchema.required],
      record_delimiter: 'windows', // RFC 4180 §2: CRLF
      cast: { boolean: String, string: protectCell },
    },
  )
}
