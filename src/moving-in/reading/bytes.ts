import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { OperatorError } from '../../core/errors.ts'
import { type Encoding, guessEncoding } from '../../lib/text-encoding.ts'

/** Returns the input as UTF-8 without a byte order mark; decompresses gzip, and converts UTF-16 with a mark. */
export async function* utf8Bytes(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = input[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  let isEnded = false
  while (head.length < 6 && !isEnded) {
    const { value, done } = await chunks.next()
    isEnded = done === true
    if (!isEnded) head = Buffer.concat([head, value])
  }
  const rest = startingWith(head, chunks)
  if (head[0] === 0x1f && head[1] === 0x8b) yield* unpacked(rest)
  else if (head[0] === 0xff && head[1] === 0xfe) yield* inUtf8(rest, 'utf-16le')
  else if (head[0] === 0xfe && head[1] === 0xff) yield* inUtf8(rest, 'utf-16be')
  else if (kindOf(head) !== undefined) throw new OperatorError(`${kindOf(head)} Nothing was read.`)
  else if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) yield* startingWith(head.subarray(3), chunks)
  else yield* rest
}

/** Binary files, by their first bytes. */
function kindOf(head: Buffer): string | undefined {
  const headText = head.toString('latin1')
  return kinds.find(([start]) => headText.startsWith(start))?.[1]
}

const kinds = [
  ['PGDMP', "The input is in pg_dump's custom format. Dump with --format=plain, or convert it with pg_restore --file."],
  ['SQLite', 'The input is a SQLite database. Export its users table as CSV or JSON with the sqlite3 command.'],
  ['PK\x03\x04', 'The input is a ZIP file or a compressed spreadsheet. Unpack it first.'],
  ['%PDF', 'The input is a PDF. Export the users as text.'],
  ['\x28\xb5\x2f\xfd', 'The input is compressed with zstd. Decompress it first; only gzip is supported.'],
  ['BZh', 'The input is compressed with bzip2. Decompress it first; only gzip is supported.'],
  ['\xfd7zXZ', 'The input is compressed with xz. Decompress it first; only gzip is supported.'],
] as const

export async function* startingWith(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (head.length > 0) yield head
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

async function* unpacked(input: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip()
  pipeline(Readable.from(input), gunzip, () => {})
  try {
    yield* utf8Bytes(gunzip)
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw error
    throw new OperatorError('The input begins like gzip, but cannot be decompressed: it is damaged or cut off.')
  }
}

/** Returns a table in UTF-8, which may be in the encoding of old spreadsheets. */
export async function* tableBytes(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = utf8Bytes(input)
  let head = Buffer.alloc(0)
  while (head.length < MOST_LOOKED_AT) {
    const { value, done } = await chunks.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  const whole = startingWith(head, chunks)
  if (guessEncoding(head) === 'windows-1252') yield* inUtf8(whole, 'windows-1252')
  else yield* whole
}

/** Converts text in this encoding. @throws OperatorError if it is in another */
export async function* inUtf8(input: AsyncIterable<Uint8Array>, encoding: Encoding): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  try {
    for await (const bytes of input) yield Buffer.from(decoder.decode(bytes, { stream: true }))
    yield Buffer.from(decoder.decode())
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new OperatorError(
      `The input is not ${encoding.toUpperCase()}, or is cut off. Name its encoding with --encoding.`,
    )
  }
}

/** Returns the input as text. */
export async function* utf8Text(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const decode = (bytes?: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      throw new OperatorError('The input is not UTF-8. Save it as UTF-8, or name its encoding with --encoding.')
    }
  }
  for await (const bytes of utf8Bytes(input)) yield decode(bytes)
  yield decode()
}

export type Glance = {
  /** The beginning, without leading white space. */
  text: string
  /** The first line that is not blank, or as much of it as was read, or ''. */
  line: string
  /** The input, from its start. */
  bytes: AsyncIterable<Uint8Array>
}

const MOST_LOOKED_AT = 64 * 1024

/** Reads ahead to see what the input starts with. */
export async function glance(input: AsyncIterable<Uint8Array>): Promise<Glance> {
  const chunks = utf8Bytes(input)
  const seen: Uint8Array[] = []
  let text = ''
  while (text.length < MOST_LOOKED_AT) {
    const { value, done } = await chunks.next()
    if (done) break
    seen.push(value)
    const piece = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1')
    text = text === '' ? piece.trimStart() : text + piece
  }
  return { text, line: text.split(/\r?\n/, 1)[0] ?? '', bytes: startingWith(Buffer.concat(seen), chunks) }
}
