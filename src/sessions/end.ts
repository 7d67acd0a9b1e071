/** The end of sessions: apart from service.ts, because changes of users end sessions too. */
import type { ChangeContext } from '../context.ts'
import { AppError } from '../errors.ts'
import { isUuid } from '../lib/uuidv7.ts'
import { revoke } from '../revocations/service.ts'
import * as store from './store.ts'

/**
 * Ends one session of this user.
 *
 * @throws AppError `session_not_found`
 */
export async function end(
  ctx: ChangeContext,
  { user_id, session_id }: { user_id: string; session_id: string },
): Promise<{ session_id: string }> {
  const found = isUuid(session_id) ? await store.findSession(ctx.db, session_id) : undefined
  // Of somebody else's session not even its existence is told.
  if (found?.user_id !== user_id) throw new AppError('session_not_found', 'There is no session with this id.')
  await store.deleteSession(ctx.db, session_id)
  revoke(ctx, { kind: 'session', id: session_id })
  return { session_id }
}

/** Ends all sessions of a user, but perhaps one; answers how many. */
export async function endAll(
  ctx: ChangeContext,
  { user_id, except = '' }: { user_id: string; except?: string },
): Promise<{ ended: number }> {
  const ended = await store.deleteSessionsOfUser(ctx.db, user_id, except)
  for (const id of ended) revoke(ctx, { kind: 'session', id })
  return { ended: ended.length }
}
