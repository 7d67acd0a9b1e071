/** Replaces the responses that Node sends by itself, before any handler runs. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError, FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { AppError } from '../../core/errors.ts'
import { STATUS_CODES } from '../../lib/node-http.ts'
import { commonHeaders, problemContentType, toProblem } from '../response/problem.ts'

function refusalOf({ code, rawPacket }: ConnectionError): AppError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('request_timeout', 'The request did not arrive in time.')
  if (code === 'HPE_HEADER_OVERFLOW') {
    // Fastify's type has the packet as JSON, Node gives the bytes.
    // Node counts the URL as a header; it is the culprit if the request line has not ended yet.
    return (rawPacket as unknown as Buffer | undefined)?.includes('\n') === false
      ? new AppError('uri_too_long', 'The URL is too long.')
      : new AppError('headers_too_large', 'The headers are too large.')
  }
  return new AppError('malformed_request', 'This is not a valid HTTP request (RFC 9112).')
}

/** Long enough to read a response; closing while the client still sends would discard it (RFC 9112 §9.6). */
const lingerMs = 1000

type Answering = { _httpMessage?: (ServerResponse & { req: IncomingMessage }) | null }

/** Responds with a problem document to anything that is not HTTP or did not arrive in time, and closes the connection. */
export function unparsableAnswerer(publicBase: string, log: Logger) {
  return function respond(error: ConnectionError, socket: Socket): void {
    if (socket.writableEnded) return // The error is about bytes after the faulty request.
    // The response Node is working on, in the field that its own error handling uses.
    const pending = (socket as Answering)._httpMessage
    // Browsers open connections ahead of need, and would show this response when they use one.
    const isUnused = socket.bytesRead === 0
    if (!socket.writable || error.code === 'ECONNRESET' || isUnused) {
      socket.destroy()
    } else if (pending?.req.complete) {
      // With pipelining, an early response would be taken for the response to an earlier request.
      socket.pause()
      pending.once('close', () => respond(error, socket))
    } else if (pending?.headersSent) {
      socket.destroy()
    } else {
      const requestId = randomUUID()
      const refusal = refusalOf(error)
      log.info({ request_id: requestId, status: refusal.status, fault: error.code, address: socket.remoteAddress })
      socket.end(rawAnswer(refusal, requestId, publicBase))
      setTimeout(() => socket.destroy(), lingerMs).unref()
    }
  }
}

function rawAnswer(refusal: AppError, requestId: string, publicBase: string): string {
  const body = JSON.stringify(toProblem(refusal, requestId, publicBase))
  const headers = {
    ...commonHeaders,
    'x-request-id': requestId,
    'content-type': problemContentType,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${body}`
}

/** Handles requests with an `Expect` that Node does not know like all others; Node would send an empty body. */
export function takeExpectations({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}
