/**
 * Setup links: with one, the IT administrator of a customer proves domains and sets up sign-in and provisioning without an account. What the
 * holder does is done by an actor who is limited to the organization and to the features of the link, so the rules of all others apply.
 */
import type { Actor } from '../../core/actor.ts'
import { AppError, type InputFault, memberFault, validationFailed } from '../../core/errors.ts'
import { formatPermission, type ScopablePermission } from '../../core/permissions.ts'
import { holds } from '../../core/rules.ts'
import { limitedBy } from '../../core/scope.ts'
import { emailKey, isEmail } from '../../lib/email-form.ts'
import { timestamp } from '../../lib/instant.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import {
  cancelMails,
  canReach,
  deleteTokensOf,
  findToken,
  insertToken,
  queueToAddress,
  refuseTooMany,
  refuseWithoutMail,
  tokenHashOf,
  unsendable,
} from '../../record/mails/service.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import type { Target } from '../../store/journal-entry.ts'
import type { Erased } from '../../store/mentions.ts'
import { unknownOrganization } from './input.ts'
import { emitSetupLink } from './journal.ts'
import type { CreateSetupLink, SetupFeature, SetupLink } from './setup-link-schema.ts'
import type { SetupLinkRow } from './setup-links-store.ts'
import * as store from './setup-links-store.ts'
import { findOrganization, findOrganizationForMember, type OrganizationRow } from './store.ts'

const dayMs = 86_400_000
const [defaultMs, longestMs] = [7 * dayMs, 30 * dayMs]
/** How long the page of an old link can say why it no longer works. */
const keptMs = 30 * dayMs
const deletedAtOnce = 1000
/** A page shows several files at once, and people load it again: the use of a link is noted once a minute. */
const useMs = 60_000
/** All of them are listed. */
const mostLive = 20

/** What a feature lets its holder do, and what who makes such a link must be able to do. */
const permissionOf = {
  domains: 'connections:write',
  connection: 'connections:write',
  provisioning: 'provisioning:write',
} as const satisfies Record<SetupFeature, ScopablePermission>

/** What the actor of a link holds, always limited to its organization. The address of a new SCIM key needs `scim:write`. */
const heldBy: Readonly<Record<SetupFeature, readonly ScopablePermission[]>> = {
  domains: [],
  connection: ['connections:read', 'connections:write'],
  provisioning: ['provisioning:read', 'provisioning:write', 'scim:write'],
}

type Caller = Pick<Context, 'actor'>

/** Who makes a link must be able to do all that it can do. @throws AppError `permission_denied`, `organization_not_found` */
export function refuseUnlessMayMake(
  { actor }: Caller,
  organizationId: string,
  features: readonly SetupFeature[],
): void {
  refuseElsewhere(
    features.reduce((caller, feature) => limitedBy(caller, permissionOf[feature]), actor),
    organizationId,
  )
}

/** Who holds one of the permissions sees, or ends, every link of an organization. @throws AppError `permission_denied`, `organization_not_found` */
function refuseWithoutAny({ actor }: Caller, organizationId: string, permissions: readonly ScopablePermission[]): void {
  if (permissions.some((permission) => holds(actor.permissions, permission))) return
  const limited = permissions.find((word) => holds(actor.permissions, formatPermission({ word, isLimited: true })))
  if (limited === undefined) {
    throw new AppError('permission_denied', `You need one of the permissions ${permissions.join(' and ')}.`)
  }
  refuseElsewhere(limitedBy(actor, limited), organizationId)
}

/** What is out of scope does not exist. */
function refuseElsewhere({ limitedTo }: Actor, organizationId: string): void {
  if (limitedTo !== undefined && limitedTo !== organizationId) throw unknownOrganization()
}

/** @throws AppError `permission_denied`, `organization_not_found` */
export async function list(ctx: Context, organizationId: string): Promise<SetupLink[]> {
  refuseWithoutAny(ctx, organizationId, ['connections:read', 'provisioning:read'])
  if ((await findOrganization(ctx.db, organizationId)) === undefined) throw unknownOrganization()
  const rows = await store.listSetupLinks(ctx.db, organizationId)
  return rows.map((row) => toSetupLink(row, ctx.now))
}

type Creation = { organization_id: string; body: CreateSetupLink; token_hash: string }

/**
 * @throws AppError `permission_denied`, `organization_not_found`, `validation_failed`, `too_many_setup_links`, `mail_not_configured`,
 *   `mail_address_unsupported`, `too_many_mails`
 */
export async function create(
  ctx: ChangeContext,
  { organization_id, body, token_hash }: Creation,
): Promise<{ link: SetupLink; sent: boolean }> {
  refuseUnlessMayMake(ctx, organization_id, body.features)
  const organization = await findOrganizationForMember(ctx.db, organization_id)
  if (organization === undefined) throw unknownOrganization()
  const { expires_at, email } = checkInput(ctx, body)
  const now = timestamp(ctx.now)
  await ctx.db.lock([`setup links ${organization_id}`])
  if ((await store.countLiveSetupLinks(ctx.db, organization_id, now)) >= mostLive) {
    const detail = `An organization can have ${mostLive} setup links that work. Revoke one first.`
    throw new AppError('too_many_setup_links', detail)
  }
  const { kind, id, name } = ctx.actor
  const row: SetupLinkRow = {
    setup_link_id: ctx.newId(),
    organization_id,
    features: JSON.stringify(body.features),
    email,
    email_key: email === null ? null : emailKey(email),
    locale: body.locale ?? null,
    creator_kind: kind,
    creator_id: id,
    creator_name: name,
    created_at: now,
    expires_at,
    last_used_at: null,
    revoked_at: null,
  }
  await store.insertSetupLink(ctx.db, row)
  await insertToken(ctx.db, { token_hash, link_id: row.setup_link_id, mailed: 0 })
  if (email !== null) await send(ctx, row, organization, email)
  const details = { features: body.features, expires_at, ...(email !== null && { email }) }
  const link = toSetupLink(row, ctx.now)
  emitSetupLink(ctx, 'setup_link.created', link)
  ctx.record({ action: 'setup_link.created', target: setupLinkTarget(row, organization), details })
  return { link, sent: email !== null }
}

function checkInput(
  { now, rules }: ChangeContext,
  { expires_at, email: typed }: CreateSetupLink,
): { expires_at: string; email: string | null } {
  const faults: InputFault[] = []
  const endsAt = expires_at === undefined ? now + defaultMs : Date.parse(expires_at)
  if (endsAt <= now) faults.push(memberFault('expires_at', 'not_in_future', 'expires_at must be in the future.'))
  if (endsAt > now + longestMs) {
    faults.push(memberFault('expires_at', 'out_of_range', 'A setup link works for at most 30 days.'))
  }
  const email = typed?.trim() ?? null
  if (email !== null && !isEmail(email)) {
    faults.push(memberFault('email', 'email_invalid', 'This is not a valid email address.'))
  }
  if (faults.length > 0) throw validationFailed(faults)
  if (email !== null) {
    refuseWithoutMail({ rules })
    if (!canReach({ rules }, email)) throw unsendable('email')
  }
  return { expires_at: timestamp(endsAt), email }
}

/** @throws AppError `too_many_mails` */
async function send(
  ctx: ChangeContext,
  { setup_link_id, locale, expires_at, email_key }: SetupLinkRow,
  { name }: OrganizationRow,
  address: string,
): Promise<void> {
  await refuseTooMany(ctx, email_key ?? address, { kind: 'setup_link' })
  const link = { link_id: setup_link_id, expires_at }
  await queueToAddress(ctx, { kind: 'setup_link', address, locale, data: { organization: name }, link })
}

/**
 * Ends a link at once, on every node: each request with it reads its row.
 *
 * @throws AppError `permission_denied`, `organization_not_found`, `setup_link_not_found`
 */
export async function revoke(
  ctx: ChangeContext,
  { organization_id, setup_link_id }: { organization_id: string; setup_link_id: string },
): Promise<{ setup_link_id: string }> {
  refuseWithoutAny(ctx, organization_id, ['connections:write', 'provisioning:write'])
  const organization = await findOrganizationForMember(ctx.db, organization_id)
  if (organization === undefined) throw unknownOrganization()
  const found = isUuid(setup_link_id) ? await store.findSetupLinkForChange(ctx.db, setup_link_id) : undefined
  if (found?.organization_id !== organization_id) {
    throw new AppError('setup_link_not_found', 'The organization has no setup link with this id.')
  }
  const now = timestamp(ctx.now)
  await store.setRevoked(ctx.db, setup_link_id, now)
  await cancelMails(ctx.db, [setup_link_id], now)
  if (found.revoked_at === null) emitSetupLink(ctx, 'setup_link.revoked', toSetupLink(found, ctx.now))
  ctx.record({ action: 'setup_link.revoked', target: setupLinkTarget(found, organization) })
  return { setup_link_id }
}

function setupLinkTarget({ setup_link_id }: SetupLinkRow, { organization_id, name }: OrganizationRow): Target {
  return { kind: 'setup_link', id: setup_link_id, name, organization_id }
}

/** The only function that decides what may leave. */
function toSetupLink(row: SetupLinkRow, now: number): SetupLink {
  return {
    setup_link_id: row.setup_link_id,
    organization_id: row.organization_id,
    features: featuresOf(row),
    state: stateOf(row, now),
    email: row.email,
    expires_at: row.expires_at,
    created_at: row.created_at,
    created_by: { kind: row.creator_kind, id: row.creator_id, name: row.creator_name },
    last_used_at: row.last_used_at,
  }
}

function featuresOf({ features }: Pick<SetupLinkRow, 'features'>): SetupFeature[] {
  return JSON.parse(features) as SetupFeature[]
}

function stateOf({ revoked_at, expires_at }: SetupLinkRow, now: number): SetupLink['state'] {
  if (revoked_at !== null) return 'revoked'
  return expires_at > timestamp(now) ? 'active' : 'expired'
}

/** A link that works, with the actor of everything that is done with it. */
export type OpenSetupLink = {
  setup_link_id: string
  features: readonly SetupFeature[]
  locale: string | null
  expires_at: string
  organization: { organization_id: string; name: string }
  actor: Actor
}

/** `closed`: its organization is disabled. Of an unknown link there is no organization. */
export type ClosedSetupLink = {
  reason: 'unknown' | 'expired' | 'revoked' | 'closed'
  locale: string | null
  organization?: OpenSetupLink['organization']
}

/** The link behind a token, or why it does not work. Asks the store each time, so that an ended link is refused everywhere at once. */
export async function openSetupLink(
  { db, now }: Pick<Context, 'db' | 'now'>,
  token: string,
): Promise<OpenSetupLink | ClosedSetupLink> {
  const found = await findToken(db, tokenHashOf(token))
  const row = found && (await store.findSetupLink(db, found.link_id))
  const organization = row && (await findOrganization(db, row.organization_id))
  if (row === undefined || organization === undefined) return { reason: 'unknown', locale: null }
  const { setup_link_id, locale, expires_at } = row
  const { organization_id, name } = organization
  const own = { organization_id, name }
  const state = stateOf(row, now)
  if (state !== 'active') return { reason: state, locale, organization: own }
  if (organization.active === 0) return { reason: 'closed', locale, organization: own }
  return {
    setup_link_id,
    features: featuresOf(row),
    locale,
    expires_at,
    organization: own,
    actor: actorOf(row, own),
  }
}

/** Who acts through a link. The name is what audit shows: nobody knows who holds the link. */
function actorOf(row: SetupLinkRow, organization: { organization_id: string; name: string }): Actor {
  const words = featuresOf(row).flatMap((feature) => heldBy[feature])
  return {
    kind: 'setup_link',
    id: row.setup_link_id,
    name: setupLinkActorName,
    permissions: words.map((word) => formatPermission({ word, isLimited: true })),
    limitedTo: organization.organization_id,
    organization,
  }
}

export const setupLinkActorName = 'IT administrator by setup link'

/** Whether its use should be noted, because it was not in the last minute. */
export async function isUseDue({ db, now }: Pick<Context, 'db' | 'now'>, setupLinkId: string): Promise<boolean> {
  const row = await store.findSetupLink(db, setupLinkId)
  return row !== undefined && (row.last_used_at === null || Date.parse(row.last_used_at) <= now - useMs)
}

export async function noteUse(ctx: ChangeContext, { setup_link_id }: { setup_link_id: string }): Promise<null> {
  await store.setUsed(ctx.db, setup_link_id, timestamp(ctx.now))
  return null
}

/** Deletes the links of an organization that is deleted. */
export async function deleteSetupLinksOf(ctx: ChangeContext, organizationId: string): Promise<void> {
  await remove(ctx, await store.listSetupLinkIdsOf(ctx.db, organizationId))
}

/** Deletes some of what expired long ago. Returns whether there may be more. */
export async function prune(ctx: ChangeContext): Promise<boolean> {
  const old = await store.listExpiredSetupLinks(ctx.db, timestamp(ctx.now - keptMs), deletedAtOnce)
  await remove(ctx, old)
  return old.length === deletedAtOnce
}

async function remove(ctx: ChangeContext, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await cancelMails(ctx.db, ids, timestamp(ctx.now))
  await deleteTokensOf(ctx.db, ids)
  await store.deleteSetupLinks(ctx.db, ids)
}

/** For a restored store: links that were handed out end. Returns how many. */
export function endSetupLinks(ctx: ChangeContext): Promise<number> {
  return store.revokeAllSetupLinks(ctx.db, timestamp(ctx.now))
}

/** Deletes what is kept of a user who is erased. */
export async function eraseInSetupLinks(ctx: ChangeContext, { user_id, email, aliases = [] }: Erased): Promise<void> {
  const addresses = [email, ...aliases].filter((one): one is string => typeof one === 'string' && one.includes('@'))
  await store.forgetInSetupLinks(ctx.db, { user_id, email_keys: addresses.map(emailKey) })
}

/** Whether there is anything to delete, without a transaction. */
export async function hasOldSetupLinks(db: Db, now: number): Promise<boolean> {
  return (await store.listExpiredSetupLinks(db, timestamp(now - keptMs), 1)).length > 0
}
