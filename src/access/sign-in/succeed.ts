/** The changes that a step of a sign-in makes: the next step is asked for, or the session starts. */
import { AppError } from '../../core/errors.ts'
import { notify } from '../../directory/users/notice.ts'
import { isMultiFactor } from '../../lib/amr.ts'
import type { ChangeContext } from '../../store/context.ts'
import * as challenges from '../challenges/service.ts'
import * as factors from '../factors/service.ts'
import type { Session } from '../sessions/schema.ts'
import * as sessions from '../sessions/service.ts'
import type { Reservation } from './throttle.ts'
import { clearFailures, giveBackAttempt } from './throttle-service.ts'

type Success = {
  begin: sessions.Begin
  reservation: Reservation
  /** The challenge that the step has met, and the factor that it uses up. */
  finishes?: challenges.Presented
  used?: factors.Use
  /** The browser has no cookie from an earlier sign-in of this user. */
  isNewBrowser: boolean
}

/**
 * Starts the session, uses up what was shown, and resets the failures in one commit.
 *
 * @throws AppError `sign_in_failed`, `second_factor_failed`, `challenge_expired`
 */
export async function succeed(ctx: ChangeContext, { begin, reservation, finishes, used, isNewBrowser }: Success) {
  // First: it holds the user's row, as every change of factors does.
  const begun = await sessions.startSession(ctx, begin)
  if (finishes !== undefined) await challenges.finish(ctx, finishes)
  if (used !== undefined) await factors.use(ctx, begin.user_id, used)
  await refuseWithoutNewFactor(ctx, begin)
  await clearFailures(ctx, reservation)
  if (isNewBrowser) await announceBrowser(ctx, begun.session)
  const known = await sessions.find(ctx, { session_id: begun.session.session_id })
  return { ...begun, must_add_factor: known?.signedIn.must_add_factor ?? false }
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
export async function ask(
  ctx: ChangeContext,
  { challenge, reservation, username }: Asking,
): Promise<{ challenge_id: string; expires_at: string; methods: string[] }> {
  const begun = await challenges.begin(ctx, challenge)
  await giveBackAttempt(ctx, reservation)
  const methods = await factors.methodsOf(ctx.db, challenge.user_id)
  const target = { kind: 'user', id: challenge.user_id, name: username }
  ctx.record({ action: 'session.challenged', target, details: { amr: challenge.amr?.split(' '), methods } })
  return { ...begun, methods }
}
