/**
 * Checks the public key of a new passkey: one that cannot verify a signature would lock its owner out at the next sign-in.
 * The library stores any key whose `alg` was offered.
 */
import { createPublicKey } from 'node:crypto'

/** Members of a COSE key (RFC 9052 §7.1, RFC 9053 §7, RFC 8230 §4). */
const [kty, alg] = [1, 3]
const [okp, ec2, rsa] = [1, 2, 3]

/**
 * Whether a key has the type and curve of its algorithm (WebAuthn §5.8.5), and values that can verify a signature.
 */
export function isUsableKey(key: Map<unknown, unknown>): boolean {
  const [first, second, third] = [key.get(-1), key.get(-2), key.get(-3)]
  switch (key.get(alg)) {
    case -7:
      return key.get(kty) === ec2 && first === 1 && isBytes(second, 32) && isBytes(third, 32) && isP256(second, third)
    case -8:
      return key.get(kty) === okp && first === 6 && isBytes(second, 32) && isEd25519(second)
    case -257:
      return key.get(kty) === rsa && isBytes(first) && isBytes(second) && isRsa(toInteger(first), toInteger(second))
    default:
      return false
  }
}

function isBytes(value: unknown, length?: number): value is Uint8Array {
  return value instanceof Uint8Array && (length === undefined || value.length === length)
}

function toInteger(bytes: Uint8Array): bigint {
  return BigInt(`0x0${Buffer.from(bytes).toString('hex')}`)
}

/** OpenSSL refuses a point that is not of the curve. */
function isP256(x: Uint8Array, y: Uint8Array): boolean {
  const [jwkX, jwkY] = [x, y].map((bytes) => Buffer.from(bytes).toString('base64url')) as [string, string]
  try {
    createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: jwkX, y: jwkY } })
    return true
  } catch {
    return false
  }
}

/** RFC 8812 §2 requires 2048 bits. Longer keys and exponents than these only cost time. */
function isRsa(n: bigint, e: bigint): boolean {
  const bits = n.toString(2).length
  return bits >= 2048 && bits <= 8192 && n % 2n === 1n && e >= 3n && e < 2n ** 32n && e % 2n === 1n
}

const p = 2n ** 255n - 19n
const d = mod(-121665n * power(121666n, p - 2n))

/**
 * Whether bytes are a point of Ed25519 (RFC 8032 §5.1.3), and not one of the eight of small order, for which anyone can sign.
 * OpenSSL checks neither.
 */
function isEd25519(bytes: Uint8Array): boolean {
  let y = toInteger(Uint8Array.from(bytes).reverse()) & (2n ** 255n - 1n)
  if (y >= p) return false
  // x² = u/v is a square if u·v is one.
  const xSquared = (ofY: bigint): [u: bigint, v: bigint] => [mod(ofY * ofY - 1n), mod(d * ofY * ofY + 1n)]
  const [u, v] = xSquared(y)
  if (power(mod(u * v), (p - 1n) / 2n) > 1n) return false
  for (let doubled = 0; doubled < 3; doubled++) {
    const [up, down] = xSquared(y)
    const xx = mod(up * power(down, p - 2n))
    y = mod((y * y + xx) * power(mod(2n + xx - y * y), p - 2n))
  }
  return y !== 1n
}

function mod(a: bigint): bigint {
  return ((a % p) + p) % p
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let square = base, left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % p
    square = (square * square) % p
  }
  return result
}
