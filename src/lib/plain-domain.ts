import { domainToASCII } from 'node:url'

/** A domain in lower case and ASCII; undefined if it is none. */
export function plainDomain(text: string): string | undefined {
  const ascii = /^[\p{L}\p{N}\p{M}.-]+$/u.test(text) ? domainToASCII(text).toLowerCase() : ''
  return /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/.test(ascii) ? ascii : undefined
}
