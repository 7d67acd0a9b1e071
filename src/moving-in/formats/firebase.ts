/** Firebase Authentication: the output of `firebase auth:export`, JSON or CSV. */
import { OperatorError } from '../../core/errors.ts'
import { booleanIn } from '../../lib/boolean-text.ts'
import { glance } from '../reading/bytes.ts'
import { csvRecords } from '../reading/csv.ts'
import { type JsonObject, jsonEntries, listOf, objectIn, objectOf, placeOf, textOf } from '../reading/json.ts'
import type { LeftOut, SourceOptions } from '../reading/source.ts'
import { rolesInMetadata } from './metadata.ts'
import {
  attributeLeftBehind,
  eachOnce,
  type Found,
  type Person,
  phoneLeftBehind,
  pictureLeftBehind,
  secondFactorLeftBehind,
  signInWithLeftBehind,
} from './person.ts'

const expected = 'what firebase auth:export writes, as JSON with users or as CSV without a header line'

export async function* readFirebase(
  input: AsyncIterable<Uint8Array>,
  { hashConfig }: SourceOptions,
): AsyncGenerator<Found> {
  const parameters = hashConfig === undefined ? undefined : hashParameters(hashConfig)
  const { line, bytes } = await glance(input)
  if (line === '') throw new OperatorError(`The input is empty; expected ${expected}.`)
  for await (const one of /^[[{]/.test(line) ? usersInJson(bytes) : usersInCsv(bytes)) {
    if ('leftOut' in one) {
      yield one
      continue
    }
    const { user, place, line: at } = one
    const id = textOf(user.localId)
    if (id === undefined) throw new OperatorError(`${place} has no localId; expected ${expected}.`)
    yield { person: personIn(id, user, parameters), line: at }
  }
}

type Entry = { user: JsonObject; place: string; line: number } | { leftOut: LeftOut }

async function* usersInJson(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  for await (const { value, ...at } of jsonEntries(bytes, ['users'], expected, { single: ['localId'], pages: true }))
    yield { user: value, place: placeOf(at), line: at.line }
}

/** From the seventh column, four for each provider: rawId, email, name, picture. */
const providersInCsv = ['google.com', 'facebook.com', 'twitter.com', 'github.com']

async function* usersInCsv(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  // The exporter does not double quotes in names, and may or may not end a line with a comma.
  let isFirst = true
  for await (const { cells, line } of csvRecords(bytes, expected)) {
    if (cells.length < 25 || !/^(?:true|false)?$/i.test(cells[2] ?? '')) {
      if (isFirst) throw new OperatorError(`Line ${line} does not have the columns of a user; expected ${expected}.`)
      yield { leftOut: { what: 'user', why: 'the row does not have the columns of a user', of: `line ${line}` } }
      continue
    }
    isFirst = false
    const user = {
      localId: cells[0],
      email: cells[1],
      emailVerified: booleanIn(cells[2] ?? '') === true,
      passwordHash: cells[3],
      salt: cells[4],
      displayName: cells[5],
      photoUrl: cells[6],
      providerUserInfo: providersInCsv.flatMap((providerId, i) => (cells[7 + 4 * i] ? [{ providerId }] : [])),
      createdAt: cells[23],
      lastSignedInAt: cells[24],
      phoneNumber: cells[25],
      disabled: booleanIn(cells[26] ?? '') === true,
      customAttributes: cells[27],
    }
    yield { user, place: `Line ${line}`, line }
  }
}

function personIn(id: string, user: JsonObject, parameters: HashParameters | undefined): Person {
  const claims = objectIn(user.customAttributes)
  const phone = textOf(user.phoneNumber)
  const flags = Object.keys(claims).filter((claim) => claims[claim] === true)
  return {
    id,
    email: textOf(user.email),
    emailVerified: user.emailVerified === true,
    phone,
    fullName: textOf(user.displayName),
    active: user.disabled !== true,
    roles: [...new Set([...rolesInMetadata(claims), ...flags])],
    password: passwordIn(user, parameters),
    createdAt: user.createdAt,
    lastLoginAt: user.lastSignedInAt ?? user.lastLoginAt,
    leftBehind: eachOnce([
      phone !== undefined && phoneLeftBehind,
      textOf(user.photoUrl) !== undefined && pictureLeftBehind,
      ...listOf(user.mfaInfo)
        .map(objectOf)
        .map((factor) =>
          secondFactorLeftBehind(
            'totpInfo' in factor ? 'totp' : textOf(factor.phoneInfo) === undefined ? 'unknown' : 'phone',
          ),
        ),
      ...listOf(user.providerUserInfo)
        .map((info) => textOf(objectOf(info).providerId) ?? 'unknown')
        .filter((provider) => provider !== 'password' && provider !== 'phone')
        .map(signInWithLeftBehind),
      ...Object.keys(claims)
        .filter((claim) => claim !== 'role' && claim !== 'roles' && claims[claim] !== true)
        .map((claim) => attributeLeftBehind(`custom claim ${claim}`)),
    ]),
  }
}

type HashParameters = { signerKey: string; saltSeparator: string; rounds: number; memoryCost: number }

function passwordIn(user: JsonObject, parameters: HashParameters | undefined): Person['password'] {
  const hash = textOf(user.passwordHash)
  const clear = clearInFakeHash(hash)
  if (clear !== undefined) return { clear, ifStrong: true }
  const salt = textOf(user.salt)
  if (hash === undefined || salt === undefined)
    return { none: 'none in the export: the user signs in another way, or the hash is not scrypt' }
  if (parameters === undefined) return { none: 'the password hash parameters of the project were not given' }
  const { signerKey, saltSeparator, rounds, memoryCost } = parameters
  return {
    hash: `$firebase-scrypt$ln=${memoryCost},r=${rounds},ss=${saltSeparator},sk=${signerKey}$${plain(salt)}$${plain(hash)}`,
  }
}

/** The emulator does not hash: it writes `fakeHash:salt=<salt>:password=<password>`, plain or in Base64. */
function clearInFakeHash(hash: string | undefined): string | undefined {
  const form = /^fakeHash:salt=[^:]*:password=(.+)$/s
  if (hash === undefined) return undefined
  return (form.exec(hash) ?? form.exec(Buffer.from(plain(hash), 'base64').toString()))?.[1]
}

/** Base64 of RFC 4648 §4; the API writes that of §5. */
function plain(base64: string): string {
  return base64.replaceAll('-', '+').replaceAll('_', '/')
}

const expectedParameters =
  "the project's password hash parameters as the Firebase console shows them: algorithm SCRYPT, base64_signer_key, base64_salt_separator, rounds, mem_cost"

/** The console shows something close to JSON; both forms are accepted, with or without the outer `hash_config`. */
function hashParameters(text: string): HashParameters {
  const member = (...names: string[]): string | undefined =>
    names.map((name) => new RegExp(`\\b${name}"?\\s*[:=]\\s*"?([^\\s",}]+)`, 'i').exec(text)?.[1]).find(Boolean)
  const algorithm = member('algorithm', 'hash-algo') ?? 'SCRYPT'
  const signerKey = member('base64_signer_key', 'signerKey', 'signer_key', 'hash-key')
  const saltSeparator = member('base64_salt_separator', 'saltSeparator', 'salt_separator', 'salt-separator')
  const rounds = Number(member('rounds'))
  const memoryCost = Number(member('mem_cost', 'memoryCost', 'memCost', 'memory_cost', 'mem-cost'))
  if (algorithm.toUpperCase() !== 'SCRYPT' || !signerKey || !saltSeparator || !(rounds > 0) || !(memoryCost > 0))
    throw new OperatorError(`The hash parameters are not valid; expected ${expectedParameters}.`)
  return { signerKey: plain(signerKey), saltSeparator: plain(saltSeparator), rounds, memoryCost }
}
