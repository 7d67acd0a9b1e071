/** Finds the credential of a request, by the rules of Rollbook's own API. It does not check it. */
import { invalid, VerifyError } from './errors.ts'

type NodeHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** A fetch `Request`, Node's `IncomingMessage`, a request of a framework that extends it, or headers. */
export type VerifiableRequest =
  | {
      readonly headers: Headers | NodeHeaders
      readonly method?: string | undefined
      readonly rawHeaders?: readonly string[]
    }
  | Headers

export type Credential = { kind: 'access_token' | 'api_key' | 'session'; value: string }

export type RequestRules = {
  /** `__Host-rollbook` if Rollbook's public URL is https: only its own host can set that cookie. */
  cookieName: string
  /** The origins of the product's pages. Only they may send changes with the cookie. */
  origins: readonly string[]
}

/** Longer than the header sections that other servers accept. */
const longestCredential = 8192
/** A JWS (RFC 7515 §3.1) that starts with a JSON object. A key that an operator chose may contain dots too. */
const tokenForm = /^eyJ[\w-]*\.[\w-]*\.[\w-]*$/
const singleHeaders = new Set(['authorization', 'x-api-key'])

/** @throws VerifyError `credential_missing`, `credential_invalid`, `ambiguous_credentials` or `cross_origin` */
export function credentialOf(request: VerifiableRequest, { cookieName, origins }: RequestRules): Credential {
  const headers = 'headers' in request ? request.headers : request
  if ('rawHeaders' in request && request.rawHeaders !== undefined) refuseRepeated(request.rawHeaders)
  const authorization = read(headers, 'authorization')
  const key = read(headers, 'x-api-key')
  const cookie = read(headers, 'cookie')
  const session = cookie === undefined ? undefined : cookieIn(cookie, cookieName)
  const bearer = authorization === undefined ? undefined : bearerOf(authorization)
  // Refuse both: a page of another site could make the browser send the visitor's cookie.
  if (
    (session !== undefined && (bearer ?? key) !== undefined) ||
    (bearer !== undefined && key !== undefined && bearer !== key)
  ) {
    throw ambiguous('Two credentials were sent. Send only the one you mean.')
  }
  const value = key ?? bearer ?? session
  if (value === undefined) {
    throw new VerifyError(
      'credential_missing',
      'The request has no credential. Send an access token or an API key as `Authorization: Bearer …`, or sign in.',
    )
  }
  if (value.length > longestCredential) throw invalid('The credential is too long to be a Rollbook credential.')
  if (session !== undefined) {
    refuseCrossOrigin('method' in request ? request.method : undefined, headers, origins)
    return { kind: 'session', value }
  }
  return { kind: key === undefined && tokenForm.test(value) ? 'access_token' : 'api_key', value }
}

function read(headers: Headers | NodeHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return (headers as Headers).get(name) ?? undefined
  const value = (headers as NodeHeaders)[name]
  return typeof value === 'object' ? value.join(', ') : value
}

/** Refuses repeated headers. Node keeps the first one, but a proxy may have checked the other. */
function refuseRepeated(rawHeaders: readonly string[]): void {
  const seen = new Set<string>()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase()
    if (!singleHeaders.has(name)) continue
    if (seen.has(name)) throw ambiguous(`The header ${name} was sent more than once. Send it once.`)
    seen.add(name)
  }
}

function bearerOf(authorization: string): string {
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  if (token === undefined) throw invalid('The Authorization header must be `Bearer` followed by a token or a key.')
  return token
}

function cookieIn(header: string, name: string): string | undefined {
  if (!header.includes(name)) return undefined
  const values = header.split(';').flatMap((pair) => {
    const at = pair.indexOf('=')
    return at !== -1 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : []
  })
  // An attacker may have set one of them, so that the victim works in the attacker's account.
  if (values.length > 1)
    throw ambiguous('The session cookie was sent twice. Sign out on all pages of this site, then sign in again.')
  return values[0] === '' ? undefined : values[0]
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses changes that come from another site (CSRF). Browsers send the cookie with such requests too, but they name the
 * origin, which a page cannot forge. A WebSocket handshake counts as a change, although it is a GET.
 */
function refuseCrossOrigin(
  method: string | undefined,
  headers: Headers | NodeHeaders,
  origins: readonly string[],
): void {
  if (method !== undefined && safeMethods.has(method) && read(headers, 'upgrade') === undefined) return
  const origin = read(headers, 'origin')
  if (read(headers, 'sec-fetch-site') === 'same-origin') return
  if (origin !== undefined && origins.includes(origin)) return
  throw new VerifyError('cross_origin', 'A change with a session cookie must come from a page of the product.')
}

function ambiguous(detail: string): VerifyError {
  return new VerifyError('ambiguous_credentials', detail)
}
