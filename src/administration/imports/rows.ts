/** Reads the rows of a file while it arrives: lines of JSON, or CSV (RFC 4180). Leaves those of Excel to workbook.ts. */
import { AppError, type InputFault, validationFailed } from '../../core/errors.ts'
import { nameForm as definedName } from '../../directory/attributes/schema.ts'
import type { DecimalComma } from '../../directory/attributes/service.ts'
import type { Fault } from '../../directory/users/service.ts'
import { unknownMembers } from '../../http/response/faults.ts'
import { booleanIn } from '../../lib/boolean-text.ts'
import { instantOfCell } from '../../lib/cell-instant.ts'
import { unprotectCell } from '../../lib/csv-formula.ts'
import { CsvFault, type CsvRecord, csvReader, guessSeparator, type Separator } from '../../lib/csv-records.ts'
import { endOfDay } from '../../lib/end-of-day.ts'
import { type Line, lineCollector } from '../../lib/line-collector.ts'
import { splitNames } from '../../lib/name-list.ts'
import { shownName } from '../../lib/shown-name.ts'
import { JsonSyntaxError, parseStrictJson } from '../../lib/strict-json.ts'
import { type Encoding, markedEncoding } from '../../lib/text-encoding.ts'
import { kindOfWorkbook, xlsxMediaType } from '../../lib/xlsx-reader.ts'
import { importRowSchema } from './schema.ts'

/**
 * The content of a row, or why it cannot be read; and the line of the body on which it starts, from 1. `areTexts`: the values
 * of attributes are cells of a CSV file.
 */
export type SentRow = ({ value: unknown; areTexts?: true; decimalComma?: DecimalComma } | { fault: Fault }) & {
  line: number
}

/** A row may be as long as the body of a single user. */
export const rowLimitBytes = 64 * 1024

const lineFeed = 0x0a
export const tooLong: Fault = {
  code: 'row_too_long',
  pointer: null,
  detail: `The row is too long. A row can have at most ${rowLimitBytes / 1024} KiB.`,
}

/** Yields the rows of each chunk that arrives. Blank lines are skipped, but count as lines. */
export async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<SentRow[]> {
  const collector = lineCollector(rowLimitBytes)
  const rowsIn = (lines: readonly Line[]): SentRow[] =>
    lines.flatMap(({ bytes, line }) => {
      if (bytes === undefined) return [{ fault: tooLong, line }]
      const isBlank =
        withoutMark(bytes, line === 1)
          .toString()
          .trim() === ''
      return isBlank ? [] : [{ ...readLine(bytes), line }]
    })
  for await (const piece of body) yield* inSteps(rowsIn(collector.add(piece)))
  yield* inSteps(rowsIn(collector.end()))
}

/** Removes a byte order mark, which RFC 8259 §8.1 lets a reader ignore. */
function withoutMark(bytes: Buffer, isFirst: boolean): Buffer {
  return isFirst && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

function readLine(bytes: Buffer): { value: unknown } | { fault: Fault } {
  try {
    // As bytes if possible: in a string, invalid UTF-8 is already replaced.
    return { value: parseStrictJson(bytes[0] === 0xef ? withoutMark(bytes, true) : bytes) }
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    return {
      fault: { code: 'malformed_json', pointer: null, detail: error.message.replace('The body', 'The row') },
    }
  }
}

/** Members that a CSV cell cannot hold. Attributes have columns of their own. */
const isNested: ReadonlySet<string> = new Set(['attributes', 'factors', 'recovery_code_hashes'])
const members = Object.keys(importRowSchema.properties).filter((member) => !isNested.has(member))
const booleans: ReadonlySet<string> = new Set([
  'active',
  'must_change_password',
  'has_password',
  'invited',
  'invite',
  'email_verified',
])
/** Rows per step: other work gets a turn in between. */
const rowsAtOnce = 200
/** Far more than there are members and attributes. */
export const mostColumns = 1000

type CsvOptions = {
  /** The lines of the file before this part, for messages; null if unknown. */
  linesBefore?: number | null
  /** False: the first line after the header is line 1, as in a part of a file. */
  isHeaderCounted?: boolean
  /** A byte order mark says it better. */
  encoding?: Encoding | undefined
}

/**
 * Reads the rows of a CSV file, whose first line names members and tells the separator. An empty cell leaves the member
 * unchanged, except for `groups`. Removes the apostrophe before a formula, which the CSV list of users adds.
 *
 * @throws AppError `validation_failed` if the first line has an unknown name
 */
export async function* readCsv(
  body: AsyncIterable<Uint8Array>,
  { linesBefore = 0, isHeaderCounted = true, encoding }: CsvOptions = {},
): AsyncGenerator<SentRow[]> {
  let uncounted = 0
  const describeLine = (line: number) =>
    linesBefore === null ? `line ${line} of the body` : `line ${linesBefore + line - uncounted}`
  // Where a comma separates decimals, a semicolon separates cells.
  let delimiter: Separator | undefined
  const toRow = rowsBelowHeader(() => ({
    isProtected: true,
    decimalComma: delimiter === ';' ? 'always' : 'unambiguous',
  }))
  let reader: ReturnType<typeof csvReader> | undefined
  let records: CsvRecord[] = []
  const read = () => {
    const rows = records.flatMap((record) => {
      const row = toRow({ ...record, line: record.line - uncounted })
      if (row !== undefined) return [row]
      reader?.setMostCells(record.count)
      if (!isHeaderCounted) uncounted = record.line
      return []
    })
    records = []
    return inSteps(rows)
  }
  let begun = ''
  const open = () => {
    delimiter = guessSeparator(begun)
    reader = csvReader({ delimiter, longest: rowLimitBytes, mostCells: mostColumns + 1 })
    reader.read(begun, records)
  }
  try {
    for await (const text of decoded(body, { describeLine, encoding })) {
      if (reader !== undefined) reader.read(text, records)
      else {
        begun += text
        if (hasLine.test(begun) || begun.length > rowLimitBytes) open()
      }
      yield* read()
    }
    if (reader === undefined) open()
    reader?.end(records)
    yield* read()
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error
    yield* read()
    throw new AppError('malformed_csv', csvFaults[error.code](`in the row that starts on ${describeLine(error.line)}`))
  }
  if (!toRow.hasHeader())
    throw new AppError('malformed_csv', 'The file is empty. Its first line must name the columns.')
}

/** A line that is not blank, with its end. */
const hasLine = /[^\r\n][\r\n]/

type CellForm = { isProtected: boolean; decimalComma?: DecimalComma }

/** Returns a function from records to rows; undefined for the first one, which names the columns. */
export function rowsBelowHeader(form: () => CellForm) {
  let header: string[] | undefined
  const toRow = (record: CsvRecord): SentRow | undefined => {
    if (header !== undefined) return readRecord(record, header, form())
    header = readHeader(record.cells)
    return undefined
  }
  return Object.assign(toRow, { hasHeader: () => header !== undefined })
}

/** At least one step for each piece of the file, so that the reader notices when the client has left. */
export function* inSteps(rows: readonly SentRow[]): Generator<SentRow[]> {
  for (let from = 0; from === 0 || from < rows.length; from += rowsAtOnce) yield rows.slice(from, from + rowsAtOnce)
}

const csvFaults: Record<CsvFault['code'], (where: string) => string> = {
  too_long: (where) => `A row is longer than ${rowLimitBytes / 1024} KiB; a closing quote may be missing ${where}.`,
  open_quote: (where) => `The file ends inside quotes: a quote ${where} is never closed.`,
}

type Decoding = { describeLine(line: number): string; encoding: Encoding | undefined }

/** Decodes without a byte order mark. Invalid text is refused: it would be stored as replacement characters. */
async function* decoded(body: AsyncIterable<Uint8Array>, { describeLine, encoding }: Decoding): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  let line = 1
  const decode = (piece?: Uint8Array) => {
    decoder ??= new TextDecoder(markedEncoding(piece ?? new Uint8Array()) ?? encoding ?? 'utf-8', { fatal: true })
    try {
      const text = decoder.decode(piece, { stream: piece !== undefined })
      if (piece !== undefined) line += breaksIn(piece)
      return text
    } catch {
      const name = decoder.encoding.toUpperCase()
      if (name !== 'UTF-8') throw new AppError('malformed_csv', `The file is not ${name}, or is cut off.`)
      const at = piece === undefined ? line : line + breaksBeforeFault(piece)
      throw new AppError(
        'malformed_csv',
        `The file is not UTF-8 (${describeLine(at)}). Save it again as CSV in UTF-8, or name its encoding: Content-Type: text/csv; charset=windows-1252.`,
      )
    }
  }
  for await (const piece of withWholeMark(body)) {
    if (decoder === undefined && kindOfWorkbook(piece) !== undefined)
      throw new AppError('malformed_csv', `The file is not CSV, but an Excel file. Send it as ${xlsxMediaType}.`)
    yield decode(piece)
  }
  yield decode()
}

/** The first piece has the bytes that tell what the body is. */
async function* withWholeMark(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let begun: Buffer | undefined = Buffer.alloc(0)
  for await (const piece of body) {
    if (begun === undefined) yield piece
    else {
      begun = Buffer.concat([begun, piece])
      if (begun.length < 4) continue
      yield begun
      begun = undefined
    }
  }
  if (begun !== undefined && begun.length > 0) yield begun
}

function breaksIn(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) count++
  return count
}

/** Counts the lines of a chunk that end before the first invalid UTF-8. */
function breaksBeforeFault(piece: Uint8Array): number {
  let start = 0
  // The previous chunk may end within a character.
  while (start < 3 && ((piece[start] ?? 0) & 0xc0) === 0x80) start++
  for (let count = 0; ; count++) {
    const end = piece.indexOf(lineFeed, start)
    if (end < 0) return count
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(piece.subarray(start, end))
    } catch {
      return count
    }
    start = end + 1
  }
}

function readHeader(names: readonly string[]): string[] {
  if (names.length > mostColumns) throw headerFault(`The first line has more than ${mostColumns} columns.`)
  const cleaned = names.map((name) => name.trim())
  const unknown = cleaned.filter((name) => !members.includes(name) && !attributeForm.test(name))
  // The names could be values, including a password.
  if (unknown.length === cleaned.length && !cleaned.every((name) => nameForm.test(name)))
    throw headerFault(
      `The first line of the file names no columns and looks like a user. Begin the file with a line that names the columns. Accepted: ${members.join(', ')}.`,
    )
  const faults: InputFault[] = []
  const fault = (code: string, detail: string) => faults.push({ pointer: '#', code, detail })
  if (unknown.length > 0) fault('unknown_member', unknownMembers(unknown, members, { kind: 'column' }))
  cleaned.forEach((name, n) => {
    if (cleaned.indexOf(name) === n || unknown.includes(name)) return
    fault('repeated', `Columns ${cleaned.indexOf(name) + 1} and ${n + 1} are both named ${name}.`)
  })
  if (faults.length > 0) throw validationFailed(faults.slice(0, 20))
  return cleaned
}

/** Whether the attribute is defined is known when its values are judged. */
const attributeForm = new RegExp(`^attributes\\.(${definedName})$`)
const nameForm = /^[\p{L}_][\p{L}\p{N} _.\-/()]{0,63}$|^$/u

function headerFault(detail: string): AppError {
  return validationFailed([{ pointer: '#', code: 'unknown_member', detail }])
}

function readRecord(
  { cells, count, line }: CsvRecord,
  header: readonly string[],
  { isProtected, decimalComma }: CellForm,
): SentRow {
  if (count !== header.length) {
    return {
      line,
      fault: {
        code: 'malformed_csv',
        pointer: null,
        detail: 'The row has more or fewer cells than there are columns.',
      },
    }
  }
  // Without a name a user is in no group, which a list shows as an empty cell too.
  const filled = header
    .map((name, n) => [name, cells[n] as string] as const)
    .filter(([name, cell]) => cell !== '' || name === 'groups')
  const other = filled.find(([name, cell]) => booleans.has(name) && booleanIn(cell) === undefined)
  if (other !== undefined) return { line, fault: notBoolean(...other) }
  return {
    line,
    areTexts: true,
    ...(decimalComma && { decimalComma }),
    value: withAttributes(filled.map(([name, cell]) => [name, readCell(name, cell, isProtected)] as const)),
  }
}

function notBoolean(name: string, cell: string): Fault {
  const detail = `The column ${name} has the value ${shownName(cell)}. Write true or false.`
  return { code: 'wrong_type', pointer: `#/${name}`, detail }
}

/** The columns `attributes.…` as one member: texts, which their definitions will give a type. */
function withAttributes(cells: readonly (readonly [name: string, value: unknown])[]): unknown {
  const members = cells.filter(([name]) => !name.startsWith(prefix))
  const values = cells.filter(([name]) => name.startsWith(prefix))
  const attributes = Object.fromEntries(values.map(([name, value]) => [name.slice(prefix.length), value]))
  return { ...Object.fromEntries(members), ...(values.length > 0 && { attributes }) }
}

const prefix = 'attributes.'

const secrets: ReadonlySet<string> = new Set(['password', 'password_hash', 'totp_secret'])

function readCell(name: string, cell: string, isProtected: boolean): unknown {
  if (booleans.has(name)) return booleanIn(cell)
  // Exported lists do not contain these, and a password must not be altered.
  if (secrets.has(name)) return cell
  const text = isProtected ? unprotectCell(cell) : cell
  if (name === 'groups') return splitNames(text)
  if (name === 'expires_at') return endOfDay(text) ?? instantOfCell(text) ?? text
  return !name.startsWith(prefix) && name.endsWith('_at') ? (instantOfCell(text) ?? text) : text
}
