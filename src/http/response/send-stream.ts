/** Shared parts of streamed responses. */
import { pipeline, type Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { ReadRequest } from '../../store/storage/storage.ts'
import { compressor, type Encoding } from './compress.ts'

/** Cancels the read if the client leaves before the response is complete. */
export function readRequest({ raw, request }: FastifyReply): ReadRequest {
  const left = new AbortController()
  if (raw.destroyed) left.abort()
  else
    raw.once('close', () => {
      if (!raw.writableFinished) left.abort()
    })
  return { actor: request.actor, signal: left.signal }
}

/** A failing stream, or a client that left, ends both; the connection is cut, never closed cleanly. */
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
  // Fastify handles errors of the stream it gets; this propagates them to the one behind it.
  pipeline(rows, compressed, () => {})
  return reply.send(compressed)
}
