/** Turns an Excel file into the CSV that its first sheet would be, so that every reader of CSV reads it. */
import { openAsBlob, rmSync } from 'node:fs'
import { mkdtemp, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OperatorError } from '../../core/errors.ts'
import { csvLine, protectCell } from '../../lib/csv-formula.ts'
import { kindOfWorkbook, WorkbookFault, workbookRows } from '../../lib/xlsx-reader.ts'
import { startingWith } from './bytes.ts'

/** As in the reader of CSV: far more columns than an export has. */
const mostColumns = 2000

/**
 * Yields the input, or its first sheet as CSV if it is an Excel file.
 *
 * @param isForServer the server reads the CSV, and removes the apostrophe before a formula: a sheet's own gets one more
 * @throws OperatorError for a file that cannot be read
 */
export async function* workbookAsCsv(
  input: AsyncIterable<Uint8Array>,
  { isForServer = false } = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = input[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  while (head.length < 8) {
    const { value, done } = await chunks.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  const whole = startingWith(head, chunks)
  if (kindOfWorkbook(head) === undefined) yield* whole
  else yield* sheetOf(whole, isForServer)
}

/** The file is read by its directory, which is at its end: it goes to a file that only its owner can read. */
async function* sheetOf(
  input: AsyncIterable<Uint8Array>,
  isForServer: boolean,
): AsyncGenerator<Uint8Array, void, undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'rollbook-import-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  // A command that fails stops reading without a word to this generator, and the sheet may contain passwords.
  process.once('exit', remove)
  try {
    const path = join(folder, 'workbook')
    const file = await open(path, 'wx', 0o600)
    try {
      for await (const bytes of input) await file.writeFile(bytes)
    } finally {
      await file.close()
    }
    let next = 1
    let header: readonly string[] | undefined
    for await (const records of workbookRows(await openAsBlob(path), { mostCells: mostColumns })) {
      let text = ''
      for (const { cells, count, line } of records) {
        if (count > mostColumns)
          throw new OperatorError(`Row ${line} of the sheet has more than ${mostColumns} columns.`)
        header ??= cells.map((name) => name.trim())
        const row = csvLine(isForServer ? protectedCells(cells, header) : cells)
        // Blank lines keep each row on the line with its number.
        text += `${'\n'.repeat(Math.max(0, line - next))}${row}\n`
        next = Math.max(next, line) + row.split('\n').length
      }
      if (text !== '') yield Buffer.from(text)
    }
  } catch (error) {
    if (!(error instanceof WorkbookFault)) throw error
    throw new OperatorError(error.message, { cause: error })
  } finally {
    process.off('exit', remove)
    remove()
  }
}

/** The server never changes these. */
const unprotected: ReadonlySet<string> = new Set(['password', 'password_hash', 'totp_secret'])

/** The cells of a file of rejected rows are protected already. */
function protectedCells(cells: readonly string[], header: readonly string[]): readonly string[] {
  if (header.includes('rejected_row')) return cells
  return cells.map((cell, n) => (unprotected.has(header[n] ?? '') ? cell : protectCell(cell)))
}
