/** Invitations of users whose rows the caller holds: one at a time, or many. */
import { AppError } from '../../core/errors.ts'
import type { ChangeContext, UserAccess } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import { type Handed, handOut, type Way } from '../links/service.ts'
import { type AccessState, type At, accessState } from './access-state.ts'
import { userTarget } from './journal.ts'
import { isPasswordRefused, passwordRefused } from './passwordless/passwordless.ts'
import { refuseServiceAccount } from './service-accounts.ts'
import type { UserRow } from './store.ts'
import { setInvited } from './users.ts'

/**
 * Invites a user to set a password. A new invitation replaces an earlier one.
 *
 * @throws AppError `user_is_service_account`, `user_not_invitable`, `password_refused`, `too_many_mails`
 */
export async function inviteFound(ctx: ChangeContext, found: UserRow, way: Way): Promise<Handed> {
  await refuseUninvitable({ db: ctx.db, now: ctx.now, rules: ctx.rules, find: ctx.access.findUsersWithWays }, found)
  const handed = await handOut(ctx, found, 'invitation', way)
  await setInvited(ctx, found, true)
  const { expires_at, sent, shown } = handed
  ctx.record({ action: 'invitation.created', target: userTarget(found), details: { expires_at, sent, shown } })
  return handed
}

type Ways = At & { db: Db; find: UserAccess['findUsersWithWays'] }

/**
 * Refuses to invite who can sign in, or may not with what the invitation leads to.
 *
 * @throws AppError `user_is_service_account`, `user_not_invitable`, `password_refused`
 */
export async function refuseUninvitable({ db, now, rules, find }: Ways, found: UserRow): Promise<void> {
  refuseServiceAccount(found)
  const state = accessState(found, { now, rules })
  if (found.password_hash !== null || state !== 'active') {
    const reasons: Partial<Record<AccessState, string>> = {
      expired: 'The end date of this user has passed. Set a later one first.',
      organization_disabled: "This user's organization is disabled. Enable the organization first.",
    }
    throw new AppError('user_not_invitable', reasons[state] ?? 'This user has a password already, or is disabled.')
  }
  if ((await find(db, [found.user_id])).has(found.user_id)) {
    const detail = 'This user signs in through a company or with a passkey already. A new password needs a reset link.'
    throw new AppError('user_not_invitable', detail)
  }
  if (await isPasswordRefused(db, found)) throw passwordRefused()
}
