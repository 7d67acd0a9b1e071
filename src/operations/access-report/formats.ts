/** The report as JSON, NDJSON or CSV. */
import { protectCell } from '../../lib/csv-formula.ts'
import { joinNames } from '../../lib/name-list.ts'
import { type AccessSource, accessSourceSchema } from './schema.ts'

export type ReportFormat = 'json' | 'ndjson' | 'csv'

export const contentTypes: Record<ReportFormat, string> = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
}

/** Returns the bytes of some rows; `undefined` ends the file. */
type RowWriter = (rows: readonly AccessSource[] | undefined, isFirst: boolean) => Uint8Array

/** Whether memberships or users have end dates: without one, the word appears nowhere. */
type Ends = { ofMemberships: boolean; ofUsers: boolean }

export async function rowWriter(format: ReportFormat, ends: Ends): Promise<RowWriter> {
  if (format === 'csv') return csvWriter(ends)
  if (format === 'ndjson') return (rows = []) => Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  return (rows, isFirst) => {
    if (rows === undefined) return Buffer.from(isFirst ? '[]' : ']')
    return Buffer.from(`${isFirst ? '[' : ','}${rows.map((row) => JSON.stringify(row)).join(',')}`)
  }
}

async function csvWriter({ ofMemberships, ofUsers }: Ends): Promise<RowWriter> {
  const { stringify } = await import('csv-stringify/sync')
  const columns = [
    ...accessSourceSchema.required,
    ...(ofMemberships ? ['expires_at'] : []),
    ...(ofUsers ? ['user_expires_at'] : []),
  ]
  const cells = ({ permissions, granted_by, ...row }: AccessSource) => ({
    ...row,
    permissions: joinNames(permissions),
    granted_by: granted_by && (granted_by.name ?? granted_by.id),
  })
  return (rows, isFirst) => {
    if (rows === undefined && !isFirst) return Buffer.alloc(0)
    const text = stringify((rows ?? []).map(cells), {
      header: isFirst,
      columns,
      record_delimiter: 'windows', // RFC 4180 §2: CRLF
      cast: { boolean: String, string: protectCell },
    })
    return Buffer.from(text)
  }
}
