/**
 * Writes an .xlsx workbook (ECMA-376) while its rows arrive. Only one piece of it is in memory: texts are in the cells, not
 * in a table of shared ones.
 */
import { strToU8, Zip, ZipDeflate } from 'fflate'

/** `clockMs`: the time on the clocks of the reader's zone, as if these were in UTC. */
export type SheetTime = { clockMs: number; isDay?: boolean }
export type Cell = string | number | boolean | SheetTime | null

export type WorkbookOptions = {
  header: readonly string[]
  /** At most 28 characters. Further sheets are called `Users 2`. */
  sheetName: string
  isRightToLeft?: boolean
  /** Rows of a sheet, with the header. */
  mostRows?: number
}

export type WorkbookWriter = {
  /** Returns the bytes that are ready, perhaps none. */
  add(rows: readonly (readonly Cell[])[]): Uint8Array<ArrayBuffer>
  end(): Uint8Array<ArrayBuffer>
}

/** Excel's limit. */
export const mostRowsOfSheet = 1_048_576
/** A ZIP file has larger sizes in a form that not every program reads. */
const mostSheetBytes = 3_500_000_000
/** Excel's limit of a cell in UTF-16 units; it repairs a file with a longer one by removing the text. */
const longestText = 32_767

export function workbookWriter(options: WorkbookOptions): WorkbookWriter {
  const { header, sheetName, isRightToLeft = false, mostRows = mostRowsOfSheet } = options
  let ready: Uint8Array[] = []
  let fault: Error | undefined
  const zip = new Zip((error, bytes) => {
    if (error) fault = error
    else if (bytes.length > 0) ready.push(bytes)
  })
  const columns = header.map((_, n) => columnName(n))
  let sheets = 0
  let sheet: ZipDeflate | undefined
  let [rows, sheetBytes] = [0, 0]

  /** Level 1: a seventh larger than 6, in a third of the time. */
  function open(name: string): ZipDeflate {
    const file = new ZipDeflate(name, { level: 1 })
    zip.add(file)
    return file
  }
  function write(name: string, text: string): void {
    open(name).push(strToU8(text), true)
  }
  function put(text: string, isEnd = false): void {
    const bytes = strToU8(text)
    sheetBytes += bytes.length
    sheet?.push(bytes, isEnd)
  }
  function endSheet(): void {
    const last = `${columns.at(-1)}${rows}`
    put(`</sheetData>${columns.length > 0 ? `<autoFilter ref="A1:${last}"/>` : ''}</worksheet>`, true)
    sheet = undefined
  }
  function beginSheet(): void {
    if (sheet !== undefined) endSheet()
    sheets++
    ;[rows, sheetBytes] = [1, 0]
    sheet = open(`xl/worksheets/sheet${sheets}.xml`)
    put(`${sheetStart(isRightToLeft, columns.length)}<row r="1">${header.map(headCell).join('')}</row>`)
  }
  const headCell = (name: string, n: number) =>
    `<c r="${columns[n]}1" s="${styles.head}" t="inlineStr"><is>${textElement(name)}</is></c>`
  function rowText(cells: readonly Cell[]): string {
    const place = String(rows)
    return `<row r="${place}">${cells.map((cell, n) => cellText(cell, `${columns[n]}${place}`)).join('')}</row>`
  }
  function takeReady(): Uint8Array<ArrayBuffer> {
    if (fault !== undefined) throw fault
    const bytes = new Uint8Array(ready.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const piece of ready) {
      bytes.set(piece, at)
      at += piece.length
    }
    ready = []
    return bytes
  }

  write('_rels/.rels', packageRelations)
  beginSheet()
  return {
    add(some) {
      let text = ''
      for (const cells of some) {
        if (rows >= mostRows || sheetBytes + text.length > mostSheetBytes) {
          put(text)
          text = ''
          beginSheet()
        }
        rows++
        text += rowText(cells)
      }
      put(text)
      return takeReady()
    },
    end() {
      endSheet()
      const names = Array.from({ length: sheets }, (_, n) => (n === 0 ? sheetName : `${sheetName} ${n + 1}`))
      write('xl/styles.xml', styleSheet)
      write('xl/workbook.xml', workbook(names))
      write('xl/_rels/workbook.xml.rels', workbookRelations(sheets))
      write('[Content_Types].xml', contentTypes(sheets))
      zip.end()
      return takeReady()
    },
  }
}

/** The column at a place from 0: A, B, …, Z, AA, … */
export function columnName(at: number): string {
  const letter = String.fromCharCode(65 + (at % 26))
  return at < 26 ? letter : `${columnName(Math.floor(at / 26) - 1)}${letter}`
}

/** Indexes of `cellXfs`. A cell with the format of texts stays text when it is edited, also `=1+1` and `007`. */
const styles = { head: 1, text: 2, time: 3, day: 4 } as const

function cellText(cell: Cell, place: string): string {
  if (cell === null || cell === '') return ''
  if (typeof cell === 'boolean') return `<c r="${place}" t="b"><v>${Number(cell)}</v></c>`
  if (typeof cell === 'number') {
    // A spreadsheet keeps 15 digits.
    return Math.abs(cell) < 1e15 ? `<c r="${place}"><v>${cell}</v></c>` : cellText(String(cell), place)
  }
  if (typeof cell === 'object') {
    const serial = serialOf(cell.clockMs)
    const style = cell.isDay ? styles.day : styles.time
    return serial === undefined
      ? cellText(new Date(cell.clockMs).toISOString(), place)
      : `<c r="${place}" s="${style}"><v>${serial}</v></c>`
  }
  return `<c r="${place}" s="${styles.text}" t="inlineStr"><is>${textElement(cell)}</is></c>`
}

/** Days since the end of 1899. Undefined before March 1900, when spreadsheets count a day that was none. */
function serialOf(clockMs: number): number | undefined {
  const days = clockMs / 86_400_000 + 25_569
  return days >= 61 && days < 2_958_466 ? days : undefined
}

function textElement(text: string): string {
  const short = text.length > longestText ? `${text.slice(0, longestText - 1)}…` : text
  const isPlain = /^[\w@.+:/=-]*$/.test(short) && !/_x[0-9A-Fa-f]{4}_/.test(short)
  return isPlain ? `<t>${short}</t>` : `<t xml:space="preserve">${escaped(short)}</t>`
}

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** What XML cannot contain is written as `_x0001_` (ECMA-376 §22.9.2.19), and so is the beginning of what looks like that. */
function escaped(text: string): string {
  return text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(
      /(?![\t\n])[\p{Cc}\p{Surrogate}\ufffe\uffff]/gu,
      (sign) => `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replace(/[&<>"]/g, (sign) => marks[sign] as string)
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'

/** The header stays in view. */
function sheetStart(isRightToLeft: boolean, columns: number): string {
  const direction = isRightToLeft ? ' rightToLeft="1"' : ''
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
  const widths = columns === 0 ? '' : `<cols><col min="1" max="${columns}" width="22" customWidth="1"/></cols>`
  return `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView${direction} workbookViewId="0">${pane}</sheetView></sheetViews>${widths}<sheetData>`
}

const packageRelations = `${declaration}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`

/** 14 and 22 are a day and a time in the form of the reader's language; 49 is text. */
const formats = [0, 0, 49, 22, 14]
const styleSheet = `${declaration}<styleSheet xmlns="${main}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${formats.length}">${formats
  .map(
    (format, n) =>
      `<xf numFmtId="${format}" fontId="${n === styles.head ? 1 : 0}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`,
  )
  .join('')}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`

function workbook(names: readonly string[]): string {
  const sheets = names.map(
    (name, n) => `<sheet name="${escaped(sheetNameOf(name))}" sheetId="${n + 1}" r:id="rId${n + 1}"/>`,
  )
  return `${declaration}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${sheets.join('')}</sheets></workbook>`
}

/** Excel refuses these characters, and more than 31 of any. */
function sheetNameOf(name: string): string {
  return name.replaceAll(/[\]\\[*?:/']/g, ' ').slice(0, 31)
}

function workbookRelations(sheets: number): string {
  const one = (id: number, type: string, target: string) =>
    `<Relationship Id="rId${id}" Type="${relations}/${type}" Target="${target}"/>`
  const all = Array.from({ length: sheets }, (_, n) => one(n + 1, 'worksheet', `worksheets/sheet${n + 1}.xml`))
  return `${declaration}<Relationships xmlns="${packages}/relationships">${all.join('')}${one(sheets + 1, 'styles', 'styles.xml')}</Relationships>`
}

function contentTypes(sheets: number): string {
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
  const one = (name: string, of: string) => `<Override PartName="/xl/${name}.xml" ContentType="${type}.${of}+xml"/>`
  const all = Array.from({ length: sheets }, (_, n) => one(`worksheets/sheet${n + 1}`, 'worksheet'))
  return `${declaration}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${one('workbook', 'sheet.main')}${one('styles', 'styles')}${all.join('')}</Types>`
}
