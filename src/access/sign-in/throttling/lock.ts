/** Reports what prevents a user from signing in, and when it ends. The rules are in throttle.ts, the search in waits.ts. */

import * as users from '../../../directory/users/service.ts'
import { strangerLimit, userTarget } from '../../../directory/users/service.ts'
import type { ChangeContext, Context } from '../../../store/context.ts'
import { totalOf } from './attempt.ts'
import { forgetNetworks } from './forget-networks.ts'
import { type Lock, mostWaits } from './lock-schema.ts'
import { findThrottles } from './throttle-store.ts'
import { unlock } from './unlock.ts'
import { findWaits } from './waits.ts'

/** @throws AppError `user_not_found` */
export async function get(ctx: Context, user_id: string): Promise<Lock> {
  await users.get(ctx, user_id)
  const total = totalOf({ user_id })
  const failures = (await findThrottles(ctx.db, [total])).get(total)?.failures ?? 0
  const waiting = await findWaits(ctx, user_id)
  const crowds = waiting.filter(({ reason }) => reason === 'wrong_passwords_from_many_networks')
  return {
    user_id,
    locked: failures >= strangerLimit,
    failures,
    retry_at:
      crowds
        .flatMap(({ until }) => until ?? [])
        .toSorted()
        .at(-1) ?? null,
    waiting: waiting.slice(0, mostWaits),
  }
}

/**
 * Resets the user's failures, and those of each network that must wait before this user can sign in from it.
 *
 * @throws AppError `user_not_found`, `user_outranks_caller`
 */
export async function end(ctx: ChangeContext, { user_id }: { user_id: string }): Promise<Lock> {
  const user = await users.getForChange(ctx, user_id, { part: 'lock' })
  const networks = (await findWaits(ctx, user_id)).flatMap(({ network }) => network ?? [])
  // Networks first: an attempt locks the rows of both in this order.
  await forgetNetworks(ctx.db, networks)
  await unlock(ctx, user_id)
  ctx.record({ action: 'user.unlocked', target: userTarget(user) })
  return { user_id, locked: false, failures: 0, retry_at: null, waiting: [] }
}
