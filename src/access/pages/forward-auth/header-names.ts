/** Header names as the product may read them. */
import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '../../../core/errors.ts'
import { identityHeaderNames } from './identity.ts'

const plainName = /^[a-z0-9-]+$/

/**
 * Headers about the caller that a product trusts, in the normalization of CGI (RFC 3875 §4.1.18) and its successors: PHP
 * reads `Remote.User`, `Remote_User` and `Remote-User` as one header, others every character that is not alphanumeric.
 */
const believed = new RegExp(
  `^(?:${[
    ...identityHeaderNames,
    ...['x-forwarded-', 'x-real-ip$', 'client-ip$', 'forwarded$'],
    // Some products use these to serve a path other than the one that was checked.
    ...['x-original-ur[il]$', 'x-rewrite-url$'],
  ]
    .join('|')
    .replaceAll('-', '[^a-z0-9]')})`,
)
const exactNames: ReadonlySet<string> = new Set(identityHeaderNames)

/** Whether every server reads this name, in lower case, the same way. No header in use has other characters. */
export function isPlain(name: string): boolean {
  return plainName.test(name)
}

/**
 * Refuses a request with a header that the product could read as one of ours. The proxy replaces the exact names, so these
 * are allowed; most proxies cannot remove headers by similarity.
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
