/** Ends sessions. Separate from sessions.ts, because changes of users end sessions too. */

import { AppError } from '../../../core/errors.ts'
import { userTarget } from '../../../directory/users/service.ts'
import { isUuid } from '../../../lib/uuidv7.ts'
import { revoke } from '../../../record/revocations/service.ts'
import type { ChangeContext } from '../../../store/context.ts'
import * as challenges from '../challenges/service.ts'
import * as store from './store.ts'
import { deleteTrustedOf } from './trusted-store.ts'

/**
 * Ends one session of this user.
 *
 * @throws AppError `session_not_found`
 */
export async function end(
  ctx: ChangeContext,
  { user_id, session_id }: { user_id: string; session_id: string },
): Promise<{ session_id: string }> {
  const found = isUuid(session_id) ? await store.findSignedInById(ctx.db, session_id) : undefined
  // Never reveal that another user's session exists.
  if (found?.user_id !== user_id) throw unknownSession()
  // Another request may have been faster.
  if ((await store.deleteSession(ctx.db, session_id)) === undefined) throw unknownSession()
  await announceEnd(ctx, [{ user_id, session_id }])
  ctx.record({ action: 'session.ended', target: userTarget(found), details: { session_id } })
  return { session_id }
}

function unknownSession(): AppError {
  return new AppError('session_not_found', 'There is no session with this id.')
}

/** Ends all sessions of a user, except perhaps one, and all trust in their browsers. Returns how many sessions. */
export async function endAll(
  ctx: ChangeContext,
  { user_id, except = '' }: { user_id: string; except?: string },
): Promise<{ ended: number }> {
  const sessions = await store.deleteSessionsOfUser(ctx.db, user_id, except)
  await announceEnd(
    ctx,
    sessions.map((session_id) => ({ user_id, session_id })),
  )
  await deleteTrustedOf(ctx.db, user_id)
  return { ended: sessions.length }
}

/** Ends all sessions started through a connection, and pending ones that wait for a second factor. Counts only the former. */
export async function endAllThrough(ctx: ChangeContext, connectionId: string): Promise<number> {
  await challenges.endAllThrough(ctx, connectionId)
  const sessions = await store.deleteSessionsThrough(ctx.db, connectionId)
  await announceEnd(ctx, sessions)
  return sessions.length
}

/** Ends the sessions of an account of a company, or of one session there. Returns how many. */
export async function endAllOfAccount(
  ctx: ChangeContext,
  account: { connection_id: string; subject: string | null; sid: string | null },
): Promise<number> {
  // Neither would be all of the connection.
  if (account.subject === null && account.sid === null) return 0
  const sessions = await store.deleteSessionsOfAccount(ctx.db, account)
  await announceEnd(ctx, sessions)
  return sessions.length
}

/** Ends the sessions in which these users act as others. */
export async function endImpersonations(ctx: ChangeContext, userIds: readonly string[]): Promise<void> {
  await announceEnd(ctx, await store.deleteSessionsBegunBy(ctx.db, userIds))
}

/** For a restored store: ends some of all sessions. Returns whether there were any. */
export async function endSome(ctx: ChangeContext, { limit }: { limit: number }): Promise<boolean> {
  const sessions = await store.deleteSomeSessions(ctx.db, limit)
  await announceEnd(ctx, sessions)
  return sessions.length > 0
}

type Ended = { user_id: string; session_id: string }

/** Announces deleted sessions, and ends those in which their users act as others. */
export async function announceEnd(ctx: ChangeContext, sessions: readonly Ended[]): Promise<void> {
  if (sessions.length === 0) return
  const ids = sessions.map(({ session_id }) => session_id)
  for (const session of [...sessions, ...(await store.deleteSessionsBegunFrom(ctx.db, ids))]) {
    revoke(ctx, { kind: 'session', id: session.session_id })
    emitEnded(ctx, session)
  }
}

/** For an expired session: no cache holds it, so nothing is revoked. */
export function emitEnded(ctx: Pick<ChangeContext, 'emit'>, { user_id, session_id }: Ended): void {
  const data = JSON.stringify({ session_id, user_id })
  ctx.emit({ type: 'session.ended', subject: session_id, owner_id: user_id, data })
}
