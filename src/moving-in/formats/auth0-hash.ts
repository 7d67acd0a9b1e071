/** Converts the `custom_password_hash` of Auth0's bulk user import into a hash that Rollbook reads. */
import { fromBase64, readForeignHash, toBase64 } from '../../directory/passwords/service.ts'
import { type JsonObject, objectOf, textOf } from '../reading/json.ts'
import { type Person, shortened } from './person.ts'

type Password = Person['password']

/** Auth0's names of the algorithms whose value is already a complete hash. */
const whole = new Set(['argon2', 'bcrypt', 'pbkdf2', 'ldap'])
const digests = new Set(['sha1', 'sha224', 'sha256', 'sha384', 'sha512'])

export function customPasswordHash(custom: JsonObject): Password {
  const algorithm = textOf(custom.algorithm)?.toLowerCase() ?? ''
  const hash = objectOf(custom.hash)
  const value = textOf(hash.value) ?? textOf(custom.hash)
  if (value === undefined) return { none: 'custom_password_hash has no hash.value' }
  const encoding = textOf(objectOf(custom.password).encoding)?.toLowerCase() ?? 'utf8'
  if (!/^(?:utf-?8|ascii)$/.test(encoding))
    return { none: `hashed from a password in ${shortened(encoding)}; Rollbook hashes passwords in UTF-8` }
  const name = algorithm.replaceAll(/[^a-z0-9]/g, '')
  if (whole.has(name)) return read(wholeHash(name, value))
  if (name === 'scrypt') return scrypt(custom, value)
  if (digests.has(name)) return salted(name, custom, value)
  if (/^md[45]$/.test(name))
    return { none: `${name.toUpperCase()} can be guessed at billions of passwords per second; set a new password` }
  if (name.startsWith('hmac'))
    return { none: 'one round of HMAC can be guessed at billions of passwords per second; set a new password' }
  return {
    none: `hashed with ${algorithm === '' ? 'an unnamed algorithm' : shortened(algorithm)}, which Rollbook does not support`,
  }
}

function read(hash: string): Password {
  const found = readForeignHash(hash)
  return 'phc' in found ? { hash } : { none: found.fault }
}

/** PHC strings must not be padded, but some programs do. */
function wholeHash(algorithm: string, value: string): string {
  return algorithm === 'pbkdf2' || algorithm === 'argon2' ? value.replaceAll(/=+(?=\$|$)/g, '') : value
}

function scrypt(custom: JsonObject, value: string): Password {
  // The defaults of Node's crypto.scrypt, with which Auth0 verifies.
  const number = (defaultValue: number, ...names: string[]) =>
    Number(names.map((name) => textOf(custom[name])).find((text) => text !== undefined) ?? defaultValue)
  const cost = number(16_384, 'cost', 'N')
  const blockSize = number(8, 'blockSize', 'block_size', 'r')
  const parallelism = number(1, 'parallelization', 'parallelism', 'p')
  const logCost = Math.log2(cost)
  const tag = bytesOf(value, objectOf(custom.hash).encoding, 'hash')
  const salt = saltOf(custom)
  if (tag === undefined || salt === undefined) return unreadable
  if (!Number.isInteger(logCost)) return { none: 'its scrypt cost is not a power of two' }
  const keylen = textOf(custom.keylen)
  if (keylen !== undefined && Number(keylen) !== tag.length)
    return {
      none: `keylen is ${shortened(keylen)}, but the hash has ${tag.length} bytes; the encoding may be different`,
    }
  return read(`$scrypt$ln=${logCost},r=${blockSize},p=${parallelism}$${toBase64(salt)}$${toBase64(tag)}`)
}

/** Only password followed by salt is a form that we read: LDAP's. */
function salted(digest: string, custom: JsonObject, value: string): Password {
  const tag = bytesOf(value, objectOf(custom.hash).encoding, 'hash')
  const salt = saltOf(custom)
  const weak = 'can be guessed at billions of passwords per second; set a new password'
  if (salt === undefined && custom.salt !== undefined) return unreadable
  if (salt === undefined) return { none: `${digest} without a salt ${weak}` }
  if (tag === undefined) return unreadable
  if (textOf(objectOf(custom.salt).position)?.toLowerCase() !== 'suffix')
    return { none: `${digest} with the salt in front ${weak}` }
  const name = digest === 'sha1' ? 'SSHA' : digest.replace('sha', 'SSHA')
  return read(`{${name}}${Buffer.concat([tag, salt]).toString('base64')}`)
}

const unreadable: Password = {
  none: 'custom_password_hash does not have the form that its algorithm and encodings require',
}

function saltOf(custom: JsonObject): Buffer | undefined {
  const salt = objectOf(custom.salt)
  // A salt may start or end with a space, so it is not trimmed.
  const value = typeof custom.salt === 'string' ? custom.salt : salt.value
  return typeof value === 'string' && value !== '' ? bytesOf(value, salt.encoding, 'salt') : undefined
}

function bytesOf(text: string, encoding: unknown, what: 'hash' | 'salt'): Buffer | undefined {
  switch (textOf(encoding)?.toLowerCase().replaceAll('-', '') ?? (what === 'salt' ? 'utf8' : 'guess')) {
    case 'hex':
      return fromHex(text)
    case 'base64':
    case 'base64url':
      return fromBase64(text)
    case 'utf8':
    case 'ascii':
      return what === 'salt' ? Buffer.from(text) : (fromHex(text) ?? fromBase64(text))
    case 'latin1':
    case 'binary':
      return what === 'salt' ? Buffer.from(text, 'latin1') : undefined
    case 'guess':
      return fromHex(text) ?? fromBase64(text)
    default:
      return undefined
  }
}

function fromHex(text: string): Buffer | undefined {
  return /^(?:[0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : undefined
}
