import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isUuid } from '../../lib/uuidv7.ts'

type WriteLine = (event: Record<string, unknown>, level?: Level) => void

type Level = 'info' | 'warn' | 'error'

/** The known reason for a 5xx response. */
export type Failure = { level: Level; code: string; reason: string | undefined }

declare module 'fastify' {
  interface FastifyRequest {
    failure: Failure | undefined
  }
}
type AddressOf = (request: FastifyRequest) => string | undefined

/** Writes one line per request. */
export function logRequests(app: FastifyInstance, writeLine: WriteLine, addressOf: AddressOf): void {
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(writeLine, request, reply, addressOf(request))
    done()
  })
}

export function logRequest(
  writeLine: WriteLine,
  request: FastifyRequest,
  reply: FastifyReply,
  address = request.raw.socket.remoteAddress,
): void {
  const { failure } = request
  const event = {
    request_id: request.id,
    method: request.method,
    path: pathToLog(request.url),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 100) / 100,
    actor: request.actor?.id || undefined,
    address,
  }
  if (failure === undefined) writeLine(event)
  else writeLine({ ...event, code: failure.code, reason: failure.reason, msg: 'request failed' }, failure.level)
}

/** The fast path for nearly all paths: short names, perhaps an id at the end. */
const plainPath = /^(?:\/[\w.-]{1,20}){1,3}(?:\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})?$/

/**
 * Returns the path without its query, which may hold names, addresses or a key. People put keys into paths too
 * (`/keys/rb_…`): every key has at least 32 characters, so of the segments that long only ids are kept.
 */
function pathToLog(url: string): string {
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  if (path.length < 32 || plainPath.test(path)) return path
  return path.replaceAll(/[^/]{32,}/g, (part) => (isUuid(part.toLowerCase()) ? part : '[long]'))
}
