import {
  createCipheriv,
  createHash,
  createHmac,
  pbkdf2,
  type ScryptOptions,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { Argon2 } from './argon2.ts'
import { isMadeByCrypt } from './crypt.ts'
import { formatPhc } from './phc.ts'
import type { BcryptInput, ScryptCost, StoredHash } from './stored.ts'

/** Whether the hash was made of these characters, in UTF-8. Computed on libuv's threads, whatever made the hash. */
export async function isMadeOf(hash: StoredHash, password: string, argon2: Argon2): Promise<boolean> {
  switch (hash.kind) {
    case 'argon2':
      return argon2.verify(formatPhc(hash.phc), password)
    case 'bcrypt':
      return someReading(hash.of === 'wordpress' ? phpReadings(password) : [password], (reading) =>
        isMadeByBcrypt(hash.crypt, bcryptInputs[hash.of](reading, hash.crypt)),
      )
    case 'sha-crypt':
      return isMadeByCrypt(hash, password)
    case 'phpass':
      return someReading(phpReadings(password), (reading) => isMadeByCrypt(hash, reading))
    case 'pbkdf2': {
      const { salt, tag, iterations, digest } = hash
      return timingSafeEqual(await derivePbkdf2(password, salt, iterations, tag.length, digest), tag)
    }
    case 'scrypt':
      return timingSafeEqual(await deriveScrypt(password, hash.salt, hash.tag.length, hash), hash.tag)
    case 'firebase-scrypt': {
      const key = await deriveScrypt(password, Buffer.concat([hash.salt, hash.separator]), 32, hash)
      const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
      return timingSafeEqual(cipher.update(hash.signerKey), hash.tag)
    }
    case 'salted-sha':
      return timingSafeEqual(createHash(hash.digest).update(password).update(hash.salt).digest(), hash.tag)
  }
}

const bcryptInputs: Readonly<Record<BcryptInput, (password: string, crypt: string) => string>> = {
  password: (password) => password,
  sha256: (password) => createHash('sha256').update(password).digest('hex'),
  wordpress: (password) => createHmac('sha384', 'wp-sha384').update(password).digest('base64'),
  passlib1: (password) => createHash('sha256').update(password).digest('base64'),
  // The 22 letters of the salt, behind `$2b$12$`.
  passlib2: (password, crypt) => createHmac('sha256', crypt.slice(7, 29)).update(password).digest('base64'),
}

/** WordPress hashes what its forms send, in which PHP's addslashes() has escaped quotes and backslashes. */
function phpReadings(password: string): string[] {
  return [...new Set([password, password.replaceAll(/['"\\]/g, '\\$&')])]
}

async function someReading(
  readings: readonly string[],
  isRight: (reading: string) => Promise<boolean>,
): Promise<boolean> {
  for (const reading of readings) if (await isRight(reading)) return true
  return false
}

const derivePbkdf2 = promisify(pbkdf2)
const scryptAsync = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

function deriveScrypt(password: string, salt: Buffer, length: number, cost: ScryptCost): Promise<Buffer> {
  const { logCost, blockSize, parallelism } = cost
  const N = 2 ** logCost
  // What it needs (RFC 7914 §2) with room to spare; limits.ts has said that it is little enough.
  const maxmem = 128 * blockSize * (N + parallelism + 2) + 2 ** 20
  return scryptAsync(password, salt, length, { N, r: blockSize, p: parallelism, maxmem })
}

/** Imported on first use, because most stores hold no hash from bcrypt. It compares in constant time. */
async function isMadeByBcrypt(crypt: string, password: string): Promise<boolean> {
  const bcrypt = await import('@node-rs/bcrypt')
  return bcrypt.verify(password, crypt)
}
