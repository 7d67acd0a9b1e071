import { argon2Parameters } from './argon2.ts'
import { type Digest, digestLength, type ScryptCost, type StoredHash } from './stored.ts'

/**
 * The hash states its parameters, and the caller of an import chooses them. Within these limits a verification takes at most
 * 256 MiB and about a second of one processor; the defaults of other systems are below.
 */
const memoryMib = 256
/**
 * What verifications of hashes from elsewhere take together at any moment, so that one at the limit fits and fills it. Those
 * that take no more than one of ours are not counted: `concurrency` bounds them.
 */
export const foreignMemoryKib = memoryMib * 1024
const argon2 = { passes: 16, parallelism: 16, writtenMib: 1024 }
const bcrypt = { least: 4, most: 14 }
const scrypt = { parallelism: 16, writtenMib: 256 }
/** The longer digests take 64-bit words and more rounds of them. */
const pbkdf2Rounds = { short: 6_000_000, long: 2_400_000 }
/** passlib writes 656,000 rounds of SHA-crypt, WordPress 2^13 of phpass. */
const shaCryptRounds = { least: 1000, most: 700_000 }
const phpassLogRounds = { least: 7, most: 18 }
/** A quarter of the permitted time and memory. bcrypt of cost 12 and Django's PBKDF2 cost less. */
const dearShare = 1 / 4
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
        ? `bcrypt hashes are supported with a cost from ${bcrypt.least} to ${bcrypt.most}.`
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
    case 'sha-crypt':
      return shaCryptFault(hash)
    case 'phpass':
      return hash.logRounds < phpassLogRounds.least || hash.logRounds > phpassLogRounds.most
        ? `phpass hashes are supported from 2^${phpassLogRounds.least} to 2^${phpassLogRounds.most} rounds.`
        : undefined
  }
}

/** Whether others should not have to wait for several of this kind at once. */
export function isDear(hash: StoredHash): boolean {
  return shareOf(hash) > dearShare || memoryKib(hash) > dearShare * memoryMib * 1024
}

/** The memory that counts against `foreignMemoryKib`. */
export function foreignMemoryOf(hash: StoredHash): number {
  const needed = memoryKib(hash)
  return needed > argon2Parameters.memoryKib ? needed : 0
}

function memoryKib(hash: StoredHash): number {
  switch (hash.kind) {
    case 'argon2':
      return hash.phc.memoryKib
    case 'scrypt':
    case 'firebase-scrypt':
      // RFC 7914 §5: the table, and one block for each lane.
      return Math.ceil(mibOf(hash) * 1024 + (128 * hash.blockSize * hash.parallelism) / 1024)
    default:
      return 0
  }
}

function shareOf(hash: StoredHash): number {
  switch (hash.kind) {
    case 'argon2':
      return (hash.phc.memoryKib * hash.phc.passes) / (argon2.writtenMib * 1024)
    case 'bcrypt':
      return 2 ** (hash.cost - bcrypt.most)
    case 'pbkdf2':
      return roundsOf(hash) / mostRounds(hash.digest)
    case 'scrypt':
    case 'firebase-scrypt':
      return (mibOf(hash) * hash.parallelism) / scrypt.writtenMib
    case 'sha-crypt':
      return hash.rounds / shaCryptRounds.most
    case 'phpass':
      return 2 ** (hash.logRounds - phpassLogRounds.most)
    case 'salted-sha':
      return 0
  }
}

type Argon2 = Extract<StoredHash, { kind: 'argon2' }>['phc']

function argon2Fault({ version, memoryKib, passes, parallelism, salt }: Argon2): string | undefined {
  if (version !== argon2Parameters.version) return 'argon2 hashes from before version 1.3 (v=19) are not supported.'
  if (passes < 1 || parallelism < 1 || memoryKib < 8 * parallelism || salt.length < 8)
    return 'These are not valid argon2 parameters.'
  const tooMuch =
    memoryKib > memoryMib * 1024 ||
    passes > argon2.passes ||
    parallelism > argon2.parallelism ||
    memoryKib * passes > argon2.writtenMib * 1024
  if (!tooMuch) return undefined
  return `argon2 hashes are supported up to ${memoryMib} MiB, ${argon2.passes} passes, parallelism ${argon2.parallelism}, and ${argon2.writtenMib} MiB times passes.`
}

function scryptFault(cost: ScryptCost): string | undefined {
  const { logCost, blockSize, parallelism } = cost
  // RFC 7914 §2: N is less than 2^(128 · r / 8).
  if (logCost < 1 || blockSize < 1 || parallelism < 1 || logCost >= 16 * blockSize)
    return 'These are not valid scrypt parameters.'
  const mib = mibOf(cost)
  if (mib <= memoryMib && parallelism <= scrypt.parallelism && mib * parallelism <= scrypt.writtenMib) return undefined
  return `scrypt hashes are supported up to ${memoryMib} MiB, parallelism ${scrypt.parallelism}, and ${scrypt.writtenMib} MiB times parallelism.`
}

function mibOf({ logCost, blockSize }: ScryptCost): number {
  return (128 * blockSize * 2 ** logCost) / 2 ** 20
}

type Pbkdf2 = Extract<StoredHash, { kind: 'pbkdf2' }>

function pbkdf2Fault(hash: Pbkdf2): string | undefined {
  if (hash.iterations < 1) return 'These are not valid PBKDF2 parameters.'
  const most = mostRounds(hash.digest)
  if (roundsOf(hash) <= most) return undefined
  const limit = `${most.toLocaleString('en')} iterations of ${hash.digest.toUpperCase().replace('SHA', 'SHA-')}`
  return `PBKDF2 hashes are supported up to ${limit}, times the blocks of the result.`
}

/** Each block of the result costs all iterations again. */
function roundsOf({ digest, iterations, tag }: Pbkdf2): number {
  return iterations * Math.ceil(tag.length / digestLength(digest))
}

function mostRounds(digest: Digest): number {
  return digestLength(digest) > 32 ? pbkdf2Rounds.long : pbkdf2Rounds.short
}

function shaCryptFault({ rounds, salt }: Extract<StoredHash, { kind: 'sha-crypt' }>): string | undefined {
  if (rounds < shaCryptRounds.least || rounds > shaCryptRounds.most)
    return `Hashes of crypt ($5$, $6$) are supported with ${shaCryptRounds.least.toLocaleString('en')} to ${shaCryptRounds.most.toLocaleString('en')} rounds.`
  return salt.length < saltBytes.least
    ? `The salt must have at least ${saltBytes.least} characters; without a salt, equal passwords have equal hashes.`
    : undefined
}

function lengthFault({ salt, tag }: { salt: Buffer; tag: Buffer }): string | undefined {
  if (salt.length < saltBytes.least || salt.length > saltBytes.most)
    return `The salt must have ${saltBytes.least} to ${saltBytes.most} bytes; without a salt, equal passwords have equal hashes.`
  if (tag.length < leastTagBytes || tag.length > mostTagBytes)
    return `The hash must have ${leastTagBytes} to ${mostTagBytes} bytes.`
  return undefined
}
