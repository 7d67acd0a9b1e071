import type { ChangeContext } from '../../../store/context.ts'
import { deleteThrottlesOfUser } from './throttle-store.ts'

/**
 * Resets everything counted against a user: on an administrator's request, after a new password, or because the user was
 * deleted. A change that touches the user's row calls this first, so that two of them never deadlock.
 */
export async function unlock(ctx: ChangeContext, userId: string): Promise<void> {
  await deleteThrottlesOfUser(ctx.db, userId)
}
