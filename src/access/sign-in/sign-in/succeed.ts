/** The changes that a step of a sign-in makes: the next step is asked for, or the session starts. */
import { AppError } from '../../../core/errors.ts'
import * as users from '../../../directory/users/service.ts'
import { isPasswordRefused, notify } from '../../../directory/users/service.ts'
import { isMultiFactor } from '../../../lib/amr.ts'
import type { ChangeContext } from '../../../store/context.ts'
import type { AuditEntry } from '../../../store/journal-entry.ts'
import * as challenges from '../../credentials/challenges/service.ts'
import * as factors from '../../credentials/factors/service.ts'
import { type Use, use } from '../../credentials/factors/service.ts'
import type { Session } from '../../credentials/sessions/schema.ts'
import * as sessions from '../../credentials/sessions/service.ts'
import { applyClaims, findAccounts, findConnectionForShare, type Said } from '../../providers/connections/service.ts'
import { clearFailures, giveBackAttempt, type Reservation } from '../throttling/service.ts'

type Success = {
  session: sessions.Begin
  reservation: Reservation
  /** The challenge that the step has met, and the factor that it uses up. */
  finishes?: challenges.Presented
  used?: Use
  /** The claims from the company of the first step, in JSON. */
  company?: string
  /** The browser has no cookie from an earlier sign-in of this user. */
  isNewBrowser: boolean
}

/**
 * Starts the session, uses up what was shown, and resets the failures in one commit.
 *
 * @throws AppError `sign_in_failed`, `second_factor_failed`, `challenge_expired`
 */
export async function succeed(
  change: ChangeContext,
  { session: initial, reservation, finishes, used, company, isNewBrowser }: Success,
) {
  // A company's claims may change the user: several operations in one commit, each with its record.
  const ctx = { ...change, record: (entry: AuditEntry) => change.recordFor(change, entry) }
  const session = company === undefined ? initial : await withCompany(ctx, initial, company)
  // First: it holds the user's row, as every change of factors does.
  const begun = await sessions.startSession(ctx, session)
  if (session.amr.includes('pwd')) await refusePassword(ctx, session.user_id)
  if (finishes !== undefined) await challenges.finish(ctx, finishes)
  if (used !== undefined) await use(ctx, session.user_id, used)
  await refuseWithoutNewFactor(ctx, session)
  await clearFailures(ctx, reservation)
  if (isNewBrowser) await announceBrowser(ctx, begun.session)
  return begun
}

/** A connection may have begun to refuse the password since it was checked. @throws AppError `sign_in_failed` */
async function refusePassword(ctx: ChangeContext, userId: string): Promise<void> {
  const user = await users.findById(ctx.db, userId)
  if (user !== undefined && (await isPasswordRefused(ctx.db, user))) throw users.signInFailed()
}

/** Nothing that a company says changes a user before the second step is met. The identity may have been removed by then. */
async function withCompany(ctx: ChangeContext, session: sessions.Begin, company: string): Promise<sessions.Begin> {
  const { sid, ...said } = JSON.parse(company) as Said & { sid: string | null }
  const { subject } = said
  const { user_id, connection_id = '' } = session
  const user = await users.findRowForChange(ctx.db, user_id)
  if (user === undefined || user.credentials_version !== session.credentials_version) throw users.signInFailed()
  const accounts = await findAccounts(ctx.db, { connection_id, subject, email: null })
  if (!accounts.some((one) => one.user_id === user_id)) throw users.signInFailed()
  const connection = await findConnectionForShare(ctx.db, connection_id)
  if (connection === undefined) throw users.signInFailed()
  await applyClaims(ctx, connection, { ...said, user_id })
  const { credentials_version } = (await users.findById(ctx.db, user_id)) ?? user
  return { ...session, credentials_version, company: { subject, sid, hint: null } }
}

/** Scripts send no cookies, and would fill the outbox: one notice that waits stands for those after it. */
function announceBrowser(ctx: ChangeContext, { user_id, device, address }: Session): Promise<void> {
  return notify(ctx, user_id, { kind: 'new_sign_in', data: { device, address }, isOnce: true })
}

/** A factor that was added while the password was checked is asked for as well. */
async function refuseWithoutNewFactor(ctx: ChangeContext, { user_id, amr, trusted }: sessions.Begin): Promise<void> {
  if (trusted !== undefined || isMultiFactor(amr) || !(await factors.hasFactor(ctx.db, user_id))) return
  throw new AppError('sign_in_failed', 'A second factor has just been added. Sign in again.')
}

type Asking = { challenge: challenges.Begun & { user_id: string }; reservation: Reservation; username: string }

/**
 * Asks for a second factor. The attempt is taken back, but earlier failures stay: otherwise a known password would let
 * codes be guessed without end.
 */
export async function startChallenge(
  ctx: ChangeContext,
  { challenge, reservation, username }: Asking,
): Promise<{ challenge_id: string; expires_at: string; methods: string[] }> {
  const begun = await challenges.startChallenge(ctx, challenge)
  await giveBackAttempt(ctx, reservation)
  const methods = await factors.methodsOf(ctx.db, challenge.user_id)
  const target = { kind: 'user', id: challenge.user_id, name: username }
  ctx.record({ action: 'session.challenged', target, details: { amr: challenge.amr?.split(' '), methods } })
  return { ...begun, methods }
}
