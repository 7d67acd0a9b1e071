/**
 * The effects of links: invite a user, set a password, confirm an address. They depend only on the link's row. Leaves
 * the links themselves to directory/links, and the pages behind them to login-pages/.
 */

import { AppError } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import * as links from '../../../directory/links/service.ts'
import { type Handed, handOut, type Way } from '../../../directory/links/service.ts'
import * as users from '../../../directory/users/service.ts'
import {
  checkUserInput,
  inviteFound,
  isPasswordRefused,
  passwordRefused,
  refuseServiceAccount,
  type UserInput,
  userTarget,
} from '../../../directory/users/service.ts'
import { combineMethods } from '../../../lib/amr.ts'
import { emailKey } from '../../../lib/email-form.ts'
import { timestamp } from '../../../lib/instant.ts'
import { queue, queueWithinShare, refuseTooMany } from '../../../record/mails/service.ts'
import type { ChangeContext, Context } from '../../../store/context.ts'
import type { Db } from '../../../store/db/db.ts'
import type { AuditEntry } from '../../../store/journal-entry.ts'
import { methodsOf, secondFactorFailed, type Use, use } from '../../credentials/factors/service.ts'
import { type Entering, type Finished, finishSignIn } from '../sign-in/service.ts'
import { clearFailures, type Reservation } from '../throttling/service.ts'
import type { Invitation } from './schema.ts'

type Handing = { user_id: string } & Way
/** Also if an identity provider manages the user. */
type Inviting = Handing & { override?: boolean; access_expires_at?: string | null }

/**
 * Invites a user to set a password. A new invitation replaces an earlier one.
 *
 * @throws AppError `user_not_found`, `user_outranks_caller`, `user_not_invitable`, `managed_elsewhere`, `too_many_mails`
 */
export async function invite(
  ctx: ChangeContext,
  { user_id, override, access_expires_at, ...way }: Inviting,
): Promise<Handed> {
  if (access_expires_at === undefined) return inviteOne(ctx, { user_id, override, way })
  // The change and the invitation have records of their own.
  const beside = { ...ctx, record: (entry: AuditEntry) => ctx.recordFor(ctx, entry) }
  const input = checkUserInput({ expires_at: access_expires_at }, ctx.rules.roles)
  await users.update(beside, { user_id, input, expected: undefined, ...(override !== undefined && { override }) })
  return inviteOne(beside, { user_id, override, way })
}

async function inviteOne(
  ctx: ChangeContext,
  { user_id, override, way }: { user_id: string; override: boolean | undefined; way: Way },
): Promise<Handed> {
  const found = await users.holdRowForChange(ctx, user_id, 'links')
  await users.refuseManagedAccount(ctx, found, { part: 'invitation', override })
  return inviteFound(ctx, found, way)
}

/**
 * Creates a user and invites them, with one audit record for both.
 *
 * @throws AppError `user_not_invitable` if the organization is disabled, `too_many_mails`, and as for the creation of any user
 */
export async function createInvited(
  ctx: ChangeContext,
  { input, token_hash }: { input: UserInput; token_hash: string },
): Promise<users.UserDocument & { invitation: Omit<Handed, 'user_id'> }> {
  const entries: AuditEntry[] = []
  const created = await users.create({ ...ctx, record: (entry) => entries.push(entry) }, { ...input, invited: 1 })
  const { user_id } = created
  const found = (await users.findRowForChange(ctx.db, scopeOf(ctx.actor), user_id)) as users.UserRow
  if (users.accessState(found, ctx) === 'organization_disabled') {
    throw new AppError('user_not_invitable', barred.organization_disabled)
  }
  if (await isPasswordRefused(ctx.db, found)) throw passwordRefused()
  const handed = await handOut(ctx, found, 'invitation', { send: true, show: false, token_hash })
  const { user_id: _, ...invitation } = handed
  for (const entry of entries) ctx.record({ ...entry, details: { invitation } })
  return { ...created, invitation }
}

/** @throws AppError `user_not_found` */
export async function findInvitation(ctx: Context, userId: string): Promise<Invitation> {
  const { user_id } = await users.get(ctx, userId)
  const link = await links.findNewestLink(ctx.db, user_id, 'invitation')
  if (link === undefined || link.ended_at !== null) {
    return { user_id, invited: false, created_at: null, expires_at: null }
  }
  return { user_id, invited: true, created_at: link.created_at, expires_at: link.expires_at }
}

/** @throws AppError `user_not_found`, `user_outranks_caller` */
export async function withdrawInvitation(
  ctx: ChangeContext,
  { user_id }: { user_id: string },
): Promise<{ user_id: string; withdrawn: boolean }> {
  const found = await users.holdRowForChange(ctx, user_id, 'links')
  const endedCount = await links.end(ctx, user_id, 'withdrawn', ['invitation'])
  await users.setInvited(ctx, found, false)
  ctx.record({ action: 'invitation.withdrawn', target: userTarget(found) })
  return { user_id, withdrawn: endedCount > 0 || found.invited === 1 }
}

/**
 * Creates a link with which a user sets a new password.
 *
 * @throws AppError `user_not_found`, `user_outranks_caller`, `user_not_invitable`, `too_many_mails`
 */
export async function createReset(ctx: ChangeContext, { user_id, ...way }: Handing): Promise<Handed> {
  const found = await users.holdRowForChange(ctx, user_id, 'links')
  refuseServiceAccount(found)
  const state = users.accessState(found, ctx)
  if (state !== 'active') {
    throw new AppError('user_not_invitable', barred[state])
  }
  if (await isPasswordRefused(ctx.db, found)) throw passwordRefused()
  const handed = await handOut(ctx, found, 'password_reset', way)
  const { expires_at, sent, shown } = handed
  ctx.record({ action: 'password_reset.created', target: userTarget(found), details: { expires_at, sent, shown } })
  return handed
}

const barred = {
  disabled: 'This user is disabled.',
  organization_disabled: "This user's organization is disabled.",
  expired: 'The end date of this user has passed.',
} as const

/** The purposes whose link lets its holder choose a new way to sign in. */
export type PasswordPurpose = 'invitation' | 'password_reset'

export type Used = {
  token_hash: string
  password_hash: string
  /** The second factor of a user who has one, for a new password. */
  used?: Use
  reservation?: Reservation
  /** Where the user is signed in with it; undefined: nowhere. */
  entering?: Entering
}

/**
 * Sets the password that the holder of an invitation or a reset link has chosen. All sessions of the user end, and a new one
 * starts in this browser, or the second factor is asked for. Undefined without a browser: no session starts.
 *
 * @throws AppError `link_ended`, `second_factor_failed`, `password_refused`
 */
export async function setPassword(
  ctx: ChangeContext,
  { token_hash, password_hash, purpose, used, reservation, entering }: Used & { purpose: PasswordPurpose },
): Promise<Finished | undefined> {
  const { link, found } = await useLink(ctx, token_hash, purpose)
  if (await isPasswordRefused(ctx.db, found)) throw passwordRefused()
  if (purpose === 'password_reset') await useFactor(ctx, found.user_id, used)
  if (reservation !== undefined) await clearFailures(ctx, reservation)
  // Opening the link proved that the mailbox is the user's.
  const isVerified = link.mailed === 1 && link.email !== null && link.email === found.email
  const input = { password_hash, ...(isVerified && { email_verified: 1 }) }
  await updateRecorded(ctx, found, input, { by: purpose, ...(used && { second_factor: used.kind }) })
  if (entering === undefined) return undefined
  const { user_id } = found
  const { credentials_version } = (await users.findRowForChange(ctx.db, scopeOf(ctx.actor), user_id)) as users.UserRow
  const amr = used === undefined ? ['pwd'] : combineMethods(['pwd'], ['otp'])
  const proof = { user_id, amr, credentials_version, verified_hash: password_hash, isSetByLink: true as const }
  // The notice of the changed password stands for that of a new browser.
  const knownUsers = found.password_hash === null ? entering.browser.knownUsers : [user_id]
  return finishSignIn(ctx, { ...entering, browser: { ...entering.browser, knownUsers }, proof })
}

/** Which second factors the page of a reset can ask for. Passkeys are asked for when the user signs in. */
export async function typedMethodsOf(db: Db, userId: string): Promise<string[]> {
  return (await methodsOf(db, userId)).filter((method) => method !== 'passkey')
}

/** Access to the user's mailbox alone must not be enough to change the password. @throws AppError `second_factor_failed` */
async function useFactor(ctx: ChangeContext, userId: string, used: Use | undefined): Promise<void> {
  if (used !== undefined) return use(ctx, userId, used)
  if ((await typedMethodsOf(ctx.db, userId)).length > 0) throw secondFactorFailed()
}

/**
 * Confirms the address that the link was sent to, which becomes the user's if it is another one.
 *
 * @throws AppError `link_ended`, `email_taken`
 */
export async function confirmAddress(
  ctx: ChangeContext,
  { token_hash, user_id }: { token_hash: string; user_id: string },
): Promise<{ user_id: string; email: string | null }> {
  const { link, found } = await useLink(ctx, token_hash, 'verification', user_id)
  const email = link.email as string
  const input = { email, email_key: emailKey(email), email_verified: 1 }
  await updateRecorded(ctx, found, input, { by: 'verification' })
  return { user_id, email }
}

/**
 * Records that the address of the link is the user's, and that the user has accepted the invitation.
 */
export async function verifyMailbox(
  ctx: ChangeContext,
  { link, found }: Awaited<ReturnType<typeof useLink>>,
  by: PasswordPurpose,
): Promise<void> {
  const isVerified = link.mailed === 1 && link.email !== null && link.email === found.email
  // In addition to the passkey's record.
  const beside = { ...ctx, record: (entry: AuditEntry) => ctx.recordFor(ctx, entry) }
  await updateRecorded(beside, found, { invited: 0, ...(isVerified && { email_verified: 1 }) }, { by })
}

/** @throws AppError `link_ended` */
export async function findLive(
  ctx: ChangeContext,
  tokenHash: string,
  purpose: links.Purpose,
): Promise<{ link: links.LinkRow & { mailed: number }; found: users.UserRow }> {
  const link = await links.find(ctx.db, tokenHash, links.findLinkForChange)
  const isLive = link?.purpose === purpose && link.ended_at === null && link.expires_at > timestamp(ctx.now)
  if (link === undefined || !isLive) throw linkEnded()
  const found = await users.findRowForChange(ctx.db, scopeOf(ctx.actor), link.user_id)
  if (found === undefined || !users.hasAccess(found, ctx)) throw linkEnded()
  return { link, found }
}

/** The link was the caller's only credential, so its actions are recorded as the user's. */
export function asUser(ctx: ChangeContext, { user_id, username }: users.UserRow): ChangeContext {
  const by = { ...ctx, actor: { kind: 'user' as const, id: user_id, name: username, permissions: [] } }
  return { ...by, record: (entry) => ctx.recordFor(by, entry) }
}

export async function useLink(
  ctx: ChangeContext,
  tokenHash: string,
  purpose: links.Purpose,
  userId?: string,
): Promise<{ link: links.LinkRow & { mailed: number }; found: users.UserRow }> {
  const { link, found } = await findLive(ctx, tokenHash, purpose)
  if (userId !== undefined && link.user_id !== userId) throw linkEnded()
  await links.end(ctx, link.user_id, 'used', [purpose])
  return { link, found }
}

function linkEnded(): AppError {
  return new AppError('link_ended', 'This link no longer works.')
}

/** Records the operation as the user's, because the link was the caller's only credential. */
async function updateRecorded(
  ctx: ChangeContext,
  { user_id, username }: users.UserRow,
  input: users.LinkInput,
  details: Record<string, string>,
): Promise<void> {
  const entries: AuditEntry[] = []
  await users.updateByLink({ ...ctx, record: (entry) => entries.push(entry) }, { user_id, input })
  const actor = { kind: 'user' as const, id: user_id, name: username }
  for (const entry of entries) ctx.record({ ...entry, actor, details })
}

type Verification = { email: string; browser_hash: string | undefined }

/**
 * Sends the user a link that confirms the address that they have.
 *
 * @throws AppError `too_many_mails`
 */
export async function sendVerification(
  ctx: ChangeContext,
  found: users.UserRow,
  { email, browser_hash }: Verification,
): Promise<{ expires_at: string }> {
  const email_key = emailKey(email)
  await refuseTooMany(ctx, email_key, { kind: 'verification' })
  const link = await links.create(ctx, {
    user_id: found.user_id,
    purpose: 'verification',
    email,
    browser_hash: browser_hash ?? null,
  })
  await queue(ctx, { kind: 'verification', to: { ...found, email, email_key }, link, data: { email } })
  return { expires_at: link.expires_at }
}

/** How many links a user may ask for to an address that is not theirs. Counted by the user, whether or not another one has it. */
const [linksToAddress, linksToAddressMs] = [2, 3_600_000]

/**
 * Sends a link to an address that the user does not have yet. If another user has it, that user gets a notice instead: the one who
 * asks must not learn which addresses exist, so the link's row, the work and the result are the same.
 *
 * @throws AppError `too_many_mails`
 */
export async function requestAddress(
  ctx: ChangeContext,
  found: users.UserRow,
  { email, browser_hash }: Verification,
): Promise<void> {
  const { user_id } = found
  const email_key = emailKey(email)
  const since = timestamp(ctx.now - linksToAddressMs)
  const earlier = await links.listSince(ctx.db, { user_id, purpose: 'verification', since })
  const same = earlier.filter((link) => link.email !== null && emailKey(link.email) === email_key)
  const first = same[linksToAddress - 1]
  if (first !== undefined) throw tooManyLinks(Date.parse(first.created_at) + linksToAddressMs - ctx.now)
  const link = await links.create(ctx, { user_id, purpose: 'verification', email, browser_hash: browser_hash ?? null })
  const owner = await users.findForSignIn(ctx.db, email)
  await queueWithinShare(
    ctx,
    owner === undefined || owner.user_id === user_id
      ? { kind: 'verification', to: { ...found, email, email_key }, link, data: { email } }
      : { kind: 'email_requested', to: owner, data: { time: timestamp(ctx.now) } },
  )
}

function tooManyLinks(waitMs: number): AppError {
  const detail = `You have asked for ${linksToAddress} links to this address within an hour. Wait before the next one.`
  return new AppError('too_many_mails', detail, { retryAfterSeconds: Math.ceil(waitMs / 1000), limit: 'mails' })
}
