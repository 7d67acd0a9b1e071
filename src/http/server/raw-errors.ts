/** What Node would answer by itself, before any handler runs, in our words. */
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError, FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { AppError } from '../../core/errors.ts'
import { commonHeaders, problemContentType, toProblem } from '../response/problem.ts'

function refusalOf({ code, rawPacket }: ConnectionError): AppError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('request_timeout', 'The request did not arrive in time.')
  if (code === 'HPE_HEADER_OVERFLOW') {
    // Fastify's type has the packet as JSON, Node gives the bytes.
    // Node counts the URL as a header; it is the culprit when its line has not ended yet.
    return (rawPacket as unknown as Buffer | undefined)?.includes('\n') === false
      ? new AppError('uri_too_long', 'The URL is too long.')
      : new AppError('headers_too_large', 'The headers are too large.')
  }
  return new AppError('malformed_request', 'This is not a valid HTTP request (RFC 9112).')
}

/** Long enough to read an answer; closing while the client still sends would take it away (RFC 9112 §9.6). */
const lingerMs = 1000

type Answering = { _httpMessage?: (ServerResponse & { req: IncomingMessage }) | null }

/** Answers what is not HTTP, or did not arrive in time, with a problem document, and closes the connection. */
export function unparsableAnswerer(publicBase: string, log: Logger) {
  return function answer(error: ConnectionError, socket: Socket): void {
    if (socket.writableEnded) return // This is about what was sent after the fault.
    // The answer that Node is at, by the field that its own handling of such errors goes by.
    const pending = (socket as Answering)._httpMessage
    // Browsers open connections ahead of need, and would show the answer when they come to use one.
    const isUnused = socket.bytesRead === 0
    if (!socket.writable || error.code === 'ECONNRESET' || isUnused) {
      socket.destroy()
    } else if (pending?.req.complete) {
      // In a pipeline an answer ahead of its turn would be taken for that to an earlier request.
      socket.pause()
      pending.once('close', () => answer(error, socket))
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

/** Requests with an `Expect` that Node does not know, and would answer with an empty body, are handled like all others. */
export function takeExpectations({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}
