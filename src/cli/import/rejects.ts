/**
 * The rows that were rejected, as they were in the input and with the reason, so that they can be mended and imported
 * again: what was added is passed over then.
 */
import { closeSync, existsSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename } from 'node:path'
import { CsvError, parse } from 'csv-parse/sync'
import { csvLine, protectCell, unprotectCell } from '../../lib/csv-formula.ts'
import type { ImportReject } from '../../sdk/client/index.ts'
import { UsageError } from '../terminal/failure.ts'
import type { Format, Row } from './rows.ts'

const columns = ['rejected_row', 'rejected_line', 'rejected_code', 'rejected_detail'] as const

export type Rejects = {
  add(reject: Pick<ImportReject, 'row' | 'code' | 'detail'>, input: Row): void
  readonly count: number
  /** Gives the file its name, and answers it; undefined when no row was rejected. */
  keep(): string | undefined
  /** Leaves nothing: who goes on with the import gets all of them. */
  discard(): void
}

/**
 * Nothing is made before the first row is rejected, and nothing at all without a name. The file is for its owner only:
 * rows may hold passwords.
 */
export function collectRejects(file: string | undefined, format: Format, header: Row | undefined): Rejects {
  const draft = `${file}.${process.pid}.part`
  let open: number | undefined
  let count = 0
  const write = (text: string | Uint8Array) => {
    if (open === undefined) {
      open = openSync(draft, 'wx', 0o600)
      fchmodSync(open, 0o600)
      if (format === 'csv') writeSync(open, safeLine(header as Row, columns))
    }
    writeSync(open, text as string)
  }
  return {
    get count() {
      return count
    },
    add({ row, code, detail }, input) {
      count++
      if (file === undefined) return
      if (format === 'csv') write(safeLine(input, [String(row), String(input.line ?? ''), code, detail]))
      else write(`${JSON.stringify({ row, line: input.line, code, detail, input: parsed(input) })}\n`)
    },
    keep() {
      if (open === undefined || file === undefined) return undefined
      fsyncSync(open)
      closeSync(open)
      open = undefined
      renameSync(draft, file)
      return file
    },
    discard() {
      if (open === undefined) return
      closeSync(open)
      open = undefined
      rmSync(draft, { force: true })
    },
  }
}

/** The file that was asked for, or one named after the input, which is not there yet. */
export function rejectsFile(asked: string | undefined, input: string, format: Format): string {
  if (asked !== undefined) {
    if (existsSync(asked))
      throw new UsageError(`${asked} exists already and is left as it is; give --rejects another name.`)
    return asked
  }
  const base = basename(input).replace(/(\.(ndjson|jsonl|json|csv|gz|age))+$/i, '')
  // What is rejected once more goes beside what was rejected before.
  const name = input === '-' ? 'import' : base.replace(/\.rejects(-\d+)?$/, '')
  for (let n = 1; ; n++) {
    const file = `${name}.rejects${n === 1 ? '' : `-${n}`}.${format}`
    if (!existsSync(file)) return file
  }
}

/** A record with cells added to it, none of which a spreadsheet runs as a formula. */
function safeLine(record: Row, added: readonly string[]): string {
  return `${csvLine([...cellsOf(record), ...added].map(protectCell))}\r\n`
}

function cellsOf(record: Row): string[] {
  try {
    return (parse(record, { relax_column_count: true, relax_quotes: true }) as string[][])[0] ?? []
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // A quote that is not closed: kept as it is, to be mended.
    return [record.toString()]
  }
}

/** What is no JSON stays the text that it was. */
function parsed(input: Row): unknown {
  const text = input.toString()
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Rows that were rejected earlier, without what was added to them. */
export const withoutReasons = {
  async *ndjson(rows: AsyncGenerator<Row[], void, undefined>): AsyncGenerator<Row[], void, undefined> {
    let isOurs: boolean | undefined
    for await (const some of rows) {
      isOurs ??= inputOf(some[0] as Row) !== undefined
      yield isOurs ? some.map((row) => placed(inputOf(row) ?? row, row.line)) : some
    }
  },

  async csv(header: Row, rows: AsyncGenerator<Row[], void, undefined>) {
    if (!header.toString().includes(columns[0])) return { header, rows }
    const names = cellsOf(header).map(unprotectCell)
    const added = names.flatMap((name, n) => ((columns as readonly string[]).includes(name.trim()) ? [n] : []))
    const without = (record: Row): Row => {
      const cells = cellsOf(record).filter((_, n) => !added.includes(n))
      return placed(Buffer.from(csvLine(cells.map(unprotectCell))), record.line)
    }
    async function* rest() {
      for await (const some of rows) yield some.map(without)
    }
    return { header: without(header), rows: rest() }
  },
}

/** The row, with the line of the file on which it began. */
export function placed(row: Row, line: number | undefined): Row {
  row.line = line
  return row
}

function inputOf(row: Row): Row | undefined {
  // Most rows are not ours: they are not read for it.
  if (row.indexOf('"input"') < 0) return undefined
  const found = parsed(row) as { input?: unknown }
  const isOurs = typeof found === 'object' && found !== null && 'row' in found && 'code' in found && 'input' in found
  if (!isOurs) return undefined
  return Buffer.from(typeof found.input === 'string' ? found.input : JSON.stringify(found.input))
}
