/** Base64 as the PHC string format writes it: without padding. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '')
}

/** Both alphabets of RFC 4648, and passlib's, which has a full stop for the plus; padded or not. */
export function fromBase64(text: string): Buffer | undefined {
  const standard = text.replace(/={1,2}$/, '').replace(/[.\-_]/g, (sign) => (sign === '_' ? '/' : '+'))
  const bytes = Buffer.from(standard, 'base64')
  // Node skips what it does not know, and the bits that are left over at the end.
  return toBase64(bytes) === standard ? bytes : undefined
}
