import { domainToASCII } from 'node:url'

/** Returns a domain in lower case and ASCII. Undefined if the text is not a domain, or an IPv4 address. */
export function plainDomain(text: string): string | undefined {
  const ascii = /^[\p{L}\p{N}\p{M}.-]+$/u.test(text) ? domainToASCII(text).toLowerCase() : ''
  // RFC 3696 §2: a top-level domain is not all digits.
  return /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/.test(ascii)
    ? ascii
    : undefined
}
