/**
 * The end of every sign-in, in one commit: decide.ts says what the proof is worth, and this file starts the session or asks for the
 * second factor. Leaves checking the proof to password.ts, second-factor.ts, passkey.ts and company-sign-in/.
 */

import type { Duty } from '../../../core/actor.ts'
import { scopeOf } from '../../../core/scope.ts'
import * as users from '../../../directory/users/service.ts'
import type { ChangeContext } from '../../../store/context.ts'
import type { AuditEntry } from '../../../store/journal-entry.ts'
import * as challenges from '../../credentials/challenges/service.ts'
import * as factors from '../../credentials/factors/service.ts'
import type { Session } from '../../credentials/sessions/schema.ts'
import * as sessions from '../../credentials/sessions/service.ts'
import * as connections from '../../providers/connections/service.ts'
import { clearFailures, giveBackAttempt, type Reservation } from '../throttling/service.ts'
import { type Decision, decide, type Facts, type Proof } from './decide.ts'

/** What a company said about the user. It changes the user when the session starts, and waits with the challenge until then. */
export type FromCompany = {
  connection_id: string
  said: connections.Said & { sid: string | null }
  /** The logout hint for the provider, sealed with the token of the session. */
  hint: string | null
  /** For the administrator, if something of it cannot be applied. */
  claims?: connections.Failure['claims']
  /** The user was created by it in this commit. */
  isApplied?: boolean
}

/** Where the session will be. */
type Browser = Pick<sessions.NewSession, 'token_hash' | 'address' | 'user_agent' | 'replaces' | 'trusts'> & {
  /** Users who have signed in in it before. */
  knownUsers: readonly string[]
  /** The hashes of the tokens with which users trust it. */
  trustHashes: readonly string[]
}

export type Finishing = {
  proof: Proof
  browser: Browser
  /** The challenge of the second step. Undefined for a new user, who cannot have a second factor. */
  challenge?: { challenge_id: string; webauthn: string; browser_hash: string }
  /** When the user was authenticated, in epoch milliseconds, if that was not now. */
  authTimeMs?: number
  /** Our own hash of a password that was checked with a foreign one. */
  password_hash?: string
  company?: FromCompany
  /** The attempt as it was counted before the check. */
  reservation?: Reservation
  /** The challenge that this step has met, and the factor that it uses up. */
  finishes?: challenges.Presented
  used?: factors.Use
}

export type Finished =
  | { outcome: 'signed_in'; session: Session; duty: Duty | undefined }
  | { outcome: 'next'; user_id: string; challenge_id: string; expires_at: string; methods: string[] }

/** @throws AppError `sign_in_failed`, `second_factor_failed`, `challenge_expired` */
export async function finishSignIn(change: ChangeContext, finishing: Finishing): Promise<Finished> {
  // A company's claims may change the user: several operations in one commit, each with its record.
  const ctx = { ...change, record: (entry: AuditEntry) => change.recordFor(change, entry) }
  const { user, connection, decision } = await decideNow(ctx, finishing)
  if (decision.outcome === 'second_factor') return askForFactor(ctx, finishing, user)
  const { company, proof } = finishing
  if (company === undefined || connection === undefined || company.isApplied) {
    return start(ctx, finishing, { user, decision })
  }
  // Nothing that a company says changes a user before the second step is met.
  await connections.applyClaims(ctx, connection, { ...company.said, user_id: proof.user_id, claims: company.claims })
  // Another role may have changed what the version of the credentials stands for, and whether a second factor is required.
  const { credentials_version } = (await users.findById(ctx.db, scopeOf(ctx.actor), proof.user_id)) ?? user
  const changed = { ...finishing, proof: { ...proof, credentials_version } }
  const { decision: second } = await decideNow(ctx, changed)
  if (second.outcome !== 'session') throw users.signInFailed()
  return start(ctx, changed, { user, decision: second })
}

type Decided = {
  user: users.UserRow
  connection: connections.ConnectionRow | undefined
  decision: Exclude<Decision, { outcome: 'refused' }>
}

/**
 * Decides by what is stored now. The user's row is held first, as every change of factors does.
 *
 * @throws AppError `sign_in_failed`
 */
async function decideNow(ctx: ChangeContext, { proof, challenge, company, browser }: Finishing): Promise<Decided> {
  const { user_id, amr } = proof
  const user = await users.findRowForChange(ctx.db, scopeOf(ctx.actor), user_id)
  if (user === undefined) throw users.signInFailed()
  const connection =
    company && (await connections.findConnectionForShare(ctx.db, scopeOf(ctx.actor), company.connection_id))
  const hasFactor = await factors.hasFactor(ctx.db, user_id)
  const person = await sessions.findPerson(ctx, user_id)
  const facts: Facts = {
    now: ctx.now,
    rules: ctx.rules,
    user,
    // Only the link for the first administrator has no next step. It lets them in, whatever a connection refuses.
    isPasswordRefused: challenge !== undefined && amr.includes('pwd') && (await users.isPasswordRefused(ctx.db, user)),
    isEmailCodeRefused: proof.email_key !== undefined && (await isEmailCodeRefused(ctx, user)),
    isAccountLost: company !== undefined && !(await hasAccount(ctx, user_id, { connection, company })),
    hasFactor,
    trustedBrowser: hasFactor ? await sessions.findTrusted(ctx, user_id, browser.trustHashes) : undefined,
    isFactorRequired: person !== undefined && sessions.isFactorRequired(ctx, person),
    mustChangePassword: person?.must_change_password === true,
  }
  const decision = decide(proof, facts)
  if (decision.outcome === 'refused') throw users.signInFailed()
  return { user, connection, decision }
}

/** Also of users whose passwords are refused although no connection takes them now: they are the company's. */
export async function isEmailCodeRefused({ db, rules }: ChangeContext, user: users.UserRow): Promise<boolean> {
  return !rules.sendsCodes || (await connections.hasCompany(db, user)) || users.isPasswordRefused(db, user)
}

/** The account may have been removed, or the connection disabled, while the user met the second step. */
async function hasAccount(
  { db, rules }: ChangeContext,
  userId: string,
  { connection, company }: { connection: connections.ConnectionRow | undefined; company: FromCompany },
): Promise<boolean> {
  if (!connections.isUsable({ rules }, connection)) return false
  const { connection_id, said } = company
  const accounts = await connections.findAccounts(db, { connection_id, subject: said.subject, email: null })
  return accounts.some((account) => account.user_id === userId)
}

/** Starts the session, uses up what was shown, and resets the failures. The only place where a sign-in starts one. */
async function start(
  ctx: ChangeContext,
  { proof, browser, authTimeMs, password_hash, company, reservation, finishes, used }: Finishing,
  { user, decision }: { user: users.UserRow; decision: Extract<Decision, { outcome: 'session' }> },
): Promise<Finished> {
  const { user_id } = proof
  const { knownUsers, trustHashes: _, ...place } = browser
  const { trusted, duty } = decision
  if (proof.email_key !== undefined && user.email_verified !== 1) await verifyAddress(ctx, user)
  const { session } = await sessions.startSession(ctx, {
    ...proof,
    ...place,
    ...(authTimeMs !== undefined && { authTimeMs }),
    ...(password_hash !== undefined && { password_hash }),
    ...(trusted !== undefined && { trusted }),
    ...(company !== undefined && {
      connection_id: company.connection_id,
      company: { subject: company.said.subject, sid: company.said.sid, hint: company.hint },
      unreadClaims: connections.unreadClaims(company.said.mapped),
    }),
  })
  if (finishes !== undefined) await challenges.finish(ctx, finishes)
  if (used !== undefined) await factors.use(ctx, user_id, used)
  if (ctx.rules.sendsCodes) await challenges.endCodesOf(ctx, user_id)
  if (reservation !== undefined) await clearFailures(ctx, reservation)
  // Every browser is new at the very first sign-in.
  if (user.last_login_at !== null && !knownUsers.includes(user_id)) await announceBrowser(ctx, session)
  return { outcome: 'signed_in', session, duty }
}

/** The user has read a message that went there. */
async function verifyAddress(ctx: ChangeContext, { user_id, username }: users.UserRow): Promise<void> {
  const actor = { kind: 'user' as const, id: user_id, name: username }
  const record = (entry: AuditEntry) => ctx.record({ ...entry, actor, details: { by: 'email_code' } })
  await users.updateByLink({ ...ctx, record }, { user_id, input: { email_verified: 1 } })
}

/** Scripts send no cookies, and would fill the outbox: one notice that waits stands for those after it. */
function announceBrowser(ctx: ChangeContext, { user_id, device, address }: Session): Promise<void> {
  return users.notify(ctx, user_id, { kind: 'new_sign_in', data: { device, address }, isOnce: true })
}

/**
 * Asks for the second factor. The attempt is taken back, but earlier failures stay: otherwise a known password would let codes be
 * guessed without end.
 */
async function askForFactor(
  ctx: ChangeContext,
  { proof, challenge, password_hash, company, reservation, finishes }: Finishing,
  user: users.UserRow,
): Promise<Finished> {
  if (challenge === undefined) throw new Error('A new user has a second factor.')
  const { user_id, amr, email_key } = proof
  // A code by email works once.
  if (finishes !== undefined) await challenges.finish(ctx, finishes)
  const begun = await challenges.startChallenge(ctx, {
    ...challenge,
    purpose: 'sign_in',
    user_id,
    amr: amr.join(' '),
    credentials_version: user.credentials_version,
    ...(password_hash !== undefined && { password_hash }),
    ...(email_key !== undefined && { email_key }),
    ...(company !== undefined && { connection_id: company.connection_id, company: JSON.stringify(company.said) }),
  })
  if (reservation !== undefined) await giveBackAttempt(ctx, reservation)
  const methods = await factors.methodsOf(ctx.db, user_id)
  ctx.record({ action: 'session.challenged', target: users.userTarget(user), details: { amr, methods } })
  return { outcome: 'next', user_id, ...begun, methods }
}
