/** What a proxy tells of the request that it asks about, each in its own way. */
import type { FastifyRequest } from 'fastify'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { returnTo } from '../../lib/return-to.ts'

export type Original = {
  /** As it was claimed, by whomever: it may make the answer stricter, never milder. */
  method: string
  /** Where to return after signing in; undefined when that is not known, or not a place of ours. */
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

/** Envoy's `ext_authz` asks with the method of the request, and with its path behind ours. */
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
  // A path holds on whatever name the browser knows us by, and nobody told us ours.
  const isOurs = origin === undefined || origin === own.origin || config.publicUrl === undefined
  return returnTo(isOurs ? target : origin + target, own)
}

function originOf(scheme: string | undefined, host: string | undefined): string | undefined {
  if (scheme === undefined || host === undefined) return undefined
  // Traefik says `wss` when a websocket is asked for.
  const url = `${scheme.replace(/^ws/, 'http')}://${host}`
  return URL.canParse(url) ? new URL(url).origin : undefined
}

function one(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && header !== '' ? header : undefined
}
