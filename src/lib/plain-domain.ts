import { domainToASCII } from 'node:url'

/** Returns a domain in lower case and ASCII. Undefined if the text is not a domain. */
export function plainDomain(text: string): string | undefined {
  const ascii = /^[\p{L}\p{N}\p{M}.-]+$/u.test(text) ? domainToASCII(text).toLowerCase() : ''
  return /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/.test(ascii) ? ascii : undefined
}
