/** Reads the rows of an Excel file (.xlsx), whose first row names members, as in CSV. The whole file is in memory. */
import { AppError } from '../../core/errors.ts'
import { WorkbookFault, workbookRows } from '../../lib/xlsx-reader.ts'
import { inSteps, mostColumns, rowLimitBytes, rowsBelowHeader, type SentRow, tooLong } from './rows.ts'

/** The file is read by its directory, which is at its end. */
const [mostBytes, mostTextBytes] = [32 * 1024 * 1024, 64 * 1024 * 1024]

/** One file is read at a time, so that their number does not decide how much memory they need. */
let isReading = false

/** Runs an import that calls `readWorkbook`. @throws AppError `overloaded` before anything is done */
export async function withWorkbook(run: () => Promise<void>): Promise<void> {
  if (isReading) {
    const detail = 'Another Excel file is being read. Try again when it is done, or send the rows as CSV.'
    throw new AppError('overloaded', detail, { retryAfterSeconds: 5 })
  }
  isReading = true
  try {
    await run()
  } finally {
    isReading = false
  }
}

/** @throws AppError `malformed_spreadsheet`, `body_too_large`, and those of `readCsv` */
export async function* readWorkbook(body: AsyncIterable<Uint8Array>): AsyncGenerator<SentRow[]> {
  const toRow = rowsBelowHeader({ isProtected: false })
  try {
    const file = new Blob(await collected(body))
    for await (const records of workbookRows(file, { mostCells: mostColumns + 1, mostTextBytes })) {
      const rows = records.flatMap((record): SentRow[] => {
        const length = record.cells.reduce((sum, cell) => sum + cell.length, 0)
        if (length > rowLimitBytes) return [{ fault: tooLong, line: record.line }]
        const row = toRow(record)
        return row === undefined ? [] : [row]
      })
      yield* inSteps(rows)
    }
  } catch (error) {
    if (!(error instanceof WorkbookFault)) throw error
    throw new AppError('malformed_spreadsheet', error.message, { cause: error })
  }
  if (!toRow.hasHeader())
    throw new AppError('malformed_spreadsheet', 'The sheet is empty. Its first row must name the columns.')
}

async function collected(body: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>[]> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > mostBytes) {
      const detail = `An Excel file may have ${mostBytes / 1024 / 1024} MiB. Send larger ones as CSV, or import them with the command line or the console, which send the rows.`
      throw new AppError('body_too_large', detail)
    }
    pieces.push(piece as Uint8Array<ArrayBuffer>)
  }
  return pieces
}
