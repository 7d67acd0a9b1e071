import { type BulkChange, IncompleteStreamError, type ListedUser, type Streamed } from 'rollbook/client'
import { xlsxMediaType } from '../../../../src/lib/xlsx-reader.ts'
import { api } from '../../api/client.ts'
import { readOrganizationNames } from '../../data/organizations.ts'
import { type ExportFormat, rowCounter } from './row-counter.ts'
import { cellsOf, headerOf, type OrganizationNames, type SheetColumn, type SheetLanguage, sheetLine } from './sheet.ts'
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
export function exportUsers(
  query: ListQuery,
  { format, name }: { format: ExportFormat; name: string },
  how: How,
): Promise<Exported | undefined> {
  const accept = mediaTypes[format]
  return save({ name: `${name}.${format}`, type: accept, format }, how, () =>
    // The total is from the same snapshot and detects truncation: a proxy can cut a response off without an error.
    api.users.listRaw({ ...query, count: true }, { accept, signal: how.signal }),
  )
}

export type Sheet = {
  kind: 'xlsx' | 'csv'
  /** The name of the file, without its ending. */
  name: string
  /** The name of the sheet. */
  title: string
  columns: readonly SheetColumn[]
  language: SheetLanguage
  isRightToLeft: boolean
}

const rowsAtOnce = 500

/** Writes a table for people, row by row as the users arrive. Undefined if no file was chosen. */
export async function exportSheet(query: ListQuery, sheet: Sheet, how: How): Promise<Exported | undefined> {
  const type = sheet.kind === 'xlsx' ? xlsxMediaType : 'text/csv'
  const target = await openTarget(`${sheet.name}.${sheet.kind}`, type)
  if (target === undefined) return undefined
  try {
    const hasNames = sheet.columns.some(({ id }) => id === 'organization')
    const names = hasNames ? await readOrganizationNames(how.signal) : undefined
    const { headers, body } = await api.users.listRaw(
      { ...query, count: true },
      { accept: mediaTypes.ndjson, signal: how.signal },
    )
    const total = Number(headers.get('total-count'))
    const writer = await sheetWriter(sheet, names)
    let [rows, bytes, reportedAt] = [0, 0, 0]
    const put = async (piece: Uint8Array<ArrayBuffer>) => {
      if (piece.length > 0) await target.write(piece)
      bytes += piece.length
      const now = performance.now()
      if (now - reportedAt <= 150) return
      reportedAt = now
      how.onProgress({ rows, bytes, total })
    }
    await put(writer.start())
    for await (const users of usersIn(body)) {
      how.signal.throwIfAborted()
      rows += users.length
      await put(writer.add(users))
    }
    how.signal.throwIfAborted()
    if (rows !== total) throw new IncompleteStreamError(`The file was cut after ${rows} of ${total} users.`)
    await put(writer.end())
    await target.finish()
    return { rows, bytes, total }
  } catch (error) {
    await target.discard()
    throw error
  }
}

async function* usersIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<ListedUser[]> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (let at = 0; at < lines.length; at += rowsAtOnce)
      yield lines.slice(at, at + rowsAtOnce).map((line) => JSON.parse(line) as ListedUser)
  }
  if (rest !== '') throw new IncompleteStreamError('The file was cut within a user.')
}

type Bytes = Uint8Array<ArrayBuffer>
type SheetWriter = { start(): Bytes; add(users: readonly ListedUser[]): Bytes; end(): Bytes }

async function sheetWriter(
  { kind, title, columns, language, isRightToLeft }: Sheet,
  names: OrganizationNames | undefined,
): Promise<SheetWriter> {
  const header = headerOf(columns, language)
  const toCells = cellsOf(columns, language, names)
  if (kind === 'csv') {
    const encoder = new TextEncoder()
    const lines = (some: readonly string[]) => encoder.encode(some.map((line) => `${line}\r\n`).join(''))
    return {
      // A byte order mark, without which spreadsheets do not recognize UTF-8.
      start: () => lines([`\uFEFF${sheetLine(header, language)}`]),
      add: (users) => lines(users.map((user) => sheetLine(toCells(user), language))),
      end: () => new Uint8Array(),
    }
  }
  const { workbookWriter } = await import('../../../../src/lib/xlsx-writer.ts')
  const writer = workbookWriter({ header, sheetName: title, isRightToLeft })
  return {
    start: () => new Uint8Array(),
    add: (users) => writer.add(users.map(toCells)),
    end: writer.end,
  }
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
