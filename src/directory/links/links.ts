/**
 * Links to users: what each is for, until when it works, and what ends it. Only one per purpose is live. Leaves what a link
 * does to access/sign-in/links, and its token to record/mails.
 */
import { timestamp } from '../../lib/instant.ts'
import { cancelMails, findToken } from '../../record/mails/service.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import * as store from './store.ts'

const hourMs = 3_600_000
const lifetimeMs: Record<store.Purpose, number> = {
  invitation: 7 * 24 * hourMs,
  verification: 24 * hourMs,
  password_reset: hourMs,
}
const purposes = Object.keys(lifetimeMs) as store.Purpose[]
/** How long the page of an old link can say why it no longer works. */
const keptMs = 30 * 24 * hourMs
const prunedAtOnce = 1000

type NewLink = Pick<store.LinkRow, 'user_id' | 'purpose' | 'email'> & Partial<Pick<store.LinkRow, 'browser_hash'>>

/** How long a browser keeps the secret of a link that it has asked for. */
export const verificationSeconds = lifetimeMs.verification / 1000

/** Creates a link in place of the live one. */
export async function create(
  ctx: ChangeContext,
  { user_id, purpose, email, browser_hash = null }: NewLink,
): Promise<{ link_id: string; expires_at: string }> {
  await end(ctx, user_id, 'replaced', [purpose])
  const link_id = ctx.newId()
  const expires_at = timestamp(ctx.now + lifetimeMs[purpose])
  const created_at = timestamp(ctx.now)
  await store.insertLink(ctx.db, { link_id, user_id, purpose, email, browser_hash, created_at, expires_at })
  return { link_id, expires_at }
}

/** Ends the live links of a user, and cancels messages that would bring them. Returns how many. */
export async function end(
  ctx: ChangeContext,
  userId: string,
  reason: store.EndReason,
  which: readonly store.Purpose[] = purposes,
): Promise<number> {
  const now = timestamp(ctx.now)
  const endedLinks = await store.endLinks(ctx.db, { user_id: userId, purposes: which, reason, now })
  await cancelMails(ctx.db, endedLinks, now)
  return endedLinks.length
}

/** A link that a token leads to. Undefined if no link was ever handed out with this token, or it was deleted. */
export async function find(
  db: Db,
  tokenHash: string,
  read = store.findLink,
): Promise<(store.LinkRow & { mailed: number }) | undefined> {
  const token = await findToken(db, tokenHash)
  const link = token && (await read(db, token.link_id))
  return link && { ...link, mailed: token.mailed }
}

/** The address that a live link of this user confirms. */
export async function pendingEmail(db: Db, userId: string, now: number): Promise<string | null | undefined> {
  const link = await store.findNewestLink(db, userId, 'verification')
  return link?.ended_at === null && link.expires_at > timestamp(now) ? link.email : undefined
}

/** Deletes some of what expired long ago. Returns whether there may be more. */
export async function prune(ctx: ChangeContext): Promise<boolean> {
  return (await store.deleteExpired(ctx.db, timestamp(ctx.now - keptMs), prunedAtOnce)) === prunedAtOnce
}

export {
  deleteLinksOf,
  type EndReason,
  endHandedOut,
  findLinkForChange,
  findNewestLink,
  findUsersWithLinks,
  type LinkRow,
  listSince,
  listUsersWithLinks,
  type Purpose,
} from './store.ts'
