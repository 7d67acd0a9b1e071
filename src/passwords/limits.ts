import { argon2Parameters } from './argon2.ts'
import { digestLength, type ScryptCost, type StoredHash } from './stored.ts'

/**
 * The parameters stand in the hash, and whoever may import chooses them. Within these a verification takes 256 MiB and a
 * few seconds of one processor at most; what is in use elsewhere is far below.
 */
const memoryMib = 256
const argon2 = { passes: 16, parallelism: 16, writtenMib: 1024 }
const bcrypt = { least: 4, most: 15 }
const scrypt = { parallelism: 16, writtenMib: 512 }
const pbkdf2Rounds = 6_000_000
/** Shorter ones would be fitted by other passwords, or are no result of these functions. */
const leastTagBytes = 16
const mostTagBytes = 128
const mostSeparatorBytes = 64
const saltBytes = { least: 4, most: 256 }

/** Why a hash will not be verified, though its form is known. */
export function faultOf(hash: StoredHash): string | undefined {
  switch (hash.kind) {
    case 'argon2':
      return argon2Fault(hash.phc) ?? lengthFault(hash.phc)
    case 'bcrypt':
      return hash.cost < bcrypt.least || hash.cost > bcrypt.most
        ? `bcrypt's cost is verified from ${bcrypt.least} to ${bcrypt.most}.`
        : undefined
    case 'pbkdf2':
      return pbkdf2Fault(hash) ?? lengthFault(hash)
    case 'scrypt':
      return scryptFault(hash) ?? lengthFault(hash)
    case 'firebase-scrypt':
      if (hash.separator.length > mostSeparatorBytes) return 'This salt separator is too long.'
      return scryptFault(hash) ?? lengthFault(hash)
    case 'salted-sha':
      return lengthFault(hash)
  }
}

type Argon2 = Extract<StoredHash, { kind: 'argon2' }>['phc']

function argon2Fault({ version, memoryKib, passes, parallelism, salt }: Argon2): string | undefined {
  if (version !== argon2Parameters.version) return 'Hashes of an argon2 before version 1.3 (v=19) are not verified.'
  if (passes < 1 || parallelism < 1 || memoryKib < 8 * parallelism || salt.length < 8)
    return 'These are no parameters of argon2.'
  const tooMuch =
    memoryKib > memoryMib * 1024 ||
    passes > argon2.passes ||
    parallelism > argon2.parallelism ||
    memoryKib * passes > argon2.writtenMib * 1024
  if (!tooMuch) return undefined
  return `argon2 is verified up to ${memoryMib} MiB, ${argon2.passes} passes, parallelism ${argon2.parallelism}, and ${argon2.writtenMib} MiB times passes.`
}

function scryptFault({ logCost, blockSize, parallelism }: ScryptCost): string | undefined {
  // RFC 7914 §2: N is less than 2^(128 · r / 8).
  if (logCost < 1 || blockSize < 1 || parallelism < 1 || logCost >= 16 * blockSize)
    return 'These are no parameters of scrypt.'
  const mib = (128 * blockSize * 2 ** logCost) / 2 ** 20
  if (mib <= memoryMib && parallelism <= scrypt.parallelism && mib * parallelism <= scrypt.writtenMib) return undefined
  return `scrypt is verified up to ${memoryMib} MiB, parallelism ${scrypt.parallelism}, and ${scrypt.writtenMib} MiB times parallelism.`
}

function pbkdf2Fault({ digest, iterations, tag }: Extract<StoredHash, { kind: 'pbkdf2' }>): string | undefined {
  if (iterations < 1) return 'These are no parameters of PBKDF2.'
  // Each block of the result costs all iterations again.
  const rounds = iterations * Math.ceil(tag.length / digestLength(digest))
  if (rounds <= pbkdf2Rounds) return undefined
  return `PBKDF2 is verified up to ${pbkdf2Rounds.toLocaleString('en')} iterations, times the blocks of its result.`
}

function lengthFault({ salt, tag }: { salt: Buffer; tag: Buffer }): string | undefined {
  if (salt.length < saltBytes.least || salt.length > saltBytes.most)
    return `Salts are taken from ${saltBytes.least} to ${saltBytes.most} bytes; without one, equal passwords show.`
  if (tag.length < leastTagBytes || tag.length > mostTagBytes)
    return `Results are taken from ${leastTagBytes} to ${mostTagBytes} bytes.`
  return undefined
}
