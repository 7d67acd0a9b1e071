/** Splits a file into rows without interpreting them, which the server does. */
import { OperatorError } from '../../core/errors.ts'
import { csvLine } from '../../lib/csv-formula.ts'
import { CsvFault, type CsvRecord, csvReader, guessSeparator } from '../../lib/csv-records.ts'
import { type Line, lineCollector } from '../../lib/line-collector.ts'

/** The media type in which rows are sent. */
export type Format = 'ndjson' | 'csv'

/** The bytes of a row without its line break, and the line of the file on which it starts, from 1. */
export type Row = Buffer & { line?: number | undefined }

/** A longer row is a mistake, most often a quote that is not closed. */
const longestRow = 1024 * 1024

/** Yields the lines that are not blank, in one batch for each chunk of the input. */
export async function* lines(input: AsyncIterable<Uint8Array>): AsyncGenerator<Row[], void, undefined> {
  const collector = lineCollector(longestRow)
  let count = 0
  const rowsOf = (found: readonly Line[]): Row[] =>
    found.flatMap(({ bytes, line }) => {
      const rows = bytes === undefined ? tooLong(count + 1, line) : rowOf(bytes, line)
      count += rows.length
      return rows
    })
  for await (const chunk of input) {
    yield* batch(rowsOf(collector.add(chunk)))
    const line = collector.tooLong()
    if (line !== undefined) tooLong(count + 1, line)
  }
  yield* batch(rowsOf(collector.end()))
}

/** Far more columns than a file of users has. */
const mostColumns = 2000

/**
 * Yields the records of a CSV file (RFC 4180), including the header. A line break inside quotes does not end a record. With
 * another separator, the records get commas, so that all parts of the import agree.
 */
export async function* csvRecords(input: AsyncIterable<Uint8Array>): AsyncGenerator<Row[], void, undefined> {
  let reader: ReturnType<typeof csvReader> | undefined
  let hasCommas = true
  const open = (head: string) => {
    const delimiter = guessSeparator(head)
    hasCommas = delimiter === ','
    return csvReader({ delimiter, longest: longestRow, mostCells: hasCommas ? 2 : mostColumns, isTextWanted: true })
  }
  let found: CsvRecord[] = []
  let [count, lastLine] = [0, 1]
  const rows = (): Row[] => {
    const some = found.flatMap(({ text = '', cells, line }) =>
      rowOf(Buffer.from(hasCommas ? text : csvLine(cells), 'latin1'), line),
    )
    found = []
    count += some.length
    return some
  }
  try {
    for await (const chunk of input) {
      // Each byte is a character, so that the server gets the same bytes, and judges whether they are UTF-8.
      const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')
      reader ??= open(text)
      reader.read(text, found)
      yield* batch(rows())
    }
    reader?.end(found)
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error
    yield* batch(rows())
    if (error.code === 'too_long') tooLong(count + 1, error.line)
    // The server refuses it too, and says where the quote may be.
    lastLine = error.line
  }
  yield* batch(rows())
  yield* batch(rowOf(Buffer.from(reader?.unfinished() ?? '', 'latin1'), lastLine))
}

/** No batch without rows: the first one begins with the header. */
function batch(rows: Row[]): Row[][] {
  return rows.length > 0 ? [rows] : []
}

function tooLong(row: number, line: number): never {
  const hint = 'Is a quote never closed, or is this another format?'
  throw new OperatorError(`Row ${row} of the input is longer than 1 MiB; it begins on line ${line}. ${hint}`)
}

/** No row for a blank line. */
function rowOf(bytes: Buffer, line: number): Row[] {
  const row: Row = withoutReturn(bytes)
  row.line = line
  return isBlank(row) ? [] : [row]
}

function withoutReturn(row: Buffer): Buffer {
  return row.at(-1) === 0x0d ? row.subarray(0, -1) : row
}

function isBlank(row: Buffer): boolean {
  return row.length === 0 || (row.length < 256 && row.toString('latin1').trim() === '')
}
