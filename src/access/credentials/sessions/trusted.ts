/**
 * Trusted browsers: after a sign-in with a second factor, the user may skip that factor in the same browser for
 * some days. Such a session still never counts as recently authenticated (docs/decisions/0066-messages.md, 0082).
 */

import { hash } from 'node:crypto'
import { AppError } from '../../../core/errors.ts'
import * as users from '../../../directory/users/service.ts'
import { personTarget, refusePersonalKey, userTarget } from '../../../directory/users/service.ts'
import { timestamp } from '../../../lib/instant.ts'
import { isUuid } from '../../../lib/uuidv7.ts'
import type { ChangeContext, Context } from '../../../store/context.ts'
import type { Target } from '../../../store/journal-entry.ts'
import { deviceName } from './device-name.ts'
import { personOf } from './person.ts'
import type { TrustedBrowser } from './trusted-schema.ts'
import * as store from './trusted-store.ts'

/** A browser that is trusted again leaves its earlier row behind until that expires. */
const browsersPerUser = 20
/** The cookie of a browser with several users has one token for each, latest first. */
const usersPerBrowser = 4
const dayMs = 86_400_000

export function trustSeconds(days: number): number {
  return days * (dayMs / 1000)
}

/** The only function that decides which columns of a row may leave. */
function toTrustedBrowser(row: store.TrustedRow): TrustedBrowser {
  const { browser_id, created_at, last_used_at, expires_at, address, user_agent } = row
  return { browser_id, created_at, last_used_at, expires_at, address, user_agent, device: deviceName(user_agent) }
}

const tokensIn = (cookie: string | undefined) =>
  (cookie ?? '')
    .split('~')
    .filter((token) => /^[\w-]{43}$/.test(token))
    .slice(0, usersPerBrowser)

/** Returns the cookie with this token first. */
export function withTrust(cookie: string | undefined, token: string): string {
  return [token, ...tokensIn(cookie)].slice(0, usersPerBrowser).join('~')
}

export function trustHash(token: string): string {
  return hash('sha256', token, 'hex')
}

/** The hashes of the tokens in the cookie of trusted browsers. */
export function trustHashesIn(cookie: string | undefined): string[] {
  return tokensIn(cookie).map(trustHash)
}

/** Returns the id under which the user trusts the browser with these tokens. Finds none while the setting is off. */
export async function findTrusted(
  { db, now, rules }: Pick<Context, 'db' | 'now' | 'rules'>,
  user_id: string,
  hashes: readonly string[],
): Promise<string | undefined> {
  if (rules.trustBrowserDays === 0 || hashes.length === 0) return undefined
  return (await store.findTrusted(db, { user_id, hashes, now: timestamp(now) }))?.browser_id
}

type Trusting = { user_id: string; token_hash: string; address: string; user_agent: string }

/** Trusts the browser of a user who has just shown a second factor. */
export async function trust(ctx: ChangeContext, { user_id, ...rest }: Trusting): Promise<string | undefined> {
  const days = ctx.rules.trustBrowserDays
  if (days === 0) return undefined
  const browser_id = ctx.newId()
  const now = timestamp(ctx.now)
  const expires_at = timestamp(ctx.now + days * dayMs)
  await store.insertTrusted(ctx.db, { browser_id, user_id, ...rest, created_at: now, last_used_at: now, expires_at })
  await store.deleteOldestTrusted(ctx.db, user_id, browsersPerUser)
  return browser_id
}

/** Uses the trust, in the commit that starts a session for it. Returns whether it is still there. */
export async function useTrust(ctx: ChangeContext, user_id: string, browser_id: string): Promise<boolean> {
  if (ctx.rules.trustBrowserDays === 0) return false
  return store.useTrusted(ctx.db, { user_id, browser_id, now: timestamp(ctx.now) })
}

export async function listOwn(ctx: Context): Promise<TrustedBrowser[]> {
  return (await store.listTrusted(ctx.db, personOf(ctx).user_id, timestamp(ctx.now))).map(toTrustedBrowser)
}

/** @throws AppError `user_not_found` */
export async function listOf(ctx: Context, userId: string): Promise<TrustedBrowser[]> {
  const { user_id } = await users.get(ctx, userId)
  refusePersonalKey(ctx, user_id, ['sessions'])
  return (await store.listTrusted(ctx.db, user_id, timestamp(ctx.now))).map(toTrustedBrowser)
}

type Which = { user_id: string; browser_id: string }

/** Ends the caller's trust in one of their own browsers. @throws AppError `trusted_browser_not_found` */
export async function removeOwn(ctx: ChangeContext, { browser_id }: { browser_id: string }): Promise<Which> {
  return remove(ctx, personTarget(personOf(ctx)), browser_id)
}

/** @throws AppError `user_not_found`, `user_outranks_caller`, `trusted_browser_not_found` */
export async function removeOfUser(ctx: ChangeContext, { user_id, browser_id }: Which): Promise<Which> {
  return remove(ctx, userTarget(await users.getForChange(ctx, user_id, { part: 'sessions' })), browser_id)
}

async function remove(ctx: ChangeContext, target: Target, browser_id: string): Promise<Which> {
  const { id: user_id } = target
  // Never reveal that another user's browser exists.
  if (!isUuid(browser_id) || !(await store.deleteTrusted(ctx.db, user_id, browser_id))) {
    throw new AppError('trusted_browser_not_found', 'There is no trusted browser with this id.')
  }
  ctx.record({ action: 'trusted_browser.removed', target, details: { browser_id } })
  return { user_id, browser_id }
}
