import { OperatorError } from '../../core/errors.ts'
import { CsvFault, type CsvRecord, csvReader, guessSeparator } from '../../lib/csv-records.ts'
import { nearestName } from '../../lib/nearest-name.ts'
import { shownName, shownNames } from '../../lib/shown-name.ts'
import { glance, tableBytes, utf8Text } from './bytes.ts'
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
  const delimiter = options.delimiter ?? guessSeparator(`${first}\n`)
  let header: string[] | undefined
  for await (const { cells, count, line } of csvRecords(bytes, expected, delimiter)) {
    if (header === undefined) {
      header = cells.map((name) => name.trim())
      checkHeader(header, needs, expected)
      continue
    }
    if (count === header.length) {
      yield { row: Object.fromEntries(header.map((name, n) => [name, cells[n] ?? ''])), line }
      continue
    }
    const has = `${count} ${count === 1 ? 'cell' : 'cells'}`
    const why = `the row has ${has}, but the first line names ${header.length} columns`
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

/** Characters: far more than a row has. An unclosed quote would otherwise consume the rest of the file. */
const longest = 1024 * 1024
/** Far more columns than an export has. */
const mostColumns = 2000

/** Reads rows as lists of texts, for files without a header line. */
export async function* csvRecords(
  input: AsyncIterable<Uint8Array>,
  expected: string,
  delimiter?: string,
): AsyncGenerator<CsvRecord> {
  const reader = csvReader({ delimiter, longest, mostCells: mostColumns })
  let found: CsvRecord[] = []
  const records = function* () {
    const some = found
    found = []
    yield* some
  }
  try {
    for await (const text of utf8Text(tableBytes(input))) {
      reader.read(text, found)
      yield* records()
    }
    reader.end(found)
    yield* records()
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error
    yield* records()
    throw new OperatorError(
      `A quote opens on line ${error.line} or later and is never closed: the file is cut, or has a quote too many; expected ${expected}.`,
    )
  }
}
