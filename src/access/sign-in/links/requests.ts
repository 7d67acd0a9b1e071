/**
 * Requests for a new password. The response is sent before the user is looked up, so neither its content nor its
 * timing reveals whether the user exists: a request is stored as a row, and turned into a message later.
 */

import { system } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import * as links from '../../../directory/links/service.ts'
import * as users from '../../../directory/users/service.ts'
import { isPasswordRefused, isServiceAccount, userTarget } from '../../../directory/users/service.ts'
import { networkOf } from '../../../lib/address.ts'
import { timestamp } from '../../../lib/instant.ts'
import { anonymous } from '../../../record/audit/service.ts'
import { canReach, isWithinShare, queue } from '../../../record/mails/service.ts'
import type { ChangeContext } from '../../../store/context.ts'
import type { Storage } from '../../../store/storage/storage.ts'
import { isMailboxInDoubt } from '../../providers/connections/service.ts'
import * as store from './requests-store.ts'

/** Enough for a household or an office. Without a limit, one network could flood many mailboxes. */
const requestsPerHour = 20
const hourMs = 3_600_000
const atOnce = 100

/** @throws AppError `too_many_attempts`, the same for all names */
export async function request(ctx: ChangeContext, { name }: { name: string }): Promise<Record<string, never>> {
  const network = networkOf(ctx.origin?.address ?? '')
  await ctx.db.lock([`password reset ${network}`])
  const before = await store.findRequestBefore(ctx.db, network, requestsPerHour - 1)
  const wait = before === undefined ? 0 : Date.parse(before) + hourMs - ctx.now
  if (wait > 0) {
    const detail = 'Too many new passwords were requested from your network. Wait before the next one.'
    const retryAfterSeconds = Math.ceil(wait / 1000)
    throw new AppError('too_many_attempts', detail, { retryAfterSeconds, limit: 'password-resets' })
  }
  await store.insertRequest(ctx.db, { request_id: ctx.newId(), name, network, created_at: timestamp(ctx.now) })
  // Without the name, which may be a mistyped password.
  const isStranger = ctx.actor.kind === 'system'
  ctx.record({ action: 'password_reset.requested', ...(isStranger && { actor: anonymous }) })
  return {}
}

/** Turns requests into messages. Returns whether there may be more. */
export async function fulfil(ctx: ChangeContext): Promise<boolean> {
  // One node at a time: two would send each message twice.
  await ctx.db.lock(['password resets'])
  const open = await store.listOpenRequests(ctx.db, atOnce)
  for (const { name } of open) await fulfilOne(ctx, name)
  await store.closeRequests(
    ctx.db,
    open.map(({ request_id }) => request_id),
  )
  return open.length === atOnce
}

async function fulfilOne(ctx: ChangeContext, name: string): Promise<void> {
  const named = await users.findByTypedName(ctx.db, name)
  const found = named && (await users.findRowForChange(ctx.db, scopeOf(ctx.actor), named.user_id))
  if (found === undefined || !users.hasAccess(found, ctx) || isServiceAccount(found)) return
  if (found.email_key === null || !canReach(ctx, found.email)) return
  if ((await isPasswordRefused(ctx.db, found)) || (await isMailboxInDoubt(ctx.db, found))) {
    const refused = { outcome: 'failure' as const, code: 'password_refused', details: { by: 'request' } }
    return ctx.recordFor(ctx, { action: 'password_reset.created', target: userTarget(found), ...refused })
  }
  // A stranger may have asked: more than the share of such links in an hour is dropped.
  if (!(await isWithinShare(ctx, found.email_key, 'password_reset'))) return
  const { user_id, email } = found
  const link = await links.create(ctx, { user_id, purpose: 'password_reset', email })
  await queue(ctx, { kind: 'password_reset', to: found, link })
  const details = { by: 'request', expires_at: link.expires_at }
  ctx.recordFor(ctx, { action: 'password_reset.created', target: userTarget(found), details })
}

/** Runs before the mail sender looks for messages. */
export async function fulfilRequests(storage: Storage, now: number): Promise<void> {
  while (await store.hasOpenRequests(storage.db)) {
    const request = { actor: system, now, requestId: 'password resets' }
    if (!(await storage.change('password_resets.fulfil', undefined, request)).result) return
  }
}

/** Deletes some requests that no longer count. Returns whether there may be more. */
export async function prune(ctx: ChangeContext): Promise<boolean> {
  const deleted = await store.deleteRequestsBefore(ctx.db, timestamp(ctx.now - hourMs), 1000)
  return deleted === 1000 || (await links.prune(ctx))
}

export { closeAllRequests } from './requests-store.ts'
