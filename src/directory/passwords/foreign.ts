import { fromBase64 } from './base64.ts'
import { faultOf } from './limits.ts'
import {
  type Digest,
  digestLength,
  digestOf,
  formatStored,
  longestHash,
  readFirebase,
  readParameters,
  readPbkdf2,
  readSalted,
  readScrypt,
  readStored,
  type StoredHash,
} from './stored.ts'

/** Returns the stored form of an imported hash, or the reason it is refused. */
export type Read = { phc: string } | { fault: string }

/**
 * Reads a password hash as another system wrote it; what is stored already is read as itself. Never throws, and never
 * repeats any of the text.
 */
export function readForeignHash(text: string): Read {
  const isReadable = text.length <= longestHash
  const hash = isReadable ? forms.map((read) => read(text)).find((read) => read !== undefined) : undefined
  if (hash === undefined) return { fault: refusalOf(text) }
  const fault = faultOf(hash)
  return fault === undefined ? { phc: formatStored(hash) } : { fault }
}

const forms = [readStored, readModular, readSpring, readLdap, readDjango, readWerkzeug, readAspNet]

/** Forms that begin with `$` as ours do: passlib's PBKDF2, and Firebase's scrypt as Kratos writes it. */
function readModular(text: string): StoredHash | undefined {
  const [before, name = '', ...rest] = text.split('$')
  if (before !== '') return undefined
  const [parameters = '', salt = '', tag = '', separator = '', signerKey = ''] = rest
  if (name === 'bcrypt-sha256') return readBcryptSha256(rest)
  const salted = readSalted(salt, tag)
  if (salted === undefined) return undefined
  if (name === 'firescrypt' && rest.length === 5) {
    return readFirebase(new Map([...readParameters(parameters), ['ss', separator], ['sk', signerKey]]), salted)
  }
  if (rest.length !== 3) return undefined
  if (name === 'pbkdf2' || name.startsWith('pbkdf2-')) return readPasslib(name.slice('pbkdf2-'.length), rest)
  return undefined
}

/** `29000$<salt>$<tag>`; the digest is SHA-1 where none is named. */
function readPasslib(digest: string, [iterations = '', salt = '', tag = '']: string[]): StoredHash | undefined {
  const salted = readSalted(salt, tag)
  const parameters = iterations.startsWith('i=') ? readParameters(iterations) : new Map([['i', iterations]])
  return salted && readPbkdf2(digest || 'sha1', parameters, salted)
}

/** passlib: `2b,12$<salt>$<tag>`, and `v=2,t=2b,r=12$<salt>$<tag>` since 1.7.3. */
function readBcryptSha256([parameters = '', salt, tag]: string[]): StoredHash | undefined {
  const [, version, type, rounds] = /^(v=2,t=)?(2[aby]),(?:r=)?([0-9]{1,2})$/.exec(parameters) ?? []
  const hash = rounds && readStored(`$${type}$${rounds.padStart(2, '0')}$${salt}${tag}`)
  if (typeof hash !== 'object' || hash.kind !== 'bcrypt') return undefined
  return { ...hash, of: version === undefined ? 'passlib1' : 'passlib2' }
}

/**
 * Spring Security's `{pbkdf2}` and `{scrypt}`, with the parameters of its two generations of defaults: a salt of 8 or 16
 * bytes in front of a result of 32, in hex; and cost, salt and result of scrypt.
 */
function readSpring(text: string): StoredHash | undefined {
  const [, scheme, version, value = ''] = /^\{(pbkdf2|scrypt|argon2)(@SpringSecurity_v5_8)?\}(.+)$/.exec(text) ?? []
  if (scheme === 'argon2' && version !== undefined) return readLdap(`{argon2}${value}`)
  if (scheme === 'pbkdf2') {
    const [saltBytes, digest, iterations] =
      version === undefined ? ([8, 'sha1', 185_000] as const) : ([16, 'sha256', 310_000] as const)
    const bytes = fromHex(value)
    if (bytes?.length !== saltBytes + 32) return undefined
    return { kind: 'pbkdf2', digest, iterations, salt: bytes.subarray(0, saltBytes), tag: bytes.subarray(saltBytes) }
  }
  const [, cost = '', salt = '', tag = ''] = /^\$([0-9a-f]{5,6})\$([^$]+)\$([^$]+)$/.exec(value) ?? []
  const salted = scheme === 'scrypt' ? readSalted(salt, tag) : undefined
  const bits = Number.parseInt(cost, 16)
  return (
    salted && { kind: 'scrypt', logCost: bits >> 16, blockSize: (bits >> 8) & 255, parallelism: bits & 255, ...salted }
  )
}

/** Flask's: `scrypt:32768:8:1$<salt>$<hex>`, `pbkdf2:sha256:600000$<salt>$<hex>`; the salt is text that is used as it stands. */
function readWerkzeug(text: string): StoredHash | undefined {
  const [method = '', salt = '', hex = '', ...more] = text.split('$')
  const tag = fromHex(hex)
  if (tag === undefined || more.length > 0 || !salt.isWellFormed()) return undefined
  const salted = { salt: Buffer.from(salt), tag }
  const [name, first = '', second = '', third = '', ...others] = method.split(':')
  if (others.length > 0) return undefined
  if (name === 'pbkdf2' && third === '') return readPbkdf2(first, new Map([['i', second]]), salted)
  if (name !== 'scrypt' || !/^[0-9]{2,9}$/.test(first)) return undefined
  return readScrypt(
    new Map([
      ['ln', String(Math.log2(Number(first)))],
      ['r', second],
      ['p', third],
    ]),
    salted,
  )
}

const aspNetDigests: readonly (Digest | undefined)[] = ['sha1', 'sha256', 'sha512']

/** ASP.NET Core Identity, version 3: a byte 1, then digest, iterations and the salt's length in 32 bits each, salt and result. */
function readAspNet(text: string): StoredHash | undefined {
  const bytes = text.startsWith('AQAAAA') ? fromBase64(text) : undefined
  if (bytes === undefined || bytes.length < 13) return undefined
  const [digest, saltEnd] = [aspNetDigests[bytes.readUInt32BE(1)], 13 + bytes.readUInt32BE(9)]
  if (digest === undefined || saltEnd >= bytes.length) return undefined
  const salted = { salt: bytes.subarray(13, saltEnd), tag: bytes.subarray(saltEnd) }
  return { kind: 'pbkdf2', digest, iterations: bytes.readUInt32BE(5), ...salted }
}

function fromHex(text: string): Buffer | undefined {
  return /^([0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : undefined
}

/** `{SSHA}…` and its like; RFC 2307 leaves the case of the name open. */
function readLdap(text: string): StoredHash | undefined {
  const [, scheme = '', value = ''] = /^\{([A-Za-z0-9-]{3,16})\}(.+)$/s.exec(text) ?? []
  const name = scheme.toLowerCase().replace(/sha-/, 'sha')
  // Dovecot's names for crypt, bcrypt and argon2.
  if (/^(crypt|bcrypt|argon2(id|i)?|(sha256|sha512|blf)-crypt)$/.test(name)) {
    const hash = readStored(value)
    return hash !== undefined && ['bcrypt', 'argon2', 'sha-crypt'].includes(hash.kind) ? hash : undefined
  }
  if (name === 'pbkdf2' || name.startsWith('pbkdf2-')) {
    const parts = value.split('$')
    // Dovecot: `$1$<salt>$<iterations>$<hex>`, with SHA-1.
    const [before, version, salt = '', iterations = '', hex = ''] = parts
    const tag = fromHex(hex)
    if (before === '' && version === '1' && parts.length === 5 && tag !== undefined && salt.isWellFormed()) {
      return readPbkdf2('sha1', new Map([['i', iterations]]), { salt: Buffer.from(salt), tag })
    }
    return parts.length === 3 ? readPasslib(name.slice('pbkdf2-'.length), parts) : undefined
  }
  const digest = name === 'ssha' ? 'sha1' : digestOf(name.replace(/^ss/, 's'))
  return name.startsWith('ssha') && digest !== undefined ? readSsha(digest, value) : undefined
}

function readSsha(digest: Digest, value: string): StoredHash | undefined {
  const bytes = fromBase64(value)
  const length = digestLength(digest)
  if (bytes === undefined || bytes.length < length) return undefined
  return { kind: 'salted-sha', digest, tag: bytes.subarray(0, length), salt: bytes.subarray(length) }
}

/** `algorithm$…`; the salt is text that is used as it stands. */
function readDjango(text: string): StoredHash | undefined {
  const [algorithm = '', ...rest] = text.split('$')
  if (algorithm === 'argon2' || algorithm === 'bcrypt' || algorithm === 'bcrypt_sha256') {
    const hash = readStored(`$${rest.join('$').replace(/^\$/, '')}`)
    if (algorithm === 'argon2') return hash?.kind === 'argon2' ? hash : undefined
    return hash?.kind === 'bcrypt' && hash.of === 'password'
      ? { ...hash, of: algorithm === 'bcrypt_sha256' ? 'sha256' : 'password' }
      : undefined
  }
  const [cost = '', salt = '', ...results] = rest
  const tag = fromBase64(results.at(-1) ?? '')
  if (tag === undefined || !salt.isWellFormed()) return undefined
  const salted = { salt: Buffer.from(salt), tag }
  if (algorithm.startsWith('pbkdf2_') && results.length === 1) {
    return readPbkdf2(algorithm.slice('pbkdf2_'.length), new Map([['i', cost]]), salted)
  }
  const [r = '', p = ''] = results
  if (algorithm !== 'scrypt' || results.length !== 3 || !/^[0-9]{2,9}$/.test(cost)) return undefined
  // Django writes the cost, where PHC strings have its logarithm.
  return readScrypt(
    new Map([
      ['ln', String(Math.log2(Number(cost)))],
      ['r', r],
      ['p', p],
    ]),
    salted,
  )
}

const tooWeak = 'can be guessed at billions of passwords per second. Let these users set a new password.'
const oneRoundWithSaltFirst = `One round of SHA with the salt in front ${tooWeak}`

/** Forms that are known and refused, each with what is to be said. */
const refusals: readonly (readonly [form: RegExp, why: string])[] = [
  [
    /^(\{crypt\}|\{bcrypt\})?\$2x\$/i,
    '$2x$ marks hashes of a faulty bcrypt, which gives some different passwords the same hash.',
  ],
  [/^(\{crypt\}|bcrypt\$|bcrypt_sha256\$)?\$2\$/i, 'bcrypt hashes from before version 2a are not supported.'],
  [/^(\{(blf-)?crypt\}|bcrypt\$|bcrypt_sha256\$|\{bcrypt\})?\$2[aby]\$/i, 'This bcrypt hash is cut short or damaged.'],
  [/^(\$1\$|\$apr1\$|\$md5|\{s?md5\}|md5\$|unsalted_md5\$|\{crypt\}\$1\$)/i, `MD5 ${tooWeak}`],
  [/^[0-9a-f]{32}$/i, `This looks like MD5 without a salt, or an NT hash of Windows, which ${tooWeak}`],
  [/^(\{nt\}|\$3\$\$)/i, `An NT hash of Windows is MD4 without a salt, which ${tooWeak}`],
  [/^\*[0-9A-F]{40}$/, `MySQL's hash is SHA-1 without a salt, which ${tooWeak}`],
  [
    /^\$sha1\$[0-9]+\$[^$]{1,64}\$[./0-9A-Za-z]{28}$/,
    'crypt with PBKDF1 over SHA-1 ($sha1$, NetBSD) is not supported.',
  ],
  [/^(\{sha(-?[0-9]{3})?\}|unsalted_sha1\$|sha1\$\$)/i, `SHA without a salt ${tooWeak}`],
  [/^([0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i, `This looks like SHA without a salt, which ${tooWeak}`],
  [/^(sha1\$|\$sha(1|256|512)\$)/, oneRoundWithSaltFirst],
  [/^\$hmac-/, `One round of HMAC ${tooWeak}`],
  [/^\$wp\$2[aby]\$/, 'This bcrypt hash is cut short or damaged.'],
  [
    /^(\{crypt\})?\$(g?y|7)\$/i,
    'yescrypt and scrypt of crypt ($y$, $7$), the default of many Linux systems, cannot be verified: Node.js has no maintained implementation. Import these users without the hash, and let them set a new password.',
  ],
  [/^(\{(sha(256|512)-)?crypt\})?\$[56]\$/i, 'This hash of crypt ($5$, $6$) is cut short or damaged.'],
  [/^\$[PH]\$/, 'This phpass hash is cut short or damaged.'],
  [/^\$S\$/, "Drupal's variant of phpass is not supported."],
  [/^(\{crypt\})?[./0-9A-Za-z]{13}$/i, `DES crypt uses only the first eight characters and ${tooWeak}`],
  [/^(\{crypt\})?[!*]/i, 'This marks a user without a password. Leave the hash out.'],
  [/^(\{cleartext\}|\{plain\}|\{noop\})/i, 'This is a plain-text password. Send it as `password`.'],
  [/^(argon2|\{argon2\})?\$argon2(id|i|d)\$m=/i, 'argon2 hashes from before version 1.3 (v=19) are not supported.'],
]

function refusalOf(text: string): string {
  const known = refusals.find(([form]) => form.test(text.slice(0, 200)))
  return known?.[1] ?? 'Rollbook does not support this form of password hash.'
}
