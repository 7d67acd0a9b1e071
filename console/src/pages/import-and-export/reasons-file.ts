/** A file with number, line and reason of each rejected row, for when the rows themselves are not at hand. */
import type { ImportedRow } from 'rollbook/client'
import { downloadLine } from '../../../../src/lib/csv-formula.ts'
import { reasonColumns } from './reason-columns.ts'

const linesOfAPiece = 5000

export async function reasonsFile(rows: AsyncIterable<ImportedRow>): Promise<Blob> {
  const pieces: Blob[] = []
  let lines = [`\uFEFF${downloadLine(reasonColumns)}`]
  const put = () => {
    pieces.push(new Blob([lines.map((line) => `${line}\r\n`).join('')]))
    lines = []
  }
  for await (const { row, line, code = '', detail = '' } of rows) {
    lines.push(downloadLine([String(row), String(line ?? ''), code, detail]))
    if (lines.length === linesOfAPiece) put()
  }
  put()
  return new Blob(pieces, { type: 'text/csv;charset=utf-8' })
}
