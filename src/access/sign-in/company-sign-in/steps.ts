/** The three changes of a sign-in through a connection: it starts, its answer is taken, and the session begins. */

import { AppError } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import * as links from '../../../directory/links/service.ts'
import * as users from '../../../directory/users/service.ts'
import { checkUserInput, userTarget } from '../../../directory/users/service.ts'
import { timestamp } from '../../../lib/instant.ts'
import { anonymous } from '../../../record/audit/service.ts'
import { claimRun } from '../../../store/claim-run.ts'
import type { ChangeContext } from '../../../store/context.ts'
import { inBatches } from '../../../store/in-batches.ts'
import type { AuditEntry } from '../../../store/journal-entry.ts'
import * as challenges from '../../credentials/challenges/service.ts'
import * as sessions from '../../credentials/sessions/service.ts'
import * as identities from '../../providers/connections/service.ts'
import * as connections from '../../providers/connections/service.ts'
import {
  applyClaims,
  applyEnd,
  applyMapping,
  asConnection,
  creationOf,
  type Decision,
  decideForChange,
  doubtAddress,
  isEndedByClaims,
  type Person,
  type RefusalReason,
  type Renewal,
  reasonTexts,
  renewalOf,
  unreadDetail,
} from '../../providers/connections/service.ts'
import { type Finished as EndOfSignIn, finishSignIn } from '../sign-in/service.ts'
import * as store from './pending-store.ts'
import { usedHash } from './used-hash.ts'

/** As many as wait at once in a large office. A flood of one network replaces its own. */
const pendingPerNetwork = 500

export async function startSignIn(
  ctx: ChangeContext,
  { network, ...row }: store.PendingRow & { network: string },
): Promise<void> {
  await store.deleteOldestPending(ctx.db, network, pendingPerNetwork)
  await store.insertPending(ctx.db, { ...row, network })
}

/** Returns whether this request is the one that may continue. */
export function claimPending(ctx: ChangeContext, { state_hash }: { state_hash: string }): Promise<boolean> {
  return store.deletePending(ctx.db, state_hash)
}

export async function prune(ctx: ChangeContext, { everyMs }: { everyMs: number }): Promise<number> {
  if (!(await claimRun(ctx, 'company_sign_ins.prune', everyMs))) return 0
  const now = timestamp(ctx.now)
  await inBatches(() => store.deleteUsedMessagesBefore(ctx.db, now))
  return inBatches(() => store.deletePendingBefore(ctx.db, now))
}

export type Pending = Omit<store.PendingRow, 'purpose' | 'network'>

export type Finishing = {
  /** As the ID token was verified against, and the claims read. */
  connection: Pick<connections.ConnectionRow, 'connection_id' | 'version'>
  person: Person
  claims: connections.Failure['claims']
  purpose: Exclude<store.Purpose, 'test'>
  /** The signed-in user who links the connection or confirms. */
  wanted_user_id: string | null
  /** Messages that may be used once, and until when. */
  once: readonly { id: string; until: number }[]
  /** What could not be read at the provider. */
  warning: string | undefined
  /** The logout hint for the provider, sealed with the token of the session. */
  hint: string | null
  /** The sign-in that waited for the browser. Undefined if none did. */
  pending: Pending | undefined
  startSignIn: Pick<sessions.NewSession, 'token_hash' | 'address' | 'user_agent' | 'replaces'>
  /** Users who have signed in in this browser before. */
  knownUsers: readonly string[]
  /** The hash of the next step's cookie, if one follows, and the challenge that a passkey signs in it. */
  challengeHash: string
  ceremony: { challenge_id: string; webauthn: string }
}

export type Finished = EndOfSignIn | { outcome: 'linked' } | { outcome: 'refused'; reason: RefusalReason }

/**
 * Decides by what is stored now, links or creates the user if that is allowed, and starts the session: in one commit, or
 * keeps why it was refused.
 */
export async function finish(change: ChangeContext, input: Finishing): Promise<Finished> {
  // One commit does what several operations do, such as creating the user; each has its record.
  const ctx = { ...change, record: (entry: AuditEntry) => change.recordFor(change, entry) }
  const { person, purpose, wanted_user_id } = input
  const connection = await connections.findConnectionForShare(
    ctx.db,
    scopeOf(ctx.actor),
    input.connection.connection_id,
  )
  if (connection?.version !== input.connection.version || !connections.isUsable(ctx, connection)) {
    throw new AppError('sign_in_failed', 'The connection was changed meanwhile. Sign in again.')
  }
  for (const { id, until } of input.once) {
    if (!(await store.insertUsedMessage(ctx.db, usedHash(id), timestamp(until)))) {
      return refuse(ctx, input, { outcome: 'refused', reason: 'used_before' })
    }
  }
  const wanted = purpose === 'sign_in' ? undefined : { purpose, user_id: wanted_user_id ?? '' }
  const decision = await decideForChange(ctx, connection, person, wanted)
  if (decision.outcome === 'refused') {
    const { reason, user } = decision
    if (reason === 'address_reassigned' && user !== undefined) await doubtAddress(ctx, connection, user)
    return refuse(ctx, input, decision)
  }
  if (purpose !== 'link' && decision.outcome !== 'creates') {
    const { user } = decision
    const { expires_at = null } = person.mapped
    if (isEndedByClaims(connection, user, person.mapped, ctx.now)) {
      await applyEnd(ctx, connection, { user_id: user.user_id, expires_at })
      return refuse(ctx, input, { outcome: 'refused', reason: 'user_expired', user })
    }
  }
  // The page may be loaded again. From here on the network is no stranger's.
  if (input.pending) await store.insertPending(ctx.db, { ...input.pending, purpose: 'finished', network: null })
  const { user: found, renewal } = await userOf(ctx, { ...input, connection }, decision)
  const { user_id } = found
  if (purpose === 'link') return { outcome: 'linked' }
  const isNew = decision.outcome === 'creates'
  await keepUnread(ctx, connection, { ...input, isNew })
  const held = present(await users.findRowForChange(ctx.db, scopeOf(ctx.actor), user_id))
  const { subject, mapped, sid = null } = person
  return finishSignIn(ctx, {
    proof: { user_id, amr: person.amr, credentials_version: held.credentials_version },
    browser: { ...input.startSignIn, knownUsers: input.knownUsers, trustHashes: [] },
    challenge: { ...input.ceremony, browser_hash: input.challengeHash },
    // Without auth_time the moment is unknown, so it does not count as recent.
    authTimeMs: person.authTimeMs ?? 0,
    company: {
      connection_id: connection.connection_id,
      said: { subject, sid, mapped, renewal },
      hint: input.hint,
      claims: input.claims,
      isApplied: isNew,
    },
  })
}

type Found = Exclude<Decision, { outcome: 'refused' }>
type WithConnection = Omit<Finishing, 'connection'> & { connection: connections.ConnectionRow }

/** A claim of the mapping that did not arrive whole leaves things as they were, which an administrator must know. */
async function keepUnread(
  ctx: ChangeContext,
  connection: connections.ConnectionRow,
  { person, claims, warning, isNew }: Pick<Finishing, 'person' | 'claims' | 'warning'> & { isNew: boolean },
): Promise<void> {
  const detail = sentences(unreadDetail(connections.settingsOf(connection), person.mapped, { isNew }), warning)
  if (detail === '') return
  const failure = { reason: 'claims_incomplete', detail: `The user signed in. ${detail}`, claims }
  await connections.keepFailure(ctx, connection.connection_id, failure)
}

/** Links or creates the user, without a session. Returns what the sign-in is to change of the address. */
export async function userOf(
  ctx: ChangeContext,
  input: Pick<WithConnection, 'connection' | 'person' | 'purpose'>,
  decision: Found,
): Promise<{ user: users.UserRow; renewal?: Renewal | undefined }> {
  const { connection, person } = input
  const { connection_id } = connection
  if (decision.outcome === 'creates') return { user: await create(ctx, input) }
  const { user } = decision
  if (decision.outcome === 'signs_in') {
    const { identity } = decision
    const renewal = renewalOf(connection, user, person, identity)
    // Until the address is renewed, the former one shows that it came from the provider.
    await identities.use(ctx, { ...identity, email: renewal ? identity.email : (person.email ?? null) })
    return { user, renewal }
  }
  const linked_by = decision.by
  await identities.link(ctx, person, { connection_id, user_id: user.user_id, linked_by })
  const details = { connection_id, connection: connection.name, subject: person.subject, linked_by }
  ctx.recordFor(asThemselves(ctx, user), {
    action: 'user.identity_linked',
    target: userTarget(user),
    details,
    related: connection,
  })
  if (decision.isFirst) await endInvitation(ctx, user.user_id)
  return { user, renewal: linked_by === 'domain' ? renewalOf(connection, user, person, undefined) : undefined }
}

/** The account has an owner now: a link that sets a password may be in another mailbox. */
async function endInvitation(ctx: ChangeContext, userId: string): Promise<void> {
  await links.end(ctx, userId, 'signed_in', ['invitation', 'password_reset'])
  const held = present(await users.findRowForChange(ctx.db, scopeOf(ctx.actor), userId))
  if (held.invited === 1) await users.setInvited(ctx, held, false)
}

async function create(
  ctx: ChangeContext,
  { connection, person }: Pick<WithConnection, 'connection' | 'person'>,
): Promise<users.UserRow> {
  const { email = '', first_name, last_name, mapped } = person
  const { role, ...more } = await creationOf(ctx.db, mapped)
  const by = asConnection(ctx, connection)
  const input = {
    ...checkUserInput({ username: email, email, first_name, last_name, role }, ctx.rules.roles),
    ...more,
    email_verified: 1,
    // One that is limited to an organization creates there anyway, and may not say so.
    ...(by.actor.limitedTo === undefined && { organization_id: connection.organization_id }),
  }
  const { connection_id } = connection
  const { user_id } = await users.create(by, input, { isVouched: true })
  await identities.link(ctx, person, { connection_id, user_id, linked_by: 'creation' })
  await applyMapping(ctx, connection, { user_id, mapped, isNew: true })
  return present(await users.findById(ctx.db, scopeOf(ctx.actor), user_id))
}

function present(user: users.UserRow | undefined): users.UserRow {
  if (user === undefined) throw users.signInFailed()
  return user
}

function asThemselves(ctx: ChangeContext, { user_id, username }: users.UserRow) {
  return { ...ctx, actor: { kind: 'user' as const, id: user_id, name: username, permissions: [] } }
}

/**
 * Does for an account what a sign-in does up to the session.
 *
 * @throws AppError what the rules of users refuse, such as a role or the value of an attribute
 */
export async function applyTo(
  ctx: ChangeContext,
  connection: connections.ConnectionRow,
  person: Person,
): Promise<void> {
  const decision = await decideForChange(ctx, connection, person)
  if (decision.outcome === 'refused') return
  const { user, renewal } = await userOf(ctx, { connection, person, purpose: 'sign_in' }, decision)
  if (decision.outcome === 'creates') return
  const { subject, mapped } = person
  await applyClaims(ctx, connection, { user_id: user.user_id, subject, mapped, renewal })
}

export function sentences(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined).join(' ')
}

async function refuse(
  ctx: ChangeContext,
  { connection, claims, warning }: Finishing,
  { reason, user }: Extract<Decision, { outcome: 'refused' }>,
): Promise<Finished> {
  await keepFailure(ctx, { ...connection, reason, detail: sentences(reasonTexts[reason], warning), claims, user })
  return { outcome: 'refused', reason }
}

type Failing = connections.Failure & {
  connection_id: string
  user?: Pick<users.UserRow, 'user_id' | 'username' | 'organization_id'> | undefined
  isSignIn?: boolean
}

/** Keeps the failure for the connection's page, and records it if it is a failed sign-in. */
export async function keepFailure(
  ctx: ChangeContext,
  { connection_id, user, isSignIn = true, ...failure }: Failing,
): Promise<void> {
  const connection = await connections.findConnection(ctx.db, scopeOf(ctx.actor), connection_id)
  if (connection !== undefined) await connections.keepFailure(ctx, connection_id, failure)
  if (!isSignIn) return
  ctx.record({
    action: 'session.created',
    outcome: 'failure',
    code: 'sign_in_failed',
    actor: anonymous,
    ...(user && { target: userTarget(user) }),
    details: { reason: failure.reason, method: 'sso', connection_id },
    ...(connection && { related: connection }),
  })
}

/** What a company signs out: a session there, an account, or the account with an address. */
export type SignOut = {
  connection_id: string
  /** The message that asks for it counts once. */
  message: { id: string; until: number }
  subject: string | null
  sid: string | null
  email: string | null
  by: 'backchannel_logout' | 'global_token_revocation'
}

/** Ends the sessions, and with them their tokens. */
export async function signOut(
  ctx: ChangeContext,
  { connection_id, message, subject, sid, email, by }: SignOut,
): Promise<{ isReplayed: boolean; isKnown: boolean; endedCount: number }> {
  const id = `${connection_id} ${by} ${message.id}`
  if (!(await store.insertUsedMessage(ctx.db, usedHash(id), timestamp(message.until)))) {
    return { isReplayed: true, isKnown: false, endedCount: 0 }
  }
  const accounts = await identities.findAccounts(ctx.db, { connection_id, subject, email })
  const subjects = email === null ? [subject] : accounts.map((account) => account.subject)
  let endedCount = 0
  for (const one of subjects) endedCount += await sessions.endAllOfAccount(ctx, { connection_id, subject: one, sid })
  for (const { user_id } of accounts) await challenges.endAllOfUserThrough(ctx, { connection_id, user_id })
  const connection = await connections.findConnection(ctx.db, scopeOf(ctx.actor), connection_id)
  ctx.record({
    action: 'sign_in_connection.signed_out',
    ...(connection && { target: connections.targetOf(connection) }),
    details: { by, sessions_ended: endedCount },
  })
  return { isReplayed: false, isKnown: accounts.length > 0, endedCount }
}

export { deleteAllPending } from './pending-store.ts'
