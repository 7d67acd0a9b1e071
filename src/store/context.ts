import type { Config } from '../core/config.ts'
import type { SecondFactorPolicy } from '../core/second-factor.ts'
import type { Db, Transaction } from './db/db.ts'
import type { ActorKind, AuditEntry, EventEntry, Origin } from './journal-entry.ts'
import type { Erased } from './mentions.ts'

/** A group as its members know it. */
export type GroupOfUser = { group_id: string; name: string; role: string | null }

/** The administrator who acts as a user, in the same form everywhere (RFC 8693 §4.1). */
export type Act = { sub: string; username: string }

/** An administrator who acts as the user of a session, until it ends. */
export type Impersonation = {
  act: Act
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
export type ConnectionOfActor = { id: string; name: string; profile: string }

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
  /** The provisioning connection that the API key belongs to. */
  connection?: ConnectionOfActor
  /**
   * When the credential expires, in epoch milliseconds; keys that it creates or rotates may not last longer. Undefined
   * for a key without expiry, and for users, who can sign in again.
   */
  endsAtMs?: number
}

/** Rollbook itself, for actions without a caller. */
export const system: Actor = { kind: 'system', id: 'system', name: 'Rollbook', permissions: ['*'] }

/** The part of the configuration that the rules depend on. */
export type Rules = {
  roles: Readonly<Record<string, readonly string[]>>
  keyRotationOverlapSeconds: number
  sessionSeconds: number
  sessionIdleSeconds: number
  /** Whether messages are sent. Otherwise none are queued, and administrators pass links on themselves. */
  sendsMail: boolean
  secondFactor: SecondFactorPolicy
  /** From when on the policy is enforced, in epoch milliseconds. */
  secondFactorFromMs: number
  /** For how long users may trust a browser; 0: not at all. */
  trustBrowserDays: number
}

export function rulesOf(config: Config): Rules {
  const { roles, keyRotationOverlapSeconds, sessionSeconds, sessionIdleSeconds, secondFactor, trustBrowserDays } =
    config
  const sendsMail = config.smtpUrl !== undefined
  const secondFactorFromMs = config.secondFactorFrom === undefined ? 0 : Date.parse(config.secondFactorFrom)
  return {
    roles,
    keyRotationOverlapSeconds,
    sessionSeconds,
    sessionIdleSeconds,
    sendsMail,
    secondFactor,
    secondFactorFromMs,
    trustBrowserDays,
  }
}

/** The permissions of a role. None if the role is not (or no longer) configured, even if it is named "constructor". */
export function permissionsOfRole(roles: Rules['roles'], role: string): readonly string[] {
  return (Object.hasOwn(roles, role) && roles[role]) || []
}

/** The roles that a user has through groups; `group_roles` is separated by spaces. */
export function rolesOfGroups(group_roles: string): string[] {
  return group_roles === '' ? [] : group_roles.split(' ')
}

/** The union of the permissions of the user's own role and of their groups' roles. */
export function permissionsOfUser(
  roles: Rules['roles'],
  { role, group_roles }: { role: string; group_roles: string },
): readonly string[] {
  if (group_roles === '') return permissionsOfRole(roles, role)
  const all = [role, ...rolesOfGroups(group_roles)].flatMap((name) => permissionsOfRole(roles, name))
  return [...new Set(all)]
}

/** The calling user, by session or personal key. Undefined for programs. */
export function personBehind({ signedIn, personalKey }: Pick<Actor, 'signedIn' | 'personalKey'>): Person | undefined {
  return signedIn ?? personalKey?.owner
}

/** What a session must do before anything else. The factor comes first: a password alone must not choose the next one. */
export type Duty = 'add_factor' | 'change_password'

/** What the caller must do first; undefined if there is nothing. */
export function dutyOf(actor: Pick<Actor, 'signedIn' | 'personalKey'>): Duty | undefined {
  if (actor.signedIn?.must_add_factor) return 'add_factor'
  return personBehind(actor)?.must_change_password ? 'change_password' : undefined
}

/** The first argument of every service function: the caller, the time, and the database handle. */
export type Context = {
  actor: Actor
  /** Epoch milliseconds at which the request was received. */
  now: number
  requestId: string
  rules: Rules
  db: Db
}

/** The context of a change: it runs inside one transaction, together with everything that belongs to the change. */
export type ChangeContext = Omit<Context, 'db'> & {
  db: Transaction
  /** The caller's address. Undefined for Rollbook's own actions. */
  origin: Origin | undefined
  /** Writes an audit record in the commit of the change, once for each operation. */
  record(entry: AuditEntry): void
  /** The same for each of several operations that share a change. */
  recordFor(request: RecordedRequest, entry: AuditEntry): void
  /** Notifies the followers of changes when the change is committed. */
  emit(event: EventEntry): void
  /** A new UUIDv7, greater than every earlier one of this node. */
  newId(): string
  /** Announces, after the commit, what caches must drop: revocations to every node, the rest to this one. */
  announce(event: Announcement): void
  access: UserAccess
}

/**
 * Applies a change of a user to their sessions and counted sign-ins, in the same transaction. Both belong to access/,
 * above the directory, so the composition root provides it.
 */
export type UserAccess = {
  /** Ends the sessions of a user, except perhaps one. Returns how many. */
  endSessions(ctx: ChangeContext, user: { user_id: string; except?: string }): Promise<{ ended: number }>
  /** Deletes the keys of a user who is deleted. */
  removeKeys(ctx: ChangeContext, userId: string): Promise<void>
  /** Ends all sessions of a user, with an audit record, because the caller requested exactly that. */
  signOut(ctx: ChangeContext, user: { user_id: string; username: string }): Promise<{ ended: number }>
  /** Ends the sessions in which these users act as others. */
  endImpersonations(ctx: ChangeContext, userIds: readonly string[]): Promise<void>
  /** Returns those of these users who have a session. */
  findUsersWithSessions(db: Db, userIds: readonly string[]): Promise<Set<string>>
  /** The same for keys. */
  findUsersWithKeys(db: Db, userIds: readonly string[]): Promise<Set<string>>
  /** Returns those who can sign in without a password: through a connection, or with a passkey. */
  findUsersWithWays(db: Db, userIds: readonly string[]): Promise<Set<string>>
  /** Deletes the factors, recovery codes, linked accounts and failed company sign-ins of a user who is erased. */
  erase(ctx: ChangeContext, user: Erased): Promise<void>
  /** Deletes the user's counts of failed sign-ins. */
  forgetFailures(ctx: ChangeContext, userId: string): Promise<void>
  /** Deletes the counts of failed sign-ins of these addresses' networks. */
  forgetAddresses(db: Transaction, addresses: readonly (string | undefined)[]): Promise<void>
}

/** The request an audit record describes. */
export type RecordedRequest = Pick<ChangeContext, 'actor' | 'now' | 'requestId' | 'origin'>

/** The revoked thing. For a user: every credential issued with a smaller version. */
export type Subject =
  | { kind: 'user'; id: string; credentials_version: number }
  /** `key_changed`, `session_changed`: it stays valid, but what is cached about it may be wrong. */
  | { kind: 'session' | 'session_changed' | 'key' | 'key_changed' | 'token' | 'signing_key'; id: string }

export type Announcement =
  | { kind: 'users_changed' }
  /** The definitions of attributes have changed. */
  | { kind: 'attributes_changed' }
  /** There may be new audit records and events. */
  | { kind: 'journal' }
  | { kind: 'revoked'; subject: Subject }
  /** Something unknown was revoked: no cache may be trusted. */
  | { kind: 'forget' }

export function holds(permissions: readonly string[], permission: string): boolean {
  return permissions.includes(permission) || permissions.includes('*')
}

/** The permissions that both hold. */
export function heldByBoth(some: readonly string[], others: readonly string[]): readonly string[] {
  return some.includes('*') ? others : some.filter((permission) => holds(others, permission))
}
