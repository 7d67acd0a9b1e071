/**
 * Changes that users make to themselves. The credential says who they are, never the input. Leaves the rules of users to
 * users/, and checking the current password to sign-in/.
 */

import { AppError } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import * as links from '../../../directory/links/service.ts'
import * as users from '../../../directory/users/service.ts'
import { userTarget } from '../../../directory/users/service.ts'
import { canReach, refuseWithoutMail, unsendable } from '../../../record/mails/service.ts'
import type { ChangeContext } from '../../../store/context.ts'
import * as sessions from '../../credentials/sessions/service.ts'
import { personOf } from '../../credentials/sessions/service.ts'
import { requestAddress, sendVerification } from '../../sign-in/links/service.ts'

/** The hash of a secret that the browser of the caller gets, and can confirm an address with. */
type FromBrowser = { browser_hash?: string | undefined }
type Update = Omit<Parameters<typeof users.updateOwn>[1], 'user_id'> & FromBrowser

/**
 * @throws AppError `precondition_failed`, `current_password_wrong`, `managed_elsewhere`, `validation_failed`, `too_many_mails`; without
 *   email, `email_taken`
 */
export async function update(
  ctx: ChangeContext,
  { browser_hash, ...input }: Update,
): Promise<users.UserDocument & { isLinkSent?: true }> {
  await sessions.refuseEnded(ctx)
  const { user_id } = personOf(ctx)
  const { email, email_key, ...others } = input.input
  // Without email nothing can be confirmed, and removing an address needs no confirmation.
  if (!ctx.rules.sendsMail || typeof email !== 'string') return users.updateOwn(ctx, { user_id, ...input })
  const found = await users.findRowForChange(ctx.db, scopeOf(ctx.actor), user_id)
  const isSame = found === undefined || found.email === email
  const details = isSame ? {} : { details: { pending_email: email } }
  const updated = await users.updateOwn(ctx, { user_id, ...input, input: others, ...details })
  if (isSame) {
    const pending = await links.pendingEmail(ctx.db, user_id, ctx.now)
    if (pending !== undefined && pending !== email) await links.end(ctx, user_id, 'withdrawn', ['verification'])
    return updated
  }
  if (!canReach(ctx, email)) throw unsendable('email')
  await users.refuseManagedEmail(ctx, found, email)
  await requestAddress(ctx, found, { email, browser_hash })
  return { ...updated, isLinkSent: true }
}

/**
 * Sends the caller a link that confirms their address.
 *
 * @throws AppError `mail_not_configured`, `email_missing`, `too_many_mails`
 */
export async function verifyEmail(
  ctx: ChangeContext,
  { browser_hash }: FromBrowser,
): Promise<{ email: string; expires_at: string }> {
  await sessions.refuseEnded(ctx)
  refuseWithoutMail(ctx)
  const found = await users.findRowForChange(ctx.db, scopeOf(ctx.actor), personOf(ctx).user_id)
  if (found?.email == null) throw new AppError('email_missing', 'You have no email address. Set one first.')
  if (!canReach(ctx, found.email)) {
    throw new AppError('email_missing', 'No message can be sent to your email address. Set another one first.')
  }
  const { expires_at } = await sendVerification(ctx, found, { email: found.email, browser_hash })
  ctx.record({ action: 'verification.created', target: userTarget(found), details: { expires_at } })
  return { email: found.email, expires_at }
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
