/** Hands a new link out: into the user's mailbox, or to the caller, who passes it on. */

import type { Rules } from '../../core/rules.ts'
import { timestamp } from '../../lib/instant.ts'
import {
  canReach,
  insertToken,
  queue,
  type Recipient,
  refuseTooMany,
  refuseTooManyPlanned,
} from '../../record/mails/service.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import { create } from './links.ts'
import { findNewestLink, type Purpose } from './store.ts'

/** Where a link goes. */
export type Way = {
  /** Send a message, if there is an address and a mail server. */
  send: boolean
  /** The hash of a token for the caller. Undefined if the link is sent, or given to no one. */
  token_hash?: string | undefined
  /** The caller wants the link even if a message is sent. */
  show: boolean
}

export type Handed = { user_id: string; expires_at: string; sent: boolean; shown: boolean }

/**
 * Creates a link in place of the live one. The caller holds the user's row.
 *
 * @throws AppError `too_many_mails`
 */
export async function handOut(
  ctx: ChangeContext,
  to: Recipient,
  purpose: Exclude<Purpose, 'verification'>,
  { send, show, token_hash }: Way,
): Promise<Handed> {
  const sends = send && canReach(ctx, to.email)
  if (sends) await refuseTooMany(ctx, to.email_key as string, { kind: purpose })
  const { user_id, email } = to
  const link = await create(ctx, { user_id, purpose, email })
  if (sends) await queue(ctx, { kind: purpose, to, link })
  const isShown = token_hash !== undefined && (show || !sends)
  if (isShown) await insertToken(ctx.db, { token_hash, link_id: link.link_id, mailed: 0 })
  return { user_id, expires_at: link.expires_at, sent: sends, shown: isShown }
}

/** The same for a user who has just come with a file: beyond the limit of an address, the message waits. */
export async function handOutLater(ctx: ChangeContext, to: Recipient): Promise<Omit<Handed, 'user_id'>> {
  const { user_id, email } = to
  const link = await create(ctx, { user_id, purpose: 'invitation', email })
  const mail_id = await queue(ctx, { kind: 'invitation', to, link })
  return { expires_at: link.expires_at, sent: mail_id !== undefined, shown: false }
}

type Sending = { rules: Pick<Rules, 'sendsMail'> }

/** Refuses an invitation that `handOut` would refuse, for a preview, without taking locks. @throws AppError `too_many_mails` */
export async function refuseUnsendable(
  ctx: Sending & Pick<Context, 'db' | 'now'>,
  to: Recipient,
  send: boolean,
): Promise<void> {
  if (send && canReach(ctx, to.email)) {
    await refuseTooManyPlanned(ctx, to.email_key as string, { kind: 'invitation' })
  }
}

/** Whether the user has a link of this kind that works. */
export async function hasLiveLink(
  { db, now }: Pick<Context, 'db' | 'now'>,
  userId: string,
  purpose: Purpose,
): Promise<boolean> {
  const link = await findNewestLink(db, userId, purpose)
  return link?.ended_at === null && link.expires_at > timestamp(now)
}
