/**
 * Writes rejected rows with the reasons, so that they can be corrected and imported again. The import then ignores the
 * added columns and members.
 */
import { closeSync, existsSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename } from 'node:path'
import { csvLine, protectCell, unprotectCell } from '../../lib/csv-formula.ts'
import { cellsOfRecord } from '../../lib/csv-records.ts'
import type { ImportReject } from '../../sdk/client/index.ts'
import { UsageError } from '../terminal/failure.ts'
import type { Format, Row } from './rows.ts'

const columns = ['rejected_row', 'rejected_line', 'rejected_code', 'rejected_detail'] as const

export type Rejects = {
  add(reject: Pick<ImportReject, 'row' | 'code' | 'detail'>, input: Row): void
  readonly count: number
  /** Gives the file its name and returns it. Undefined if no row was rejected. */
  save(): string | undefined
  /** Removes the file: a continued import writes all rejects again. */
  discard(): void
}

/**
 * Creates the file with the first rejected row; without a file name only counts. Only the owner can read the file, because
 * rows may contain passwords. The secrets of second factors are left out: they work without any guessing.
 */
export function collectRejects(file: string | undefined, format: Format, header: Row | undefined): Rejects {
  const draft = `${file}.${process.pid}.part`
  const withheld = format === 'csv' && header !== undefined ? cellsOf(header).map(isSecret) : []
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
      if (format === 'csv') write(safeLine(input, [String(row), String(input.line ?? ''), code, detail], withheld))
      else write(`${JSON.stringify({ row, line: input.line, code, detail, input: withoutSecrets(parsed(input)) })}\n`)
    },
    save() {
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

/** Returns the requested file, or a new name derived from the input. */
export function rejectsFile(path: string | undefined, input: string, format: Format): string {
  if (path !== undefined) {
    if (existsSync(path))
      throw new UsageError(`${path} already exists and was not changed. Give another name with --rejects.`)
    return path
  }
  const base = basename(input).replace(/(\.(ndjson|jsonl|json|csv|tsv|txt|xlsx|xlsm|gz|age))+$/i, '')
  // Rows that are rejected again go to the next number: name.rejects-2.
  const name = input === '-' ? 'import' : base.replace(/\.rejects(-\d+)?$/, '')
  for (let n = 1; ; n++) {
    const file = `${name}.rejects${n === 1 ? '' : `-${n}`}.${format}`
    if (!existsSync(file)) return file
  }
}

/** Returns a CSV record with added cells. No cell can run as a formula in a spreadsheet. */
function safeLine(record: Row, added: readonly string[], withheld: readonly boolean[] = []): string {
  const found = cellsOf(record)
  // In a row with other cells than columns, a secret can be in any of them.
  const isUneven = withheld.includes(true) && found.length !== withheld.length
  const cells = isUneven ? withheld.map(() => '') : found.map((cell, n) => (withheld[n] ? '' : cell))
  return `${csvLine([...cells, ...added].map(protectCell))}\r\n`
}

function cellsOf(record: Row): string[] {
  const text = record.toString()
  // If a quote is not closed, the text stays as it is, so that it can be corrected.
  return cellsOfRecord(text) ?? [text]
}

/** Also misspelt names: a row can be rejected because of one. */
const isSecret = (name: string): boolean => /totp|otpauth|otp_?secret|recovery_?code|\bfactors\b/i.test(name)

/** Text that is not valid JSON is left out as a whole if it may have a secret. */
function withoutSecrets(row: unknown): unknown {
  if (typeof row === 'string') return isSecret(row) ? '' : row
  return JSON.parse(JSON.stringify(row, (name, value) => (isSecret(name) ? undefined : value)))
}

/** Returns the row as JSON, or as text if it is not valid JSON. */
function parsed(input: Row): unknown {
  const text = input.toString()
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Removes the added reasons from rows that were rejected earlier. */
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

/** Sets the line of the file on which a row starts. */
export function placed(row: Row, line: number | undefined): Row {
  row.line = line
  return row
}

function inputOf(row: Row): Row | undefined {
  // Skip the parsing for most rows, which have no such member.
  if (row.indexOf('"input"') < 0) return undefined
  const found = parsed(row) as { input?: unknown }
  const isOurs = typeof found === 'object' && found !== null && 'row' in found && 'code' in found && 'input' in found
  if (!isOurs) return undefined
  return Buffer.from(typeof found.input === 'string' ? found.input : JSON.stringify(found.input))
}
