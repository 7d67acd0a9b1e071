import { domainToASCII, domainToUnicode } from 'node:url'

// One @ between parts without spaces, controls or the specials of RFC 5322 §3.2.3; only a message can show whether
// mail arrives.
const emailForm = /^[^\s@()<>[\]:;,"\\\p{C}]+@[^\s@()<>[\]:;,"\\\p{C}.]+(?:\.[^\s@()<>[\]:;,"\\\p{C}.]+)*$/u

export function isEmail(text: string): boolean {
  return emailForm.test(text)
}

/** The key that email addresses are compared by: no case, no compatibility forms, one form of the domain. Its own key is itself. */
export function emailKey(email: string): string {
  // Normalize again: a few Greek letters decompose when they become lower case.
  return oneDomainForm(email.normalize('NFKC').toLowerCase().normalize('NFKC'))
}

/** Characters that a URL would take as the end of its host, or leave out, must not disappear here. */
const domainCharacters = /^[\p{L}\p{N}\p{M}.\u3002-]+$/u

/**
 * Returns the key of a name with its domain in Unicode: `xn--bcher-kva.example` is another way to write
 * `bücher.example` (RFC 5890 §2.3.2.1, UTS 46). With domains in ASCII, keys stored by earlier releases would change.
 */
export function oneDomainForm(key: string): string {
  const at = key.lastIndexOf('@')
  const domain = key.slice(at + 1)
  if (at < 0 || (isAscii(domain) && !domain.includes('xn--')) || !domainCharacters.test(domain)) return key
  const unicode = domainToUnicode(domainToASCII(domain)).normalize('NFKC')
  return unicode === '' ? key : `${key.slice(0, at)}@${unicode}`
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text)
}
