import type { FastifyRequest } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'

/**
 * Browsers let any page open a websocket to any server, with its cookies, and always send the origin (RFC 6455 §10.2).
 * Proxies pass on Sec-WebSocket-Key even if they drop Upgrade.
 */
export function refuseForeignSocket(
  request: FastifyRequest,
  { isCrossOrigin }: Pick<HttpLayer, 'isCrossOrigin'>,
): void {
  if (request.headers['sec-websocket-key'] === undefined || !isCrossOrigin(request)) return
  throw new AppError('cross_origin', 'A WebSocket with a session cookie must come from a page of the same origin.')
}
