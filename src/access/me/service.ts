/**
 * What users change about themselves. The credential says who they are, never the input. Leaves the rules of users to
 * users/, and checking the current password to sign-in/.
 */

import * as users from '../../directory/users/service.ts'
import type { ChangeContext } from '../../store/context.ts'
import { personOf } from '../sessions/person.ts'
import * as sessions from '../sessions/service.ts'

type Update = Omit<Parameters<typeof users.updateOwn>[1], 'user_id'>

/** @throws AppError `precondition_failed`, `email_taken`, `current_password_wrong` */
export async function update(ctx: ChangeContext, input: Update): Promise<users.UserDocument> {
  await sessions.refuseEnded(ctx)
  return users.updateOwn(ctx, { user_id: personOf(ctx).user_id, ...input })
}

/**
 * Sets a new password and ends every other session.
 *
 * @throws AppError `current_password_wrong` if it was changed since it was checked
 */
export async function setPassword(
  ctx: ChangeContext,
  { password_hash, verified_hash }: { password_hash: string; verified_hash: string },
): Promise<{ user_id: string; revoked: number }> {
  const { user_id, session_id } = personOf(ctx)
  await sessions.refuseEnded(ctx)
  const all = await sessions.list(ctx, user_id, () => undefined)
  const input = { password_hash, must_change_password: 0 }
  await users.updateOwn(ctx, { user_id, input, expected: undefined, verified_hash })
  return { user_id, revoked: all.filter((one) => one.session_id !== session_id).length }
}
