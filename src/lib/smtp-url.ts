/** The address of a mail server as a URL: `smtp://user:password@host:587`, or `smtps://` for TLS from the beginning. */
import { isIP } from 'node:net'

export type SmtpAddress = {
  host: string
  port: number
  /** TLS from the beginning (RFC 8314 §3). */
  isSecure: boolean
  /** Otherwise: STARTTLS (RFC 3207) or nothing; if the server offers it; or never. */
  starttls: 'required' | 'optional' | 'never'
  user: string | undefined
  password: string | undefined
}

export const expectedSmtpUrl =
  'a URL such as smtp://user:password@host:587 or smtps://user:password@host:465, with ?starttls=optional or never if the server has no TLS; special characters in user and password percent-encoded'

export function parseSmtpUrl(text: string): SmtpAddress | undefined {
  if (!URL.canParse(text) || /\p{Cc}/u.test(text)) return undefined
  const { protocol, hostname, port, username, password, pathname, searchParams, hash } = new URL(text)
  const isSecure = protocol === 'smtps:'
  const starttls = searchParams.get('starttls') ?? (isLoopback(hostname) && !isSecure ? 'optional' : 'required')
  const isKnown = isSecure || protocol === 'smtp:'
  const hasRest =
    !['', '/'].includes(pathname) || hash !== '' || [...searchParams.keys()].some((key) => key !== 'starttls')
  if (!isKnown || hostname === '' || hasRest || !isStarttls(starttls)) return undefined
  const [user, secret] = [decoded(username), decoded(password)]
  if (user === null || secret === null || (user === undefined) !== (secret === undefined)) return undefined
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return { host, port: Number(port || (isSecure ? 465 : 587)), isSecure, starttls, user, password: secret }
}

function isStarttls(text: string): text is SmtpAddress['starttls'] {
  return ['required', 'optional', 'never'].includes(text)
}

/** Traffic that never leaves this machine needs no TLS. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** Null if it is not percent-encoded text; undefined if there is none. */
function decoded(text: string): string | undefined | null {
  if (text === '') return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
