/** Reads the rows of a file piece by piece: as they are sent, and as the file has them. */

import { CsvFault, type CsvRecord, csvLine, csvReader, unprotectCell } from '../../lib/csv.ts'
import { type AttributeTypes, columnsOf, type Mapping, mapRecord } from './columns.ts'
import { reasonColumns } from './reason-columns.ts'
import { FileFault, type Shape } from './shape.ts'

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

/** Opens a file from its beginning. The mapping applies to CSV. */
export function openSource(file: File, shape: Shape, mapping: Mapping, types: AttributeTypes = {}): Source {
  let read = 0
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
  const columns: string[] = []
  return {
    ...common,
    contentType: 'text/csv',
    header: csvLine(columnsOf(mapping)),
    columns,
    rows: records(text, shape.separator, (cells) => mapRecord(mapping, cells, types), columns),
  }
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

async function* records(
  text: AsyncIterable<string>,
  separator: string,
  cellsOf: (record: readonly string[]) => string[],
  columns: string[],
) {
  const reader = csvReader(separator)
  let hasHeader = false
  let hasReasons = false
  const toRows = (found: CsvRecord[]): SourceRow[] => {
    if (!hasHeader && found.length > 0) {
      hasHeader = true
      columns.push(...(found.shift() as CsvRecord).cells.map((name) => name.trim()))
      hasReasons = columns.includes(reasonColumns[0])
    }
    return found.map(({ cells, line }) => {
      // In a file of rejected rows, the cells of the original file are protected a second time.
      const original = hasReasons ? cells.map(unprotectCell) : cells
      return { sent: csvLine(cellsOf(original)), original, line }
    })
  }
  for await (const piece of text) yield toRows(reader.add(piece))
  yield toRows(reader.end())
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
    if (rest.length > 4 * 1024 * 1024) throw new CsvFault('row_too_long', line, line + 1)
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
