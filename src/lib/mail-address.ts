/** Restricts mail addresses to a plain grammar before they reach the mail library, which accepts more forms. */
import { domainToASCII } from 'node:url'

/** A dot-atom (RFC 5321 §4.1.2): no quotes, blanks, comments or commas. */
const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const domainName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Returns the address with an ASCII domain; undefined if it is not plain, or longer than RFC 5321 §4.5.3.1 allows. */
export function plainMailAddress(text: string): string | undefined {
  const at = text.lastIndexOf('@')
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)]
  if (at < 1 || local.length > 64 || !localPart.test(local)) return undefined
  // Characters that a URL would take as the end of its host must not disappear here.
  if (!/^[\p{L}\p{N}\p{M}.-]+$/u.test(domain)) return undefined
  const ascii = domainToASCII(domain).toLowerCase()
  return ascii.length <= 253 && domainName.test(ascii) ? `${local}@${ascii}` : undefined
}

export type Mailbox = { name: string; address: string }

/** Parses `Name <address>` or an address alone; undefined if it is neither. */
export function parseMailbox(text: string): Mailbox | undefined {
  const [, name = '', bracketed] = /^([^<>"\\,;:@]*)<([^<>]+)>$/.exec(text) ?? []
  const address = plainMailAddress(bracketed ?? text)
  return address === undefined ? undefined : { name: name.trim(), address }
}
