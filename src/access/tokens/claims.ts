import type { Credential } from '../../http/request/credential.ts'
import { type Actor, holds } from '../../store/context.ts'

/** What an access token of ours says (RFC 9068 §2.2, and words of our own). */
export type OwnClaims = {
  iss: string
  /** The `user_id` of a person, the `key_id` of a key. */
  sub: string
  aud: string
  /** Seconds since 1970. */
  exp: number
  iat: number
  jti: string
  /** Of a person `rollbook`: no client of OAuth stands between. Of a key its `key_id`. */
  client_id: string
  permissions: string[]
  /** Of people only: the session, what the role was, and up to which version of the user it holds. */
  sid?: string
  username?: string
  role?: string
  credentials_version?: number
  /** Of keys that end, and of the old secret of a rotated key: when that is, so that the token does not get round it. */
  key_exp?: number
}

/** A credential, with its claims if it is one of our own access tokens. */
export type ClaimedCredential = Credential & { claims?: OwnClaims }

export const clientOfPeople = 'rollbook'

/** No more than the token says, and no more than its holder may by now. */
export function narrowed(holder: Actor, { permissions, key_exp }: OwnClaims): Actor {
  const { endsAtMs = Number.POSITIVE_INFINITY } = holder
  const isEarlier = key_exp !== undefined && key_exp * 1000 < endsAtMs
  const actor = isEarlier ? { ...holder, endsAtMs: key_exp * 1000 } : holder
  if (actor.permissions.every((permission) => holds(permissions, permission))) return actor
  const left = permissions.filter((permission) => holds(actor.permissions, permission))
  return { ...actor, permissions: left, isNarrowed: true }
}

/** What a token for this caller says, but for times and names of the issuer. */
export function claimsOf(actor: Actor, permissions: readonly string[]) {
  const { id, signedIn, endsAtMs } = actor
  const common = { sub: id, permissions: [...permissions] }
  if (signedIn === undefined) {
    return { ...common, client_id: id, ...(endsAtMs !== undefined && { key_exp: Math.ceil(endsAtMs / 1000) }) }
  }
  const { session_id: sid, username, role, credentials_version } = signedIn
  return { ...common, client_id: clientOfPeople, sid, username, role, credentials_version }
}
