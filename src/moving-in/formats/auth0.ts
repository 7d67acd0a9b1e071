/**
 * Auth0: the users export (NDJSON of a job, or the JSON of the Import/Export extension), with the separate export of
 * password hashes that Auth0's support provides; or a file for its bulk import, which contains the hashes.
 */
import { OperatorError } from '../../core/errors.ts'
import {
  type JsonEntry,
  type JsonObject,
  jsonEntries,
  listOf,
  objectIn,
  objectOf,
  placeOf,
  textOf,
} from '../reading/json.ts'
import { openScratch, type Scratch } from '../reading/scratch.ts'
import type { SourceOptions } from '../reading/source.ts'
import { customPasswordHash } from './auth0-hash.ts'
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

const expected =
  'an Auth0 users export (one JSON object per line, or an array, each with user_id) or a file for its bulk import (each with email)'
const expectedHashes = "Auth0's export of password hashes: one JSON object per line, each with _id and passwordHash"

export async function* readAuth0(input: AsyncIterable<Uint8Array>, options: SourceOptions): AsyncGenerator<Found> {
  const hashes = openScratch()
  try {
    if (options.passwords !== undefined) await rememberHashes(options.passwords, hashes)
    const known = options.passwords === undefined ? undefined : hashes
    for await (const { value, ...at } of jsonEntries(input, ['users'], expected, {
      single: ['user_id', 'email'],
      pages: true,
    }))
      yield foundIn(withPlainNames(value), at, known)
    const unused = hashes.count('hash')
    if (unused > 0)
      yield {
        leftOut: {
          what: `password hashes of ${unused} users`,
          why: 'their users are not in the users export',
        },
      }
  } finally {
    hashes.close()
  }
}

async function rememberHashes(passwords: AsyncIterable<Uint8Array>, hashes: Scratch): Promise<void> {
  for await (const { value, ...at } of jsonEntries(passwords, [], expectedHashes, { single: ['passwordHash'] })) {
    const id = textOf(value.alt_id) ?? textOf(objectOf(value._id).$oid) ?? textOf(value._id)
    const hash = textOf(value.passwordHash)
    if (id === undefined || hash === undefined)
      throw new OperatorError(
        `${placeOf(at)} of the password hashes has no _id or no passwordHash; expected ${expectedHashes}.`,
      )
    // Ids are unique only within a connection.
    const connection = textOf(value.connection)
    hashes.set('hash', connection === undefined ? id : `${connection}|${id}`, hash)
  }
}

/** The extension writes `Email Verified` where the job writes `email_verified`, and `Id`. A lower-case `id` belongs to another system. */
function withPlainNames(user: JsonObject): JsonObject {
  const plain: JsonObject = {}
  for (const [name, value] of Object.entries(user)) plain[name.trim().toLowerCase().replaceAll(' ', '_')] = value
  plain.user_id ??= user.Id
  return plain
}

const understood = new Set([
  ...['user_id', 'id', '_id', 'username', 'email', 'email_verified', 'name', 'given_name', 'family_name', 'created_at'],
  ...[
    'last_login',
    'identities',
    'blocked',
    'phone_number',
    'phone_verified',
    'picture',
    'multifactor',
    'app_metadata',
  ],
  ...['user_metadata', 'updated_at', 'last_ip', 'logins_count', 'nickname', 'connection', 'provider', 'is_social'],
  ...['custom_password_hash', 'password_hash', 'mfa_factors', 'email_verified_at'],
  ...['last_password_reset', 'multifactor_last_modified', 'guardian_authenticators', 'roles'],
])

type At = Pick<JsonEntry, 'entry' | 'line'>

function foundIn(user: JsonObject, at: At, hashes: Scratch | undefined): Found {
  const userId = textOf(user.user_id)
  // In a file for the bulk import the id is optional, and lacks the name of its connection.
  const isForImport =
    ['custom_password_hash', 'password_hash', 'mfa_factors'].some((name) => name in user) ||
    (userId === undefined && 'email_verified' in user && !('passwordhash' in user))
  const id =
    userId ?? (isForImport && textOf(user.email ?? user.username ?? user.phone_number) ? `line ${at.line}` : undefined)
  if (id === undefined) {
    const isOther = textOf(user.passwordhash) !== undefined
    const hint = isOther
      ? 'this is the export of password hashes; pass it in addition to the users export'
      : 'it has no user_id, and is not from a bulk import'
    throw new OperatorError(`${placeOf(at)} is no user: ${hint}; expected ${expected}.`)
  }
  const appMetadata = objectOf(user.app_metadata)
  const identities = listOf(user.identities).map(objectOf)
  const elsewhere = identities.map((identity) => textOf(identity.provider)).filter((provider) => provider !== 'auth0')
  const own =
    identities.length === 0
      ? userId === undefined || id.startsWith('auth0|') || (isForImport && !id.includes('|'))
      : elsewhere.length < identities.length
  const phone = textOf(user.phone_number)
  // Without a name, Auth0 writes the identifier for sign-in.
  const name = textOf(user.name)
  const ownName = name === textOf(user.email) || name === phone ? undefined : name
  return {
    line: at.line,
    person: {
      id,
      ...(userId === undefined && { idIsPlace: true as const }),
      username: textOf(user.username),
      email: textOf(user.email),
      emailVerified: !/^false$/i.test(String(user.email_verified)),
      phone,
      firstName: textOf(user.given_name),
      lastName: textOf(user.family_name),
      fullName: ownName,
      active: !/^true$/i.test(String(user.blocked)),
      roles: [...new Set([...rolesInMetadata(appMetadata), ...rolesInMetadata({ roles: user.roles })])],
      password: hashInFile(user) ?? passwordIn(id, identities, own, hashes),
      createdAt: user.created_at,
      lastLoginAt: user.last_login,
      leftBehind: eachOnce([
        phone !== undefined && phoneLeftBehind,
        textOf(user.picture) !== undefined && !isDefaultPicture(textOf(user.picture) ?? '') && pictureLeftBehind,
        ...listOf(user.multifactor).map((factor) => secondFactorLeftBehind(textOf(factor) ?? 'unknown')),
        ...listOf(user.mfa_factors)
          .flatMap((factor) => Object.keys(objectOf(factor)))
          .map(secondFactorLeftBehind),
        ...listOf(user.guardian_authenticators).map((factor) =>
          secondFactorLeftBehind(textOf(objectOf(factor).type) ?? 'guardian'),
        ),
        ...elsewhere.map((provider) => signInWithLeftBehind(provider ?? 'unknown')),
        identities.length === 0 && !own && signInWithLeftBehind(id.split('|')[0] ?? 'unknown'),
        ...Object.keys(appMetadata)
          .filter((name) => name !== 'role' && name !== 'roles')
          .map((name) => attributeLeftBehind(`app_metadata.${name}`)),
        ...Object.keys(objectOf(user.user_metadata)).map((name) => attributeLeftBehind(`user_metadata.${name}`)),
        ...Object.keys(user)
          .filter((name) => !understood.has(name))
          .map(attributeLeftBehind),
      ]),
    },
  }
}

/** Names that Auth0 derives from the email address say nothing about the user. */
function isDefaultPicture(url: string): boolean {
  return /^https:\/\/(?:s\.gravatar\.com|cdn\.auth0\.com)\//.test(url)
}

/** A file for the bulk import contains each user's hash. */
function hashInFile(user: JsonObject): Person['password'] | undefined {
  const bcrypt = textOf(user.password_hash) ?? textOf(user.passwordhash)
  if (bcrypt !== undefined) return { hash: bcrypt }
  const custom = objectIn(user.custom_password_hash)
  return Object.keys(custom).length === 0 ? undefined : customPasswordHash(custom)
}

function passwordIn(
  id: string,
  identities: JsonObject[],
  own: boolean,
  hashes: Scratch | undefined,
): Person['password'] {
  if (!own) return { none: 'none: the user signed in elsewhere and cannot sign in until a password is set' }
  if (hashes === undefined) return { none: 'no export of password hashes was given' }
  const database = identities.find((identity) => identity.provider === 'auth0')
  const key = textOf(database?.user_id) ?? id.slice(id.indexOf('|') + 1)
  const connection = textOf(database?.connection)
  const hash =
    (connection === undefined ? undefined : hashes.remove('hash', `${connection}|${key}`)) ??
    hashes.remove('hash', key) ??
    (connection === undefined ? hashes.remove('hash', `Username-Password-Authentication|${key}`) : undefined)
  return hash === undefined ? { none: 'not in the export of password hashes' } : { hash }
}
