import { fromBase64, toBase64 } from './base64.ts'
import { type CryptHash, cryptLetters } from './crypt-functions.ts'
import { formatPhc, type Phc, parsePhc } from './phc.ts'

const digests = { sha1: 20, sha224: 28, sha256: 32, sha384: 48, sha512: 64 } as const
export type Digest = keyof typeof digests

/**
 * Django hashes the password's SHA-256 in hex, WordPress its HMAC-SHA-384 in Base64, passlib its SHA-256 or (version 2) its
 * HMAC-SHA-256 with the salt as key, both in Base64.
 */
export type BcryptInput = keyof typeof bcryptPrefixes

const bcryptPrefixes = {
  password: '',
  sha256: '$django-bcrypt-sha256',
  wordpress: '$wp',
  passlib1: '$passlib-bcrypt-sha256-1',
  passlib2: '$passlib-bcrypt-sha256-2',
} as const
const bcryptInputs = Object.keys(bcryptPrefixes) as BcryptInput[]

type Salted = { salt: Buffer; tag: Buffer }
export type ScryptCost = { logCost: number; blockSize: number; parallelism: number }

/** The content of `password_hash`: our own argon2id, or another system's hash until the user's first sign-in. */
export type StoredHash =
  | { kind: 'argon2'; phc: Phc }
  /** `crypt` is the hash in bcrypt's form; `of` says what it is a hash of. */
  | { kind: 'bcrypt'; crypt: string; cost: number; of: BcryptInput }
  | CryptHash
  | ({ kind: 'pbkdf2'; digest: Digest; iterations: number } & Salted)
  | ({ kind: 'scrypt' } & ScryptCost & Salted)
  /** scrypt's result is the key that encrypts the project's signer key. */
  | ({ kind: 'firebase-scrypt'; separator: Buffer; signerKey: Buffer } & ScryptCost & Salted)
  /** One round over password and salt, as in LDAP. */
  | ({ kind: 'salted-sha'; digest: Digest } & Salted)

/** Limits the work of reading: Firebase's, with its signer key, are the longest. */
export const longestHash = 1024

/** Reads the output of formatStored, and equivalents with parameters in another form. */
export function readStored(text: string): StoredHash | undefined {
  if (text.length > longestHash) return undefined
  const [before, name = '', ...rest] = text.split('$')
  if (before !== '') return undefined
  if (name.startsWith('argon2')) return readArgon2(text)
  if (/^2[aby]$/.test(name)) return readBcrypt(text, 'password')
  if (name === '5' || name === '6') return readShaCrypt(text)
  if (name === 'P' || name === 'H') return readPhpass(text)
  const of = bcryptInputs.find((input) => bcryptPrefixes[input] === `$${name}`)
  if (of !== undefined) return readBcrypt(`$${rest.join('$')}`, of)
  const [parameters = '', salt = '', tag = ''] = rest
  const salted = rest.length === 3 ? readSalted(salt, tag) : undefined
  if (name.startsWith('salted-')) return rest.length === 2 ? readSaltedSha(name, rest) : undefined
  if (salted === undefined) return undefined
  if (name.startsWith('pbkdf2-')) return readPbkdf2(name.slice('pbkdf2-'.length), readParameters(parameters), salted)
  if (name === 'scrypt') return readScrypt(readParameters(parameters), salted)
  if (name === 'firebase-scrypt') return readFirebase(readParameters(parameters), salted)
  return undefined
}

export function formatStored(hash: StoredHash): string {
  switch (hash.kind) {
    case 'argon2':
      return formatPhc(hash.phc)
    case 'bcrypt':
      return bcryptPrefixes[hash.of] + hash.crypt
    case 'sha-crypt':
      return `${costOf(hash)}$${hash.salt}$${hash.tag}`
    case 'phpass':
      return `${costOf(hash)}${hash.salt}${hash.tag}`
    default:
      return `${costOf(hash)}$${toBase64(hash.salt)}$${toBase64(hash.tag)}`
  }
}

/** Returns the beginning of a stored hash, which is the same for all hashes of equal cost. */
export function costOf(hash: StoredHash): string {
  switch (hash.kind) {
    case 'argon2': {
      const { algorithm, memoryKib, passes, parallelism } = hash.phc
      return `$${algorithm}$m=${memoryKib},t=${passes},p=${parallelism}`
    }
    case 'bcrypt':
      return `$2$${hash.cost}`
    case 'pbkdf2':
      return `$pbkdf2-${hash.digest}$i=${hash.iterations}`
    case 'scrypt':
      return `$scrypt$${formatScryptCost(hash)}`
    case 'firebase-scrypt': {
      const [separator, signerKey] = [toBase64(hash.separator), toBase64(hash.signerKey)]
      return `$firebase-scrypt$ln=${hash.logCost},r=${hash.blockSize},ss=${separator},sk=${signerKey}`
    }
    case 'salted-sha':
      return `$salted-${hash.digest}`
    case 'sha-crypt':
      return `$${hash.digest === 'sha256' ? 5 : 6}$rounds=${hash.rounds}`
    case 'phpass':
      return `$P$${cryptLetters.charAt(hash.logRounds)}`
  }
}

function formatScryptCost({ logCost, blockSize, parallelism }: ScryptCost): string {
  return `ln=${logCost},r=${blockSize},p=${parallelism}`
}

function readArgon2(text: string): StoredHash | undefined {
  const phc = parsePhc(text)
  return phc && { kind: 'argon2', phc }
}

const bcryptLetters = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const bcryptPattern = /^(\$2[aby]\$([0-3][0-9])\$)([./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/

function readBcrypt(text: string, of: BcryptInput): StoredHash | undefined {
  const [, head, cost, salt, tag] = bcryptPattern.exec(text) ?? []
  if (head === undefined || salt === undefined || tag === undefined) return undefined
  // The last letters have more bits than 16 and 23 bytes fill. Some programs set those at random, and others compare them.
  const crypt = head + withoutLastBits(salt, 4) + withoutLastBits(tag, 2)
  return { kind: 'bcrypt', crypt, cost: Number(cost), of }
}

function withoutLastBits(text: string, bits: number): string {
  const value = bcryptLetters.indexOf(text.slice(-1))
  return text.slice(0, -1) + bcryptLetters.charAt((value >> bits) << bits)
}

const shaCryptPattern =
  /^\$([56])\$(?:rounds=([1-9][0-9]{2,8})\$)?([./0-9A-Za-z]{1,16})\$([./0-9A-Za-z]{43}|[./0-9A-Za-z]{86})$/

function readShaCrypt(text: string): StoredHash | undefined {
  // crypt's default, for which it writes no number.
  const [, id, rounds = '5000', salt = '', tag = ''] = shaCryptPattern.exec(text) ?? []
  if (id === undefined || tag.length !== (id === '5' ? 43 : 86)) return undefined
  return { kind: 'sha-crypt', digest: id === '5' ? 'sha256' : 'sha512', rounds: Number(rounds), salt, tag }
}

/** phpBB writes `$H$` for the same. */
function readPhpass(text: string): StoredHash | undefined {
  const [, rounds, salt = '', tag = ''] =
    /^\$[PH]\$([./0-9A-Za-z])([./0-9A-Za-z]{8})([./0-9A-Za-z]{22})$/.exec(text) ?? []
  return rounds === undefined ? undefined : { kind: 'phpass', logRounds: cryptLetters.indexOf(rounds), salt, tag }
}

/** The tag is derived and must have its length; the salt may be any bytes. */
export function readSalted(saltText: string, tagText: string): Salted | undefined {
  const [salt, tag] = [fromBase64(saltText), fromBase64(tagText)]
  return salt && tag && { salt, tag }
}

export function readPbkdf2(name: string, parameters: Parameters, salted: Salted): StoredHash | undefined {
  const digest = digestOf(name)
  const iterations = numberIn(parameters, 'i')
  // `l`, the tag's length, is in bits in one form and in bytes in the other; the tag itself shows it too.
  if (digest === undefined || iterations === undefined || !hasOnly(parameters, ['i', 'l'])) return undefined
  return { kind: 'pbkdf2', digest, iterations, ...salted }
}

export function readScrypt(parameters: Parameters, salted: Salted): StoredHash | undefined {
  const cost = readScryptCost(parameters)
  return cost && hasOnly(parameters, ['ln', 'r', 'p']) ? { kind: 'scrypt', ...cost, ...salted } : undefined
}

export function readFirebase(parameters: Parameters, salted: Salted): StoredHash | undefined {
  const cost = readScryptCost(new Map([['p', '1'], ...parameters]))
  const [separator, signerKey] = [fromBase64(parameters.get('ss') ?? ''), fromBase64(parameters.get('sk') ?? '')]
  if (!cost || !separator || !signerKey || !hasOnly(parameters, ['ln', 'r', 'p', 'ss', 'sk'])) return undefined
  if (cost.parallelism !== 1 || signerKey.length !== salted.tag.length) return undefined
  return { kind: 'firebase-scrypt', ...cost, separator, signerKey, ...salted }
}

function readSaltedSha(name: string, [salt = '', tag = '']: string[]): StoredHash | undefined {
  const digest = digestOf(name.slice('salted-'.length))
  const salted = readSalted(salt, tag)
  if (digest === undefined || salted?.tag.length !== digests[digest]) return undefined
  return { kind: 'salted-sha', digest, ...salted }
}

function readScryptCost(parameters: Parameters): ScryptCost | undefined {
  const cost = numberIn(parameters, 'ln')
  const [blockSize, parallelism] = [numberIn(parameters, 'r'), numberIn(parameters, 'p')]
  if (cost === undefined || blockSize === undefined || parallelism === undefined) return undefined
  // Kratos writes the cost itself where others write its logarithm; no logarithm is that large, no cost that small.
  const logCost = cost < 64 ? cost : Math.log2(cost)
  return Number.isInteger(logCost) ? { logCost, blockSize, parallelism } : undefined
}

export type Parameters = ReadonlyMap<string, string>

/** Parses `ln=14,r=8,p=1` in any order; a repeated name invalidates all of it. */
export function readParameters(text: string): Parameters {
  const pairs = text.split(',').map((pair) => /^([a-z]+)=(.*)$/.exec(pair)?.slice(1) ?? [])
  const parameters = new Map(pairs.map(([name = '', value = '']) => [name, value]))
  return parameters.size === pairs.length ? parameters : new Map()
}

function numberIn(parameters: Parameters, name: string): number | undefined {
  const text = parameters.get(name) ?? ''
  return /^[0-9]{1,10}$/.test(text) ? Number(text) : undefined
}

function hasOnly(parameters: Parameters, names: readonly string[]): boolean {
  return [...parameters.keys()].every((name) => names.includes(name))
}

export function digestOf(name: string): Digest | undefined {
  return Object.keys(digests).find((digest): digest is Digest => digest === name)
}

export function digestLength(digest: Digest): number {
  return digests[digest]
}
