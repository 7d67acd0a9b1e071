import type { Actor } from '../core/actor.ts'
import type { Rules } from '../core/rules.ts'
import type { Db, Transaction } from './db/db.ts'
import type { AuditEntry, EventEntry, Origin } from './journal-entry.ts'
import type { Erased } from './mentions.ts'
import type { StoredRules } from './rules/stored-rules.ts'

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
  /** The change is part of an apply of a configuration file, which may change what files manage. */
  byFile?: true
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
  /** Returns those of these users who have a session or trust a browser, which `endSessions` ends. */
  findUsersToSignOut(db: Db, userIds: readonly string[]): Promise<Set<string>>
  /** Returns those of these users who have a session. */
  findUsersWithSessions(db: Db, userIds: readonly string[]): Promise<Set<string>>
  /** The same for sign-ins that wait for their next step, codes by email included. */
  findUsersWithChallenges(db: Db, userIds: readonly string[]): Promise<Set<string>>
  /** The same for keys. */
  findUsersWithKeys(db: Db, userIds: readonly string[]): Promise<Set<string>>
  /** Returns the next users with a session or a key, by id. */
  listUsersWithCredentials(db: Db, after: string, limit: number): Promise<string[]>
  /** Removes the user from the groups of an organization that they leave, and the identities of its connections. */
  leaveOrganization(
    ctx: ChangeContext,
    user: { user_id: string; username: string; organization_id: string },
  ): Promise<LeftOrganization>
  /** Notes that the user is a guest no more in the groups of the organization that they join. */
  joinOrganization(ctx: ChangeContext, user: { user_id: string; organization_id: string }): Promise<void>
  /** Takes a domain that an organization no longer has out of the connections that it set up itself. */
  dropDomain(ctx: ChangeContext, domain: { organization_id: string; domain: string }): Promise<void>
  /** Ends the sessions, tokens, links and half sign-ins of the users of an organization that was disabled. */
  closeOrganization(ctx: ChangeContext, organizationId: string): Promise<void>
  /** Notes that the users of an organization have their access back. */
  openOrganization(ctx: ChangeContext, organizationId: string): Promise<void>
  /** What names this role besides users and groups, in words such as "the connection Acme". */
  findNamesOfRole(db: Db, role: string): Promise<string[]>
  /** Returns those who can sign in without a password: through a connection, or with a passkey. */
  findUsersWithWays(db: Db, userIds: readonly string[]): Promise<Set<string>>
  /** Deletes the factors, recovery codes, linked accounts and failed company sign-ins of a user who is erased. */
  erase(ctx: ChangeContext, user: Erased): Promise<void>
  /** Deletes the user's counts of failed sign-ins. */
  forgetFailures(ctx: ChangeContext, userId: string): Promise<void>
  /** Deletes the counts of failed sign-ins of these addresses' networks. */
  forgetAddresses(db: Transaction, addresses: readonly (string | undefined)[]): Promise<void>
}

/** What a user lost with an organization. */
export type LeftOrganization = {
  groups: { group_id: string; name: string }[]
  identities: { identity_id: string; connection_id: string; connection_name: string }[]
}

/** The request an audit record describes. */
export type RecordedRequest = Pick<ChangeContext, 'actor' | 'now' | 'requestId' | 'origin'>

/** The revoked thing. For a user: every credential issued with a smaller version. */
export type Subject =
  | { kind: 'user'; id: string; credentials_version: number }
  /** `key_changed`, `session_changed`, `organization_changed`: it stays valid, but what is cached about it may be wrong. */
  | { kind: 'session' | 'session_changed' | 'key' | 'key_changed' | 'token' | 'signing_key'; id: string }
  /** `organization`: tokens that were issued to anyone of it so far. Its users and keys may be accepted again later. */
  | { kind: 'organization' | 'organization_changed'; id: string }

export type Announcement =
  | { kind: 'users_changed' }
  /** The definitions of attributes have changed. */
  | { kind: 'attributes_changed' }
  /** The look of the pages has changed. */
  | { kind: 'branding_changed' }
  /** Stored roles or policies have changed; these are all of them. */
  | { kind: 'rules_changed'; stored: StoredRules }
  /** There may be new audit records and events. */
  | { kind: 'journal' }
  | { kind: 'revoked'; subject: Subject }
  /** Something unknown was revoked: no cache may be trusted. */
  | { kind: 'forget' }
