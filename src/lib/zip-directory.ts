/**
 * Reads a ZIP file by its directory (APPNOTE.TXT §4.3.12), entry by entry, in any order. Never trusts a size: counts what an
 * entry becomes, and stops at a limit.
 */

export type ZipEntry = {
  name: string
  isEncrypted: boolean
  /** 0: stored; 8: deflated. */
  method: number
  /** Bytes in the file. */
  size: number
  /** Where its local header starts. */
  offset: number
}

/** `too_large`: an entry becomes larger than allowed. */
export class ZipFault extends Error {
  readonly code: 'damaged' | 'encrypted' | 'too_large'

  constructor(code: ZipFault['code'], options?: ErrorOptions) {
    super(`The ZIP file cannot be read (${code}).`, options)
    this.code = code
  }
}

/** Far more than a workbook has: of the directory in bytes, and of a comment at the end. */
const [mostDirectoryBytes, mostEntries, longestComment] = [4 * 1024 * 1024, 10_000, 65_535]
const [endLength, end64Length, locatorLength, localLength, centralLength] = [22, 56, 20, 30, 46]
const [endMark, end64Mark, locatorMark, localMark, centralMark] = [
  0x06054b50, 0x06064b50, 0x07064b50, 0x04034b50, 0x02014b50,
]

/** @throws ZipFault `damaged` */
export async function zipEntries(file: Blob): Promise<ZipEntry[]> {
  const { count, size, offset } = await placeOfDirectory(file)
  if (size > mostDirectoryBytes || count > mostEntries || offset + size > file.size) throw new ZipFault('damaged')
  const bytes = await viewOf(file, offset, size)
  const entries: ZipEntry[] = []
  for (let at = 0; entries.length < count; ) {
    if (at + centralLength > bytes.byteLength || bytes.getUint32(at, true) !== centralMark)
      throw new ZipFault('damaged')
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((n) => bytes.getUint16(at + n, true)) as [
      number,
      number,
      number,
    ]
    const end = at + centralLength + nameLength + extraLength + commentLength
    if (end > bytes.byteLength) throw new ZipFault('damaged')
    const name = new TextDecoder().decode(part(bytes, at + centralLength, nameLength))
    const extra = part(bytes, at + centralLength + nameLength, extraLength)
    entries.push({
      name,
      isEncrypted: (bytes.getUint16(at + 8, true) & 1) === 1,
      method: bytes.getUint16(at + 10, true),
      ...largeSizes(extra, {
        unpacked: bytes.getUint32(at + 24, true),
        size: bytes.getUint32(at + 20, true),
        offset: bytes.getUint32(at + 42, true),
      }),
    })
    at = end
  }
  return entries
}

async function placeOfDirectory(file: Blob): Promise<{ count: number; size: number; offset: number }> {
  const from = Math.max(0, file.size - endLength - longestComment)
  const tail = await viewOf(file, from, file.size - from)
  let at = tail.byteLength - endLength
  while (at >= 0 && tail.getUint32(at, true) !== endMark) at--
  if (at < 0) throw new ZipFault('damaged')
  const plain = {
    count: tail.getUint16(at + 10, true),
    size: tail.getUint32(at + 12, true),
    offset: tail.getUint32(at + 16, true),
  }
  const locator = at - locatorLength
  if (locator < 0 || tail.getUint32(locator, true) !== locatorMark) return plain
  const end64 = Number(tail.getBigUint64(locator + 8, true))
  if (end64 + end64Length > file.size) throw new ZipFault('damaged')
  const large = await viewOf(file, end64, end64Length)
  if (large.getUint32(0, true) !== end64Mark) throw new ZipFault('damaged')
  const [count, size, offset] = [32, 40, 48].map((n) => Number(large.getBigUint64(n, true))) as [number, number, number]
  return { count, size, offset }
}

/** Sizes and places that do not fit into 32 bits are in an extra field (§4.5.3), in this order. */
function largeSizes(
  extra: Uint8Array,
  { unpacked, size, offset }: { unpacked: number; size: number; offset: number },
): { size: number; offset: number } {
  const [large, view] = [0xffffffff, new DataView(extra.buffer, extra.byteOffset, extra.byteLength)]
  for (let at = 0; at + 4 <= extra.byteLength; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue
    const end = Math.min(at + 4 + view.getUint16(at + 2, true), extra.byteLength)
    let next = at + 4
    const sizeOr64 = (known: number): number => {
      if (known !== large) return known
      if (next + 8 > end) throw new ZipFault('damaged')
      next += 8
      return Number(view.getBigUint64(next - 8, true))
    }
    sizeOr64(unpacked)
    return { size: sizeOr64(size), offset: sizeOr64(offset) }
  }
  return { size, offset }
}

/**
 * Yields what an entry becomes, in pieces.
 *
 * @param mostBytes of the whole
 * @param onRead called with the bytes that were read from the file
 * @throws ZipFault
 */
export async function* entryBytes(
  file: Blob,
  entry: ZipEntry,
  mostBytes: number,
  onRead: (bytes: number) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const { isEncrypted, method, offset, size } = entry
  if (isEncrypted) throw new ZipFault('encrypted')
  if (method !== 0 && method !== 8) throw new ZipFault('damaged')
  const header = await viewOf(file, offset, localLength)
  if (header.getUint32(0, true) !== localMark) throw new ZipFault('damaged')
  const start = offset + localLength + header.getUint16(26, true) + header.getUint16(28, true)
  if (start + size > file.size) throw new ZipFault('damaged')
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(bytes, controller) {
      onRead(bytes.length)
      controller.enqueue(bytes)
    },
  })
  const packed = file
    .slice(start, start + size)
    .stream()
    .pipeThrough(counted)
  const reader = (method === 0 ? packed : packed.pipeThrough(new DecompressionStream('deflate-raw'))).getReader()
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new ZipFault('damaged', { cause })
      })
      if (done) return
      bytes += value.byteLength
      if (bytes > mostBytes) throw new ZipFault('too_large')
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

async function viewOf(file: Blob, from: number, length: number): Promise<DataView> {
  if (from < 0 || from + length > file.size) throw new ZipFault('damaged')
  return new DataView(await file.slice(from, from + length).arrayBuffer())
}

function part({ buffer, byteOffset }: DataView, from: number, length: number): Uint8Array {
  return new Uint8Array(buffer, byteOffset + from, length)
}
