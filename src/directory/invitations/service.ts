/**
 * Invitations of users whose rows the caller holds: one at a time, or many. Leaves what an accepted invitation changes to
 * access/links, and links themselves to directory/links.
 */
import { AppError } from '../../core/errors.ts'
import type { ChangeContext } from '../../store/context.ts'
import { type Handed, handOut, type Way } from '../links/hand-out.ts'
import { userTarget } from '../users/journal.ts'
import * as users from '../users/service.ts'
import { refuseServiceAccount } from '../users/service-accounts.ts'

/**
 * Invites a user to set a password. A new invitation replaces an earlier one.
 *
 * @throws AppError `user_is_service_account`, `user_not_invitable`, `too_many_mails`
 */
export async function inviteFound(ctx: ChangeContext, found: users.UserRow, way: Way): Promise<Handed> {
  refuseUninvitable(found)
  const handed = await handOut(ctx, found, 'invitation', way)
  await users.setInvited(ctx, found, true)
  const { expires_at, sent, shown } = handed
  ctx.record({ action: 'invitation.created', target: userTarget(found), details: { expires_at, sent, shown } })
  return handed
}

/** @throws AppError `user_is_service_account`, `user_not_invitable` */
export function refuseUninvitable(found: Pick<users.UserRow, 'kind' | 'password_hash' | 'active'>): void {
  refuseServiceAccount(found)
  if (found.password_hash === null && found.active === 1) return
  throw new AppError('user_not_invitable', 'This user has a password already, or is disabled.')
}
