import { pipeline, Readable } from 'node:stream'
import { CsvError, type Options, parse } from 'csv-parse'
import { OperatorError } from '../../core/errors.ts'
import { nearestName } from '../../lib/nearest-name.ts'
import { shownName, shownNames } from '../../lib/shown-name.ts'
import { glance, utf8Bytes } from './bytes.ts'
import type { LeftOut } from './source.ts'

/** A row with the line on which it starts, or the report on a row that cannot be read. */
type CsvRow = { row: Record<string, string>; line: number } | { leftOut: LeftOut }

/**
 * Reads the rows of a CSV file with a header line: column → text, '' for an empty cell. The separator is detected from the
 * header unless it is given. A row with more or fewer cells is skipped, and reading continues.
 */
export async function* csvRows(
  input: AsyncIterable<Uint8Array>,
  expected: string,
  options: { delimiter?: string | undefined; needs?: readonly string[] } = {},
): AsyncGenerator<CsvRow> {
  const needs = options.needs ?? []
  const { line: first, bytes } = await glance(input)
  let header: string[] | undefined
  const rows = placedRecords(bytes, expected, {
    delimiter: options.delimiter ?? delimiterOf(first),
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  })
  for await (const { record: cells, line } of rows) {
    if (header === undefined) {
      header = cells.map((name) => name.trim())
      checkHeader(header, needs, expected)
      continue
    }
    if (cells.length === header.length) {
      yield { row: Object.fromEntries(header.map((name, n) => [name, cells[n] ?? ''])), line }
      continue
    }
    const count = `${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}`
    const why = `the row has ${count}, but the first line names ${header.length} columns`
    yield { leftOut: { what: 'user', why, of: `line ${line}` } }
  }
  if (header === undefined) throw new OperatorError(`The input is empty; expected ${expected}.`)
}

function checkHeader(header: readonly string[], needs: readonly string[], expected: string): void {
  const missing = needs.filter((name) => !header.includes(name))
  if (missing.length === 0) return
  const near = missing.flatMap((name) => {
    const meant = nearestName(name, header)
    return meant === undefined ? [] : [`${shownName(meant)} for ${name}`]
  })
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`
  // Without a header line, these would be the values of a user.
  const isHeader = header.every((name) => /^[\p{L}_][\p{L}\p{N} _.\-/()]*$/u.test(name))
  const has = isHeader
    ? `it has ${shownNames(header, 20)}`
    : 'it looks like a user, so the line with the names may be missing'
  throw new OperatorError(
    `The first line names no column ${missing.join(', ')}; ${has}.${hint ? `${hint} It` : ' It'} is not the file that was expected: ${expected}.`,
  )
}

/** Returns the separator of the first line, or a comma. */
function delimiterOf(line: string): string {
  const plain = line.replaceAll(/"[^"]*"/g, '')
  const counts = [',', ';', '\t', '|'].map((sign) => ({ sign, count: plain.split(sign).length }))
  return counts.reduce((most, one) => (one.count > most.count ? one : most)).sign
}

/** Reads rows as lists of texts, for files without a header line. */
export function csvRecords(
  input: AsyncIterable<Uint8Array>,
  expected: string,
  options: Options,
): AsyncGenerator<{ record: string[]; line: number }> {
  return placedRecords(input, expected, options)
}

type Parsed = { record: string[]; info: { lines: number; empty_lines: number } }

async function* placedRecords(
  input: AsyncIterable<Uint8Array>,
  expected: string,
  options: Options,
): AsyncGenerator<{ record: string[]; line: number }> {
  // An unclosed quote would otherwise consume the rest of the file.
  let read = 0
  const parser = parse({
    max_record_size: 4 * 1024 * 1024,
    ...options,
    info: true,
    // Also correct for unread records when a later one has a fault.
    on_record(record, { lines }) {
      read = lines
      return record
    },
  })
  pipeline(Readable.from(utf8Bytes(input), { objectMode: true }), parser, () => {})
  let done = 0
  let blank = 0
  let twice = 0
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      // Blank lines before a record are counted with it.
      const line = done + (info.empty_lines - blank) + 1
      // The parser counts CR LF between quotes twice.
      twice += record.reduce((count, cell) => count + (cell.includes('\r\n') ? cell.split('\r\n').length - 1 : 0), 0)
      done = info.lines - twice
      blank = info.empty_lines
      yield { record, line }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // The message quotes the row, which may contain a secret.
    const isOpen = error.code === 'CSV_QUOTE_NOT_CLOSED' || error.code === 'CSV_MAX_RECORD_SIZE'
    const fault = isOpen
      ? `A quote opens on line ${read + 1} or later and is never closed: the file is cut, or has a quote too many`
      : `The input is not valid CSV at line ${error.lines ?? read + 1}: look at its quotes`
    throw new OperatorError(`${fault}; expected ${expected}.`)
  }
}
