/** CSV as in RFC 4180, read while it arrives; also with other separators and misplaced quotes. */

export const separators = [',', ';', '\t', '|'] as const
export type Separator = (typeof separators)[number]

/** The server accepts no longer row. */
const longestRow = 64 * 1024

export class CsvFault extends Error {
  readonly code: 'quote_not_closed' | 'row_too_long'
  /** The number of records before it, including the header. */
  readonly recordsBefore: number
  /** The line of the file on which the record begins. */
  readonly line: number

  constructor(code: CsvFault['code'], recordsBefore: number, line: number) {
    super(code)
    this.name = 'CsvFault'
    this.code = code
    this.recordsBefore = recordsBefore
    this.line = line
  }
}

/** `line`: where the record begins in the file, from 1. */
export type CsvRecord = { cells: string[]; line: number }

type CsvReader = {
  /** Returns the records that are complete. Blank lines are skipped. */
  add(text: string): CsvRecord[]
  end(): CsvRecord[]
}

export function csvReader(separator: string): CsvReader {
  let rest = ''
  let count = 0
  let line = 1
  /** The last piece ended with a carriage return, which a line feed may follow. */
  let hasReturn = false
  const takeRecords = (isEnd: boolean): CsvRecord[] => {
    const records: CsvRecord[] = []
    let at = 0
    for (;;) {
      for (; rest[at] === '\n' || rest[at] === '\r'; at += 1) {
        if (rest[at] === '\r' || !hasReturn) line += 1
        hasReturn = rest[at] === '\r'
      }
      if (at >= rest.length) break
      hasReturn = false
      const found = readRecord(rest, at, separator, isEnd)
      const length = (found?.next ?? rest.length) - at
      if (length > longestRow) throw new CsvFault('row_too_long', count, line)
      if (found === undefined) {
        if (isEnd) throw new CsvFault('quote_not_closed', count, line)
        break
      }
      records.push({ cells: found.cells, line })
      count += 1
      // The line break that ends the record is counted with the blank lines after it.
      for (const cell of found.cells) line += breaksIn(cell)
      at = isBreak(rest[found.next - 1]) && found.next > at ? found.next - 1 : found.next
    }
    rest = rest.slice(at)
    return records
  }
  return {
    add(text) {
      rest += text
      return takeRecords(false)
    },
    end: () => takeRecords(true),
  }
}

function isBreak(one: string | undefined): boolean {
  return one === '\n' || one === '\r'
}

/** Counts line breaks as the server does for CSV. */
export function breaksIn(cell: string): number {
  return cell.includes('\n') || cell.includes('\r') ? cell.split(/\r\n|\n|\r/).length - 1 : 0
}

/** Reads one record from `start`; undefined if its end has not arrived. */
function readRecord(
  text: string,
  start: number,
  separator: string,
  isEnd: boolean,
): { cells: string[]; next: number } | undefined {
  const cells: string[] = []
  for (let at = start; ; ) {
    const quoted = text[at] === '"' ? readQuoted(text, at) : undefined
    if (quoted === 'open') return undefined
    let end = quoted?.next ?? at
    if (quoted !== undefined && end >= text.length && !isEnd) return undefined
    if (quoted !== undefined && isCellEnd(text, end, separator)) cells.push(quoted.value)
    else {
      while (!isCellEnd(text, end, separator)) end += 1
      if (end >= text.length && !isEnd) return undefined
      cells.push(text.slice(at, end))
    }
    if (end >= text.length) return { cells, next: end }
    if (text[end] !== separator) return { cells, next: end + 1 }
    at = end + 1
  }
}

function readQuoted(text: string, start: number): { value: string; next: number } | 'open' {
  let value = ''
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from)
    if (quote < 0) return 'open'
    if (text[quote + 1] !== '"') return { value: value + text.slice(from, quote), next: quote + 1 }
    value += text.slice(from, quote + 1)
    from = quote + 2
  }
}

function isCellEnd(text: string, at: number, separator: string): boolean {
  if (at >= text.length) return true
  const one = text[at]
  return one === separator || one === '\n' || one === '\r'
}

/** Writes one record as a line, without its line break. */
export function csvLine(cells: readonly string[], separator = ','): string {
  // An empty line would be no record.
  if (cells.length === 1 && cells[0] === '') return '""'
  return cells.map((cell) => csvCell(cell, separator)).join(separator)
}

function csvCell(cell: string, separator: string): string {
  const needsQuotes = cell.includes('"') || cell.includes(separator) || cell.includes('\n') || cell.includes('\r')
  return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** Returns the separator that splits the first lines most evenly into the most columns. */
export function guessSeparator(sample: string): Separator {
  let best: { separator: Separator; score: number } = { separator: ',', score: 0 }
  for (const separator of separators) {
    const records = firstRecords(sample, separator)
    const width = records[0]?.length ?? 0
    if (width < 2) continue
    const alike = records.filter(({ length }) => length === width).length / records.length
    const score = alike * 1000 + width
    if (score > best.score) best = { separator, score }
  }
  return best.separator
}

/** Returns the complete records at the beginning of a truncated text. */
export function firstRecords(sample: string, separator: string, most = 50): string[][] {
  try {
    return csvReader(separator)
      .add(sample.endsWith('\n') ? sample : `${sample}\n`)
      .slice(0, most)
      .map(({ cells }) => cells)
  } catch (error) {
    if (error instanceof CsvFault) return []
    throw error
  }
}

const blank = '[\\p{Zs}\\p{Cf}\\0-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f]*'
const cellStart = `(?<=^|[,;|"\\t\\n\\v\\f\\r\\u0085\\u2028\\u2029])(${blank})`
const formula = '(?=[=+\\-@\\t\\r＝＋－＠﹦﹢﹣﹫])'
const unprotected = new RegExp(`${cellStart}('*)${formula}`, 'gu')
const protectedOnes = new RegExp(`${cellStart}'('*)${formula}`, 'gu')

/**
 * Writes a cell that no spreadsheet runs as a formula, whatever its separator: a leading apostrophe makes it text. The
 * server does the same.
 */
export function protectCell(cell: string): string {
  return cell.replace(unprotected, "$1'$2")
}

/** Undoes `protectCell`. */
export function unprotectCell(cell: string): string {
  return cell.replace(protectedOnes, '$1$2')
}

/** Writes a record of a file for download. */
export function downloadLine(cells: readonly string[], separator = ','): string {
  return csvLine(cells.map(protectCell), separator)
}
