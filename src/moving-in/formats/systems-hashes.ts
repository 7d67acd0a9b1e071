/** Puts together hashes that systems store in parts, in a form of docs/migrate/password-hashes.md. */
import { fromBase64, toBase64 } from '../../directory/passwords/service.ts'
import { type JsonObject, textOf } from '../reading/json.ts'

/** `encryptionScheme`, `factor`, `salt` and `password`; undefined for a scheme that we do not verify. */
export function fusionAuthHash(user: JsonObject): string | undefined {
  const [scheme, factor] = [textOf(user.encryptionScheme) ?? '', textOf(user.factor) ?? '']
  const [salt, password] = [textOf(user.salt) ?? '', textOf(user.password) ?? '']
  if (salt === '' || password === '') return undefined
  if (scheme === 'bcrypt') return `$2a$${factor.padStart(2, '0')}$${salt}${password}`
  // `-512` at the end is the length of the result.
  const digest = /^salted-pbkdf2-hmac-(sha256|sha512)(?:-512)?$/.exec(scheme)?.[1]
  return digest && `$pbkdf2-${digest}$i=${factor}$${unpadded(salt)}$${unpadded(password)}`
}

/** `password_digest` in the form of its `password_hasher`. */
export function clerkHash(user: JsonObject): string | undefined {
  const digest = textOf(user.password_digest)
  if (digest === undefined || textOf(user.password_hasher) !== 'scrypt_firebase') return digest
  const [hash = '', salt = '', signerKey = '', separator = '', rounds = '', cost = ''] = digest.split('$')
  return `$firebase-scrypt$ln=${cost},r=${rounds},ss=${separator},sk=${signerKey}$${salt}$${hash}`
}

/** Better Auth's own form, `salt:hash` in hex, where the digits of the salt are what is hashed; any other is one that we know. */
export function betterAuthHash(password: unknown): string | undefined {
  const text = textOf(password)
  const own = /^([0-9a-f]{16,}):([0-9a-f]{128})$/i.exec(text ?? '')
  if (own === null) return text
  const [, salt = '', hash = ''] = own
  return `$scrypt$ln=14,r=16,p=1$${toBase64(Buffer.from(salt))}$${toBase64(Buffer.from(hash, 'hex'))}`
}

/** The hash in hex, and a salt whose hex digits themselves are what is hashed. */
export function discourseHash(user: JsonObject): string | undefined {
  const hash = textOf(user.password_hash)
  const salt = textOf(user.password_salt ?? user.salt)
  const algorithm = /^\$pbkdf2-(sha256|sha512)\$i=(\d+)(?:,l=\d+)?\$?$/.exec(
    // Before 2023 there was one algorithm, and no column for it.
    textOf(user.password_algorithm) ?? '$pbkdf2-sha256$i=64000,l=32$',
  )
  if (hash === undefined || salt === undefined || algorithm === null || !/^(?:[0-9a-f]{2})+$/i.test(hash))
    return undefined
  return `$pbkdf2-${algorithm[1]}$i=${algorithm[2]}$${toBase64(Buffer.from(salt))}$${toBase64(Buffer.from(hash, 'hex'))}`
}

function unpadded(base64: string): string {
  const bytes = fromBase64(base64)
  return bytes === undefined ? base64 : toBase64(bytes)
}
