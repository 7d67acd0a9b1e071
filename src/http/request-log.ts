import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { isUuid } from '../lib/uuidv7.ts'

/** One line for each request. */
export function logRequests(app: FastifyInstance, log: Logger): void {
  // The members are known and hold no secret, so they need not be searched for one.
  const lines = log.child({}, { redact: [] })
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(lines, request, reply)
    done()
  })
}

export function logRequest(log: Logger, request: FastifyRequest, reply: FastifyReply): void {
  log.info({
    request_id: request.id,
    method: request.method,
    path: pathToLog(request.url),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 100) / 100,
    actor: request.actor?.id || undefined,
    address: request.raw.socket.remoteAddress,
  })
}

/**
 * The path without its query, which may hold names, addresses, a key. People put keys into paths too (`/keys/rb_…`):
 * every key has at least 32 characters, so of parts that long only ids are shown.
 */
function pathToLog(url: string): string {
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  return path.replaceAll(/[^/]{32,}/g, (part) => (isUuid(part.toLowerCase()) ? part : '[long]'))
}
