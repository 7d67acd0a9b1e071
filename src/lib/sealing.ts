import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const cipher = 'aes-256-gcm'
const [nonceLength, tagLength] = [12, 16]

/**
 * Encrypts a text with AES-256-GCM under a key derived from the secret. Returns nonce, ciphertext and tag in base64url.
 * The label is authenticated, so a sealed value cannot be swapped for one with another label.
 */
export function seal(secret: string, plain: string, label: string): string {
  // At random: a few seals in a lifetime are far from the 2^32 at which NIST SP 800-38D §8.3 ends that.
  const nonce = randomBytes(nonceLength)
  const sealing = createCipheriv(cipher, keyOf(secret), nonce, { authTagLength: tagLength })
  sealing.setAAD(Buffer.from(label))
  const body = Buffer.concat([sealing.update(plain, 'utf8'), sealing.final()])
  return Buffer.concat([nonce, body, sealing.getAuthTag()]).toString('base64url')
}

/** @throws Error if the secret or the label differs, or the text was changed */
export function unseal(secret: string, sealed: string, label: string): string {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < nonceLength + tagLength) throw new Error('The encrypted value is incomplete.')
  const opening = createDecipheriv(cipher, keyOf(secret), bytes.subarray(0, nonceLength), { authTagLength: tagLength })
  opening.setAAD(Buffer.from(label))
  opening.setAuthTag(bytes.subarray(-tagLength))
  return opening.update(bytes.subarray(nonceLength, -tagLength), undefined, 'utf8') + opening.final('utf8')
}

/** HKDF (RFC 5869) derives a key from a strong secret; it does not make a weak secret safe. */
function keyOf(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'rollbook sealing 1', 32))
}
