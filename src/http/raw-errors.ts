import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError, type ProblemCode } from '../errors.ts'
import { problemContentType, toProblem } from './problem.ts'

/** A URL that is longer is nobody's bookmark; Node's own limit is on all headers together. */
const urlLimit = 8192

const byNodeCode: Record<string, [ProblemCode, string]> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The request line and headers may have 16 KiB together.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time.'],
}

/** What Node would answer by itself, before any handler runs, with a problem document and a closed connection. */
export function answerUnparsable(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const [code, detail] = byNodeCode[error.code ?? ''] ?? [
    'malformed_request',
    'This is not an HTTP request as RFC 9112 has it.',
  ]
  const requestId = randomUUID()
  const problem = toProblem(new AppError(code, detail), requestId)
  const body = JSON.stringify(problem)
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `Content-Type: ${problemContentType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** `Expect` with anything but 100-continue (RFC 9110 §10.1.1), which Node would answer with an empty body. */
export function answerExpectations(app: FastifyInstance): void {
  app.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const requestId = randomUUID()
    const problem = toProblem(new AppError('expectation_failed', 'Leave out the Expect header.'), requestId)
    response.writeHead(problem.status, {
      'content-type': problemContentType,
      'x-request-id': requestId,
      connection: 'close',
    })
    response.end(JSON.stringify(problem))
  })
}

/** What Node lets through though RFC 9112 §3.2 does not: no Host, or more than one. */
export function refuseMalformed({ raw }: FastifyRequest): void {
  if ((raw.url as string).length > urlLimit) {
    throw new AppError('uri_too_long', `The URL may have ${urlLimit} characters.`)
  }
  let hosts = 0
  const { rawHeaders } = raw
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts > 1 || (hosts === 0 && raw.httpVersionMinor === 1)) {
    throw new AppError('malformed_request', 'Send exactly one Host header.')
  }
}
