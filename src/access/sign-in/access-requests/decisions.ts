/** Reads and decides requests. An approval creates the user with the command of any creation, so its rules are the same. */

import * as groups from '../../../administration/groups/service.ts'
import { AppError, memberFault, validationFailed } from '../../../core/errors.ts'
import { outside, type Scope, scopeOf } from '../../../core/scope.ts'
import { readValues } from '../../../directory/attributes/service.ts'
import type { Handed } from '../../../directory/links/service.ts'
import * as users from '../../../directory/users/service.ts'
import { checkUserInput } from '../../../directory/users/service.ts'
import { checkIdCursor, pageOf } from '../../../http/request/cursor.ts'
import { groupNameKey } from '../../../lib/group-name.ts'
import { timestamp } from '../../../lib/instant.ts'
import { PrecisError } from '../../../lib/precis.ts'
import { hasUnseen, unseenRefused } from '../../../lib/unseen.ts'
import { isUuid } from '../../../lib/uuidv7.ts'
import { canReach, queueToAddress } from '../../../record/mails/service.ts'
import type { ChangeContext, Context } from '../../../store/context.ts'
import type { Db } from '../../../store/db/db.ts'
import type { AuditEntry } from '../../../store/journal-entry.ts'
import { findKeyById } from '../../credentials/keys/service.ts'
import { findCompany } from '../../providers/connections/service.ts'
import { createInvited } from '../links/service.ts'
import { keptMs, noReason, wordsOf } from './entry.ts'
import { announce } from './journal.ts'
import type { AccessRequest, DecideAccessRequest, ListAccessRequests } from './schema.ts'
import * as store from './store.ts'

const defaultLimit = 100

/** Returns a page, newest first, and where the next one starts. @throws AppError `bad_cursor` */
export async function list(
  ctx: Context,
  { cursor, limit = defaultLimit, state, q = '' }: ListAccessRequests,
): Promise<{ requests: AccessRequest[]; next: string | undefined }> {
  checkIdCursor(cursor)
  const filters = { state, words: wordsOf(q).slice(0, mostWords), before: cursor, now: timestamp(ctx.now) }
  const rows = await store.listRequests(ctx.db, scopeOf(ctx.actor), { ...filters, limit: limit + 1 })
  const { page, last } = pageOf(rows, limit)
  const requests = await Promise.all(page.map((row) => toRequest(ctx, row)))
  return { requests, next: last?.request_id }
}

const mostWords = 16

/** @throws AppError `access_request_not_found` */
export async function get(ctx: Context, requestId: string): Promise<AccessRequest> {
  const row = isUuid(requestId) ? await store.findShown(ctx.db, scopeOf(ctx.actor), requestId) : undefined
  if (row === undefined || row.state === 'entered' || row.state === 'open') throw unknown()
  return toRequest(ctx, row)
}

function unknown(): AppError {
  return new AppError('access_request_not_found', 'There is no request for access with this id.')
}

/** The only function that decides what may leave. */
async function toRequest(ctx: Pick<Context, 'db' | 'now' | 'actor'>, row: store.ShownRow): Promise<AccessRequest> {
  const { db, now, actor } = ctx
  const { state } = row
  const isOver = state === 'waiting' && row.expires_at <= timestamp(now)
  return {
    request_id: row.request_id,
    state: isOver ? 'expired' : (state as AccessRequest['state']),
    email: row.email,
    first_name: row.first_name,
    last_name: row.last_name,
    locale: row.locale,
    attributes: readValues(row.attributes),
    reason: row.reason,
    created_at: row.created_at,
    expires_at: row.expires_at,
    decided_at: row.decided_at,
    decided_by: await deciderOf(db, scopeOf(actor), row),
    decline_reason: row.decline_reason,
    user_id: await visibleUser(db, scopeOf(actor), row.user_id),
    existing_user_id: state === 'waiting' ? row.existing_user_id : null,
    company: state === 'waiting' ? await companyOf(db, scopeOf(actor), row.email) : null,
  }
}

/** An administrator from outside the organization of the reader is not named. */
async function deciderOf(
  db: Db,
  scope: Scope,
  { decider_kind, decider_id, decider_name }: store.ShownRow,
): Promise<AccessRequest['decided_by']> {
  if (decider_id === null) return null
  const decider = { kind: decider_kind ?? '', id: decider_id, name: decider_name ?? '' }
  if (scope.kind === 'everyone') return decider
  const isOwn =
    decider_kind === 'user'
      ? (await users.findById(db, scope, decider_id)) !== undefined
      : (await findKeyById(db, scope, decider_id)) !== undefined
  return isOwn ? decider : { kind: 'user', id: '', name: outside.administrator }
}

/** The user may have moved since. */
async function visibleUser(db: Db, scope: Scope, userId: string | null): Promise<string | null> {
  if (userId === null || scope.kind === 'everyone') return userId
  return (await users.findById(db, scope, userId)) === undefined ? null : userId
}

async function companyOf(db: Db, scope: Scope, email: string): Promise<string | null> {
  const company = await findCompany(db, email)
  if (company === undefined) return null
  const isOwn = scope.kind === 'everyone' || company.organization_id === scope.organization_id
  return isOwn ? company.name : outside.connection
}

type Decision = DecideAccessRequest & { request_id: string; token_hash: string }
export type Decided = AccessRequest & { invitation?: Omit<Handed, 'user_id'> }

/**
 * Decides a request, once.
 *
 * @throws AppError `access_request_not_found`, `access_request_decided`, and as for the creation of any user
 */
export async function decide(ctx: ChangeContext, { request_id, ...decision }: Decision): Promise<Decided> {
  const row = isUuid(request_id) ? await store.findRequestForChange(ctx.db, scopeOf(ctx.actor), request_id) : undefined
  if (row === undefined || row.state === 'entered' || row.state === 'open') throw unknown()
  if (row.state !== 'waiting') throw decided(row.state)
  if (row.expires_at <= timestamp(ctx.now)) throw decided('expired')
  checkMembers(decision)
  const { decision: _, token_hash, reason = '', ...approval } = decision
  return decision.decision === 'approve'
    ? approve(ctx, row, { ...approval, token_hash })
    : decline(ctx, row, reason.trim())
}

function decided(state: store.StoredState): AppError {
  const detail =
    state === 'expired'
      ? 'This request has expired. The person can ask again.'
      : `This request was ${state} already. Read it again to see by whom.`
  return new AppError('access_request_decided', detail)
}

/** @throws AppError `validation_failed` */
function checkMembers({ decision, reason, token_hash: _, ...approval }: Omit<Decision, 'request_id'>): void {
  if (decision === 'approve' && reason !== undefined) {
    throw validationFailed([memberFault('reason', 'not_together', 'Only for a request that you decline.')])
  }
  const faults = decision === 'approve' ? [] : Object.keys(approval)
  if (faults.length > 0) {
    throw validationFailed(
      faults.map((name) => memberFault(name, 'not_together', 'Only for a request that you approve.')),
    )
  }
  if (reason !== undefined && (hasUnseen(reason) || !reason.isWellFormed())) {
    throw validationFailed([memberFault('reason', 'control_character', unseenRefused)])
  }
}

async function decline(ctx: ChangeContext, row: store.RequestRow, reason: string): Promise<Decided> {
  const next = await writeDecision(ctx, row, { state: 'declined', decline_reason: reason, user_id: null })
  await announce(ctx, 'declined', next)
  if (canReach(ctx, row.email)) {
    const data = { time: timestamp(ctx.now), reason: reason || noReason }
    await queueToAddress(ctx, { kind: 'access_declined', address: row.email, locale: row.locale, data })
  }
  return toRequest(ctx, { ...next, existing_user_id: null })
}

type Approval = Omit<Decision, 'request_id' | 'decision' | 'reason'>

async function approve(
  ctx: ChangeContext,
  row: store.RequestRow,
  { username = row.email, role, groups: wanted = [], attributes = {}, access_expires_at, token_hash }: Approval,
): Promise<Decided> {
  const groupIds = await findGroups(ctx, wanted)
  const { email, first_name, last_name, locale } = row
  const body = {
    username,
    email,
    first_name,
    last_name,
    ...(role !== undefined && { role }),
    ...(locale && { locale }),
    ...(access_expires_at !== undefined && { expires_at: access_expires_at }),
  }
  const values = { ...readValues(row.attributes), ...attributes }
  // The link of the message was sent to the address.
  const input = { ...checkUserInput({ ...body, attributes: values }, ctx.rules.roles), email_verified: 1 }
  // The creation and each membership have records of their own.
  const beside = { ...ctx, record: (entry: AuditEntry) => ctx.recordFor(ctx, entry) }
  const company = await findCompany(ctx.db, email)
  const { user_id, invitation } = company
    ? { ...(await users.create(beside, input)), invitation: undefined }
    : await createInvited(beside, { input, token_hash })
  for (const group_id of groupIds) await groups.setMember(beside, { group_id, user_id, member: true })
  const next = await writeDecision(ctx, row, { state: 'approved', decline_reason: null, user_id })
  await announce(ctx, 'approved', next, { role: role ?? 'user', ...(groupIds.length > 0 && { groups: groupIds }) })
  if (company && canReach(ctx, email)) {
    const data = { connection: company.name }
    await queueToAddress(ctx, { kind: 'access_company', address: email, locale, data })
  }
  return { ...(await toRequest(ctx, { ...next, existing_user_id: null })), ...(invitation && { invitation }) }
}

/** The groups, each by its id or its name. @throws AppError `group_not_found` */
export async function findGroups(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  wanted: readonly string[],
): Promise<string[]> {
  const ids: string[] = []
  for (const one of wanted) {
    const [found] = isUuid(one)
      ? [await groups.findGroup(db, scopeOf(actor), one.toLowerCase())]
      : await groups.findGroupsByNames(db, scopeOf(actor), nameKeys(one), [])
    if (found === undefined) throw new AppError('group_not_found', 'One of the groups does not exist.')
    ids.push(found.group_id)
  }
  // In one order for all changes, which hold them.
  return [...new Set(ids)].toSorted()
}

function nameKeys(name: string): string[] {
  try {
    return [groupNameKey(name)]
  } catch (error) {
    if (error instanceof PrecisError) return []
    throw error
  }
}

async function writeDecision(
  ctx: ChangeContext,
  row: store.RequestRow,
  outcome: Pick<store.RequestRow, 'state' | 'decline_reason' | 'user_id'>,
): Promise<store.RequestRow> {
  const { kind, id, name } = ctx.actor
  const decider = { decided_at: timestamp(ctx.now), decider_kind: kind, decider_id: id, decider_name: name }
  const next = { ...row, ...outcome, ...decider, delete_at: timestamp(ctx.now + keptMs) }
  await store.updateRequest(ctx.db, next)
  return next
}
