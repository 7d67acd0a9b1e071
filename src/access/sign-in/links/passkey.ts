/** A passkey instead of a password, for the holder of an invitation or a reset link whose user has no second factor yet. */
import * as links from '../../../directory/links/service.ts'
import { userTarget } from '../../../directory/users/service.ts'
import type { ChangeContext } from '../../../store/context.ts'
import * as challenges from '../../credentials/challenges/service.ts'
import { addFirstPasskey, type Registered, refuseUnlessFirst } from '../../credentials/factors/service.ts'
import { asUser, findLive, type PasswordPurpose, useLink, verifyMailbox } from './links.ts'

type Link = { token_hash: string; purpose: PasswordPurpose }

/** Binds the options to the link, because no browser has signed in. */
export function browserHashOf(tokenHash: string): string {
  return challenges.browserHash(`link ${tokenHash}`)
}

/**
 * Returns the options for adding a passkey. The link stays unused.
 *
 * @throws AppError `link_ended`, `validation_failed` if there is a factor
 */
export async function beginPasskey(
  ctx: ChangeContext,
  { token_hash, purpose, challenge_id, webauthn }: Link & { challenge_id: string; webauthn: string },
): Promise<{ challenge_id: string; expires_at: string }> {
  const { found } = await findLive(ctx, token_hash, purpose)
  const { user_id } = found
  await refuseUnlessFirst(ctx, user_id)
  const browser_hash = browserHashOf(token_hash)
  const begun = await challenges.startChallenge(ctx, {
    challenge_id,
    purpose: 'add_passkey',
    user_id,
    browser_hash,
    webauthn,
  })
  asUser(ctx, found).record({
    action: 'factor.begun',
    target: userTarget(found),
    details: { kind: 'passkey', by: purpose },
  })
  return begun
}

type Adding = Link & {
  finishes: challenges.Presented
  passkey: Omit<Registered, 'methods'> & { factor_id: string; name: string }
}

/**
 * Uses the link up for a passkey that was verified. All sessions of the user end, and so does the other link for a password.
 *
 * @throws AppError `link_ended`, `validation_failed`
 */
export async function addPasskey(
  ctx: ChangeContext,
  { token_hash, purpose, finishes, passkey }: Adding,
): Promise<{ user_id: string; username: string }> {
  const { link, found } = await useLink(ctx, token_hash, purpose)
  const { user_id, username } = found
  await links.end(ctx, user_id, 'used', ['invitation', 'password_reset'])
  await addFirstPasskey(asUser(ctx, found), { user: found, finishes, passkey, by: purpose })
  await verifyMailbox(ctx, { link, found }, purpose)
  return { user_id, username }
}
