/** The headers that the product gets: the caller, by our word alone, and none of our credentials. */
import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import type { AttributeValues } from '../../../directory/attributes/schema.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import type { SessionCookies } from '../../../http/request/cookies.ts'
import { identityHeaders, isPlain } from '../forward-auth/service.ts'

export type HeaderNeeds = Pick<HttpLayer, 'config' | 'cookies' | 'clientAddress' | 'isFromTrustedProxy'>

/** RFC 9110 §7.6.1, and what this hop has handled: `expect`, the websocket handshake, our own credential. */
const ofThisHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'expect',
  'x-api-key',
])

/** Headers that make some products use another path, or an HTTP proxy for their own requests. */
const misleading = new Set(['x-original-url', 'x-original-uri', 'x-rewrite-url', 'proxy'])

/** Headers in which a proxy names the caller. We set them ourselves; any others may come from the caller. */
const aboutCaller =
  /^(?:x-forwarded(?:-.*)?|forwarded|x-real-ip|(?:x-|true-|x-cluster-|fastly-)?client-ip|cf-connecting-ip)$/
/** The subset that only a proxy in front of Rollbook can know. */
const knownToProxy = new Set(['x-forwarded-port', 'x-forwarded-prefix'])

/** @param attributes those of the user that the product gets */
export function headersForProduct(
  request: FastifyRequest,
  upstream: string,
  attributes: AttributeValues,
  needs: HeaderNeeds,
): IncomingHttpHeaders {
  const { headers, credential, actor } = request
  const named = listed(headers.connection)
  const isFromProxy = needs.isFromTrustedProxy(request)
  const passed: IncomingHttpHeaders = {}
  for (const [name, value] of Object.entries(headers)) {
    if (ofThisHop.has(name) || misleading.has(name) || named.includes(name) || isOurs(name)) continue
    if (!aboutCaller.test(name) || (isFromProxy && knownToProxy.has(name))) passed[name] = value
  }
  passed.cookie = withoutOurs(headers.cookie, needs.cookies)
  if (passed.cookie === undefined) delete passed.cookie
  // The product may verify an access token again. A key would let it act as the key's owner for a long time.
  if (credential?.kind !== 'access_token') delete passed.authorization
  // TLS uses the name in Host, so that must be the upstream's.
  if (upstream.startsWith('https:')) passed.host = new URL(upstream).host
  const loop = headers['cdn-loop'] === undefined ? hop : `${headers['cdn-loop']}, ${hop}`
  const forwardedHeaders = { ...forwarded(request, needs), 'x-request-id': request.id, 'cdn-loop': loop }
  // A preflight has no caller.
  const identity = credential === undefined ? {} : identityHeaders(actor, attributes)
  return { ...passed, ...forwardedHeaders, ...identity }
}

/** Identifies this process, and cannot be guessed. */
const hop = `rollbook-${randomUUID()}`

/** RFC 8586: an upstream that leads back here would cause an endless loop. */
export function refuseLoop({ headers }: FastifyRequest): void {
  if (!String(headers['cdn-loop']).includes(hop)) return
  throw new AppError('upstream_unavailable', 'ROLLBOOK_UPSTREAM points back to Rollbook itself.')
}

/** The names that `Connection` asks the next hop to drop: ours are set afterwards, so they cannot be among them. */
export function listed(connection: string | undefined): string[] {
  return (connection ?? '').split(',').map((name) => name.trim().toLowerCase())
}

/** An unusual name could be read as one of ours: PHP reads `Remote.User` as `Remote-User`. */
function isOurs(name: string): boolean {
  return name.startsWith('remote-') || name.startsWith('sec-websocket-') || !isPlain(name)
}

function withoutOurs(cookie: string | undefined, { name, names }: SessionCookies): string | undefined {
  // All names begin with this one.
  if (cookie === undefined || !cookie.includes(name)) return cookie
  const remaining = cookie.split(';').filter((pair) => !names.includes((pair.split('=', 1)[0] as string).trim()))
  return remaining.length === 0 ? undefined : remaining.join(';').trim()
}

function forwarded(
  request: FastifyRequest,
  { config, clientAddress, isFromTrustedProxy }: HeaderNeeds,
): IncomingHttpHeaders {
  const trustedHeaders: IncomingHttpHeaders = isFromTrustedProxy(request) ? request.headers : {}
  const scheme = config.publicUrl?.startsWith('https:') ? 'https' : 'http'
  return {
    'x-forwarded-for': clientAddress(request),
    'x-forwarded-proto': trustedHeaders['x-forwarded-proto'] ?? scheme,
    'x-forwarded-host': trustedHeaders['x-forwarded-host'] ?? request.headers.host ?? '',
  }
}
