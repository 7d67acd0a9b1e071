/** ROLLBOOK_TRUSTED_ISSUERS: which issuers' tokens are accepted, and which of our roles their claims map to. */
import { isRoleName } from './role-names.ts'

export type TrustedIssuer = {
  /** Exactly as in the `iss` of its tokens. */
  issuer: string
  /** Required in `aud`: the issuer also issues tokens for other services. */
  audience: string
  jwks_url: string
  algorithms: readonly string[]
  /** The path of the roles in the claims set, members joined by dots. */
  roles_claim: string
  /** Maps a value of that claim to one of our roles. */
  roles: Readonly<Record<string, string>>
  /** Accepted values of the header `typ`, in lower case; null stands for no `typ`. Undefined: the token itself must show that it is an access token. */
  token_types: readonly (string | null)[] | undefined
}

type Reading<T> = { value: T } | { faults: string[] }
type Fault = (text: string) => void

/** Asymmetric signatures only: with HS256 every verifier could also sign, and `none` is no signature. */
const signatureAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'],
  ...['EdDSA', 'Ed25519'],
]
const members = ['issuer', 'audience', 'jwks_url', 'algorithms', 'roles_claim', 'roles', 'token_types']
const needed = ['issuer', 'audience', 'jwks_url', 'algorithms', 'roles']
export const expectedIssuers = `a JSON array of objects with ${needed.join(', ')}, and optionally roles_claim and token_types`

/** Faults name a position and a member, never the value. Roles may be stored ones, so whether they exist is known after the start. */
export function parseTrustedIssuers(text: string): Reading<readonly TrustedIssuer[]> {
  const parsed = parseJson(text)
  if (!Array.isArray(parsed)) return { faults: [`must be ${expectedIssuers}`] }
  const faults: string[] = []
  const value = parsed.map((one, index) => readIssuer(one, (fault) => faults.push(`at position ${index + 1} ${fault}`)))
  const issuers = value.map((one) => one?.issuer)
  if (new Set(issuers).size < issuers.length && faults.length === 0) faults.push('names the same issuer twice')
  return faults.length > 0 ? { faults } : { value: value.filter((one) => one !== undefined) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // The parser's message quotes the text.
  }
}

function readIssuer(entry: unknown, fault: Fault): TrustedIssuer | undefined {
  if (!isObject(entry)) {
    fault(`is not an object with ${needed.join(', ')}`)
    return undefined
  }
  const missing = needed.filter((member) => !Object.hasOwn(entry, member))
  if (missing.length > 0) fault(`lacks ${missing.join(', ')}`)
  if (Object.keys(entry).some((member) => !members.includes(member)))
    fault(`has members other than ${members.join(', ')}`)
  const { issuer, audience, jwks_url, algorithms, roles, roles_claim = 'roles', token_types } = entry
  const hasOr = (member: string, fits: boolean, expected: string) => {
    if (!fits && !missing.includes(member)) fault(`has an invalid ${member}; it must be ${expected}`)
  }
  hasOr('issuer', isText(issuer), 'a string of 1 to 512 characters')
  hasOr('audience', isText(audience), 'a string of 1 to 512 characters')
  hasOr('jwks_url', isText(jwks_url) && isSafeUrl(jwks_url), 'an https:// URL (http:// on loopback only)')
  hasOr('algorithms', isListOf(algorithms, signatureAlgorithms), `some of ${signatureAlgorithms.join(', ')}`)
  hasOr('roles_claim', isText(roles_claim) && !roles_claim.split('.').includes(''), 'names joined by dots')
  const mapsRoles =
    isObject(roles) && Object.values(roles).every((role) => typeof role === 'string' && isRoleName(role))
  hasOr('roles', mapsRoles, 'an object that maps claim values to role names')
  const isType = (type: unknown) => type === null || isText(type)
  const isListOfTypes = Array.isArray(token_types) && token_types.length > 0 && token_types.every(isType)
  const fitTypes = token_types === undefined || isListOfTypes
  hasOr('token_types', fitTypes, 'an array of types such as "at+jwt", with null for tokens without a type')
  if (!fitTypes || !mapsRoles) return undefined
  return {
    ...(entry as Pick<TrustedIssuer, 'issuer' | 'audience' | 'jwks_url' | 'algorithms'>),
    roles_claim: roles_claim as string,
    // Without a prototype: a claim that says "constructor" must find nothing but a role.
    roles: Object.assign(Object.create(null), roles),
    token_types: (token_types as (string | null)[] | undefined)?.map((type) =>
      type === null ? null : shortType(type),
    ),
  }
}

/** The roles to which tokens of this issuer can lead. */
export function rolesOfIssuer({ roles }: TrustedIssuer): string[] {
  return [...new Set(Object.values(roles))]
}

/** Requires TLS: otherwise an attacker on the path could replace the keys. */
function isSafeUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return false
  const { protocol, hostname, username, password, hash } = new URL(text)
  if (username !== '' || password !== '' || hash !== '') return false
  return protocol === 'https:' || /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= 512
}

function isListOf(value: unknown, words: readonly string[]): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((word) => words.includes(word))
}

/** Returns a token's header `typ` without its media type, which is optional (RFC 7515 §4.1.9). */
export function shortType(typ: string): string {
  return typ.toLowerCase().replace(/^application\//, '')
}
