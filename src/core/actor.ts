/** Who calls: a person, a program, or Rollbook itself. */

/** `user`: a person, by session or access token; `service`: by a token of a trusted issuer; `setup_link`: the holder of a setup link. */
export type ActorKind = 'api_key' | 'user' | 'service' | 'setup_link' | 'system'

/** A group as its members know it. */
export type GroupOfUser = { group_id: string; name: string; role: string | null }

/** The organization that a user, a key or a connection belongs to. */
export type OrganizationOfActor = { organization_id: string; name: string }

/** The administrator who acts as a user, in the same form everywhere (RFC 8693 §4.1). */
export type Act = { sub: string; username: string }

/** An administrator who acts as the user of a session, until it ends. */
export type Impersonation = {
  act: Act
  /** The administrator's organization. Missing: none. */
  organization?: OrganizationOfActor
  /** The administrator's own session, which started this one. Both end together. */
  session_id: string
  endsAtMs: number
}

/** A user who calls, as currently known. */
export type Person = {
  user_id: string
  username: string
  email: string | null
  first_name: string
  last_name: string
  role: string
  /** The roles of the user's groups, separated by spaces. */
  group_roles: string
  groups: readonly GroupOfUser[]
  /** Missing: none. */
  organization?: OrganizationOfActor
  /** When the first of these memberships ends, in epoch milliseconds: until then this is the user. Undefined if none ends. */
  groupsEndMs?: number
  /** False for a password that the user may not use: it could not be changed. */
  must_change_password: boolean
  /** Incremented whenever the user's credentials end; older ones are void. */
  credentials_version: number
}

/** The user behind a session. */
export type SignedIn = Person & {
  session_id: string
  /** How the user was authenticated (RFC 8176), and when, in epoch milliseconds. */
  amr: readonly string[]
  authTimeMs: number
  /** When the session started, in epoch milliseconds. */
  beganMs: number
  /** A second factor is required but was not used in this session, which may only add one or confirm with one. */
  must_add_factor: boolean
  impersonation?: Impersonation
}

/** A provisioning connection as its keys know it. */
export type ConnectionOfActor = { id: string; name: string; profile: string; end_date_attribute?: string }

/** The caller. `permissions` are those the credential holds at this moment; `*` stands for all. */
export type Actor = {
  kind: ActorKind
  /** A key's `key_id`, a person's `user_id`, or `<issuer>|<subject>` of a service. */
  id: string
  name: string
  permissions: readonly string[]
  signedIn?: SignedIn
  /** The personal key through which the user acts, without a session. */
  personalKey?: { key_id: string; owner: Person }
  /** The caller uses an access token with fewer permissions than its holder. */
  isNarrowed?: true
  /** The organization that this call is limited to, because its permission is; see scope.ts. Undefined: it concerns everyone. */
  limitedTo?: string
  /** The provisioning connection that the API key belongs to. */
  connection?: ConnectionOfActor
  /** The organization that the API key of a program belongs to. */
  organization?: OrganizationOfActor
  /**
   * When the credential expires, in epoch milliseconds; keys that it creates or rotates may not last longer. Undefined
   * for a key without expiry, and for users, who can sign in again.
   */
  endsAtMs?: number
}

/** Rollbook itself, for actions without a caller. */
export const system: Actor = { kind: 'system', id: 'system', name: 'Rollbook', permissions: ['*'] }

/** The calling user, by session or personal key. Undefined for programs. */
export function personBehind({ signedIn, personalKey }: Pick<Actor, 'signedIn' | 'personalKey'>): Person | undefined {
  return signedIn ?? personalKey?.owner
}

/** The organization of the caller: of the user, or of the key. */
export function organizationOf(
  actor: Pick<Actor, 'signedIn' | 'personalKey' | 'organization'>,
): OrganizationOfActor | undefined {
  return (personBehind(actor) ?? actor).organization
}

/** What a session must do before anything else. The factor comes first: a password alone must not choose the next one. */
export type Duty = 'add_factor' | 'change_password'

/** What the caller must do first; undefined if there is nothing. */
export function dutyOf(actor: Pick<Actor, 'signedIn' | 'personalKey'>): Duty | undefined {
  if (actor.signedIn?.must_add_factor) return 'add_factor'
  return personBehind(actor)?.must_change_password ? 'change_password' : undefined
}
