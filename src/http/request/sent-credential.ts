/** Finds the credential of a request: in a header, in the query where that is allowed, or in the session cookie. */
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import type { SessionCookies } from './cookies.ts'
import { readQuery } from './query.ts'

export type Sent = { kind: 'api_key' | 'session' | 'access_token'; text: string }

/** The keys found in the query of a request. */
const queryKeys = Symbol('API_KEY')
type WithQueryKeys = { [queryKeys]?: string[] }

/** Removes every `API_KEY` from the query and stores it separately, so that no link, log line or handler sees it. */
export function takeQueryKeys(raw: IncomingMessage): void {
  const [path, ...rest] = (raw.url ?? '').split('?')
  const parameters = rest.join('?').split('&')
  const keyOf = (parameter: string) => readQuery(parameter).API_KEY as string | undefined
  const keys = parameters.map(keyOf).filter((key) => key !== undefined)
  if (keys.length === 0) return
  ;(raw as WithQueryKeys)[queryKeys] = keys
  const remaining = parameters.filter((parameter) => keyOf(parameter) === undefined)
  raw.url = remaining.length === 0 ? `${path}` : `${path}?${remaining.join('&')}`
}

/**
 * Refuses two different credentials: neither may stand in for the other. The same key in two headers counts as one.
 *
 * @throws AppError `credential_missing`, `credential_invalid`, `ambiguous_credentials`
 */
export function sentCredential(request: FastifyRequest, cookies: SessionCookies): Sent {
  const session = cookies.read(request)
  const inHeader = headerCredential(request)
  if (session !== undefined && inHeader !== undefined) {
    const detail = 'A session cookie and another credential were sent. Send only the one you mean.'
    throw new AppError('ambiguous_credentials', detail)
  }
  if (session !== undefined) return { kind: 'session', text: session }
  if (inHeader !== undefined) return inHeader
  const detail =
    'The request has no credential. Sign in, or send an API key as `X-API-Key: rb_…`, or a key or access token as `Authorization: Bearer …`.'
  throw new AppError('credential_missing', detail)
}

function headerCredential({ headers, raw }: FastifyRequest): Sent | undefined {
  const { authorization, 'x-api-key': header } = headers
  const inQuery = (raw as WithQueryKeys)[queryKeys]
  if (authorization === undefined && inQuery === undefined) {
    return header === undefined ? undefined : { kind: 'api_key', text: header as string }
  }
  const sent = new Set<string>(inQuery)
  if (header !== undefined) sent.add(header as string)
  if (authorization !== undefined) sent.add(bearerOf(authorization))
  if (sent.size > 1) {
    throw new AppError('ambiguous_credentials', 'Two different credentials were sent. Send only the one you mean.')
  }
  const [text] = sent
  if (text === undefined) return undefined
  return { kind: isJwt(text) ? 'access_token' : 'api_key', text }
}

/** Whether a text has the form of a signed token (RFC 7515 §3.1) whose header is a JSON object. */
export function isJwt(text: string): boolean {
  return /^eyJ[\w-]*\.[\w-]*\.[\w-]*$/.test(text)
}

function bearerOf(authorization: string): string {
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  if (token !== undefined) return token
  throw new AppError(
    'credential_invalid',
    'The Authorization header must be `Bearer` followed by a key or access token.',
    {
      headers: { 'www-authenticate': 'Bearer realm="rollbook", error="invalid_token"' },
    },
  )
}
