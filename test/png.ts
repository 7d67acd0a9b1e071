import { crc32, deflateSync } from 'node:zlib'

export function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

type Form = {
  width?: number
  height?: number
  depth?: number
  type?: number
  interlace?: number
  pixels?: Buffer
  more?: Buffer[]
  after?: Buffer
}

/** Builds a PNG, which may say what is not so. */
export function png({
  width = 4,
  height = 4,
  depth = 8,
  type = 6,
  interlace = 0,
  pixels,
  more = [],
  after = Buffer.alloc(0),
}: Form = {}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, type, 0, 0, interlace], 8)
  const data = pixels ?? deflateSync(Buffer.alloc(Math.min(height, 5000) * (1 + Math.min(width, 5000) * 4)))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...more,
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
    after,
  ])
}
