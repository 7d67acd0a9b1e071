import { type BulkChange, IncompleteStreamError, type Streamed } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { type ExportFormat, rowCounter } from './row-counter.ts'
import { openTarget } from './target.ts'

export type ExportQuery = NonNullable<BulkChange['filter']> & {
  sort?: NonNullable<Parameters<typeof api.users.listRaw>[0]>['sort']
}
export type ListQuery = ExportQuery & { include?: 'groups' }
export type Exported = { rows: number | undefined; bytes: number; total: number | undefined }

export const mediaTypes: Record<ExportFormat, string> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  json: 'application/json',
}

type How = { signal: AbortSignal; onProgress: (so_far: Exported) => void }

/** Undefined if no file was chosen. An incomplete export leaves no file. */
export function exportUsers(query: ListQuery, format: ExportFormat, how: How): Promise<Exported | undefined> {
  const accept = mediaTypes[format]
  return save({ name: `users.${format}`, type: accept, format }, how, () =>
    // The total is from the same snapshot and detects truncation: a proxy can cut a response off without an error.
    api.users.listRaw({ ...query, count: true }, { accept, signal: how.signal }),
  )
}

/** With password hashes, encrypted by the server. */
export function exportSealed(query: ExportQuery, passphrase: string, how: How): Promise<Exported | undefined> {
  const { sort: _, ...filter } = query
  return save({ name: 'users.ndjson.age', type: 'application/octet-stream' }, how, () =>
    api.users.exportSealed(passphrase, filter, { signal: how.signal }),
  )
}

async function save(
  { name, type, format }: { name: string; type: string; format?: ExportFormat },
  { signal, onProgress }: How,
  open: () => Promise<Streamed>,
): Promise<Exported | undefined> {
  const target = await openTarget(name, type)
  if (target === undefined) return undefined
  try {
    const { headers, body } = await open()
    const counted = headers.get('total-count')
    const total = counted === null ? undefined : Number(counted)
    const counter = format && rowCounter(format)
    // A byte order mark, without which spreadsheets do not recognize UTF-8.
    if (format === 'csv') await target.write(new Uint8Array([0xef, 0xbb, 0xbf]))
    let bytes = 0
    let reportedAt = 0
    for await (const chunk of body) {
      signal.throwIfAborted()
      counter?.add(chunk)
      bytes += chunk.length
      await target.write(chunk as Uint8Array<ArrayBuffer>)
      const now = performance.now()
      if (now - reportedAt > 150) {
        reportedAt = now
        onProgress({ rows: counter?.rows, bytes, total })
      }
    }
    signal.throwIfAborted()
    if (counter && (!counter.isWhole || (total !== undefined && counter.rows !== total)))
      throw new IncompleteStreamError(`The file was cut after ${counter.rows} of ${total} users.`)
    await target.finish()
    return { rows: counter?.rows ?? total, bytes, total }
  } catch (error) {
    await target.discard()
    throw error
  }
}
