/**
 * Impersonation: an administrator acts as a user for at most an hour, in a session that can only read
 * (docs/decisions/0143). Leaves what such a session may call to the route table, and its end to end.ts and `find`.
 */

import type { Act } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import * as users from '../../../directory/users/service.ts'
import { notify, refuseServiceAccount, userTarget } from '../../../directory/users/service.ts'
import { timestamp } from '../../../lib/instant.ts'
import type { ChangeContext } from '../../../store/context.ts'
import { personOf } from './person.ts'
import type { Session } from './schema.ts'
import { emitCreated, refuseEnded, sessionTokenHash, toSession } from './sessions.ts'
import * as store from './store.ts'

const longestMs = 3_600_000

/**
 * Begins a session in which the caller acts as the user. Returns its secret too, for a stored response.
 *
 * @throws AppError `user_not_found`, `user_outranks_caller`, `user_is_service_account`, `user_not_impersonable`,
 *   `credential_invalid`
 */
export async function impersonate(
  ctx: ChangeContext,
  { user_id, reason, token }: { user_id: string; reason: string; token: string },
): Promise<{ session: Session; token: string }> {
  const caller = personOf(ctx)
  await refuseEnded(ctx)
  const user = await users.holdRowForChange(ctx, user_id, 'sessions')
  if (user_id === caller.user_id) throw new AppError('user_not_impersonable', 'You cannot act as yourself.')
  refuseServiceAccount(user)
  const state = users.accessState(user, ctx)
  if (state === 'disabled') throw new AppError('user_not_impersonable', 'The user is disabled. Enable the user first.')
  if (state === 'organization_disabled') {
    throw new AppError('user_not_impersonable', "The user's organization is disabled. Enable the organization first.")
  }
  if (state === 'expired') {
    throw new AppError('user_not_impersonable', 'The end date of the user has passed. Set a later one first.')
  }
  const row = await rowOf(ctx, { user_id, token })
  await store.insertSession(ctx.db, row)
  emitCreated(ctx, row)
  const { session_id, expires_at } = row
  await notify(ctx, user_id, { kind: 'impersonated', data: { administrator: caller.username, reason } })
  const target = userTarget(user)
  ctx.record({ action: 'user.impersonated', target, details: { session_id, expires_at, reason } })
  return { session: toSession(row, session_id), token }
}

/** The session proves no more than the administrator's own, and does not outlast it. */
async function rowOf(
  ctx: ChangeContext,
  { user_id, token }: { user_id: string; token: string },
): Promise<store.SessionRow> {
  const { session_id: begun_from, user_id: sub, username, amr, authTimeMs } = personOf(ctx)
  const own = await store.findSession(ctx.db, begun_from)
  const now = timestamp(ctx.now)
  const latest = timestamp(ctx.now + longestMs)
  return {
    session_id: ctx.newId(),
    user_id,
    token_hash: sessionTokenHash(token),
    created_at: now,
    last_seen_at: now,
    expires_at: own !== undefined && own.expires_at < latest ? own.expires_at : latest,
    address: ctx.origin?.address ?? '',
    user_agent: ctx.origin?.user_agent ?? '',
    amr: amr.join(' '),
    auth_time: timestamp(authTimeMs),
    connection_id: null,
    company_subject: null,
    company_sid: null,
    company_hint: null,
    trusted: 0,
    act: JSON.stringify({ sub, username } satisfies Act),
    begun_from,
  }
}
