import type { ChangeContext } from '../../store/context.ts'
import { deleteThrottlesOfUser } from './throttle-store.ts'

/**
 * Forgets everything that was counted against a user: by order of an administrator, after a new password, or because the
 * user is gone. A change that touches the user's row does so first, so that no two of them wait for each other.
 */
export async function unlock(ctx: ChangeContext, userId: string): Promise<void> {
  await deleteThrottlesOfUser(ctx.db, userId)
}
