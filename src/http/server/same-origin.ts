/** Refuses requests that another site makes a browser send with our cookie (cross-site request forgery). */
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'

const safe = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Requires that a change authorized by a cookie comes from a page of the same origin: browsers say so in
 * `Sec-Fetch-Site`, older ones in `Origin`, and no page can forge either. A request with neither is refused.
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
  const detail = 'The request comes from another origin. From a browser, send it from a page of the same origin.'
  throw new AppError('cross_origin', detail)
}

/** Whether a browser reports that a page of another origin sends this; scripts report nothing. */
export function isCrossOrigin(request: FastifyRequest, publicOrigin: string | undefined): boolean {
  const { 'sec-fetch-site': site, origin } = request.headers
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  return origin !== undefined && !isOwn(origin, request, publicOrigin)
}

function isOwn(origin: string | undefined, request: FastifyRequest, publicOrigin: string | undefined): boolean {
  // Compare exactly: browsers send the serialized form (RFC 6454 §6.2), without userinfo, path or default port.
  return origin !== undefined && origin === ownOrigin(request, publicOrigin)
}

/** Returns the origin that pages of ours have in this browser; undefined if its request does not say. */
export function ownOrigin({ headers }: FastifyRequest, publicOrigin: string | undefined): string | undefined {
  return publicOrigin ?? visitedOrigin(headers)
}

/**
 * Returns the origin of the address that a browser visits, if no public URL is configured. A page can choose neither the
 * Host header nor what a proxy says about the scheme, and a page under another name of ours has no cookie of ours.
 */
function visitedOrigin({ host, 'x-forwarded-proto': forwarded }: FastifyRequest['headers']): string | undefined {
  // Unless a proxy says otherwise, the browser is connected to us over plain HTTP.
  const [proto = ''] = String(forwarded ?? 'http').split(',')
  const scheme = schemes.get(proto.trim().toLowerCase())
  if (scheme === undefined || host === undefined || !/^[^\s/?#@\\]+$/.test(host)) return undefined
  const url = `${scheme}://${host}`
  return URL.canParse(url) ? new URL(url).origin : undefined
}

/** Traefik reports a WebSocket by its own scheme; its page has the matching HTTP scheme. */
const schemes = new Map([
  ['http', 'http'],
  ['https', 'https'],
  ['ws', 'http'],
  ['wss', 'https'],
])
