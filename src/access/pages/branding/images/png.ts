/**
 * Reads a PNG (third edition of the specification) and writes it again from the chunks that make the picture: header, palette,
 * transparency and pixels. Whatever else was in the file is gone. Pixels are decompressed once, to prove that they are what the
 * header promises, and counted instead of stored.
 */
import { crc32, createInflate } from 'node:zlib'
import { LogoFault, malformed, refuseStrip } from './fault.ts'

const mostPixels = 4096

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Table 11.1: by colour type, how many samples a pixel has and how many bits each may have. */
const colourTypes: Readonly<Record<number, { samples: number; depths: readonly number[] }>> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
}

type Chunk = { type: string; data: Buffer }
type Header = { width: number; height: number; depth: number; colourType: number; isInterlaced: boolean }

export function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, 8).equals(signature)
}

/** @throws LogoFault */
export async function cleanPng(bytes: Buffer): Promise<{ content: Buffer; width: number; height: number }> {
  if (!isPng(bytes)) throw malformed('The file is not a PNG.')
  const chunks = chunksOf(bytes)
  const first = chunks[0]
  if (first?.type !== 'IHDR') throw malformed('The PNG does not begin with its header.')
  const header = headerOf(first.data)
  const drawn = drawnChunks(chunks.slice(1), header)
  const pixels = Buffer.concat(drawn.filter(({ type }) => type === 'IDAT').map(({ data }) => data))
  await checkPixels(pixels, header)
  const rest = drawn.filter(({ type }) => type !== 'IDAT')
  const all = [first, ...rest, { type: 'IDAT', data: pixels }, { type: 'IEND', data: Buffer.alloc(0) }]
  const { width, height } = header
  return { content: Buffer.concat([signature, ...all.map(written)]), width, height }
}

function chunksOf(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = []
  let at = signature.length
  while (at < bytes.length) {
    if (chunks.at(-1)?.type === 'IEND') throw malformed('The PNG goes on after its end.')
    if (bytes.length - at < 12) throw malformed('The PNG is cut off.')
    const length = bytes.readUInt32BE(at)
    if (length > bytes.length - at - 12) throw malformed('A chunk of the PNG is longer than the file.')
    const named = bytes.subarray(at + 4, at + 8 + length)
    const type = named.toString('latin1', 0, 4)
    if (!/^[A-Za-z]{4}$/.test(type)) throw malformed('A chunk of the PNG has no name.')
    if (crc32(named) !== bytes.readUInt32BE(at + 8 + length)) throw malformed('A checksum in the PNG is wrong.')
    chunks.push({ type, data: named.subarray(4) })
    at += 12 + length
  }
  const last = chunks.at(-1)
  if (last?.type !== 'IEND' || last.data.length > 0) throw malformed('The PNG is cut off.')
  return chunks.slice(0, -1)
}

function headerOf(data: Buffer): Header {
  if (data.length !== 13) throw malformed('The header of the PNG has the wrong length.')
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)]
  const [depth = 0, colourType = 0, compression, filter, interlace = 0] = data.subarray(8)
  if (width === 0 || height === 0) throw malformed('The PNG has no pixels.')
  if (width > mostPixels || height > mostPixels) {
    throw new LogoFault('logo_too_large', `The logo has more than ${mostPixels} pixels on a side.`)
  }
  refuseStrip({ width, height })
  if (!colourTypes[colourType]?.depths.includes(depth)) throw malformed('The PNG has colours of an unknown kind.')
  if (compression !== 0 || filter !== 0 || interlace > 1) throw malformed('The PNG is compressed in an unknown way.')
  return { width, height, depth, colourType, isInterlaced: interlace === 1 }
}

/** The chunks that make the picture, in the order that they must have (§5.6). */
function drawnChunks(chunks: readonly Chunk[], { depth, colourType }: Header): Chunk[] {
  const drawn: Chunk[] = []
  let colours: number | undefined
  let isAfterPixels = false
  for (const chunk of chunks) {
    const { type, data } = chunk
    const hasPixels = drawn.at(-1)?.type === 'IDAT'
    if (['acTL', 'fcTL', 'fdAT'].includes(type)) throw new LogoFault('logo_forbidden', 'The PNG is animated.')
    if (type === 'IDAT') {
      if (isAfterPixels) throw malformed('The pixels of the PNG are not in one place.')
      if (colourType === 3 && colours === undefined) throw malformed('The PNG has no palette.')
      drawn.push(chunk)
      continue
    }
    isAfterPixels ||= hasPixels
    if (type === 'PLTE') {
      const mayHave = colourType === 3 ? 2 ** depth : colourType === 0 || colourType === 4 ? 0 : 256
      colours = data.length / 3
      const isOnce = drawn.length === 0
      if (!isOnce || !Number.isInteger(colours) || colours === 0 || colours > mayHave)
        throw malformed('The palette of the PNG is wrong.')
      drawn.push(chunk)
    } else if (type === 'tRNS') {
      const isFirst = drawn.every((one) => one.type === 'PLTE')
      const fits =
        colourType === 3 ? colours !== undefined && data.length <= colours : data.length === { 0: 2, 2: 6 }[colourType]
      if (!isFirst || !fits) throw malformed('The transparency of the PNG is wrong.')
      drawn.push(chunk)
    } else if (/^[A-Z]/.test(type)) throw malformed('The PNG has a chunk that must be understood and is unknown.')
  }
  if (!drawn.some(({ type }) => type === 'IDAT')) throw malformed('The PNG has no pixels.')
  return drawn
}

/** Adam7 (§8.1): where each pass begins, and how far apart its pixels are. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

/** The lines of pixels: each has a byte for its filter first. */
function linesOf({ width, height, depth, colourType, isInterlaced }: Header): { count: number; bytes: number }[] {
  const bits = depth * (colourTypes[colourType]?.samples ?? 0)
  const lines = (columns: number, rows: number) =>
    columns === 0 || rows === 0 ? [] : [{ count: rows, bytes: 1 + Math.ceil((columns * bits) / 8) }]
  if (!isInterlaced) return lines(width, height)
  return passes.flatMap(([x, y, across, down]) =>
    lines(Math.max(0, Math.ceil((width - x) / across)), Math.max(0, Math.ceil((height - y) / down))),
  )
}

function* filterPlaces(lines: ReturnType<typeof linesOf>): Generator<number> {
  let at = 0
  for (const { count, bytes } of lines) {
    for (let line = 0; line < count; line++) {
      yield at
      at += bytes
    }
  }
}

/** Decompresses in a thread of Node's, a piece at a time: 64 KiB can become 64 MiB. */
async function checkPixels(data: Buffer, header: Header): Promise<void> {
  const lines = linesOf(header)
  const expected = lines.reduce((sum, { count, bytes }) => sum + count * bytes, 0)
  const places = filterPlaces(lines)
  const inflate = createInflate()
  let seen = 0
  let place = places.next().value ?? Number.POSITIVE_INFINITY
  inflate.end(data)
  try {
    for await (const piece of inflate as AsyncIterable<Buffer>) {
      for (; place < seen + piece.length; place = places.next().value ?? Number.POSITIVE_INFINITY) {
        if ((piece[place - seen] ?? 0) > 4) throw malformed('A line of the PNG has an unknown filter.')
      }
      seen += piece.length
      if (seen > expected) throw malformed('The PNG has more pixels than its header says.')
    }
  } catch (error) {
    if (error instanceof LogoFault) throw error
    throw malformed('The pixels of the PNG cannot be decompressed.')
  }
  if (seen < expected) throw malformed('The PNG has fewer pixels than its header says.')
  if (inflate.bytesWritten < data.length) throw malformed('The PNG has data after its pixels.')
}

function written({ type, data }: Chunk): Buffer {
  const chunk = Buffer.alloc(12 + data.length)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(type, 4, 'latin1')
  data.copy(chunk, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length)
  return chunk
}
