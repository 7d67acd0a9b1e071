/** Turns an Excel file into the CSV that its first sheet would be, so that every reader of CSV reads it. */
import { openAsBlob, rmSync } from 'node:fs'
import { mkdtemp, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OperatorError } from '../../../core/errors.ts'
import { csvLine } from '../../../lib/csv-formula.ts'
import { kindOfWorkbook, WorkbookFault, workbookRows } from '../../../lib/xlsx-reader.ts'
import { startingWith } from './bytes.ts'

/** As in the reader of CSV: far more columns than an export has. */
const mostColumns = 2000

/** Yields the input, or its first sheet as CSV if it is an Excel file. @throws OperatorError for one that cannot be read */
export async function* workbookAsCsv(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = input[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  while (head.length < 8) {
    const { value, done } = await chunks.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  const whole = startingWith(head, chunks)
  if (kindOfWorkbook(head) === undefined) yield* whole
  else yield* sheetOf(whole)
}

/** The file is read by its directory, which is at its end: it goes to a file that only its owner can read. */
async function* sheetOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
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
    for await (const records of workbookRows(await openAsBlob(path), { mostCells: mostColumns })) {
      let text = ''
      for (const { cells, count, line } of records) {
        if (count > mostColumns)
          throw new OperatorError(`Row ${line} of the sheet has more than ${mostColumns} columns.`)
        const row = csvLine(cells)
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
