/** The body of an import: decompressed if necessary, and with a limit on waiting. */
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import { type Encoding, encodingNamed } from '../../lib/text-encoding.ts'
import { xlsxMediaType } from '../../lib/xlsx-reader.ts'
import type { ImportOptions } from './imports.ts'

const formatOf: Record<string, ImportOptions['format']> = {
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
  [xlsxMediaType]: 'xlsx',
}

export const mediaTypes = Object.keys(formatOf)

export type BodyForm = {
  format: ImportOptions['format']
  /** What the media type says; without, a byte order mark says it, or the body is UTF-8. */
  encoding: Encoding | undefined
}

/** @throws AppError `unsupported_media_type` */
export function formOfBody({ headers }: FastifyRequest): BodyForm {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase())
  const format = formatOf[type]
  const charset = parameters.flatMap((one) => /^charset="?([^"]*)"?$/.exec(one)?.[1] ?? [])[0]
  const encoding = charset === undefined ? undefined : encodingNamed(charset)
  const isOther = charset !== undefined && (encoding === undefined || (format !== 'csv' && encoding !== 'utf-8'))
  if (format === undefined || isOther) {
    throw new AppError(
      'unsupported_media_type',
      `The body is not labelled as rows. Send it as application/x-ndjson in UTF-8, as text/csv (charset utf-8, utf-16le, utf-16be or windows-1252), or as ${xlsxMediaType}.`,
    )
  }
  return { format, encoding }
}

/** @throws AppError `unsupported_content_encoding` */
export function unpackedBody({ raw, headers }: FastifyRequest, idleMs: number): Readable {
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity'
  const body = arriving(raw, idleMs)
  if (encoding === 'identity') return body
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw new AppError(
      'unsupported_content_encoding',
      'This content encoding is not supported. Send the body uncompressed, or compressed with gzip.',
      {
        headers: { 'accept-encoding': 'gzip, identity' },
      },
    )
  }
  return Readable.from(unpackGzip(body), { objectMode: false })
}

/** A file of users becomes some ten times smaller by gzip; what becomes a thousand times smaller is no such file. */
const [mostTimes, alwaysAllowedBytes] = [100, 1024 * 1024]

async function* unpackGzip(body: Readable): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  body.on('error', (error) => gunzip.destroy(error))
  let bytes = 0
  try {
    for await (const piece of body.pipe(gunzip) as AsyncIterable<Buffer>) {
      bytes += piece.length
      if (bytes > Math.max(alwaysAllowedBytes, mostTimes * gunzip.bytesWritten)) throw tooLargeUnpacked()
      yield piece
    }
  } catch (error) {
    if (!/^Z_/.test((error as NodeJS.ErrnoException).code ?? '')) throw error
    throw new AppError('malformed_request', 'The body is not valid gzip, or is incomplete.')
  } finally {
    body.destroy()
  }
}

function tooLargeUnpacked(): AppError {
  const detail = `The body unpacks to more than ${mostTimes} times its size. Send it uncompressed, or in parts.`
  return new AppError('body_too_large', detail)
}

/**
 * Yields the arriving data, with a limit on waiting. The request stays open after reading stops, and what still arrives is
 * discarded: a client that is cut off while sending does not read the response, and the next request of a connection is
 * read only after the whole body of this one.
 */
function arriving(raw: Readable, idleMs: number): Readable {
  return Readable.from(
    (async function* () {
      const pieces = raw.iterator({ destroyOnReturn: false })
      try {
        for (;;) {
          const { value, done } = await inTime(pieces.next(), idleMs)
          if (done) return
          yield value as Buffer
        }
      } finally {
        const discard = () => raw.resume()
        // Not awaited: it may wait for a piece that never comes.
        void pieces.return?.().then(discard, discard)
      }
    })(),
    { objectMode: false },
  )
}

async function inTime<T>(work: Promise<T>, idleMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const refuse = () => reject(new AppError('request_timeout', 'No data arrived for too long.'))
    timer = setTimeout(refuse, idleMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
