/**
 * Reads the rows of the first sheet of an .xlsx workbook (ECMA-376), with bounded memory whatever the file contains. Values
 * become the texts that a CSV file would have: a date is `2026-11-29`, a time is an instant in UTC, and a formula is its result.
 */
import type { CsvRecord } from './csv-records.ts'
import { attributeOf, XmlFault, xmlReader } from './xml-tokens.ts'
import { entryBytes, type ZipEntry, ZipFault, zipEntries } from './zip-directory.ts'

export const xlsxMediaType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

export type WorkbookFaultCode =
  | 'damaged'
  | 'password'
  | 'old_excel'
  | 'other_spreadsheet'
  | 'not_a_workbook'
  | 'too_large'
  | 'too_many_columns'

const texts: Record<WorkbookFaultCode, string> = {
  damaged: 'The Excel file is damaged or cut off. Open it in Excel, and save it again.',
  password: 'The Excel file is protected with a password. Save it without one.',
  old_excel: 'This is an Excel file of before 2007 (.xls). Save it as .xlsx or CSV.',
  other_spreadsheet: 'This is a spreadsheet in another format. Save it as .xlsx or CSV.',
  not_a_workbook: 'This is a ZIP file, but not an Excel file. Unpack it, or choose another file.',
  too_large: 'The Excel file becomes too large when it is unpacked. Save the sheet as CSV.',
  too_many_columns: 'The sheet has more columns than Excel allows (16,384).',
}

/** Never quotes the file, which may contain a secret. */
export class WorkbookFault extends Error {
  readonly code: WorkbookFaultCode

  constructor(code: WorkbookFaultCode, options?: ErrorOptions) {
    super(texts[code], options)
    this.name = 'WorkbookFault'
    this.code = code
  }
}

/** Tells from the first bytes: `zip` may be a workbook, `ole` an old or encrypted one. */
export function kindOfWorkbook(head: Uint8Array): 'zip' | 'ole' | undefined {
  if (head[0] === 0x50 && head[1] === 0x4b && (head[2] === 3 || head[2] === 5)) return 'zip'
  return [0xd0, 0xcf, 0x11, 0xe0].every((byte, n) => head[n] === byte) ? 'ole' : undefined
}

type Limits = {
  /** Cells of a row that are wanted; further ones are counted. */
  mostCells: number
  /** Bytes of the texts that cells share, unpacked. All of them are in memory. */
  mostTextBytes?: number
  /** Called with the bytes of the file that were read for rows. */
  onRead?: (bytes: number) => void
}

/** XML of a sheet becomes some 10 to 50 times smaller. What becomes 200 times smaller is no list of users. */
const [mostTimes, alwaysAllowedBytes, mostPartBytes] = [200, 16 * 1024 * 1024, 16 * 1024 * 1024]
const [mostRows, mostColumns] = [1_048_576, 16_384]
const mostTexts = 2_000_000
/** Excel allows 32,767 characters in a cell, 255 in a code of a format, and some 64,000 styles of cells. */
const [mostCharacters, mostCodeCharacters, mostStyles] = [65_536, 255, 65_536]

/**
 * Yields the rows with a value, in pieces, which may be empty: the caller can stop after each. The first one is the header: later rows get as many cells, or more if they have
 * values beyond. `line` is the number of the row in the sheet.
 *
 * @throws WorkbookFault
 */
export async function* workbookRows(
  file: Blob,
  { mostCells, mostTextBytes = 128 * 1024 * 1024, onRead }: Limits,
): AsyncGenerator<CsvRecord[]> {
  try {
    if (kindOfWorkbook(new Uint8Array(await file.slice(0, 8).arrayBuffer())) === 'ole') throw await oleFault(file)
    const parts = new Map((await zipEntries(file)).map((entry) => [entry.name.replace(/^\//, ''), entry]))
    const { sheet, sharedStrings, styles, isFrom1904 } = await findParts(file, parts)
    const shared = sharedStrings === undefined ? [] : await readTexts(file, sharedStrings, mostTextBytes)
    const dates = styles === undefined ? [] : await readDateStyles(file, styles)
    yield* rowsOf(file, sheet, { shared, dates, isFrom1904, mostCells, onRead })
  } catch (cause) {
    if (cause instanceof XmlFault)
      throw new WorkbookFault(cause.code === 'too_long' ? 'too_large' : 'damaged', { cause })
    if (!(cause instanceof ZipFault)) throw cause
    throw new WorkbookFault(cause.code === 'encrypted' ? 'password' : cause.code, { cause })
  }
}

/** An encrypted workbook is an OLE file with this entry ([MS-OFFCRYPTO] §2.3.2). */
async function oleFault(file: Blob): Promise<WorkbookFault> {
  const name = [...'EncryptedPackage'].join('\0')
  for (const from of [0, Math.max(0, file.size - 1024 * 1024)]) {
    const bytes = await file.slice(from, from + 1024 * 1024).arrayBuffer()
    if (new TextDecoder('latin1').decode(bytes).includes(name)) return new WorkbookFault('password')
  }
  return new WorkbookFault('old_excel')
}

type Parts = { sheet: ZipEntry; sharedStrings?: ZipEntry; styles?: ZipEntry; isFrom1904: boolean }

async function findParts(file: Blob, parts: ReadonlyMap<string, ZipEntry>): Promise<Parts> {
  const root = await relationsOf(file, parts, '')
  const path = root.find(({ type }) => type.endsWith('/officeDocument'))?.target ?? 'xl/workbook.xml'
  const workbook = parts.get(path)
  if (workbook === undefined || !path.endsWith('.xml')) throw new WorkbookFault(otherKind(parts))
  let isFrom1904 = false
  const sheets: { id: string; isHidden: boolean }[] = []
  let isWorkbook = false
  await readXml(file, workbook, mostPartBytes, {
    open(name, attributes) {
      if (name === 'workbook') isWorkbook = true
      if (name === 'workbookPr') isFrom1904 = /^(1|true)$/.test(attributeOf(attributes, 'date1904') ?? '')
      if (name !== 'sheet') return
      const isHidden = (attributeOf(attributes, 'state') ?? 'visible') !== 'visible'
      sheets.push({ id: relationId(attributes), isHidden })
    },
  })
  if (!isWorkbook) throw new WorkbookFault('not_a_workbook')
  const relations = await relationsOf(file, parts, path)
  const first = sheets.find(({ isHidden }) => !isHidden) ?? sheets[0]
  const sheet = parts.get(relations.find(({ id }) => id === first?.id)?.target ?? '')
  if (sheet === undefined) throw new WorkbookFault('damaged')
  const partOf = (end: string) => parts.get(relations.find(({ type }) => type.endsWith(end))?.target ?? '')
  const [sharedStrings, styles] = [partOf('/sharedStrings'), partOf('/styles')]
  return { sheet, isFrom1904, ...(sharedStrings && { sharedStrings }), ...(styles && { styles }) }
}

/** The id has a prefix, unlike the sheet's own. */
function relationId(attributes: string): string {
  return /\s[\w.-]+:id\s*=\s*["']([^"']*)["']/.exec(attributes)?.[1] ?? ''
}

function otherKind(parts: ReadonlyMap<string, ZipEntry>): WorkbookFaultCode {
  const isOther = ['xl/workbook.bin', 'mimetype', 'content.xml', 'Index/Document.iwa'].some((name) => parts.has(name))
  return isOther ? 'other_spreadsheet' : 'not_a_workbook'
}

type Relation = { id: string; type: string; target: string }

/** Where a part leads: the targets are paths from the root of the file. */
async function relationsOf(file: Blob, parts: ReadonlyMap<string, ZipEntry>, path: string): Promise<Relation[]> {
  const slash = path.lastIndexOf('/') + 1
  const folder = path.slice(0, slash)
  const entry = parts.get(`${folder}_rels/${path.slice(slash)}.rels`)
  const found: Relation[] = []
  if (entry === undefined) return found
  await readXml(file, entry, mostPartBytes, {
    open(name, attributes) {
      if (name !== 'Relationship' || attributeOf(attributes, 'TargetMode') === 'External') return
      const [id = '', type = '', target = ''] = ['Id', 'Type', 'Target'].map((one) => attributeOf(attributes, one))
      found.push({ id, type, target: pathOf(target, folder) })
    },
  })
  return found
}

/** Reads the target as a URL, whose relative path may go up. */
function pathOf(target: string, folder: string): string {
  try {
    return decodeURIComponent(new URL(target, `zip://zip/${folder}`).pathname).slice(1)
  } catch (cause) {
    throw new WorkbookFault('damaged', { cause })
  }
}

type Handlers = Partial<Parameters<typeof xmlReader>[0]>

async function readXml(file: Blob, entry: ZipEntry, mostBytes: number, handlers: Handlers): Promise<void> {
  const reader = xmlReader({ open: () => {}, close: () => {}, text: () => {}, ...handlers })
  for await (const text of xmlText(file, entry, mostBytes)) reader.write(text)
  reader.end()
}

/** XML is in UTF-8, or in UTF-16 with a mark. */
async function* xmlText(
  file: Blob,
  entry: ZipEntry,
  mostBytes: number,
  onRead?: Limits['onRead'],
): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  const decode = (bytes?: Uint8Array) => {
    const [first, second] = bytes ?? []
    decoder ??= new TextDecoder(
      first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8',
      { fatal: true },
    )
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch (cause) {
      throw new WorkbookFault('damaged', { cause })
    }
  }
  for await (const bytes of entryBytes(file, entry, mostBytes, onRead)) yield decode(bytes)
  yield decode()
}

/** Joins the pieces of one text, of which a file can have any number. @throws WorkbookFault */
function joined(text: string, piece: string): string {
  if (text.length + piece.length > mostCharacters) throw new WorkbookFault('too_large')
  return text + piece
}

/** Collects the texts of `t`, but not of `rPh`, which says how to pronounce them. */
function textCollector() {
  let text = ''
  let isText = false
  let isPhonetic = false
  return {
    open(name: string): void {
      if (name === 't') isText = !isPhonetic
      else if (name === 'rPh') isPhonetic = true
    },
    close(name: string): void {
      if (name === 't') isText = false
      else if (name === 'rPh') isPhonetic = false
    },
    add(piece: string): void {
      if (isText) text = joined(text, piece)
    },
    take(): string {
      const whole = unescaped(text)
      text = ''
      return whole
    },
  }
}

/**
 * Undoes what stands for characters that XML cannot contain (ECMA-376 §22.9.2.19). A half of a character stays as it is written: no
 * store keeps it.
 */
function unescaped(text: string): string {
  if (!text.includes('_x')) return text
  return text
    .replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\p{Surrogate}/gu, (half) => `_x${half.charCodeAt(0).toString(16).toUpperCase()}_`)
}

async function readTexts(file: Blob, entry: ZipEntry, mostBytes: number): Promise<string[]> {
  const found: string[] = []
  const text = textCollector()
  await readXml(file, entry, Math.min(mostBytes, mostBytesOf(entry)), {
    open: text.open,
    text: text.add,
    close(name) {
      text.close(name)
      if (name !== 'si') return
      if (found.length >= mostTexts) throw new WorkbookFault('too_large')
      found.push(text.take())
    },
  })
  return found
}

function mostBytesOf({ size }: ZipEntry): number {
  return Math.max(alwaysAllowedBytes, size * mostTimes)
}

type DateStyle = 'day' | 'time' | undefined

/** For each style of cells, whether it shows a number as a date. */
async function readDateStyles(file: Blob, entry: ZipEntry): Promise<DateStyle[]> {
  const codes = new Map<number, string>()
  const kinds = new Map<number, DateStyle>()
  const found: DateStyle[] = []
  let isInCells = false
  await readXml(file, entry, mostPartBytes, {
    open(name, attributes) {
      const id = Number(attributeOf(attributes, 'numFmtId'))
      if (name === 'numFmt') {
        const code = attributeOf(attributes, 'formatCode') ?? ''
        if (code.length <= mostCodeCharacters) codes.set(id, code)
      } else if (name === 'cellXfs') isInCells = true
      else if (name === 'xf' && isInCells) {
        if (found.length >= mostStyles) throw new WorkbookFault('too_large')
        if (!kinds.has(id)) kinds.set(id, styleOf(id, codes.get(id)))
        found.push(kinds.get(id))
      }
    },
    close(name) {
      if (name === 'cellXfs') isInCells = false
    },
  })
  return found
}

/** The built-in formats that show a day or a time, also those of East Asia (ECMA-376 §18.8.30). */
function styleOf(id: number, code: string | undefined): DateStyle {
  if (code === undefined) {
    if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return 'day'
    return (id >= 18 && id <= 22) || (id >= 32 && id <= 35) || (id >= 45 && id <= 47) ? 'time' : undefined
  }
  // Without quoted texts, single escaped characters, colours and conditions; `[h]` counts hours.
  const plain = code.replaceAll(/"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\][]*\]/gi, '')
  if (/general/i.test(plain)) return undefined
  return /[hs]/i.test(plain) ? 'time' : /[ymd]/i.test(plain) ? 'day' : undefined
}

type SheetOptions = Pick<Limits, 'mostCells'> & {
  shared: readonly string[]
  dates: readonly DateStyle[]
  isFrom1904: boolean
  onRead: Limits['onRead'] | undefined
}

async function* rowsOf(file: Blob, entry: ZipEntry, options: SheetOptions): AsyncGenerator<CsvRecord[]> {
  const { mostCells } = options
  const inline = textCollector()
  let found: CsvRecord[] = []
  let [width, line, column] = [0, 0, -1]
  let cells: string[] = []
  let count = 0
  let [type, style, value] = ['', 0, '']
  let isValue = false
  let isOver = false

  function beginRow(attributes: string): void {
    line = Number(attributeOf(attributes, 'r') ?? line + 1)
    if (!(line >= 1 && line <= mostRows)) throw new WorkbookFault('damaged')
  }
  function beginCell(attributes: string): void {
    const place = attributeOf(attributes, 'r')
    column = place === undefined ? column + 1 : columnAt(place)
    if (column >= mostColumns) throw new WorkbookFault('too_many_columns')
    type = attributeOf(attributes, 't') ?? 'n'
    style = Number(attributeOf(attributes, 's') ?? 0)
    value = ''
    // A cell of another type may have left a text.
    inline.take()
  }
  function endCell(): void {
    const text = type === 'inlineStr' ? inline.take() : textOf({ type, style, value }, options)
    if (text === '') return
    count = Math.max(count, column + 1)
    if (column >= mostCells) return
    while (cells.length < column) cells.push('')
    cells[column] = text
  }
  function endRow(): void {
    if (count > 0) {
      if (width === 0) width = count
      count = Math.max(count, width)
      while (cells.length < Math.min(count, mostCells)) cells.push('')
      found.push({ cells, count, line })
    }
    cells = []
    ;[count, column] = [0, -1]
  }
  const reader = xmlReader({
    open(name, attributes) {
      if (isOver) return
      if (name === 'row') beginRow(attributes)
      else if (name === 'c') beginCell(attributes)
      else if (name === 'v') isValue = true
      else inline.open(name)
    },
    text(text) {
      if (isValue) value = joined(value, text)
      else inline.add(text)
    },
    close(name) {
      if (isOver) return
      if (name === 'c') endCell()
      else if (name === 'row') endRow()
      else if (name === 'v') isValue = false
      else if (name === 'sheetData') isOver = true
      else inline.close(name)
    },
  })
  for await (const text of xmlText(file, entry, mostBytesOf(entry), options.onRead)) {
    reader.write(text)
    yield found
    found = []
    if (isOver) return
  }
  // A sheet without an end was cut off.
  throw new WorkbookFault('damaged')
}

/** The place of a cell such as `AB12` in its row, from 0. */
function columnAt(place: string): number {
  let column = 0
  for (let at = 0; at < place.length; at++) {
    const letter = (place.charCodeAt(at) & ~0x20) - 64
    if (letter < 1 || letter > 26) break
    column = column * 26 + letter
    if (column > mostColumns) return mostColumns
  }
  return column - 1
}

type CellValue = { type: string; style: number; value: string }

/** The types of ECMA-376 §18.18.11. */
function textOf({ type, style, value }: CellValue, { shared, dates, isFrom1904 }: SheetOptions): string {
  if (type === 's') return shared[Number(value)] ?? ''
  if (type === 'b') return value === '1' ? 'true' : value === '0' ? 'false' : ''
  if (type !== 'n') return unescaped(value)
  if (value.trim() === '') return ''
  const number = Number(value)
  if (!Number.isFinite(number)) return value
  const date = dates[style]
  const dateOrTime = date && dateText(number, date, isFrom1904)
  if (dateOrTime !== undefined) return dateOrTime
  // A spreadsheet shows 15 digits; the file may have an error of rounding behind them, but not in a whole number.
  return /^-?\d+$/.test(value) ? value : plainNumber(Number(number.toPrecision(15)))
}

/** Without an exponent: `12345678901234567000`. */
function plainNumber(number: number): string {
  return Number.isInteger(number) && Math.abs(number) < 1e21 ? BigInt(number).toString() : String(number)
}

const dayMs = 86_400_000

/** Undefined for a number that is no date. */
function dateText(serial: number, kind: 'day' | 'time', isFrom1904: boolean): string | undefined {
  const days = isFrom1904 ? serial + 1462 : serial < 60 ? serial + 1 : serial
  if (days < 1 || days >= 2_958_466) return undefined
  const instant = new Date(Math.round((days - 25_569) * dayMs)).toISOString()
  return kind === 'day' && Number.isInteger(serial) ? instant.slice(0, 10) : instant
}
