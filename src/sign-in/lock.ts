/** What keeps a user from signing in, and its end. Leaves the rules to throttle.ts. */
import { type ChangeContext, type Context, timestamp } from '../context.ts'
import * as users from '../users/service.ts'
import { strangersOf, totalOf } from './attempt.ts'
import type { Lock } from './lock-schema.ts'
import { strangerLimit, untilAllowed, untouched } from './throttle.ts'
import { findThrottlesOfUser } from './throttle-store.ts'
import { unlock } from './unlock.ts'

/** @throws AppError `user_not_found` */
export async function get(ctx: Context, user_id: string): Promise<Lock> {
  await users.get(ctx, user_id)
  const counted = await findThrottlesOfUser(ctx.db, user_id)
  const failures = counted.get(totalOf({ user_id }))?.failures ?? 0
  const waits = (['username', 'email'] as const).map((door) =>
    untilAllowed(counted.get(strangersOf({ user_id }, door)) ?? untouched, ctx.now),
  )
  const wait = Math.max(...waits)
  return {
    user_id,
    locked: failures >= strangerLimit,
    failures,
    retry_at: wait === 0 ? null : timestamp(ctx.now + wait),
  }
}

/** @throws AppError `user_not_found`, `user_outranks_caller` */
export async function end(ctx: ChangeContext, { user_id }: { user_id: string }): Promise<Lock> {
  const { username } = await users.getForChange(ctx, user_id, undefined)
  await unlock(ctx, user_id)
  ctx.record({ action: 'user.unlocked', target: { kind: 'user', id: user_id, name: username } })
  return { user_id, locked: false, failures: 0, retry_at: null }
}
