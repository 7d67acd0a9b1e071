/** The original request as each proxy describes it. */
import type { FastifyRequest } from 'fastify'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { returnTo } from '../../../lib/return-to.ts'

export type Original = {
  /** As claimed, by anyone: it may make the decision stricter, never more lenient. */
  method: string
  /** Where to return after sign-in; undefined if it is unknown, or not on one of our origins. */
  url: string | undefined
}

export type Dialect = (request: FastifyRequest) => { method: string | undefined; target: string | undefined }

/** `auth_request`: always GET; the configuration adds the rest. */
export const nginx: Dialect = ({ headers }) => ({
  method: one(headers['x-original-method']),
  target: one(headers['x-original-uri']),
})

/** Caddy's and Traefik's `forward_auth`. */
export const forwardAuth: Dialect = ({ headers }) => ({
  method: one(headers['x-forwarded-method']),
  target: one(headers['x-forwarded-uri']),
})

/** Envoy's `ext_authz` uses the original method, and appends the original path to ours. */
export function envoy(prefix: string): Dialect {
  return ({ method, url }) => ({ method, target: url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : '/' })
}

type Needs = Pick<HttpLayer, 'config' | 'links' | 'isFromTrustedProxy'>

export function originalRequest(request: FastifyRequest, dialect: Dialect, needs: Needs): Original {
  const { method = request.method, target } = dialect(request)
  return { method, url: needs.isFromTrustedProxy(request) ? placeOf(request, target, needs) : undefined }
}

function placeOf(
  { headers }: FastifyRequest,
  target: string | undefined,
  { config, links }: Needs,
): string | undefined {
  if (target === undefined || !target.startsWith('/')) return undefined
  const own = { origin: links.origin(), allowed: config.returnOrigins ?? [] }
  const origin = originOf(one(headers['x-forwarded-proto']), one(headers['x-forwarded-host']))
  // A path works under any host name, and our own is unknown here.
  const isOurs = origin === undefined || origin === own.origin || config.publicUrl === undefined
  return returnTo(isOurs ? target : origin + target, own)
}

function originOf(scheme: string | undefined, host: string | undefined): string | undefined {
  if (scheme === undefined || host === undefined) return undefined
  // Traefik reports `wss` for a websocket.
  const url = `${scheme.replace(/^ws/, 'http')}://${host}`
  return URL.canParse(url) ? new URL(url).origin : undefined
}

function one(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && header !== '' ? header : undefined
}
