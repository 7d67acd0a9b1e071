import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const marker = 'rb_'
const secretLength = 43 // 256 bits in base62
const checksumLength = 6 // 32 bits in base62

/** A new API key: `rb_`, 256 random bits in base62, and a CRC32 of both in base62. */
export function makeApiKey(): string {
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), secretLength)
  return withChecksum(marker + secret)
}

/**
 * Whether a text can be one of our keys at all. Refuses a truncated, mistyped or invented key before any lookup. Keys that
 * the operator chose do not start with `rb_` and have no checksum.
 */
export function isPlausibleApiKey(key: string): boolean {
  if (!key.startsWith(marker)) return key.length >= 32
  const body = key.slice(0, marker.length + secretLength)
  return key.length === marker.length + secretLength + checksumLength && withChecksum(body) === key
}

/** The stored form of a key: SHA-256 in hex. A key holds 256 random bits, so a slow hash would add nothing. */
export function apiKeyHash(key: string): string {
  return hash('sha256', key, 'hex')
}

/** Returns the part of a key that may be shown again, to tell keys apart. Empty for a key that the operator chose. */
export function apiKeyPrefix(key: string): string {
  return key.startsWith(marker) ? key.slice(0, marker.length + 6) : ''
}

function withChecksum(body: string): string {
  return body + base62(BigInt(crc32(body)), checksumLength)
}

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; rest > 0n; rest /= 62n) text = (alphabet[Number(rest % 62n)] as string) + text
  return text.padStart(length, '0')
}
