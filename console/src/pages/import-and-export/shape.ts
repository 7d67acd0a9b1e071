/** Detects what a file is from its name and first bytes: format, encoding and separator. */
import { firstRecords, guessSeparator, type Separator } from '../../../../src/lib/csv-records.ts'
import { type Encoding, encodings, guessEncoding } from '../../../../src/lib/text-encoding.ts'
import { kindOfWorkbook, workbookRows, xlsxMediaType } from '../../../../src/lib/xlsx-reader.ts'

/** The formats of texts, which can be chosen, and that of Excel, which cannot. */
type FileFormat = 'csv' | 'ndjson' | 'json' | 'xlsx'

export { type Encoding, encodings }

/** How the file is to be read. */
export type Shape = { format: FileFormat; encoding: Encoding; separator: Separator; isPacked: boolean }

/** The shape of a file before it is read entirely: how to read it, and its first rows. */
export type Glance = {
  shape: Shape
  head: Uint8Array<ArrayBuffer>
  /** The first rows of an Excel file. */
  sheet?: readonly string[][]
}

/** Whether the file has columns, which are mapped to members. */
export function hasColumns({ format }: Pick<Shape, 'format'>): boolean {
  return format === 'csv' || format === 'xlsx'
}

const glanceBytes = 64 * 1024
/** The start of an encrypted export: `age-encryption.org/v1`. */
const encryptedIntro = 'age-encryption.org/'

export class FileFault extends Error {
  readonly code: 'empty' | 'encrypted' | 'not_text' | 'damaged'

  constructor(code: FileFault['code'], options?: ErrorOptions) {
    super(code, options)
    this.name = 'FileFault'
    this.code = code
  }
}

/** What the API takes the file as. */
export function contentTypeOf({ format }: Pick<Shape, 'format'>): string {
  if (format === 'xlsx') return xlsxMediaType
  return format === 'csv' ? 'text/csv' : 'application/x-ndjson'
}

/** @throws FileFault, WorkbookFault for a file that holds no users */
export async function glanceAt(file: File): Promise<Glance> {
  const intro = new Uint8Array(await file.slice(0, 20).arrayBuffer())
  if (kindOfWorkbook(intro) !== undefined) return glanceAtSheet(file)
  const isPacked = intro[0] === 0x1f && intro[1] === 0x8b
  const head = await beginningOf(isPacked ? unpacked(file) : file.stream())
  if (head.length === 0) throw new FileFault('empty')
  if (new TextDecoder('latin1').decode(head.subarray(0, encryptedIntro.length)) === encryptedIntro)
    throw new FileFault('encrypted')
  const encoding = guessEncoding(head)
  // A zip, a spreadsheet in its own format or a picture: text has no zero bytes.
  if (!encoding.startsWith('utf-16') && head.includes(0)) throw new FileFault('not_text')
  const text = textOf(head, encoding)
  if (text.trim() === '') throw new FileFault('empty')
  const format = guessFormat(file.name, text)
  return { shape: { format, encoding, separator: guessSeparator(text), isPacked }, head }
}

function unpacked(file: File): ReadableStream<Uint8Array<ArrayBuffer>> {
  return file.stream().pipeThrough(new DecompressionStream('gzip'))
}

async function beginningOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  try {
    while (length < glanceBytes) {
      const { done, value } = await reader.read()
      if (done) break
      chunks.push(value)
      length += value.length
    }
  } catch (cause) {
    throw new FileFault('damaged', { cause })
  } finally {
    await reader.cancel().catch(() => undefined)
  }
  return new Uint8Array(await new Blob(chunks).slice(0, glanceBytes).arrayBuffer())
}

/** Columns of a file of users. */
export const mostColumns = 2000

async function glanceAtSheet(file: File): Promise<Glance> {
  const sheet: string[][] = []
  for await (const records of workbookRows(file, { mostCells: mostColumns })) {
    sheet.push(...records.map(({ cells }) => cells).slice(0, sampleRows - sheet.length))
    if (sheet.length === sampleRows) break
  }
  if (sheet.length === 0) throw new FileFault('empty')
  const shape = { format: 'xlsx', encoding: 'utf-8', separator: ',', isPacked: false } as const
  return { shape, head: new Uint8Array(), sheet }
}

/** The name decides between formats that the text allows. */
function guessFormat(name: string, text: string): FileFormat {
  const first = text.trimStart()[0]
  if (first === '[') return 'json'
  if (first === '{') return 'ndjson'
  const [, ending] = /\.(\w+)$/.exec(name.toLowerCase().replace(/\.gz$/, '')) ?? []
  return ending === 'ndjson' || ending === 'jsonl' ? 'ndjson' : 'csv'
}

function textOf(head: Uint8Array, encoding: Encoding): string {
  return new TextDecoder(encoding).decode(head, { stream: true })
}

const sampleRows = 6

/** Returns the header and some rows of a file with columns. */
export function sampleOf(
  { head, sheet }: Glance,
  { encoding, separator }: Shape,
): { header: string[]; rows: string[][] } {
  const [header = [], ...rows] = sheet ?? firstRecords(textOf(head, encoding), separator, sampleRows)
  return { header: header.map((name) => name.trim()), rows: rows.slice(0, 5) }
}
