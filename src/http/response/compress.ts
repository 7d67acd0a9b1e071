import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from 'node:zlib'
import { negotiate } from '../../lib/accept.ts'

export type Encoding = 'zstd' | 'br' | 'gzip' | 'identity'

const encodings: readonly Encoding[] = ['zstd', 'br', 'gzip', 'identity']
/** A smaller body fits into one packet anyway. */
const worthwhileBytes = 1024
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } } // 11, the default, is for what is compressed once

/** Returns the encoding for this `Accept-Encoding`; undefined if the client names none. */
export function chooseEncoding(header: string | undefined): Encoding {
  return header === undefined || header.trim() === '' ? 'identity' : (negotiate(header, encodings) ?? 'identity')
}

export function compressor(encoding: Exclude<Encoding, 'identity'>): Transform {
  if (encoding === 'zstd') return createZstdCompress()
  return encoding === 'br' ? createBrotliCompress(brotliOptions) : createGzip()
}

/** Returns the bytes in the chosen encoding, and the encoding that was actually applied. */
export async function compress<Body extends Uint8Array | string>(
  body: Body,
  encoding: Encoding,
): Promise<[Body | Uint8Array, Encoding]> {
  if (encoding === 'identity' || body.length < worthwhileBytes) return [body, 'identity']
  if (encoding === 'zstd') return [await promisify(zstdCompress)(body), encoding]
  if (encoding === 'br') return [await promisify(brotliCompress)(body, brotliOptions), encoding]
  return [await promisify(gzip)(body), encoding]
}
