/** Refuses what another site makes a browser send along with our cookie (cross-site request forgery). */
import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'

const safe = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * A request that may change something and is authorized by a cookie must come from a page of the same origin: browsers
 * say so in `Sec-Fetch-Site`, older ones in `Origin`, and no page can forge either. One that says nothing is refused.
 *
 * @throws AppError `cross_origin`
 */
export function refuseCrossOrigin(
  request: FastifyRequest,
  publicOrigin: string | undefined,
  method = request.method,
): void {
  if (safe.has(method)) return
  const { 'sec-fetch-site': site, origin } = request.headers
  if (site === undefined ? isOwn(origin, request, publicOrigin) : site === 'same-origin') return
  const detail = 'From a browser this must be sent by a page of the same origin.'
  throw new AppError('cross_origin', detail)
}

/** Whether a browser says that it sends this from a page of another origin; a script says nothing. */
export function isCrossOrigin(request: FastifyRequest, publicOrigin: string | undefined): boolean {
  const { 'sec-fetch-site': site, origin } = request.headers
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  return origin !== undefined && !isOwn(origin, request, publicOrigin)
}

function isOwn(origin: string | undefined, { headers }: FastifyRequest, publicOrigin: string | undefined): boolean {
  if (origin === undefined) return false
  if (publicOrigin !== undefined) return origin === publicOrigin
  // Nobody has said what we are called, so whoever opens the service by any name is at that origin. A page cannot choose
  // the Host header; and one that made its own name point to us gets no cookie of ours.
  return URL.canParse(origin) && new URL(origin).host === headers.host
}
