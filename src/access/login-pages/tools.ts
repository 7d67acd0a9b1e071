/** Shared by the sign-in pages: their frame and headers, the signed-in user, and the place to return to. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { returnTo } from '../../lib/return-to.ts'
import type { SignedIn } from '../../store/context.ts'
import type { Frame, Person } from './pages.ts'

/** The fields of a form. */
export type Form = Record<string, string | undefined>
/** Queries are not validated: a repeated parameter is an array. */
export type Query = Record<string, unknown>

export type PageTools = {
  headers(): Record<string, string>
  frameOf(request: FastifyRequest): Frame
  send(reply: FastifyReply, page: string, status?: number): FastifyReply
  /** Where to go afterwards, if that is allowed. */
  placeIn(fields: Query): string | undefined
  /** The signed-in user, by cookie only. */
  personIn(request: FastifyRequest): Promise<SignedIn | undefined>
}

/** Not in the OpenAPI document: for people. */
export const hidden = { config: { access: 'public' } } as const

export type PageNeeds = Pick<HttpLayer, 'config' | 'cookies' | 'links' | 'lookUp'>

/** @param assets the folder of the pages' files, relative to the pages */
export function pageTools({ config, cookies, links, lookUp }: PageNeeds, assets: string): PageTools {
  const allowed = config.returnOrigins ?? []
  const headers = () => pageHeaders(links.origin(), allowed)
  return {
    headers,
    frameOf(request) {
      // Links are relative, so that they work whatever a proxy does to the path; but then a trailing slash matters.
      const up = request.url.split('?', 1)[0]?.endsWith('/') ? '../' : ''
      return { productName: config.productName, up, assets: up + assets }
    },
    send: (reply, page, status = 200) =>
      reply.code(status).headers(headers()).type('text/html; charset=utf-8').send(page),
    placeIn: (fields) => returnTo(fields.return_to, { origin: links.origin(), allowed }),
    async personIn(request) {
      const token = cookies.read(request)
      const found = token === undefined ? undefined : await lookUp(token, request.now)
      if (found?.kind !== 'session') return undefined
      request.actor = found.actor
      return found.actor.signedIn
    },
  }
}

export function formOf({ body }: FastifyRequest): Form {
  return (body ?? {}) as Form
}

/** A session with which the user must first add a factor or change the password. */
export function isHalf({ must_add_factor, must_change_password }: SignedIn): boolean {
  return must_add_factor || must_change_password
}

/** Both kinds of code come in one field: only recovery codes have letters, or so many characters. */
export function codeIn(text: string): { code: string } | { recovery_code: string } {
  return /^[\s\d-]{0,12}$/.test(text) ? { code: text } : { recovery_code: text }
}

export function queryOf({ query }: FastifyRequest): Query {
  return query as Query
}

function pageHeaders(origin: string, returnOrigins: readonly string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    // The script for passkeys asks the API.
    "connect-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    // Chromium applies this to redirects after a form, too.
    `form-action ${["'self'", origin, ...returnOrigins].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    // With `no-referrer` browsers send `Origin: null` with a form, as another site's page might too.
    'referrer-policy': 'same-origin',
  }
}

export function personOf({ username, first_name, last_name }: SignedIn): Person {
  return { username, name: `${first_name} ${last_name}`.trim() }
}
