/**
 * Reads CSV (RFC 4180) while it arrives, within bounds: a record that is too long is refused, and cells beyond the last one
 * wanted are counted but not kept. A cell may contain quotes that are not doubled, as some programs write them.
 */

export type CsvRecord = {
  /** At most `mostCells`. */
  cells: string[]
  /** How many cells the record has. */
  count: number
  /** The line on which it starts, from 1. CRLF, LF and CR end a line, also inside quotes, and blank lines count. */
  line: number
  /** As it stands in the file, without the line break behind it, if `isTextWanted`. */
  text?: string
}

/** The characters that separate cells in practice. */
export const separators = [',', ';', '\t', '|'] as const
export type Separator = (typeof separators)[number]

type CsvOptions = {
  /** A single character. */
  delimiter?: string | undefined
  /** Characters of a record, with its separators and quotes. */
  longest: number
  mostCells: number
  isTextWanted?: boolean
}

/** Never quotes the text, which may contain a secret. */
export class CsvFault extends Error {
  readonly code: 'too_long' | 'open_quote'
  /** Where the record starts. */
  readonly line: number

  constructor(code: CsvFault['code'], line: number) {
    super(`The CSV record that starts on line ${line} cannot be read (${code}).`)
    this.code = code
    this.line = line
  }
}

export type CsvReader = {
  /** Adds the records that end in this text to `found`. Skips blank lines. @throws CsvFault, behind those before it */
  read(text: string, found: CsvRecord[]): void
  /** Adds the last record, if no line break ends it. @throws CsvFault */
  end(found: CsvRecord[]): void
  /** The header says how many cells are wanted of those that follow. */
  setMostCells(count: number): void
  /** What has arrived of the record that has not ended, if `isTextWanted`. */
  unfinished(): string
}

const [lineFeed, carriageReturn, quote] = [0x0a, 0x0d, 0x22]
const [atStart, inCell, inQuotes, behindQuote] = [0, 1, 2, 3]
/** From this length on, V8 stores a part of a text as a reference, which keeps the whole text in memory. */
const referringLength = 13
const [encoder, decoder] = [new TextEncoder(), new TextDecoder('utf-8', { ignoreBOM: true })]

/** Excel reads a first line `sep=;`, and hides it, so that a file says its separator. */
const hintStart = 'sep='

export function csvReader({ delimiter = ',', longest, mostCells, isTextWanted = false }: CsvOptions): CsvReader {
  const separator = delimiter.charCodeAt(0)
  let most = mostCells
  /** Whether CR alone ends a record, as in files of old Macs: the first line break of the file decides. */
  let returnEnds: boolean | undefined
  /** CR at the end of a text: the next one tells what it is. */
  let held = ''
  let state = atStart
  let cell = ''
  let cells: string[] = []
  let recordText = ''
  let [count, size] = [0, 0]
  let [line, firstLine] = [1, 1]

  function endCell(): void {
    if (count++ < most) cells.push(cell.length < referringLength ? cell : decoder.decode(encoder.encode(cell)))
    cell = ''
  }

  function isBreak(text: string, at: number): boolean {
    const unit = text.charCodeAt(at)
    if (unit !== lineFeed && unit !== carriageReturn) return false
    returnEnds ??= unit === carriageReturn && text.charCodeAt(at + 1) !== lineFeed
    return unit === lineFeed || text.charCodeAt(at + 1) === lineFeed || returnEnds
  }

  function parse(text: string, records: CsvRecord[]): void {
    let [recordFrom, from] = [0, 0]
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      if (state === inCell && unit !== separator && unit !== lineFeed && unit !== carriageReturn) continue
      const isReturn = unit === carriageReturn
      const isFirstHalf = isReturn && text.charCodeAt(at + 1) === lineFeed
      const isLineEnd = unit === lineFeed || (isReturn && !isFirstHalf)
      if (state === inQuotes) {
        if (isLineEnd) line++
        if (unit !== quote) continue
        cell += text.slice(from, at)
        state = behindQuote
      } else if (unit === separator) {
        if (state === inCell) cell += text.slice(from, at)
        endCell()
        state = atStart
      } else if (isBreak(text, at)) {
        if (state === inCell) cell += text.slice(from, at)
        if (size + at - recordFrom > longest) throw new CsvFault('too_long', firstLine)
        if (state !== atStart || count > 0) {
          endCell()
          if (isTextWanted) recordText += text.slice(recordFrom, at)
          if (firstLine > 1 || count !== 2 || !isHint(cells))
            records.push({ cells, count, line: firstLine, ...(isTextWanted && { text: recordText }) })
          cells = []
        }
        recordText = ''
        if (isFirstHalf) at++
        line++
        ;[state, count, size, recordFrom, firstLine] = [atStart, 0, 0, at + 1, line]
      } else {
        if (isLineEnd) line++
        if (state === inCell) continue
        if (state === atStart) from = at
        if (unit === quote) {
          if (state === behindQuote) cell += '"'
          state = inQuotes
          from = at + 1
        } else {
          if (state === behindQuote) {
            // The quote that opened the cell belongs to it.
            cell = `"${cell}"`
            from = at
          }
          state = inCell
        }
      }
    }
    if (state === inCell || state === inQuotes) cell += text.slice(from)
    if (isTextWanted) recordText += text.slice(recordFrom)
    size += text.length - recordFrom
    if (size > longest) throw new CsvFault('too_long', firstLine)
  }

  return {
    read(piece, found) {
      const text = held + piece
      held = text.endsWith('\r') ? '\r' : ''
      parse(held === '' ? text : text.slice(0, -1), found)
    },
    end(found) {
      parse(held, found)
      held = ''
      if (state === inQuotes) throw new CsvFault('open_quote', firstLine)
      parse(returnEnds ? '\r' : '\n', found)
    },
    setMostCells(wanted) {
      most = wanted
    },
    unfinished: () => recordText,
  }
}

function isHint(cells: readonly string[]): boolean {
  return cells[0] === hintStart && cells[1] === ''
}

/** The cells of one record; undefined if it ends inside quotes. */
export function cellsOfRecord(text: string): string[] | undefined {
  const found: CsvRecord[] = []
  const reader = csvReader({ longest: text.length, mostCells: text.length + 1 })
  try {
    reader.read(text, found)
    reader.end(found)
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error
    return undefined
  }
  return found[0]?.cells ?? []
}

/** Returns the complete records at the beginning of a file; none if they cannot be read. */
export function firstRecords(sample: string, delimiter: string, most = 50): string[][] {
  const found: CsvRecord[] = []
  try {
    csvReader({ delimiter, longest: sample.length + 1, mostCells: sample.length }).read(
      sample.endsWith('\n') ? sample : `${sample}\n`,
      found,
    )
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error
  }
  return found.slice(0, most).map(({ cells }) => cells)
}

/** Returns the separator that splits the first lines most evenly into the most columns, or a comma. */
export function guessSeparator(sample: string): Separator {
  const hint = /^\uFEFF?"?sep=([,;\t|])"?[\r\n]/.exec(sample)?.[1]
  let best: { separator: Separator; score: number } = { separator: ',', score: 0 }
  for (const separator of separators) {
    if (separator === hint) return separator
    const records = firstRecords(sample, separator)
    const width = records[0]?.length ?? 0
    if (width < 2) continue
    const alike = records.filter(({ length }) => length === width).length / records.length
    const score = alike * 1000 + width
    if (score > best.score) best = { separator, score }
  }
  return best.separator
}

/** Counts line breaks as the reader does. */
export function breaksIn(text: string): number {
  return text.includes('\n') || text.includes('\r') ? text.split(/\r\n|\n|\r/).length - 1 : 0
}
