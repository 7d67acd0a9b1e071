/** Puts messages into the outbox, in the commit that causes them. Leaves sending to sending/. */
import { AppError } from '../../core/errors.ts'
import type { Rules } from '../../core/rules.ts'
import { emailKey } from '../../lib/email-form.ts'
import { timestamp } from '../../lib/instant.ts'
import { plainMailAddress } from '../../lib/mail-address.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import type { Transaction } from '../../store/db/db.ts'
import type { MailData, MailKind } from './kinds.ts'
import * as store from './store.ts'

/** The user a message is for. */
export type Recipient = {
  user_id: string
  username: string
  email: string | null
  email_key: string | null
  first_name: string
  last_name: string
  locale: string | null
}

export type Message = {
  kind: MailKind
  to: Recipient
  data?: MailData
  /** For a message with a link. */
  link?: { link_id: string; expires_at: string }
  /** Not queued if one of this kind is already waiting. */
  isOnce?: boolean
  /** The same, but only once the address has reached its limit: many changes must not fill it. */
  isOnceDelayed?: boolean
}

/** The limit of messages to one address, and its period. */
const [messagesPerHour, hourMs] = [5, 3_600_000]
/**
 * The messages to an address that others than its owner can cause: each kind has a share of its own, so that none uses up another's,
 * and together they have three of the five an hour, so that the owner's notices are not held back.
 */
const shares = {
  password_reset: { most: 2, periodMs: hourMs },
  verification: { most: 3, periodMs: hourMs },
  email_requested: { most: 1, periodMs: 24 * hourMs },
} as const
type SharedKind = keyof typeof shares
const sharedKinds = Object.keys(shares) as SharedKind[]
const sharedPerHour = 3
const longestName = 64

/** Whether messages can go to this address: email is set up, and every mail server accepts an address like it. */
export function canReach({ rules }: { rules: Pick<Rules, 'sendsMail'> }, email: string | null): email is string {
  return rules.sendsMail && email !== null && plainMailAddress(email) !== undefined
}

/** Queues a message. Returns its id; undefined if no message can go to the user. */
export async function queue(ctx: ChangeContext, message: Message): Promise<string | undefined> {
  const { kind, to, data = {}, link, isOnce = false, isOnceDelayed = false } = message
  if (!canReach(ctx, to.email) || to.email_key === null) return undefined
  const same = { user_id: to.user_id, kind, address_key: to.email_key }
  if (isOnce && (await store.isWaiting(ctx.db, same))) return undefined
  const wait = await waitMs(ctx, to.email_key)
  if (isOnceDelayed && wait > 0 && (await store.isWaiting(ctx.db, same))) return undefined
  const mail_id = ctx.newId()
  const planned = ctx.now + wait
  await store.insertMail(ctx.db, {
    mail_id,
    kind,
    user_id: to.user_id,
    address: to.email,
    address_key: to.email_key,
    locale: to.locale,
    data: JSON.stringify({ name: nameOf(to), username: usernameOf(to), ...data }),
    link_id: link?.link_id ?? null,
    planned_at: timestamp(planned),
    expires_at: link?.expires_at ?? null,
    now: timestamp(ctx.now),
  })
  return mail_id
}

/** Queues the message that shows whether sending works. */
export async function queueTest(
  ctx: ChangeContext,
  { address, locale }: { address: string; locale: string | null },
): Promise<string> {
  const [mail_id, now] = [ctx.newId(), timestamp(ctx.now)]
  const address_key = emailKey(address)
  await store.insertMail(ctx.db, {
    mail_id,
    kind: 'test',
    user_id: null,
    address,
    address_key,
    locale,
    data: JSON.stringify({ name: address, username: '', time: now }),
    link_id: null,
    planned_at: now,
    expires_at: null,
    now,
  })
  return mail_id
}

/** Returns how long another message to this address must wait. Others that ask meanwhile wait for this transaction. */
export async function waitMs(ctx: ChangeContext, addressKey: string, except?: string): Promise<number> {
  await ctx.db.lock([lockOf(addressKey)])
  return plannedWaitMs(ctx, addressKey, except)
}

/** Whether a stranger may cause a message of this kind now. A message that may not be sent is dropped, not delayed. */
export async function isWithinShare(ctx: ChangeContext, addressKey: string, kind: SharedKind): Promise<boolean> {
  const { most, periodMs } = shares[kind]
  const wait = await waitMs(ctx, addressKey)
  const address_key = addressKey
  const last = await store.findPlannedBefore(ctx.db, { address_key, skipped: most - 1, kinds: [kind] })
  const any = await store.findPlannedBefore(ctx.db, { address_key, skipped: sharedPerHour - 1, kinds: sharedKinds })
  return Math.max(wait, remainingMs(last, ctx.now, periodMs), remainingMs(any, ctx.now)) === 0
}

/** Queues a message that a stranger may have caused, unless its share is used up. */
export async function queueWithinShare(ctx: ChangeContext, message: Message & { kind: SharedKind }): Promise<void> {
  const { kind, to } = message
  if (canReach(ctx, to.email) && to.email_key !== null && (await isWithinShare(ctx, to.email_key, kind))) {
    await queue(ctx, message)
  }
}

/** The same without a lock: another change may queue a message at this moment. */
async function plannedWaitMs({ db, now }: Moment, addressKey: string, except?: string): Promise<number> {
  const fifth = await store.findPlannedBefore(db, { address_key: addressKey, skipped: messagesPerHour - 1, except })
  return remainingMs(fifth, now)
}

function remainingMs(planned: string | undefined, now: number, periodMs = hourMs): number {
  return planned === undefined ? 0 : Math.max(0, Date.parse(planned) + periodMs - now)
}

type Moment = Pick<Context, 'db' | 'now'>

/** @param except a message that does not count @throws AppError `too_many_mails` */
export async function refuseTooMany(ctx: ChangeContext, addressKey: string, except?: string): Promise<void> {
  const wait = await waitMs(ctx, addressKey, except)
  if (wait > 0) throw tooMany(wait)
}

/** The same for a preview, without locks. @throws AppError `too_many_mails` */
export async function refuseTooManyPlanned(ctx: Moment, addressKey: string): Promise<void> {
  const wait = await plannedWaitMs(ctx, addressKey)
  if (wait > 0) throw tooMany(wait)
}

function tooMany(waitMs: number): AppError {
  const detail = 'This address has been sent five messages within an hour. Wait before the next one.'
  return new AppError('too_many_mails', detail, { retryAfterSeconds: Math.ceil(waitMs / 1000), limit: 'mails' })
}

/** Locks the limits of these addresses until the transaction ends, in the same order for all changes. */
export async function holdAddresses(db: Transaction, addressKeys: readonly string[]): Promise<void> {
  if (addressKeys.length > 0) await db.lock(addressKeys.map(lockOf))
}

function lockOf(addressKey: string): string {
  return `mail ${addressKey}`
}

/**
 * Returns how a message addresses the user: by name, unless the name could be read as a link or an address, which a
 * stranger may have entered. Then by the address.
 */
export function nameOf({
  first_name,
  last_name,
  username,
  email,
}: Omit<Recipient, 'user_id' | 'locale' | 'email_key'>) {
  const names = [`${first_name} ${last_name}`.trim(), username]
  const isPlain = (name: string) => name !== '' && name.length <= longestName && !/[:/@\\<>]|\.\p{L}|www/iu.test(name)
  return names.find(isPlain) ?? email ?? ''
}

/** The address works for signing in too, and a username in the form of a link would become a link in the message. */
function usernameOf({ username, email }: Recipient): string {
  return /:\/\/|\bwww\./iu.test(username) ? (email ?? '') : username
}

export { cancelMails, deleteMailsOf, wasQueued } from './store.ts'
