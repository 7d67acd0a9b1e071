import { pipeline, Readable } from 'node:stream'
import { CsvError, type Options, parse } from 'csv-parse'
import { OperatorError } from '../errors.ts'
import { utf8Bytes } from './bytes.ts'

/** The rows of a CSV file with a header line: column → text, '' where there is nothing. */
export async function* csvRows(
  input: AsyncIterable<Uint8Array>,
  expected: string,
  options: { delimiter?: string; needs?: readonly string[] } = {},
): AsyncGenerator<Record<string, string>> {
  const needs = options.needs ?? []
  let header: string[] | undefined
  const columns = (names: string[]): string[] => {
    header = names.map((name) => name.trim())
    return header
  }
  const rows = records<Record<string, string>>(input, expected, {
    columns,
    delimiter: options.delimiter ?? ',',
    skip_empty_lines: true,
  })
  const checkHeader = (): void => {
    if (header === undefined) throw new OperatorError(`The input is empty; expected ${expected}.`)
    const missing = needs.filter((name) => !header?.includes(name))
    if (missing.length > 0)
      throw new OperatorError(`The first line names no column ${missing.join(', ')}; expected ${expected}.`)
  }
  for await (const row of rows) {
    checkHeader()
    yield row
  }
  checkHeader()
}

/** Rows as lists of texts, for files without a header line. */
export function csvRecords(
  input: AsyncIterable<Uint8Array>,
  expected: string,
  options: Options,
): AsyncGenerator<string[]> {
  return records<string[]>(input, expected, options)
}

async function* records<T>(input: AsyncIterable<Uint8Array>, expected: string, options: Options): AsyncGenerator<T> {
  // An unclosed quote would otherwise swallow the rest of the file.
  const parser = parse({ max_record_size: 4 * 1024 * 1024, ...options })
  pipeline(Readable.from(utf8Bytes(input), { objectMode: true }), parser, () => {})
  try {
    for await (const record of parser) yield record as T
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // Its message quotes the row, which may hold a secret.
    throw new OperatorError(`The input is not valid CSV at line ${error.lines ?? 1}; expected ${expected}.`)
  }
}
