/** SHA-crypt and phpass over OpenSSL's digests. Each is a loop of thousands of digests, so only crypt-thread.ts runs them. */
import { hash as digestOnce } from 'node:crypto'

export type CryptHash =
  /** crypt's `$5$` and `$6$`: https://www.akkadia.org/drepper/SHA-crypt.txt */
  | { kind: 'sha-crypt'; digest: 'sha256' | 'sha512'; rounds: number; salt: string; tag: string }
  /** phpass's portable hashes, `$P$` and phpBB's `$H$`: https://www.openwall.com/phpass/ */
  | { kind: 'phpass'; logRounds: number; salt: string; tag: string }

export const cryptLetters = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The work grows with the length of the password. A longer one costs as much as this, and never matches. */
export const longestPasswordBytes = 256

/** Returns the tag of this password, in the letters of the hash. */
export function cryptTag(hash: CryptHash, password: string): string {
  const bytes = Buffer.from(password).subarray(0, longestPasswordBytes)
  return hash.kind === 'phpass' ? phpassTag(hash, bytes) : shaCryptTag(hash, bytes)
}

function phpassTag({ logRounds, salt }: Extract<CryptHash, { kind: 'phpass' }>, password: Buffer): string {
  let tag = digestOnce('md5', Buffer.concat([Buffer.from(salt), password]), 'buffer')
  const input = Buffer.concat([tag, password])
  for (let round = 0; round < 2 ** logRounds; round++) {
    tag = digestOnce('md5', input, 'buffer')
    tag.copy(input)
  }
  return lettersOf(tag)
}

function shaCryptTag(hash: Extract<CryptHash, { kind: 'sha-crypt' }>, password: Buffer): string {
  const { digest, rounds } = hash
  const of = (...parts: readonly Buffer[]) => digestOnce(digest, Buffer.concat(parts), 'buffer')
  const salt = Buffer.from(hash.salt)
  // The names of the specification.
  const b = of(password, salt, password)
  const bits: Buffer[] = []
  for (let length = password.length; length > 0; length >>= 1) bits.push(length & 1 ? b : password)
  const a = of(password, salt, filled(b, password.length), ...bits)
  const p = filled(of(...Array<Buffer>(password.length).fill(password)), password.length)
  const s = filled(of(...Array<Buffer>(16 + (a[0] as number)).fill(salt)), salt.length)
  const input = Buffer.alloc(2 * p.length + s.length + a.length)
  let c = a
  for (let round = 0; round < rounds; round++) {
    let length = (round & 1 ? p : c).copy(input)
    if (round % 3 !== 0) length += s.copy(input, length)
    if (round % 7 !== 0) length += p.copy(input, length)
    length += (round & 1 ? c : p).copy(input, length)
    c = digestOnce(digest, input.subarray(0, length), 'buffer')
  }
  return lettersOf(Buffer.from(orders[digest].map((index) => c[index] as number)))
}

function filled(block: Buffer, length: number): Buffer {
  return length === 0 ? Buffer.alloc(0) : Buffer.alloc(length, block)
}

/** The order in which SHA-crypt writes the bytes of its result. */
const orders = {
  sha256: [...triples(10, ([a, b, c]) => [c + 1, a + 1, b + 1], [0, 10, 20]), 30, 31],
  sha512: [...triples(21, ([a, b, c]) => [b + 1, c + 1, a + 1], [0, 21, 42]), 63],
}

type Triple = [number, number, number]

function triples(count: number, next: (triple: Triple) => Triple, first: Triple): number[] {
  const indexes: number[] = []
  for (let triple = first; indexes.length < 3 * count; triple = next(triple)) indexes.push(...triple.toReversed())
  return indexes
}

/** Six bits a letter, the lowest first. */
function lettersOf(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const group = bytes.subarray(at, at + 3)
    let value = group.readUIntLE(0, group.length)
    for (let letter = 0; letter <= group.length; letter++) {
      text += cryptLetters.charAt(value & 63)
      value >>= 6
    }
  }
  return text
}
