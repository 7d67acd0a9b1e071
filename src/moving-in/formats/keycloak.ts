/**
 * Keycloak: the file of a realm export, or all files of a directory export with the realm file first. Based on exports of
 * versions 12 to 26.
 */
import { OperatorError } from '../../core/errors.ts'
import { keycloakHash } from '../../directory/passwords/service.ts'
import { toBase32 } from '../../lib/totp-form.ts'
import {
  type JsonObject,
  jsonEntries,
  jsonValues,
  listOf,
  objectIn,
  objectOf,
  placeOf,
  textOf,
  textsOf,
} from '../reading/json.ts'
import type { OrganizationFound, SourceOptions } from '../reading/source.ts'
import { systemCheck } from '../reading/system-check.ts'
import {
  attributeLeftBehind,
  eachOnce,
  type Found,
  noPassword,
  type Person,
  secondFactorLeftBehind,
  signInWithLeftBehind,
  type Totp,
} from './person.ts'

const expected =
  'a Keycloak realm export: an object with users, made by kc.sh export --users same_file or --users different_files'

export async function* readKeycloak(
  input: AsyncIterable<Uint8Array>,
  { clearPasswords }: SourceOptions,
): AsyncGenerator<Found> {
  const check = systemCheck('keycloak', expected)
  const rolesOfGroups = new Map<string, string[]>()
  let users = 0
  let people = 0
  let federated = 0
  const lists = ['users', 'groups', 'federatedUsers']
  const single = ['username']
  const nothing = withoutUsers('The realm export has no users and no groups')
  for await (const { list, value, ...at } of jsonEntries(input, lists, expected, { single, nothing })) {
    if (list === 'groups') {
      rememberGroup(value, '', [], rolesOfGroups)
      if (users > 0)
        yield {
          leftOut: {
            what: `roles of the group ${textOf(value.name) ?? ''}`,
            why: 'the group comes after users in the file, so the roles that they have through it are unknown',
          },
        }
    } else if (list === 'federatedUsers') {
      federated++
      yield {
        leftOut: {
          what: 'user',
          why: 'is in a user federation; the export contains only the roles',
          ...(textOf(value.id) !== undefined && { of: textOf(value.id) as string }),
        },
      }
    } else {
      if (textOf(value.realm) !== undefined && textOf(value.username) === undefined)
        throw new OperatorError(withoutUsers('The input is a list of realms, or a realm without users'))
      users++
      check(value, placeOf(at))
      const found = foundIn(value, placeOf(at), rolesOfGroups, clearPasswords === 'hash')
      if ('person' in found) people++
      yield 'person' in found ? { ...found, line: at.line } : found
    }
  }
  if (users + federated === 0) throw new OperatorError(withoutUsers('The realm export has no users'))
  if (people + federated === 0)
    throw new OperatorError(withoutUsers('The only users in the realm export are service accounts'))
}

const ofOrganizations = ['id', 'name', 'alias', 'enabled', 'domains.*', 'members.*']

/** A member is named by the username. Keycloak says which organization manages a user. */
export async function* readKeycloakOrganizations(input: AsyncIterable<Uint8Array>): AsyncGenerator<OrganizationFound> {
  const paths = ofOrganizations.map((path) => `organizations.*.${path}`)
  let organization = ''
  for await (const { path, value } of jsonValues(input, paths, expected)) {
    const [, , name] = path
    const object = objectOf(value)
    if (name === 'id') {
      organization = textOf(value) ?? ''
      yield { organization: { id: organization } }
    } else if (name === 'domains') {
      const domain = textOf(object.name)
      if (domain !== undefined) yield { domain: { organization, domain, isVerified: object.verified === true } }
    } else if (name === 'members') {
      const user = textOf(object.username)
      const isHome = textOf(object.membershipType) === 'MANAGED'
      if (user !== undefined) yield { membership: { organization, user, roles: [], ...(isHome && { isHome }) } }
    } else if (name === 'enabled') yield { organization: { id: organization, active: value !== false } }
    else if (textOf(value) !== undefined) yield { organization: { id: organization, [String(name)]: textOf(value) } }
  }
}

/** The partial export of the admin console contains no users except service accounts. */
function withoutUsers(what: string): string {
  return `${what}. The partial export of the admin console leaves users out: export them with kc.sh export --realm <realm> --file realm-export.json --users same_file.`
}

function rememberGroup(group: JsonObject, above: string, inherited: string[], into: Map<string, string[]>): void {
  const path = textOf(group.path) ?? `${above}/${textOf(group.name) ?? ''}`
  const roles = [...inherited, ...rolesIn(group)]
  into.set(path, roles)
  for (const child of listOf(group.subGroups)) rememberGroup(objectOf(child), path, roles, into)
}

function rolesIn(owner: JsonObject): string[] {
  const ofClients = Object.entries(objectOf(owner.clientRoles)).flatMap(([client, roles]) =>
    // Roles that every user has for their own account in Keycloak.
    client === 'account' ? [] : textsOf(roles).map((role) => `${client}:${role}`),
  )
  return [...textsOf(owner.realmRoles).filter((role) => !isBuiltIn(role)), ...ofClients]
}

function isBuiltIn(role: string): boolean {
  return role === 'offline_access' || role === 'uma_authorization' || role.startsWith('default-roles-')
}

function foundIn(
  user: JsonObject,
  place: string,
  rolesOfGroups: ReadonlyMap<string, string[]>,
  takesClear: boolean,
): Found {
  const username = textOf(user.username)
  if (username === undefined) throw new OperatorError(`${place} has no username; expected ${expected}.`)
  const id = textOf(user.id) ?? username
  const client = textOf(user.serviceAccountClientId ?? user.serviceAccountClientLink)
  if (client !== undefined)
    return {
      leftOut: { what: 'service account', why: 'belongs to a client, not a person; create an API key instead', of: id },
    }
  const groups = textsOf(user.groups)
  const actions = textsOf(user.requiredActions)
  const credentials = listOf(user.credentials).map(objectOf)
  return {
    person: {
      id,
      memberName: username,
      username,
      email: textOf(user.email),
      emailVerified: user.emailVerified === true,
      firstName: textOf(user.firstName),
      lastName: textOf(user.lastName),
      active: user.enabled !== false,
      roles: [...new Set([...rolesIn(user), ...groups, ...groups.flatMap((path) => rolesOfGroups.get(path) ?? [])])],
      password: passwordIn(credentials, user, takesClear),
      totp: credentials.flatMap((credential) => totpIn(credential) ?? []),
      mustChangePassword:
        actions.includes('UPDATE_PASSWORD') ||
        credentials.some(({ type, temporary }) => type === 'password' && temporary === true),
      createdAt: user.createdTimestamp,
      leftBehind: eachOnce([
        ...Object.keys(objectOf(user.attributes)).map(attributeLeftBehind),
        ...actions
          .filter((action) => action !== 'UPDATE_PASSWORD')
          .map((action) => ({
            what: `required action ${action}`,
            why: 'not carried over; Rollbook does not ask for it at sign-in',
          })),
        ...listOf(user.federatedIdentities)
          .map((identity) => textOf(objectOf(identity).identityProvider))
          .map((provider) => provider !== undefined && signInWithLeftBehind(provider)),
        ...credentials
          .filter((credential) => totpIn(credential) === undefined)
          .map((credential) => textOf(credential.type) ?? 'unknown')
          .filter((type) => type !== 'password' && type !== 'password-history')
          .map(secondFactorLeftBehind),
      ]),
    },
  }
}

/** Version 12 and later keep JSON in strings; the secret is text whose bytes are the key, unless it says base32. */
function totpIn(credential: JsonObject): Totp | undefined {
  if (credential.type !== 'otp' && credential.type !== 'totp') return undefined
  const data = objectIn(credential.credentialData)
  const value = textOf(objectIn(credential.secretData).value)
  if (value === undefined || (textOf(data.subType) ?? 'totp') !== 'totp') return undefined
  return {
    secret: textOf(data.secretEncoding) === 'BASE32' ? value : toBase32(Buffer.from(value)),
    name: textOf(credential.userLabel),
    algorithm: textOf(data.algorithm),
    digits: numberOf(data.digits),
    period: numberOf(data.period),
  }
}

function numberOf(value: unknown): number | undefined {
  return textOf(value) === undefined ? undefined : Number(value)
}

function passwordIn(credentials: readonly JsonObject[], user: JsonObject, takesClear: boolean): Person['password'] {
  const credential = credentials.find((each) => each.type === 'password')
  if (credential === undefined) {
    return textOf(user.federationLink) === undefined
      ? noPassword
      : {
          none: 'stored in a user federation such as LDAP, not in Keycloak; the user cannot sign in until a password is set',
        }
  }
  if ('value' in credential) {
    const clear = textOf(credential.value)
    if (takesClear && clear !== undefined) return { clear: String(credential.value), ifStrong: true }
    return { none: 'plain text in the file, as in a realm written by hand; --clear-passwords hash imports it' }
  }
  const read = keycloakHash(credential)
  return 'phc' in read ? { hash: read.phc } : { none: read.fault }
}
