/** Reads the rows of an Excel file (.xlsx), whose first row names members, as in CSV. The whole file is in memory. */
import { AppError } from '../../core/errors.ts'
import { WorkbookFault, workbookRows } from '../../lib/xlsx-reader.ts'
import { inSteps, mostColumns, rowLimitBytes, rowsBelowHeader, type SentRow, tooLong } from './rows.ts'

/** The file is read by its directory, which is at its end. */
const [mostBytes, mostTextBytes] = [32 * 1024 * 1024, 64 * 1024 * 1024]
/** Shared by all files that arrive or are read, so that more files do not need more memory. */
const mostHeldBytes = 2 * mostBytes
let heldBytes = 0
/** One file is read at a time, for the same reason. A file that arrives slowly holds no other one up. */
let isReading = false

/**
 * Runs an import of the Excel file in a body, once it has arrived.
 *
 * @throws AppError `overloaded` and `body_too_large` before anything is done
 */
export async function withWorkbook(
  body: () => AsyncIterable<Uint8Array>,
  run: (file: Blob) => Promise<void>,
): Promise<void> {
  if (isReading) throw busy()
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  try {
    for await (const piece of body()) {
      if (bytes + piece.length > mostBytes) throw tooLarge()
      if (heldBytes + piece.length > mostHeldBytes) throw busy()
      bytes += piece.length
      heldBytes += piece.length
      pieces.push(piece as Uint8Array<ArrayBuffer>)
    }
    if (isReading) throw busy()
    isReading = true
    try {
      await run(new Blob(pieces.splice(0)))
    } finally {
      isReading = false
    }
  } finally {
    heldBytes -= bytes
  }
}

function busy(): AppError {
  const detail = 'Another Excel file is being read. Try again when it is done, or send the rows as CSV.'
  return new AppError('overloaded', detail, { retryAfterSeconds: 5 })
}

function tooLarge(): AppError {
  const detail = `An Excel file may have ${mostBytes / 1024 / 1024} MiB. Send larger ones as CSV, or import them with the command line or the console, which send the rows.`
  return new AppError('body_too_large', detail)
}

/** @throws AppError `malformed_spreadsheet`, and those of `readCsv` */
export async function* readWorkbook(file: Blob): AsyncGenerator<SentRow[]> {
  const toRow = rowsBelowHeader(() => ({ isProtected: false }))
  try {
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
