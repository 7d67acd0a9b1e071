/**
 * Sessions: a user signed in in one browser. Starts and ends them, and finds the user of one. Leaves verifying the user to
 * sign-in/, and the cookie to http/request/cookies.ts.
 */

import { hash } from 'node:crypto'
import { type Act, dutyOf, type Person, type SignedIn } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import { formatPermission } from '../../../core/permissions.ts'
import { holds, isOrganizationActive, permissionsOfUser } from '../../../core/rules.ts'
import { outside, outsideId, type Scope, scopeOf } from '../../../core/scope.ts'
import { requiresSecondFactor } from '../../../core/second-factor.ts'
import * as users from '../../../directory/users/service.ts'
import { personTarget, refusePersonalKey, userTarget } from '../../../directory/users/service.ts'
import { combineMethods, isMultiFactor } from '../../../lib/amr.ts'
import { timestamp } from '../../../lib/instant.ts'
import { revoke } from '../../../record/revocations/service.ts'
import { findFirstUses, tallyPresences } from '../../../record/statistics/service.ts'
import { claimRun } from '../../../store/claim-run.ts'
import type { ChangeContext, Context } from '../../../store/context.ts'
import type { Db } from '../../../store/db/db.ts'
import type { Placed, Target } from '../../../store/journal-entry.ts'
import { deviceName } from './device-name.ts'
import { announceEnd, emitEnded, end, endAll } from './end.ts'
import { personOf } from './person.ts'
import { toPerson } from './person-row.ts'
import type { Session } from './schema.ts'
import * as store from './store.ts'
import { trust, useTrust } from './trusted.ts'
import { deleteExpiredTrusted } from './trusted-store.ts'

/** As many as a browser leaves behind that signs in every day for months; far more than are in use at once. */
const sessionsPerUser = 100

/** A session, until when it is valid (epoch milliseconds), and when it was last seen. */
type KnownSession = {
  signedIn: SignedIn
  permissions: readonly string[]
  issuedAtMs: number
  endsAtMs: number
  lastSeenMs: number
}

export function sessionTokenHash(token: string): string {
  return hash('sha256', token, 'hex')
}

/** The only function that decides which columns of a row may leave. */
export function toSession(row: store.SessionRow, current: string | undefined): Session {
  return {
    session_id: row.session_id,
    user_id: row.user_id,
    created_at: row.created_at,
    last_seen_at: row.last_seen_at,
    expires_at: row.expires_at,
    address: row.address,
    user_agent: row.user_agent,
    device: deviceName(row.user_agent),
    current: row.session_id === current,
    amr: row.amr.split(' '),
    auth_time: authTimeOf(row),
    ...(row.act !== null && { act: JSON.parse(row.act) as Act }),
  }
}

function authTimeOf({ auth_time, created_at }: Pick<store.SessionRow, 'auth_time' | 'created_at'>): string {
  return auth_time === '' ? created_at : auth_time
}

export type NewSession = {
  user_id: string
  /** The hash that the password was verified against; without a password, the version alone must still be the user's. */
  verified_hash?: string
  credentials_version: number
  /** Our own hash of the same password, to be stored instead. */
  password_hash?: string
  token_hash: string
  address: string
  user_agent: string
  /** How the user was authenticated, RFC 8176. */
  amr: readonly string[]
  /** When the user was authenticated, in epoch milliseconds, if that was not now. */
  authTimeMs?: number
  /** The connection through which the user signed in. */
  connection_id?: string
  /** The account and the session there. */
  company?: { subject: string; sid: string | null; hint: string | null }
  /** Claims that changed nothing, because they could not be read. */
  unreadClaims?: readonly string[]
  /** The previous session of this browser. */
  replaces?: string
  /** The id under which the user trusts the browser, in place of the second factor. */
  trusted?: string
  /** The hash of a token, with which the browser is trusted from now on. */
  trusts?: string
}

/** @throws AppError `sign_in_failed` if the user was deleted, disabled, or got another password in the meantime */
export async function startSession(ctx: ChangeContext, input: NewSession): Promise<{ session: Session }> {
  const user = await users.recordSignIn(ctx, input)
  // The trust has just ended: the next attempt is asked for the second factor.
  if (input.trusted !== undefined && !(await useTrust(ctx, user.user_id, input.trusted))) throw users.signInFailed()
  const now = timestamp(ctx.now)
  const row: store.SessionRow = {
    session_id: ctx.newId(),
    user_id: input.user_id,
    token_hash: input.token_hash,
    created_at: now,
    last_seen_at: now,
    expires_at: timestamp(ctx.now + ctx.rules.sessionSeconds * 1000),
    address: input.address,
    user_agent: input.user_agent,
    amr: input.amr.join(' '),
    auth_time: timestamp(Math.min(ctx.now, input.authTimeMs ?? ctx.now)),
    connection_id: input.connection_id ?? null,
    company_subject: input.company?.subject ?? null,
    company_sid: input.company?.sid ?? null,
    company_hint: input.company?.hint ?? null,
    trusted: input.trusted === undefined ? 0 : 1,
    act: null,
    begun_from: null,
  }
  if (input.replaces !== undefined) {
    const before = await store.deleteSession(ctx.db, input.replaces)
    if (before !== undefined) await announceEnd(ctx, [before])
  }
  await store.insertSession(ctx.db, row)
  const oldest = await store.deleteOldestSessions(ctx.db, input.user_id, sessionsPerUser)
  await announceEnd(
    ctx,
    oldest.map((session_id) => ({ user_id: input.user_id, session_id })),
  )
  emitCreated(ctx, row)
  const { user_id, address, user_agent, amr, trusts, unreadClaims = [] } = input
  const { session_id } = row
  const browser_id = trusts && (await trust(ctx, { user_id, token_hash: trusts, address, user_agent }))
  // In place of the second factor, or trusted from now on.
  const trusted_browser = input.trusted ?? browser_id
  ctx.record({
    action: 'session.created',
    // The user who signs in makes the change, although the actor was unknown when it started.
    actor: { kind: 'user', id: user_id, name: user.username, session_id },
    origin: { address, user_agent },
    target: userTarget(user),
    details: {
      session_id,
      amr,
      ...(trusted_browser !== undefined && { trusted_browser }),
      ...(unreadClaims.length > 0 && { unread_claims: unreadClaims }),
    },
  })
  return { session: toSession(row, session_id) }
}

export function emitCreated(ctx: ChangeContext, row: store.SessionRow): void {
  const { session_id, user_id, created_at, expires_at, address, user_agent, amr, auth_time } = row
  // The id alone: nothing else in the history of this user is erased with the administrator.
  const act = row.act === null ? {} : { act: { sub: (JSON.parse(row.act) as Act).sub } }
  const times = { created_at, expires_at, address, user_agent, amr: amr.split(' '), auth_time }
  const said = { session_id, user_id, ...times, ...act }
  ctx.emit({ type: 'session.created', subject: session_id, owner_id: user_id, data: JSON.stringify(said) })
}

/** Finds the user of a session by its token's hash or its id; undefined if it has ended. */
export async function find(
  { db, rules, now }: Pick<Context, 'db' | 'rules' | 'now'>,
  by: { token_hash: string } | { session_id: string },
): Promise<KnownSession | undefined> {
  const row =
    'token_hash' in by
      ? await store.findSignedInByTokenHash(db, by.token_hash)
      : await store.findSignedInById(db, by.session_id)
  if (row === undefined || row.active !== 1 || !isOrganizationActive(rules, row)) return undefined
  const person = await toPerson({ db, now }, row)
  const permissions = permissionsOfUser(rules.roles, person)
  const isActedAs = row.begun_from !== null
  const own = isActedAs
    ? await findActing({ db, rules, now }, row.begun_from ?? '', { ...person, permissions })
    : undefined
  if (isActedAs && own === undefined) return undefined
  const endsAtMs = Math.min(
    Date.parse(row.expires_at),
    users.accessEndMs(row),
    own?.endsAtMs ?? Number.POSITIVE_INFINITY,
    // The permission to act may come from that group: as after any change of groups, acting ends.
    own?.signedIn.groupsEndMs ?? Number.POSITIVE_INFINITY,
  )
  const amr = row.amr.split(' ')
  const isSpared = row.trusted === 1 && rules.trustBrowserDays > 0 && !isMultiFactor(amr)
  const known: KnownSession = {
    signedIn: {
      ...person,
      must_change_password: person.must_change_password && !isActedAs,
      session_id: row.session_id,
      amr,
      // A trusted browser never counts as recently authenticated.
      authTimeMs: row.trusted === 1 && !isMultiFactor(amr) ? 0 : Date.parse(authTimeOf(row)),
      beganMs: Date.parse(row.created_at),
      must_add_factor: !isActedAs && !isMultiFactor(amr) && !isSpared && isFactorRequired({ rules, now }, person),
      ...(row.act !== null &&
        row.begun_from !== null && {
          impersonation: {
            act: JSON.parse(row.act) as Act,
            ...(own?.signedIn.organization && { organization: own.signedIn.organization }),
            session_id: row.begun_from,
            endsAtMs,
          },
        }),
    },
    permissions,
    issuedAtMs: Date.parse(row.created_at),
    endsAtMs,
    lastSeenMs: Date.parse(row.last_seen_at),
  }
  return isOver(known, now, rules) ? undefined : known
}

/** The administrator's own session, if it may still act as a user with these permissions. */
async function findActing(
  ctx: Pick<Context, 'db' | 'rules' | 'now'>,
  session_id: string,
  { organization, permissions }: Pick<Person, 'organization'> & { permissions: readonly string[] },
): Promise<KnownSession | undefined> {
  const own = await find(ctx, { session_id })
  if (own === undefined || dutyOf(own) !== undefined) return undefined
  const isLimited =
    organization !== undefined && own.signedIn.organization?.organization_id === organization.organization_id
  const needed = [formatPermission({ word: 'users:impersonate', isLimited }), ...permissions]
  return needed.every((permission) => holds(own.permissions, permission)) ? own : undefined
}

/** Whether the policy requires a second factor of this user, and by now; or their organization does. */
export function isFactorRequired({ rules, now }: Pick<Context, 'rules' | 'now'>, person: Person): boolean {
  if (rules.secondFactorOrganizations.has(person.organization?.organization_id ?? '')) return true
  return now >= rules.secondFactorFromMs && requiresSecondFactor(rules.secondFactor, person)
}

/** The user as a session would know them. */
export async function findPerson(ctx: Pick<Context, 'db' | 'now'>, userId: string): Promise<Person | undefined> {
  const row = await store.findPersonRow(ctx.db, userId)
  return row && toPerson(ctx, row)
}

/**
 * Notes that the user of a session has proved again who they are. Returns the methods of the session from now on.
 *
 * @throws AppError `credential_invalid` if the session has ended
 */
export async function renewAuthentication(
  ctx: ChangeContext,
  { session_id, methods }: { session_id: string; methods: readonly string[] },
): Promise<{ amr: string[]; auth_time: string }> {
  const found = await store.findSession(ctx.db, session_id)
  const auth_time = timestamp(ctx.now)
  const amr = combineMethods(found?.amr.split(' ') ?? [], methods)
  const isThere = await store.setAuthentication(ctx.db, { session_id, amr: amr.join(' '), auth_time })
  if (!isThere) throw sessionEnded()
  // Cached sessions know the earlier methods and time.
  revoke(ctx, { kind: 'session_changed', id: session_id })
  return { amr, auth_time }
}

/** Whether it has expired, by age or by idle time. */
export function isOver(
  { endsAtMs, lastSeenMs }: Pick<KnownSession, 'endsAtMs' | 'lastSeenMs'>,
  now: number,
  { sessionIdleSeconds }: { sessionIdleSeconds: number },
): boolean {
  return endsAtMs <= now || lastSeenMs + sessionIdleSeconds * 1000 <= now
}

/** Returns a user's active sessions; `lastSeenOf` knows recent uses on this node that are not stored yet. */
export async function list(
  ctx: Context,
  userId: string,
  lastSeenOf: (sessionId: string) => number | undefined,
): Promise<Session[]> {
  refusePersonalKey(ctx, userId, ['sessions'])
  const current = ctx.actor.signedIn?.session_id
  const scope = scopeOf(ctx.actor)
  const rows = await store.listSessions(ctx.db, userId)
  const outsiders = await findOutsiders(ctx.db, scope, rows)
  return rows.flatMap((row) => {
    const lastSeenMs = Math.max(Date.parse(row.last_seen_at), lastSeenOf(row.session_id) ?? 0)
    if (isOver({ endsAtMs: Date.parse(row.expires_at), lastSeenMs }, ctx.now, ctx.rules)) return []
    const session = toSession({ ...row, last_seen_at: timestamp(lastSeenMs) }, current)
    const isOutside = session.act !== undefined && outsiders.has(session.act.sub)
    return [isOutside ? { ...session, act: { sub: outsideId, username: outside.administrator } } : session]
  })
}

/** The administrators who act as the user and do not belong to the organization of the reader. */
async function findOutsiders(db: Db, scope: Scope, rows: readonly store.SessionRow[]): Promise<Set<string>> {
  if (scope.kind === 'everyone') return new Set()
  const ids = new Set(rows.flatMap(({ act }) => (act === null ? [] : (JSON.parse(act) as Act).sub)))
  for (const id of ids) if ((await users.findById(db, scope, id)) !== undefined) ids.delete(id)
  return ids
}

/** Like `list`, for the caller's own sessions. */
export async function listOwn(...[ctx, ...rest]: Parameters<typeof list>): Promise<Session[]> {
  await refuseEnded(ctx)
  return list(ctx, ...rest)
}

/** Like `end`, for one of the caller's own sessions. */
export async function endOneOfOwn(
  ctx: ChangeContext,
  input: { user_id: string; session_id: string },
): Promise<{ session_id: string }> {
  await refuseEnded(ctx)
  return end(ctx, input)
}

/** Like `end`, for an administrator: refuses if the user outranks the caller. */
export async function endOfUser(
  ctx: ChangeContext,
  input: { user_id: string; session_id: string },
): Promise<{ session_id: string }> {
  await users.getForChange(ctx, input.user_id, { part: 'sessions' })
  return end(ctx, input)
}

/** Like `endAll`, for an administrator. */
export async function endAllOfUser(ctx: ChangeContext, { user_id }: { user_id: string }): Promise<{ ended: number }> {
  return endAllOf(ctx, await users.getForChange(ctx, user_id, { part: 'sessions' }))
}

/** The caller has already checked the permission. */
export async function endAllOf(
  ctx: ChangeContext,
  user: { user_id: string; username: string } & Placed,
): Promise<{ ended: number }> {
  const { user_id } = user
  return recordEnd(ctx, userTarget(user), await endAll(ctx, { user_id }))
}

/** The connection of a session, and the logout hint for its provider, sealed with the session's token. */
export async function findCompany(
  db: Db,
  sessionId: string,
): Promise<{ connection_id: string; hint: string | null } | undefined> {
  const found = await store.findSession(db, sessionId)
  if (found === undefined || found.connection_id === null) return undefined
  return { connection_id: found.connection_id, hint: found.company_hint }
}

/** Ends the caller's own sessions, except perhaps the current one. */
export async function endOwn(
  ctx: ChangeContext,
  input: { user_id: string; except?: string },
): Promise<{ ended: number }> {
  await refuseEnded(ctx)
  return recordEnd(ctx, personTarget(personOf(ctx)), await endAll(ctx, input))
}

function recordEnd(ctx: ChangeContext, target: Target, result: { ended: number }): { ended: number } {
  ctx.record({ action: 'user.sessions_ended', target, details: result })
  return result
}

/**
 * For changes with a long preparation: a caller who was signed out meanwhile makes none.
 *
 * @throws AppError `credential_invalid`
 */
export async function refuseEnded(ctx: Pick<Context, 'actor' | 'db'>): Promise<void> {
  const session_id = ctx.actor.signedIn?.session_id ?? ''
  if ((await store.findSession(ctx.db, session_id)) !== undefined) return
  throw sessionEnded()
}

function sessionEnded(): AppError {
  return new AppError('credential_invalid', 'The session has ended; sign in again.', {
    headers: { 'www-authenticate': 'Bearer realm="rollbook", error="invalid_token"' },
  })
}

export async function recordUse(
  ctx: ChangeContext,
  uses: { session_id: string; last_seen_at: string }[],
): Promise<void> {
  // In the same order on all nodes, so that two of them never deadlock.
  const inOrder = uses.toSorted((a, b) => (a.session_id < b.session_id ? -1 : 1))
  const present = await findFirstUses(ctx.db, inOrder)
  const earliest = inOrder.map(({ last_seen_at }) => last_seen_at).toSorted()[0] ?? timestamp(ctx.now)
  const ids = inOrder.map(({ session_id }) => session_id)
  await users.noteUse(ctx, await store.findOwners(ctx.db, ids), earliest)
  for (const { session_id, last_seen_at } of inOrder) await store.setLastSeen(ctx.db, session_id, last_seen_at)
  await tallyPresences(ctx.db, present)
}

/** Deletes expired sessions. There is nothing to announce: caches know when a session expires. */
export async function prune(ctx: ChangeContext, { everyMs }: { everyMs: number }): Promise<number> {
  if (!(await claimRun(ctx, 'sessions.prune', everyMs))) return 0
  // Uses are stored once a minute, so those of the last minutes may be missing.
  const idleSince = ctx.now - ctx.rules.sessionIdleSeconds * 1000 - 3 * everyMs
  const over = await store.deleteEndedSessions(ctx.db, timestamp(ctx.now), timestamp(idleSince))
  for (const session of over) emitEnded(ctx, session)
  await deleteExpiredTrusted(ctx.db, timestamp(ctx.now))
  return over.length
}
