/** Header names as the product may read them. */
import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '../../core/errors.ts'
import { identityHeaderNames } from './identity.ts'

const plainName = /^[a-z0-9-]+$/

/**
 * What a product believes about the caller, as CGI (RFC 3875 §4.1.18) and its heirs read a name: PHP takes `Remote.User`,
 * `Remote_User` and `Remote-User` for the same header, others do so with every character that is not alphanumeric.
 */
const believed = new RegExp(
  `^(?:${[
    ...identityHeaderNames,
    ...['x-forwarded-', 'x-real-ip$', 'client-ip$', 'forwarded$'],
    // By these some products serve another path than the one that was judged.
    ...['x-original-ur[il]$', 'x-rewrite-url$'],
  ]
    .join('|')
    .replaceAll('-', '[^a-z0-9]')})`,
)
const exactNames: ReadonlySet<string> = new Set(identityHeaderNames)

/** Whether every server reads this name, in lower case, as the same one. No header in use has other characters. */
export function isPlain(name: string): boolean {
  return plainName.test(name)
}

/**
 * Refuses a request whose product would read one of its headers as ours, or could. The proxy replaces the exact names, so
 * these may be there; most proxies cannot take out a header by what its name resembles.
 */
export function refuseLookalikes(headers: IncomingHttpHeaders): void {
  for (const name in headers) {
    if (!believed.test(name) || exactNames.has(name) || (isPlain(name) && !name.startsWith('remote'))) continue
    throw new AppError(
      'malformed_header',
      'A header name could be mistaken for a header that only the proxy may set. Leave that header out.',
    )
  }
}
