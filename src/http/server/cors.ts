/**
 * Lets pages of the configured origins call the API from a browser (Fetch standard, "CORS protocol"). They send an API
 * key or a token: Access-Control-Allow-Credentials is never set, so no page of another origin can use a cookie.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pathTable } from './path-table.ts'

const sent = 'authorization, x-api-key, content-type, if-match, if-none-match, idempotency-key, x-request-id'
const exposedHeaders =
  'etag, link, location, total-count, total-count-estimated, retry-after, ratelimit, ratelimit-policy, idempotency-replayed, dry-run, ' +
  'www-authenticate, x-request-id'
/** Chromium caches a preflight no longer than this. */
const preflightSeconds = 7200

/** Register this before the handler of unknown paths: a preflight has no route. */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return
  const paths = pathTable(app, isForOthers)
  const isAllowed = ({ headers }: FastifyRequest) => headers.origin !== undefined && origins.includes(headers.origin)

  app.addHook('onRequest', (request, reply, done) => {
    const methods = request.method === 'OPTIONS' ? paths.methodsAt(request.url) : undefined
    if (methods === undefined) return done()
    vary(reply, 'origin, access-control-request-method, access-control-request-headers')
    if (!isAllowed(request) || request.headers['access-control-request-method'] === undefined) return done()
    reply
      .code(204)
      .header('access-control-allow-origin', request.headers.origin)
      .header('access-control-allow-methods', methods.join(', '))
      .header('access-control-allow-headers', sent)
      .header('access-control-max-age', preflightSeconds)
      .send()
  })

  // Not earlier: routes set their own Vary, and refusals must be readable too.
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (isForOthers(request.routeOptions.config)) {
      vary(reply, 'origin')
      if (isAllowed(request)) {
        reply
          .header('access-control-allow-origin', request.headers.origin)
          .header('access-control-expose-headers', exposedHeaders)
      }
    }
    done()
  })
}

/** Operations that require a credential. Pages, health and sign-in stay with their own origin. */
function isForOthers(config: { access?: unknown; docs?: unknown } | undefined): boolean {
  return config?.docs !== undefined && config.access !== 'public'
}

function vary(reply: FastifyReply, names: string): void {
  const before = reply.getHeader('vary')
  reply.header('vary', before === undefined ? names : `${before}, ${names}`)
}
