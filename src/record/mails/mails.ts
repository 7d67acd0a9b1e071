/** Operators' actions on messages: list them, retry one, send a test. Leaves sending to sending/. */

import { AppError, memberFault, validationFailed } from '../../core/errors.ts'
import { scopeOf } from '../../core/scope.ts'
import { checkIdCursor, pageOf } from '../../http/request/cursor.ts'
import { emailKey } from '../../lib/email-form.ts'
import { timestamp } from '../../lib/instant.ts'
import { trimEnds } from '../../lib/typed-name.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import type { Target } from '../../store/journal-entry.ts'
import { findOrganizationsOf } from '../journal/service.ts'
import { canReach, queueToAddress, refuseTooMany } from './outbox.ts'
import type { ChooseMails, ListMails, Mail, MailServer, TestMail } from './schema.ts'
import * as store from './store.ts'

const defaultLimit = 100
const keptMs = 30 * 86_400_000
/** A larger transaction would delay others. */
const prunedAtOnce = 1000
/** A later time was planned by a wrong clock. */
const latestMs = 48 * 3_600_000

/** The only function that decides which columns of a row may leave. */
function toMail(row: store.MailRow): Mail {
  return {
    mail_id: row.mail_id,
    kind: row.kind,
    user_id: row.user_id,
    address: row.address,
    locale: row.locale,
    status: row.status,
    attempt_count: row.attempt_count,
    next_attempt_at: row.next_attempt_at,
    error: row.error,
    response: row.response,
    expires_at: row.expires_at,
    created_at: row.created_at,
    finished_at: row.finished_at,
  }
}

/**
 * Returns a page, newest first, and where the next one starts.
 *
 * @throws AppError `bad_cursor`
 */
export async function list(
  ctx: Context,
  { cursor, limit = defaultLimit, address, ...filters }: ListMails,
): Promise<{ mails: Mail[]; next: string | undefined }> {
  checkIdCursor(cursor)
  const rows = await store.listMails(ctx.db, scopeOf(ctx.actor), {
    ...filters,
    ...(address !== undefined && { address_key: emailKey(trimEnds(address)) }),
    ...(cursor !== undefined && { before: cursor }),
    limit: limit + 1,
  })
  const { page, last } = pageOf(rows, limit)
  return { mails: page.map(toMail), next: last?.mail_id }
}

/** @throws AppError `mail_not_found` */
export async function get(ctx: Context, mailId: string): Promise<Mail> {
  return toMail(await getRow(ctx, mailId))
}

/** Returns the state of the mail server, and how many messages wait. */
export async function fares(
  ctx: Context,
): Promise<Pick<MailServer, 'failing_since' | 'next_attempt_at' | 'waiting' | 'held' | 'failed'>> {
  const [{ waiting, held, failed, failing_since }, { paused_until }] = await Promise.all([
    store.countMails(ctx.db, timestamp(ctx.now)),
    store.findWork(ctx.db),
  ])
  return {
    failing_since,
    next_attempt_at: failing_since === null ? null : paused_until,
    waiting: Number(waiting),
    held: Number(held),
    failed: Number(failed),
  }
}

/** @throws AppError `mail_not_found`, `mail_not_failed`, `mail_not_configured`, `too_many_mails` */
export async function retry(ctx: ChangeContext, { mail_id }: { mail_id: string }): Promise<Mail> {
  refuseWithoutMail(ctx)
  const row = await getRow(ctx, mail_id)
  const now = timestamp(ctx.now)
  const isExpired = row.expires_at !== null && row.expires_at <= now
  if (!isExpired && row.status === 'failed') {
    await refuseTooMany(ctx, row.address_key, { kind: row.kind, except: mail_id })
  }
  const isSent =
    !isExpired && ((await store.repeatMail(ctx.db, mail_id, now)) || (await store.hurryMail(ctx.db, mail_id, now)))
  if (!isSent) {
    const detail = isExpired
      ? 'The link in this message has expired. Create a new one instead.'
      : 'Only a message that failed, or waits for its next attempt, can be sent again. This one was sent, is being sent or planned for the first time, or its link has ended.'
    throw new AppError('mail_not_failed', detail)
  }
  ctx.record({ action: 'mail.repeated', target: await targetOf(ctx, row), details: { mail_id, kind: row.kind } })
  return toMail(await getRow(ctx, mail_id))
}

/** Sends held messages: all, or some of them. Returns how many. @throws AppError `mail_not_configured` */
export async function release(ctx: ChangeContext, { mail_ids }: ChooseMails): Promise<{ released: number }> {
  refuseWithoutMail(ctx)
  const released = await store.releaseHeld(ctx.db, mail_ids, timestamp(ctx.now))
  ctx.record({ action: 'mails.released', details: { released } })
  return { released }
}

/** Gives up held messages: all, or some of them. Returns how many. */
export async function discard(ctx: ChangeContext, { mail_ids }: ChooseMails): Promise<{ discarded: number }> {
  const discarded = await store.discardHeld(ctx.db, mail_ids, timestamp(ctx.now))
  ctx.record({ action: 'mails.discarded', details: { discarded } })
  return { discarded }
}

/** @throws AppError `mail_not_configured`, `validation_failed`, `too_many_mails` */
export async function test(ctx: ChangeContext, { address: typed, locale }: TestMail): Promise<Mail> {
  refuseWithoutMail(ctx)
  const address = trimEnds(typed)
  if (!canReach(ctx, address)) throw unsendable('address')
  await refuseTooMany(ctx, emailKey(address), { kind: 'test' })
  const data = { time: timestamp(ctx.now) }
  const mail_id = await queueToAddress(ctx, { kind: 'test', address, locale: locale ?? null, data })
  ctx.record({ action: 'mail.tested', target: { kind: 'mail', id: mail_id }, details: { address } })
  return toMail(await getRow(ctx, mail_id))
}

/** Returns the refusal of an address that is not plain. */
export function unsendable(member: string): AppError {
  const detail =
    'No message can be sent to this address: only ASCII letters, digits and a few symbols may stand before the @.'
  return validationFailed([memberFault(member, 'email_invalid', detail)])
}

/**
 * Deletes some messages that finished long ago, and reschedules those that a fast clock planned too late. Returns how
 * many.
 */
export async function prune(ctx: ChangeContext): Promise<boolean> {
  await store.bringForward(ctx.db, { now: timestamp(ctx.now), latest: timestamp(ctx.now + latestMs) })
  return (await store.deleteFinished(ctx.db, timestamp(ctx.now - keptMs), prunedAtOnce)) === prunedAtOnce
}

/** @throws AppError `mail_not_configured` */
export function refuseWithoutMail({ rules }: Pick<Context, 'rules'>): void {
  if (rules.sendsMail) return
  throw new AppError(
    'mail_not_configured',
    'Email is not set up here. Set ROLLBOOK_SMTP_URL, or hand links over yourself.',
  )
}

async function targetOf({ db }: ChangeContext, { mail_id, user_id }: store.MailRow): Promise<Target> {
  if (user_id === null) return { kind: 'mail', id: mail_id }
  const places = await findOrganizationsOf(db, [user_id])
  return { kind: 'user', id: user_id, organization_id: places.get(user_id) ?? null }
}

async function getRow(ctx: Context | ChangeContext, mailId: string): Promise<store.MailRow> {
  const found = isUuid(mailId) ? await store.findMail(ctx.db, scopeOf(ctx.actor), mailId) : undefined
  if (found === undefined) throw new AppError('mail_not_found', 'There is no message with this id.')
  return found
}
