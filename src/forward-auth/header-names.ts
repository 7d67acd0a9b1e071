/** Header names as the product may read them. */
import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '../errors.ts'
import { identityHeaderNames } from './identity.ts'

const plainName = /^[a-z0-9-]+$/
/** What a product believes about the caller, in the spelling of `asCgi`. */
const believed = new RegExp(`^(?:${identityHeaderNames.map(asCgi).join('|')}|x_forwarded_|x_real_ip$|forwarded$)`)
const exactNames: ReadonlySet<string> = new Set(identityHeaderNames)

/** Whether every server reads this name as the same one. No header in use has other characters. */
export function isPlain(name: string): boolean {
  return plainName.test(name)
}

/**
 * Returns the name as CGI (RFC 3875 §4.1.18) and its heirs read it. PHP takes `Remote.User`, `Remote_User` and
 * `Remote-User` for the same header, others do so with every character that is not alphanumeric.
 */
export function asCgi(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '_')
}

/**
 * Refuses a request whose product would read one of its headers as ours, or could. The proxy replaces the exact names, so
 * these may be there; most proxies cannot take out a header by what its name resembles.
 */
export function refuseLookalikes(headers: IncomingHttpHeaders): void {
  for (const name in headers) {
    if (exactNames.has(name)) continue
    const read = asCgi(name)
    if (!believed.test(read) || (isPlain(name) && !read.startsWith('remote_'))) continue
    throw new AppError(
      'malformed_header',
      'The name of a header could be read as that of a header which only the proxy may set. Leave that header out.',
    )
  }
}
