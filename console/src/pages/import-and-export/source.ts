/** Reads the rows of a file piece by piece: as they are sent, and as the file has them. */

import { instantOfCell } from '../../../../src/lib/cell-instant.ts'
import { csvLine, protectCell, unprotectCell } from '../../../../src/lib/csv-formula.ts'
import { CsvFault, type CsvRecord, csvReader } from '../../../../src/lib/csv-records.ts'
import { workbookRows } from '../../../../src/lib/xlsx-reader.ts'
import { instantOfClock, zoneClock, zoneOfColumn } from '../../../../src/lib/zone-clock.ts'
import { type AttributeTypes, columnsOf, type Mapping, mapRecord } from './columns.ts'
import { reasonColumns } from './reason-columns.ts'
import { FileFault, mostColumns, type Shape } from './shape.ts'

/** `sent` is a row of the request; `original` is the text in the file, which begins on `line`. */
export type SourceRow = { sent: string; original: string[] | string; line: number }

export type Source = {
  contentType: 'text/csv' | 'application/x-ndjson'
  /** The first line of each request, if there is one. */
  header: string | undefined
  /** The column names of the file; undefined if it is not CSV. */
  columns: readonly string[] | undefined
  /** Can be iterated only once. */
  rows: AsyncIterable<SourceRow[]>
  /** How many bytes were read, of how many. */
  position(): number
  size: number
}

/** The server accepts no longer row. */
const longestRow = 64 * 1024

/** Opens a file from its beginning. The mapping applies to files with columns. */
export function openSource(file: File, shape: Shape, mapping: Mapping, types: AttributeTypes = {}): Source {
  let read = 0
  const columns: string[] = []
  // Where a comma separates decimals, a semicolon separates cells.
  const hasDecimalComma = shape.format === 'csv' && shape.separator === ';'
  const cellsOf: ToCells = (cells) => mapRecord(mapping, cells, types, hasDecimalComma)
  if (shape.format === 'xlsx') {
    const rows = sheetRows(
      file,
      { cellsOf, mapping },
      {
        columns,
        onRead: (bytes) => {
          read += bytes
        },
      },
    )
    return { ...asCsv(mapping), columns, rows, position: () => read, size: file.size }
  }
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      read += chunk.length
      controller.enqueue(chunk)
    },
  })
  const bytes = file.stream().pipeThrough(counted)
  const text = decoded(shape.isPacked ? bytes.pipeThrough(new DecompressionStream('gzip')) : bytes, shape)
  const common = { position: () => read, size: file.size }
  if (shape.format !== 'csv')
    return {
      ...common,
      contentType: 'application/x-ndjson',
      header: undefined,
      columns: undefined,
      rows: shape.format === 'json' ? elements(text) : lines(text),
    }
  return {
    ...common,
    ...asCsv(mapping),
    columns,
    rows: records(text, shape.separator, cellsOf, columns),
  }
}

/** Files with columns are sent as CSV. */
function asCsv(mapping: Mapping): Pick<Source, 'contentType' | 'header'> {
  return { contentType: 'text/csv', header: csvLine(columnsOf(mapping)) }
}

async function* sheetRows(
  file: File,
  { cellsOf, mapping }: { cellsOf: ToCells; mapping: Mapping },
  { columns, onRead }: { columns: string[]; onRead: (bytes: number) => void },
): AsyncGenerator<SourceRow[]> {
  const toRows = recordMapper(cellsOf, columns, mapping)
  for await (const records of workbookRows(file, { mostCells: mostColumns, onRead })) yield toRows(records)
}

async function* decoded(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  { encoding }: Shape,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true })
      if (text !== '') yield text
      if (done) return
    }
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    // Both the decoder and DecompressionStream throw this for invalid bytes.
    throw new FileFault('damaged', { cause })
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

type ToCells = (record: readonly string[]) => string[]

async function* records(text: AsyncIterable<string>, separator: string, cellsOf: ToCells, columns: string[]) {
  const reader = csvReader({ delimiter: separator, longest: longestRow, mostCells: mostColumns })
  const toRows = recordMapper(cellsOf, columns)
  let found: CsvRecord[] = []
  for await (const piece of text) {
    reader.read(piece, found)
    yield toRows(found)
    found = []
  }
  reader.end(found)
  yield toRows(found)
}

/**
 * Returns a function from records, of which the first one names the columns, to rows.
 *
 * @param ofSheet The mapping of an Excel file. Its cells are as they are, while the server removes the apostrophe before a formula.
 */
function recordMapper(cellsOf: ToCells, columns: string[], ofSheet?: Mapping): (found: CsvRecord[]) => SourceRow[] {
  let hasHeader = false
  let hasReasons = false
  let toInstants: ((cells: readonly string[]) => string[]) | undefined
  return (found) => {
    if (!hasHeader && found.length > 0) {
      hasHeader = true
      columns.push(...(found.shift() as CsvRecord).cells.map((name) => name.trim()))
      hasReasons = columns.includes(reasonColumns[0])
      toInstants = zonedCells(columns)
    }
    return found.map(({ cells, line }) => {
      // In a file of rejected rows, the cells of the original file are protected a second time.
      const original = hasReasons ? cells.map(unprotectCell) : cells
      const sent = cellsOf(toInstants === undefined ? original : toInstants(original))
      return ofSheet === undefined || hasReasons
        ? { sent: csvLine(sent), original, line }
        : {
            sent: csvLine(protectedCells(sent, columnsOf(ofSheet))),
            original: protectedCells(original, ofSheet),
            line,
          }
    })
  }
}

/** The server never changes a password. */
function protectedCells(cells: readonly string[], members: Mapping): string[] {
  return cells.map((cell, n) =>
    members[n] === 'password' || members[n] === 'password_hash' ? cell : protectCell(cell),
  )
}

/** Our table for people has the zone of its times in the header. Undefined if no column has one. */
function zonedCells(columns: readonly string[]): ((cells: readonly string[]) => string[]) | undefined {
  const clocks = columns.map((name) => {
    const zone = zoneOfColumn(name)?.timeZone
    try {
      return zone === undefined ? undefined : zoneClock(zone)
    } catch (error) {
      // What looks like a zone may be none.
      if (!(error instanceof RangeError)) throw error
      return undefined
    }
  })
  if (clocks.every((clock) => clock === undefined)) return undefined
  return (cells) =>
    cells.map((cell, column) => {
      const clock = clocks[column]
      const clockMs = clock && Date.parse(instantOfCell(cell) ?? cell)
      return clock === undefined || clockMs === undefined || Number.isNaN(clockMs)
        ? cell
        : new Date(instantOfClock(clock, clockMs)).toISOString()
    })
}

async function* lines(text: AsyncIterable<string>): AsyncGenerator<SourceRow[], void, undefined> {
  let rest = ''
  let line = 0
  const row = (text: string): SourceRow[] => {
    line += 1
    const original = text.trim()
    return original === '' ? [] : [{ sent: withoutReason(original), original, line }]
  }
  for await (const piece of text) {
    const found = (rest + piece).split('\n')
    rest = found.pop() as string
    if (rest.length > 4 * 1024 * 1024) throw new CsvFault('too_long', line + 1)
    yield found.flatMap(row)
  }
  yield row(rest)
}

/** Reads a row of a file of rejected rows. */
function withoutReason(line: string): string {
  // Most rows are no rejected rows: do not parse them for this.
  if (!line.includes('"input"')) return line
  try {
    const found: unknown = JSON.parse(line)
    if (typeof found !== 'object' || found === null || !('input' in found && 'row' in found && 'code' in found))
      return line
    return typeof found.input === 'string' ? found.input : JSON.stringify(found.input)
  } catch {
    return line
  }
}

/** Reads the elements of an array, each as a line. */
async function* elements(text: AsyncIterable<string>): AsyncGenerator<SourceRow[], void, undefined> {
  const { TokenParser, Tokenizer, TokenType } = await import('@streamparser/json')
  const tokenizer = new Tokenizer()
  const parser = new TokenParser({ paths: ['$.*'], keepStack: false })
  let found: SourceRow[] = []
  let line = 1
  let firstLine = 1
  let depth = 0
  parser.onValue = ({ value }) => {
    const sent = JSON.stringify(value)
    found.push({ sent, original: sent, line: firstLine })
  }
  let fault: unknown
  const note = (error: unknown) => {
    fault ??= error
  }
  tokenizer.onError = note
  parser.onError = note
  tokenizer.onToken = (token) => {
    const isEnd = token.token === TokenType.RIGHT_BRACE || token.token === TokenType.RIGHT_BRACKET
    if (isEnd) depth -= 1
    else if (depth === 1) firstLine = line
    if (token.token === TokenType.LEFT_BRACE || token.token === TokenType.LEFT_BRACKET) depth += 1
    if (!parser.isEnded) parser.write(token)
    else note(new Error('Something follows the array.'))
  }
  const check = () => {
    if (fault !== undefined) throw new FileFault('damaged', { cause: fault })
  }
  for await (const piece of text) {
    for (const part of piece.split(/(?<=\n)/)) {
      tokenizer.write(part)
      if (part.endsWith('\n')) line += 1
    }
    check()
    yield found
    found = []
  }
  if (!parser.isEnded) parser.end()
  check()
  yield found
}
