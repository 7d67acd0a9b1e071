/**
 * From an address to a request that waits. The response to an address is sent before anything is looked up, so neither its content
 * nor its timing reveals what is known about it: the address is stored, and a message is made for it later.
 */

import { system } from '../../../core/actor.ts'
import { AppError, memberFault, validationFailed } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import {
  changedValues,
  type Definitions,
  holdDefinitions,
  storedValues,
} from '../../../directory/attributes/service.ts'
import { checkUserInput, findUsersByNames, notifyHolders } from '../../../directory/users/service.ts'
import { emailKey } from '../../../lib/email-form.ts'
import { timestamp } from '../../../lib/instant.ts'
import { hasUnseen, unseenRefused } from '../../../lib/unseen.ts'
import { anonymous } from '../../../record/audit/service.ts'
import { canReach, findToken, isWithinShare, queueToAddress, tokenHashOf } from '../../../record/mails/service.ts'
import type { ChangeContext } from '../../../store/context.ts'
import type { Db } from '../../../store/db/db.ts'
import type { Storage } from '../../../store/storage/storage.ts'
import { findCompany } from '../../providers/connections/service.ts'
import { countEntry } from '../throttling/service.ts'
import { announce } from './journal.ts'
import { longestReason } from './schema.ts'
import * as store from './store.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** How long the link of a message works. */
const linkMs = dayMs
/** How long a request waits for a decision; and how long a decided or expired one is kept, so that the person can be told. */
export const [waitingMs, keptMs] = [30 * dayMs, 30 * dayMs]
const atOnce = 100
/** In place of a reason, in every language. */
export const noReason = '—'

/** @throws AppError `too_many_attempts`, the same for all addresses */
export async function enter(
  ctx: ChangeContext,
  { email, locale }: { email: string; locale: string },
): Promise<Record<string, never>> {
  await countEntry(ctx, ctx.origin?.address ?? '')
  const [created_at, expires_at] = [timestamp(ctx.now), timestamp(ctx.now + linkMs)]
  const row = { request_id: ctx.newId(), email, email_key: emailKey(email), locale, created_at, expires_at }
  await store.insertEntered(ctx.db, row)
  ctx.record({ action: 'access_request.entered', ...(ctx.actor.kind === 'system' && { actor: anonymous }) })
  return {}
}

/** Turns entered addresses into messages. Returns whether there may be more. */
export async function fulfil(ctx: ChangeContext): Promise<boolean> {
  // One node at a time: two would send each message twice.
  await ctx.db.lock(['access requests'])
  const entered = await store.listEntered(ctx.db, atOnce)
  for (const row of entered) await fulfilOne(ctx, row)
  return entered.length === atOnce
}

async function fulfilOne(ctx: ChangeContext, row: store.RequestRow): Promise<void> {
  const kind = await kindOf(ctx, row)
  const isSent = canReach(ctx, row.email) && (await isWithinShare(ctx, row.email_key, kind.name))
  const [open] = await store.listOfAddress(ctx.db, { email_key: row.email_key, states: ['open'] })
  if (!isSent || kind.name !== 'access_request') {
    await store.deleteRequests(ctx.db, [row.request_id])
    if (isSent) await queueToAddress(ctx, { kind: kind.name, address: row.email, locale: row.locale, data: kind.data })
    return
  }
  // A link that works already is sent once more: the address has one request.
  const request_id = open?.request_id ?? row.request_id
  if (open !== undefined) await store.deleteRequests(ctx.db, [row.request_id])
  const { locale, expires_at } = row
  await store.openRequest(ctx.db, { request_id, locale, expires_at })
  const link = { link_id: request_id, expires_at }
  await queueToAddress(ctx, { kind: 'access_request', address: row.email, locale, data: {}, link })
}

type Kind = {
  name: 'access_request' | 'access_known' | 'access_waiting' | 'access_declined' | 'access_company'
  data: { connection?: string; reason?: string; time?: string }
}

/** The message for an address: it depends on whether a user, a request or a connection has it. */
async function kindOf(ctx: ChangeContext, { email, email_key }: store.RequestRow): Promise<Kind> {
  if (await hasUser(ctx.db, email_key)) return { name: 'access_known', data: {} }
  const [latest] = await store.listOfAddress(ctx.db, { email_key, states: ['waiting', 'declined'] })
  if (latest?.state === 'waiting' && latest.expires_at > timestamp(ctx.now)) {
    return { name: 'access_waiting', data: { time: latest.created_at } }
  }
  if (latest?.state === 'declined') {
    return {
      name: 'access_declined',
      data: { time: latest.decided_at ?? '', reason: latest.decline_reason || noReason },
    }
  }
  const company = await findCompany(ctx.db, email)
  // One that creates its users needs no request.
  if (company?.creates) return { name: 'access_company', data: { connection: company.name } }
  return { name: 'access_request', data: {} }
}

async function hasUser(db: Db, email_key: string): Promise<boolean> {
  const names = { user_ids: [], username_keys: [], email_keys: [email_key], external_ids: [] }
  return (await findUsersByNames(db, scopeOf(system), names)).length > 0
}

/** Runs before the mail sender looks for messages. */
export async function fulfilEntered(storage: Storage, now: number): Promise<void> {
  while (await store.hasEntered(storage.db)) {
    const request = { actor: system, now, requestId: 'access requests' }
    if (!(await storage.change('access_requests.fulfil', undefined, request)).result) return
  }
}

/** Finds the request by the token of its message. Undefined if it does not exist or was deleted. */
export async function findByToken(db: Db, token: string): Promise<store.RequestRow | undefined> {
  const found = await findToken(db, tokenHashOf(token))
  return found && store.findRequest(db, found.link_id)
}

export function isOpen({ state, expires_at }: store.RequestRow, now: number): boolean {
  return state === 'open' && expires_at > timestamp(now)
}

/** What a person enters: texts, whatever the types of the attributes. */
export type Sent = { first_name: string; last_name: string; attributes: Record<string, string>; reason: string }

/**
 * Sends a request, which then waits. The link is used up.
 *
 * @throws AppError `link_ended`, `email_taken`, `validation_failed`
 */
export async function submit(
  ctx: ChangeContext,
  { token_hash, locale, sent }: { token_hash: string; locale: string; sent: Sent },
): Promise<{ request_id: string }> {
  const found = await findToken(ctx.db, token_hash)
  const row = found && (await store.findRequestForChange(ctx.db, scopeOf(ctx.actor), found.link_id))
  if (row === undefined || !isOpen(row, ctx.now)) throw new AppError('link_ended', 'This link no longer works.')
  if (await hasUser(ctx.db, row.email_key)) {
    throw new AppError('email_taken', 'There is a user with this address by now.')
  }
  const filled = checkSent(await holdDefinitions(ctx.db), sent)
  const now = timestamp(ctx.now)
  const next: store.RequestRow = {
    ...row,
    ...filled,
    state: 'waiting',
    locale,
    search_text: searchTextOf({ ...row, ...filled }),
    created_at: now,
    expires_at: timestamp(ctx.now + waitingMs),
    delete_at: timestamp(ctx.now + waitingMs + keptMs),
  }
  await store.updateRequest(ctx.db, next)
  await announce(ctx, 'created', next)
  await notifyHolders(ctx, 'users:write', { kind: 'access_requests', isOnce: true })
  return { request_id: row.request_id }
}

/** @throws AppError `validation_failed` with every fault found */
function checkSent(definitions: Definitions, { first_name, last_name, attributes, reason }: Sent) {
  const names = { first_name: oneLine(first_name), last_name: oneLine(last_name) }
  const why = oneLine(reason)
  const faults = [
    ...faultsIn(() => checkUserInput(names, {})),
    ...Object.entries(names).flatMap(([member, name]) =>
      name.length > longestName ? [memberFault(member, 'too_long', `At most ${longestName} characters.`)] : [],
    ),
    ...(why === '' ? [memberFault('reason', 'missing_member', 'Say why you ask.')] : []),
    ...(why.length > longestReason ? [memberFault('reason', 'too_long', `At most ${longestReason} characters.`)] : []),
    ...(hasUnseen(why) || !why.isWellFormed() ? [memberFault('reason', 'control_character', unseenRefused)] : []),
  ]
  const wanted = requiredOf(definitions)
  const values = Object.fromEntries(
    [...wanted.keys()].flatMap((name) => {
      const text = attributes[name]?.trim() ?? ''
      return text === '' ? [] : [[name, text]]
    }),
  )
  const input = { by: 'admin' as const, values, areTexts: true as const }
  let stored = '{}'
  faults.push(
    ...faultsIn(() => {
      stored = storedValues(changedValues(wanted, { found: {}, input, isNew: true }))
    }),
  )
  if (faults.length > 0) throw validationFailed(faults)
  return { ...names, reason: why, attributes: stored }
}

/** As the schema of users has it. */
const longestName = 256

function faultsIn(check: () => unknown) {
  try {
    check()
    return []
  } catch (error) {
    if (!(error instanceof AppError) || error.errors === undefined) throw error
    return error.errors
  }
}

/** The definitions of the attributes that a form asks for. */
export function requiredOf(definitions: Definitions): Definitions {
  return new Map([...definitions].filter(([, { required }]) => required))
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function searchTextOf(row: Pick<store.RequestRow, 'email' | 'first_name' | 'last_name' | 'reason'>): string {
  return wordsOf(`${row.email} ${row.first_name} ${row.last_name} ${row.reason}`).join(' ')
}

export function wordsOf(text: string): string[] {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
}
