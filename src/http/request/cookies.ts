/** The cookies of a signed-in browser (RFC 6265). */
import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../../core/config.ts'
import { AppError } from '../../core/errors.ts'

type Cookie = {
  readonly name: string
  read(request: { headers: IncomingHttpHeaders }): string | undefined
  /** The value of a `Set-Cookie` header. */
  set(value: string, maxAgeSeconds: number): string
  clear(): string
}

/**
 * The cookie with a session's token; `device` marks a browser in which a user has signed in before, `challenge` one that has
 * begun to sign in, `company` one that is on its way to an identity provider, `trust` one that is not asked for the second
 * factor, `address` one from which a user has asked to confirm an address, `own` one in which an administrator acts as a user:
 * it holds their own session, `setup` one that tests a connection by a setup link. No secrets: `lastConnection` holds the connection
 * that was used last, `language` the language that the user chose on a page or in the console, whose script reads and sets it.
 */
export type SessionCookies = Cookie & {
  device: Cookie
  challenge: Cookie
  company: Cookie
  trust: Cookie
  address: Cookie
  own: Cookie
  setup: Cookie
  lastConnection: Cookie
  language: Cookie
  /** The names of all of these. The product gets none of them, and sets none. */
  names: readonly string[]
}

const suffixes = {
  device: '-device',
  challenge: '-challenge',
  company: '-company',
  trust: '-trust',
  address: '-address',
  own: '-own',
  setup: '-setup',
  lastConnection: '-connection',
  language: '-language',
} as const

/**
 * With the prefix `__Host-` browsers accept the cookie only from this host over TLS, so no sibling domain can plant its
 * own. It does not work on plain http.
 */
export function sessionCookies({ publicUrl }: Pick<Config, 'publicUrl'>): SessionCookies {
  const isSecure = publicUrl?.startsWith('https:') ?? false
  const prefix = isSecure ? '__Host-' : ''
  const others = Object.entries(suffixes).map(([member, suffix]) => {
    // Two cookies with a language are no reason to refuse the page.
    return [member, cookie(`${prefix}rollbook${suffix}`, isSecure, { isCredential: member !== 'language' })] as const
  })
  const session = cookie(`${prefix}rollbook`, isSecure)
  return {
    ...session,
    ...(Object.fromEntries(others) as Record<keyof typeof suffixes, Cookie>),
    names: [session.name, ...others.map(([, { name }]) => name)],
  }
}

function cookie(name: string, isSecure: boolean, { isCredential = true } = {}): Cookie {
  // Lax: a link in an email opens the product signed in; a form on another site does not.
  const attributes = `Path=/;${isCredential ? ' HttpOnly;' : ''} SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    name,
    read: ({ headers }) => readCookie(headers.cookie, name, isCredential),
    set: (value, maxAgeSeconds) => `${name}=${value}; Max-Age=${maxAgeSeconds}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  }
}

/** @throws AppError `ambiguous_credentials` if a credential comes twice: another site may have planted one */
function readCookie(header: string | undefined, name: string, isCredential: boolean): string | undefined {
  if (header === undefined || !header.includes(name)) return undefined
  const values = header.split(';').flatMap((pair) => {
    const at = pair.indexOf('=')
    return at !== -1 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : []
  })
  if (isCredential && values.length > 1) {
    throw new AppError(
      'ambiguous_credentials',
      'The session cookie was sent twice. Sign out on all pages of this site, then sign in again.',
    )
  }
  return values[0] === '' ? undefined : values[0]
}
