/** A large document that is the same for everyone: compressed once, sent again only if it has changed. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { negotiate } from '../../lib/accept.ts'
import { isNotModified } from '../request/conditional.ts'

type Coding = 'br' | 'gzip' | 'identity'
const codings: readonly Coding[] = ['br', 'gzip', 'identity']

/** Sends what `write` returns. It is called once, and the result is cached. */
export function wholeDocument(type: string, write: () => string) {
  let written: { content: Buffer; hash: string } | undefined
  const encodings = new Map<Coding, Promise<Buffer>>()

  function bytes(coding: Coding, content: Buffer): Promise<Buffer> {
    const known = encodings.get(coding)
    if (known !== undefined) return known
    const making = encode(coding, content)
    encodings.set(coding, making)
    making.catch(() => encodings.delete(coding))
    return making
  }

  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (written === undefined) {
      const content = Buffer.from(write())
      written = { content, hash: createHash('sha256').update(content).digest('base64url').slice(0, 22) }
    }
    const coding = negotiate(request.headers['accept-encoding'] || 'identity', codings) ?? 'identity'
    // RFC 9110 §8.8.3.3: each encoding of a document has its own strong tag.
    const etag = `"${written.hash}${coding === 'identity' ? '' : `-${coding}`}"`
    const isKnown = isNotModified(request, etag)
    const body = isKnown ? undefined : await bytes(coding, written.content)
    reply.header('etag', etag).header('cache-control', 'no-cache').header('vary', 'accept-encoding')
    if (body === undefined) return reply.code(304).send()
    if (coding !== 'identity') reply.header('content-encoding', coding)
    return reply.header('content-length', body.length).type(type).send(body)
  }
}

/** Quality 9 shrinks the 350 kB of the OpenAPI document to a twelfth; 11 would take a second more. */
async function encode(coding: Coding, content: Buffer): Promise<Buffer> {
  if (coding === 'identity') return content
  if (coding === 'gzip') return promisify(gzip)(content, { level: 9 })
  const params = { [zlib.BROTLI_PARAM_QUALITY]: 9, [zlib.BROTLI_PARAM_SIZE_HINT]: content.length }
  return promisify(brotliCompress)(content, { params })
}
