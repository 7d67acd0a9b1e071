/** Base64 in the form of PHC strings: without padding. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '')
}

/** Accepts both alphabets of RFC 4648, and passlib's, with a full stop for the plus; padded or not. */
export function fromBase64(text: string): Buffer | undefined {
  const standard = text.replace(/={1,2}$/, '').replace(/[.\-_]/g, (sign) => (sign === '_' ? '/' : '+'))
  const bytes = Buffer.from(standard, 'base64')
  // Node ignores unknown characters, and leftover bits at the end.
  return toBase64(bytes) === standard ? bytes : undefined
}
