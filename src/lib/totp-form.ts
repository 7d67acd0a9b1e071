/** The one-time codes that Rollbook verifies: SHA-1, 6 digits, 30 s. */

/** More than any user needs; a stolen session must not fill the store. */
export const factorsPerUser = 25

export type TotpForm = {
  secret: string
  algorithm?: string | undefined
  digits?: number | undefined
  period?: number | undefined
}

/** Bytes: 80 bits is what Google Authenticator's own page made for years; more than a block of SHA-1 is hashed first. */
const [shortest, longest] = [10, 128]

/** Says why such codes cannot be verified here, without repeating the secret; undefined if they can. */
export function totpFault({ secret, algorithm = 'SHA1', digits = 6, period = 30 }: TotpForm): string | undefined {
  if (!/^(?:hmac)?-?sha-?1$/i.test(algorithm)) return 'Only one-time codes with SHA-1 are supported.'
  if (digits !== 6) return 'Only one-time codes of 6 digits are supported.'
  if (period !== 30) return 'Only one-time codes with a period of 30 seconds are supported.'
  const canonical = canonicalBase32(secret)
  // Lengths that no whole number of bytes has.
  if (!/^[A-Z2-7]+$/.test(canonical) || [1, 3, 6].includes(canonical.length % 8))
    return 'The secret of one-time codes must be base32 (RFC 4648): letters and the digits 2 to 7.'
  const bytes = Math.floor((canonical.length * 5) / 8)
  if (bytes < shortest || bytes > longest)
    return `The secret of one-time codes must have ${shortest} to ${longest} bytes.`
  return undefined
}

/** Without blanks, hyphens and padding, in capital letters. */
export function canonicalBase32(secret: string): string {
  return secret.replaceAll(/[\s-]/g, '').replace(/=+$/, '').toUpperCase()
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648 §6, without padding. */
export function toBase32(bytes: Uint8Array): string {
  let text = ''
  let [bits, value] = [0, 0]
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff
    bits += 8
    for (; bits >= 5; bits -= 5) text += alphabet[(value >> (bits - 5)) & 31]
  }
  return bits === 0 ? text : text + alphabet[(value << (5 - bits)) & 31]
}
