import { type Act, type Actor, organizationOf, personBehind, type SignedIn } from '../../../core/actor.ts'
import { heldByBoth, holds } from '../../../core/rules.ts'
import type { AttributeValues } from '../../../directory/attributes/schema.ts'
import type { Credential } from '../../../http/request/credential.ts'
import { acrOf } from '../../../lib/amr.ts'

/** The claims of our access tokens (RFC 9068 §2.2, and some of our own). */
export type OwnClaims = {
  iss: string
  /** A user's `user_id`, or a key's `key_id`. */
  sub: string
  aud: string
  /** Seconds since 1970. */
  exp: number
  iat: number
  jti: string
  /** For users `rollbook`: there is no OAuth client in between. For keys, personal ones as well, the `key_id`. */
  client_id: string
  permissions: string[]
  /** For sessions. */
  sid?: string
  /** For users only: the name and the role at the time, and the version of the user for which it is valid. */
  username?: string
  role?: string
  credentials_version?: number
  /** For sessions: when and how their users were authenticated (OpenID Connect Core §2, RFC 8176). */
  auth_time?: number
  amr?: string[]
  acr?: string
  /** While an administrator acts as the user (RFC 8693 §4.1). */
  act?: Act
  /** The organization of the user or key at the time. */
  org_id?: string
  org_name?: string
  /** For users with a value of an attribute that is in tokens, as many as fit. */
  attributes?: AttributeValues
  /** Some attributes did not fit. */
  attributes_incomplete?: true
  /** For keys that expire, and old secrets of rotated keys: the end, so that the token cannot outlast it. */
  key_exp?: number
}

/** A credential, with its claims if it is one of our own access tokens. */
export type ClaimedCredential = Credential & { claims?: OwnClaims }

const clientOfPeople = 'rollbook'

/** The client that acts: a key, for its owner if it is a personal one, or the user's browser. */
export function clientOf({ id, signedIn, personalKey }: Actor): string {
  return signedIn === undefined ? (personalKey?.key_id ?? id) : clientOfPeople
}

/** The organization of a user or key, in the form of tokens and introspection. */
export function organizationClaims(actor: Actor): { org_id?: string; org_name?: string } {
  const organization = organizationOf(actor)
  return organization === undefined ? {} : { org_id: organization.organization_id, org_name: organization.name }
}

/** When and how a user was authenticated, in the form of tokens and introspection (RFC 9470 §6). */
export function authenticationOf({ amr, authTimeMs }: SignedIn) {
  return { auth_time: Math.floor(authTimeMs / 1000), amr: [...amr], acr: acrOf(amr) }
}

/**
 * The caller behind a token: never more than the token says, and never more than its holder has by now. That is true of the
 * permissions, of how and when the user was authenticated (RFC 9470 §5: a stronger session needs another token), and of the end.
 */
export function narrowed(holder: Actor, claims: OwnClaims): Actor {
  const { permissions, key_exp } = claims
  const { endsAtMs = Number.POSITIVE_INFINITY, signedIn } = holder
  const actor: Actor = {
    ...holder,
    ...(signedIn !== undefined && { signedIn: { ...signedIn, ...asAuthenticated(signedIn, claims) } }),
    ...(key_exp !== undefined && key_exp * 1000 < endsAtMs && { endsAtMs: key_exp * 1000 }),
  }
  if (actor.permissions.every((permission) => holds(permissions, permission))) return actor
  return { ...actor, permissions: heldByBoth(permissions, actor.permissions), isNarrowed: true }
}

/** What a token says nothing of was not proved. */
function asAuthenticated(
  { amr, authTimeMs }: SignedIn,
  { amr: claimed = [], auth_time = 0 }: OwnClaims,
): Pick<SignedIn, 'amr' | 'authTimeMs'> {
  const isSame = auth_time === Math.floor(authTimeMs / 1000)
  return {
    amr: amr.filter((method) => claimed.includes(method)),
    authTimeMs: isSame ? authTimeMs : Math.min(authTimeMs, auth_time * 1000),
  }
}

/** How many bytes of JSON the claims of a token may have: with header and signature 8 KiB, the most that any of our verifiers reads. */
const mostClaims = 5600

/** The attributes for which there is room, in the order of their names. */
function fitting(attributes: AttributeValues, claims: object): Pick<OwnClaims, 'attributes' | 'attributes_incomplete'> {
  let room = mostClaims - Buffer.byteLength(JSON.stringify(claims))
  const all = Object.entries(attributes)
  const some = all.filter(([name, value]) => {
    const size = Buffer.byteLength(JSON.stringify({ [name]: value }))
    if (size > room) return false
    room -= size
    return true
  })
  return {
    ...(some.length > 0 && { attributes: Object.fromEntries(some) }),
    ...(some.length < all.length && { attributes_incomplete: true as const }),
  }
}

/** The claims of a token for this caller, without times and issuer. */
export function claimsOf(actor: Actor, permissions: readonly string[], attributes: AttributeValues = {}) {
  const { id, signedIn, endsAtMs } = actor
  const common = {
    sub: id,
    client_id: clientOf(actor),
    permissions: [...permissions],
    ...organizationClaims(actor),
    ...(endsAtMs !== undefined && { key_exp: Math.ceil(endsAtMs / 1000) }),
  }
  const person = personBehind(actor)
  if (person === undefined) return common
  const { username, role, credentials_version } = person
  const claims = {
    ...common,
    username,
    role,
    credentials_version,
    ...(signedIn !== undefined && { sid: signedIn.session_id, ...authenticationOf(signedIn) }),
    ...(signedIn?.impersonation && { act: signedIn.impersonation.act }),
  }
  return { ...claims, ...fitting(attributes, claims) }
}
