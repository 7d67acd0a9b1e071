/** Splits a file into rows without interpreting them, which the server does. */
import { OperatorError } from '../../core/errors.ts'

/** The media type in which rows are sent. */
export type Format = 'ndjson' | 'csv'

/** The bytes of a row without its line break, and the line of the file on which it starts, from 1. */
export type Row = Buffer & { line?: number | undefined }

/** A longer row is a mistake, most often a quote that is not closed. */
const longestRow = 1024 * 1024

const [lineFeed, carriageReturn, quote] = [0x0a, 0x0d, 0x22]

/** Yields the lines that are not blank, in one batch for each chunk of the input. */
export async function* lines(input: AsyncIterable<Uint8Array>): AsyncGenerator<Row[], void, undefined> {
  yield* split(input, (data, start) => {
    const end = data.indexOf(lineFeed, start)
    return end < 0 ? undefined : end
  })
}

/** Yields the records of a CSV file (RFC 4180), including the header. A line break inside quotes does not end a record. */
export async function* csvRecords(input: AsyncIterable<Uint8Array>): AsyncGenerator<Row[], void, undefined> {
  let data: Buffer | undefined
  let nextQuote = -1
  yield* split(
    input,
    (piece, start) => {
      if (piece !== data) {
        data = piece
        nextQuote = piece.indexOf(quote, start)
      }
      let isQuoted = false
      for (let from = start; ; ) {
        const end = piece.indexOf(lineFeed, from)
        if (end < 0) {
          // The quotes of this record are counted again once the rest has arrived.
          data = undefined
          return undefined
        }
        // Search for each quote once, not once for every line before it.
        while (nextQuote >= 0 && nextQuote < end) {
          isQuoted = !isQuoted
          nextQuote = piece.indexOf(quote, nextQuote + 1)
        }
        if (!isQuoted) return end
        from = end + 1
      }
    },
    true,
  )
}

async function* split(
  input: AsyncIterable<Uint8Array>,
  endOf: (data: Buffer, start: number) => number | undefined,
  isReturnBreak = false,
): AsyncGenerator<Row[], void, undefined> {
  let rest: Buffer = Buffer.alloc(0)
  let count = 0
  let line = 1
  for await (const chunk of input) {
    const piece = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const data: Buffer = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    const rows: Row[] = []
    let start = 0
    for (let end = endOf(data, start); end !== undefined; end = endOf(data, start)) {
      const row: Row = withoutReturn(data.subarray(start, end))
      row.line = line
      if (!isBlank(row)) rows.push(row)
      for (let at = data.indexOf(lineFeed, start); at >= 0 && at <= end; at = data.indexOf(lineFeed, at + 1)) line++
      if (isReturnBreak)
        for (
          let at = data.indexOf(carriageReturn, start);
          at >= 0 && at < end;
          at = data.indexOf(carriageReturn, at + 1)
        )
          if (data[at + 1] !== lineFeed) line++
      start = end + 1
    }
    rest = data.subarray(start)
    count += rows.length
    if (rest.length > longestRow) {
      const hint = 'Is a quote never closed, or is this another format?'
      throw new OperatorError(`Row ${count + 1} of the input is longer than 1 MiB; it begins on line ${line}. ${hint}`)
    }
    if (rows.length > 0) yield rows
  }
  const last: Row = withoutReturn(rest)
  last.line = line
  if (!isBlank(last)) yield [last]
}

function withoutReturn(row: Buffer): Buffer {
  return row.at(-1) === carriageReturn ? row.subarray(0, -1) : row
}

function isBlank(row: Buffer): boolean {
  return row.length === 0 || (row.length < 256 && row.toString('latin1').trim() === '')
}
