/** Puts messages into the outbox, in the commit that causes them. Leaves sending to sending/. */
import { AppError } from '../../core/errors.ts'
import type { Rules } from '../../core/rules.ts'
import { emailKey } from '../../lib/email-form.ts'
import { timestamp } from '../../lib/instant.ts'
import { plainMailAddress } from '../../lib/mail-address.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import type { Transaction } from '../../store/db/db.ts'
import { withNotice } from './gather.ts'
import { type GatheredData, isNotice, kindsOfPace, type MailData, type MailKind, type Pace, paceOf } from './kinds.ts'
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
  /** For a message with a link, or with a code: then the challenge. */
  link?: { link_id: string; expires_at: string }
  /** Not queued if one of this kind is already waiting. */
  isOnce?: boolean
}

const hourMs = 3_600_000
/**
 * The limits of messages to one address in an hour. Messages of one pace use up nothing of another's (kinds.ts). Urgent ones are counted
 * by kind, so that a loop does not flood the mailbox: by then its owner knows.
 */
const perHour = {
  requested: 5,
  recovery: 5,
  sign_in: 5,
  ordinary: 3,
  administrative: 3,
  urgent: 20,
  digest: 1,
} satisfies Record<Pace, number>
/**
 * The requested messages to an address that others than its owner can cause: each kind has a share of its own, so that none uses up
 * another's, and those of a pace together have three of the five an hour, so that the owner's own requests are not held back.
 */
const shares = {
  password_reset: { most: 2, periodMs: hourMs },
  verification: { most: 3, periodMs: hourMs },
  email_requested: { most: 1, periodMs: 24 * hourMs },
  access_request: { most: 2, periodMs: hourMs },
  access_known: { most: 1, periodMs: hourMs },
  access_waiting: { most: 1, periodMs: hourMs },
  access_declined: { most: 1, periodMs: hourMs },
  access_company: { most: 1, periodMs: hourMs },
  sign_in_code: { most: 3, periodMs: hourMs },
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
  const { kind, to, isOnce = false } = message
  if (!canReach(ctx, to.email) || to.email_key === null) return undefined
  const address = { email: to.email, email_key: to.email_key }
  if (isOnce && (await store.isWaiting(ctx.db, { user_id: to.user_id, kind, address_key: to.email_key }))) {
    return undefined
  }
  const wait = await waitMs(ctx, to.email_key, { kind })
  return wait > 0 && isNotice(kind) && !(await store.hasNodeWithoutNotices(ctx.db))
    ? gather(ctx, { message, address, wait })
    : insert(ctx, { message, address, wait })
}

type Queued = { message: Message; address: { email: string; email_key: string }; wait: number }

/** Adds the notice to the message of gathered notices that waits, or starts one. */
async function gather(ctx: ChangeContext, { message, address, wait }: Queued): Promise<string> {
  const { kind, to, data = {} } = message
  const now = timestamp(ctx.now)
  const open = await store.findGathering(ctx.db, { user_id: to.user_id, address_key: address.email_key, now })
  if (open !== undefined) {
    const added = JSON.stringify(withNotice(JSON.parse(open.data) as GatheredData, kind, data))
    const grown = { mail_id: open.mail_id, data: added, locale: to.locale, now }
    // A node may be sending it since.
    if (await store.growGathering(ctx.db, grown)) return open.mail_id
  }
  const notices = withNotice({ notices: [] }, kind, data)
  return insert(ctx, { message: { kind: 'notices', to }, address, wait }, notices)
}

async function insert(
  ctx: ChangeContext,
  { message: { kind, to, data = {}, link }, address, wait }: Queued,
  gathered?: GatheredData,
): Promise<string> {
  const mail_id = ctx.newId()
  await store.insertMail(ctx.db, {
    mail_id,
    kind,
    user_id: to.user_id,
    address: address.email,
    address_key: address.email_key,
    locale: to.locale,
    data: JSON.stringify({ name: nameOf(to), username: usernameOf(to), ...data, ...gathered }),
    link_id: link?.link_id ?? null,
    planned_at: timestamp(ctx.now + wait),
    expires_at: link?.expires_at ?? null,
    now: timestamp(ctx.now),
  })
  return mail_id
}

type ToAddress = Pick<Message, 'kind' | 'link'> & { address: string; locale: string | null; data: MailData }

/** Queues a message to an address of no user. One beyond the limit of the address waits. */
export async function queueToAddress(
  ctx: ChangeContext,
  { kind, address, locale, data, link }: ToAddress,
): Promise<string> {
  const mail_id = ctx.newId()
  const address_key = emailKey(address)
  const wait = await waitMs(ctx, address_key, { kind })
  await store.insertMail(ctx.db, {
    mail_id,
    kind,
    user_id: null,
    address,
    address_key,
    locale,
    data: JSON.stringify({ name: address, username: '', ...data }),
    link_id: link?.link_id ?? null,
    planned_at: timestamp(ctx.now + wait),
    expires_at: link?.expires_at ?? null,
    now: timestamp(ctx.now),
  })
  return mail_id
}

type Waiting = { kind: MailKind; except?: string | undefined }

/** Returns how long another message of a kind to this address must wait. Others that ask meanwhile wait for this transaction. */
async function waitMs(ctx: ChangeContext, addressKey: string, waiting: Waiting): Promise<number> {
  await ctx.db.lock([lockOf(addressKey)])
  return plannedWaitMs(ctx, addressKey, waiting)
}

/** Whether a stranger may cause a message of this kind now. A message that may not be sent is dropped, not delayed. */
export async function isWithinShare(ctx: ChangeContext, addressKey: string, kind: SharedKind): Promise<boolean> {
  const { most, periodMs } = shares[kind]
  const wait = await waitMs(ctx, addressKey, { kind })
  const ofKind = await waitBehind(ctx, addressKey, { kinds: [kind], most, periodMs })
  const kinds = sharedKinds.filter((one) => paceOf(one) === paceOf(kind))
  const ofPace = await waitBehind(ctx, addressKey, { kinds, most: sharedPerHour })
  return Math.max(wait, ofKind, ofPace) === 0
}

/** Whether the user may cause a message of this kind now, without waiting. */
export async function isWithinPace(ctx: ChangeContext, addressKey: string, kind: MailKind): Promise<boolean> {
  return (await waitMs(ctx, addressKey, { kind })) === 0
}

/** Queues a message that a stranger may have caused, unless its share is used up. */
export async function queueWithinShare(ctx: ChangeContext, message: Message & { kind: SharedKind }): Promise<void> {
  const { kind, to } = message
  if (canReach(ctx, to.email) && to.email_key !== null && (await isWithinShare(ctx, to.email_key, kind))) {
    await queue(ctx, message)
  }
}

/** The same without a lock: another change may queue a message at this moment. */
function plannedWaitMs(moment: Moment, addressKey: string, { kind, except }: Waiting): Promise<number> {
  const pace = paceOf(kind)
  const kinds = pace === 'urgent' ? [kind] : kindsOfPace(pace)
  return waitBehind(moment, addressKey, { kinds, most: perHour[pace], except })
}

type Limit = { kinds: readonly MailKind[]; most: number; periodMs?: number; except?: string | undefined }

/** Returns the time until fewer than `most` messages of these kinds to the address were planned within the period. */
async function waitBehind(
  { db, now }: Moment,
  address_key: string,
  { kinds, most, periodMs = hourMs, except }: Limit,
): Promise<number> {
  const since = timestamp(now - periodMs)
  const planned = await store.findPlannedBefore(db, { address_key, kinds, since, skipped: most - 1, except })
  return planned === undefined ? 0 : Math.max(0, Date.parse(planned) + periodMs - now)
}

type Moment = Pick<Context, 'db' | 'now'>

/** @param waiting the message that is wanted; `except` does not count @throws AppError `too_many_mails` */
export async function refuseTooMany(ctx: ChangeContext, addressKey: string, waiting: Waiting): Promise<void> {
  const wait = await waitMs(ctx, addressKey, waiting)
  if (wait > 0) throw tooMany(wait)
}

/** The same for a preview, without locks. @throws AppError `too_many_mails` */
export async function refuseTooManyPlanned(ctx: Moment, addressKey: string, waiting: Waiting): Promise<void> {
  const wait = await plannedWaitMs(ctx, addressKey, waiting)
  if (wait > 0) throw tooMany(wait)
}

function tooMany(waitMs: number): AppError {
  const detail = 'Too many messages were sent to this address within an hour. Wait before the next one.'
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
function nameOf({ first_name, last_name, username, email }: Omit<Recipient, 'user_id' | 'locale' | 'email_key'>) {
  const names = [`${first_name} ${last_name}`.trim(), username]
  const isPlain = (name: string) => name !== '' && name.length <= longestName && !/[:/@\\<>]|\.\p{L}|www/iu.test(name)
  return names.find(isPlain) ?? email ?? ''
}

/** The address works for signing in too, and a username in the form of a link would become a link in the message. */
function usernameOf({ username, email }: Recipient): string {
  return /:\/\/|\bwww\./iu.test(username) ? (email ?? '') : username
}

export { cancelMails, deleteMailsOf, deleteMailsToAddresses, wasQueued } from './store.ts'
