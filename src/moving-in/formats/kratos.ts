/** Ory Kratos: identities as its admin API and its CLI list them, with their password credentials. */
import { OperatorError } from '../../core/errors.ts'
import { type JsonObject, jsonEntries, listOf, objectOf, placeOf, textOf, textsOf } from '../reading/json.ts'
import { isNameMember, namesInMetadata, rolesInMetadata } from './metadata.ts'
import {
  attributeLeftBehind,
  eachOnce,
  type Found,
  noPassword,
  type Person,
  phoneLeftBehind,
  secondFactorLeftBehind,
  signInWithLeftBehind,
  type Totp,
} from './person.ts'
import { totpOfUri } from './totp-uri.ts'

const expected =
  'identities of Ory Kratos: the response of GET /admin/identities?include_credential=password, or kratos list identities --format json'

export async function* readKratos(input: AsyncIterable<Uint8Array>): AsyncGenerator<Found> {
  const single = ['traits', 'schema_id', 'identity']
  for await (const { value: entry, ...at } of jsonEntries(input, ['identities', 'items', 'data'], expected, {
    single,
    pages: true,
  })) {
    // A session, or a page of the event stream, contains the identity.
    const value = 'traits' in entry ? entry : objectOf(entry.identity ?? entry)
    const id = textOf(value.id)
    // Files for `kratos import identities` have no ids.
    const isForImport = id === undefined && textOf(value.schema_id) !== undefined
    if ((id === undefined && !isForImport) || typeof value.traits !== 'object')
      throw new OperatorError(`${placeOf(at)} is no identity: it has no id or no traits; expected ${expected}.`)
    const person = personIn(id ?? `line ${at.line}`, value)
    yield { person: { ...person, ...(isForImport && { idIsPlace: true as const }) }, line: at.line }
  }
}

const identifyingTraits = ['username', 'email', 'phone', 'phone_number']

function personIn(id: string, identity: JsonObject): Person {
  const traits = objectOf(identity.traits)
  const credentials = objectOf(identity.credentials)
  const identifiers = textsOf(objectOf(credentials.password).identifiers)
  const email = textOf(traits.email) ?? identifiers.find((identifier) => identifier.includes('@'))
  const phone = textOf(traits.phone) ?? textOf(traits.phone_number)
  const addresses = listOf(identity.verifiable_addresses).map(objectOf)
  const address = addresses.find((each) => textOf(each.value)?.toLowerCase() === email?.toLowerCase())
  const name = objectOf(traits.name)
  const admin = objectOf(identity.metadata_admin)
  const open = objectOf(identity.metadata_public)
  return {
    id,
    username:
      textOf(traits.username) ??
      identifiers.find((identifier) => identifier.toLowerCase() !== email?.toLowerCase() && identifier !== phone),
    email,
    emailVerified: address === undefined ? undefined : address.verified === true,
    phone,
    ...namesInMetadata({
      ...traits,
      ...(Object.keys(name).length > 0 && { name: undefined, first_name: name.first, last_name: name.last }),
    }),
    externalId: textOf(identity.external_id),
    active: identity.state !== 'inactive',
    roles: [...new Set([...rolesInMetadata(open), ...rolesInMetadata(admin)])],
    password: passwordIn(objectOf(credentials.password)),
    totp: totpIn(objectOf(credentials.totp)),
    createdAt: identity.created_at,
    leftBehind: eachOnce([
      phone !== undefined && phoneLeftBehind,
      ...Object.keys(traits)
        .filter((trait) => !identifyingTraits.includes(trait) && !isNameMember(trait))
        .map((trait) => attributeLeftBehind(`traits.${trait}`)),
      ...Object.keys(open)
        .filter(isNoRole)
        .map((name) => attributeLeftBehind(`metadata_public.${name}`)),
      ...Object.keys(admin)
        .filter(isNoRole)
        .map((name) => attributeLeftBehind(`metadata_admin.${name}`)),
      ...Object.entries(credentials).flatMap(([type, credential]) => credentialLeftBehind(type, objectOf(credential))),
    ]),
  }
}

const isNoRole = (name: string): boolean => name !== 'role' && name !== 'roles'

function credentialLeftBehind(type: string, credential: JsonObject): { what: string; why: string }[] {
  if (type === 'password' || (type === 'totp' && totpIn(credential).length > 0)) return []
  if (type === 'totp' || type === 'lookup_secret' || type === 'webauthn') return [secondFactorLeftBehind(type)]
  if (type !== 'oidc' && type !== 'saml') return [signInWithLeftBehind(type)]
  // An identifier is `provider:subject`.
  const providers = textsOf(credential.identifiers).map((identifier) => identifier.split(':')[0] ?? type)
  return (providers.length > 0 ? providers : [type]).map(signInWithLeftBehind)
}

/** The configuration is in the file only if the identities were listed with it. */
function totpIn(credential: JsonObject): Totp[] {
  const text = textOf(objectOf(credential.config).totp_url)
  return text === undefined ? [] : [totpOfUri(text) ?? []].flat()
}

function passwordIn(credential: JsonObject): Person['password'] {
  const config = objectOf(credential.config)
  const hash = textOf(config.hashed_password)
  if (hash !== undefined) return { hash: standard(hash) }
  const clear = config.password
  if (typeof clear === 'string' && clear !== '') return { clear, ifStrong: true }
  if (Object.keys(credential).length === 0) return noPassword
  return { none: 'no hash: the user has none, or the identities were listed without include_credential=password' }
}

function standard(hash: string): string {
  // Kratos writes the cost itself where others write its logarithm.
  const scrypt = /^\$scrypt\$ln=(\d{2,10}),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash)
  if (scrypt !== null) {
    const [, cost, r, p, salt = '', tag = ''] = scrypt
    const logarithm = Number(cost) > 64 ? Math.log2(Number(cost)) : Number(cost)
    return `$scrypt$ln=${logarithm},r=${r},p=${p}$${unpadded(salt)}$${unpadded(tag)}`
  }
  return hash
}

function unpadded(base64: string): string {
  return base64.replace(/=+$/, '')
}
