/** What answers that are streams have in common. */
import { pipeline, type Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { ReadRequest } from '../../store/storage/storage.ts'
import { compressor, type Encoding } from './compress.ts'

/** The read is wanted until its reader leaves without the whole answer. */
export function readRequest({ raw, request }: FastifyReply): ReadRequest {
  const left = new AbortController()
  if (raw.destroyed) left.abort()
  else
    raw.once('close', () => {
      if (!raw.writableFinished) left.abort()
    })
  return { actor: request.actor, signal: left.signal }
}

/** A failure of the stream, or a reader that left, ends both; the connection is cut and never ended cleanly. */
export function sendStream(reply: FastifyReply, rows: Readable, encoding: Encoding): FastifyReply {
  const { request, raw } = reply
  raw.once('close', () => {
    if (raw.writableFinished) return
    const { errored } = rows
    const reason = errored?.message ?? 'The client disconnected.'
    request.log[errored ? 'warn' : 'info']({ request_id: request.id, reason }, 'the list was cut off')
  })
  if (encoding === 'identity') return reply.send(rows)
  reply.header('content-encoding', encoding)
  const compressed = compressor(encoding)
  // Fastify looks after the stream that it is given; this keeps the one behind it in step.
  pipeline(rows, compressed, () => {})
  return reply.send(compressed)
}
