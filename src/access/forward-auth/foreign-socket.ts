import type { FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'

/**
 * Browsers let every page open a websocket to every server, with its cookies, and always say from which origin (RFC 6455
 * §10.2). Proxies hand on Sec-WebSocket-Key also where they leave out Upgrade.
 */
export function refuseForeignSocket(
  request: FastifyRequest,
  { isCrossOrigin }: Pick<HttpLayer, 'isCrossOrigin'>,
): void {
  if (request.headers['sec-websocket-key'] === undefined || !isCrossOrigin(request)) return
  throw new AppError('cross_origin', 'A WebSocket with a session cookie must come from a page of the same origin.')
}
