/**
 * The rules of users: who may change whom, what must stay unique, that an administrator remains.
 * Leaves the form of the input to input.ts, rows to rows.ts and write.ts, hashes to ../passwords, lists to ../users-list. Each change runs in a transaction.
 */

import { AppError } from '../../core/errors.ts'
import { type ExpectedVersion, refuseUnexpected } from '../../core/expected-version.ts'
import type { Rules } from '../../core/rules.ts'
import { refuseNamedOrganization, type Scope, scopeOf, withinOrganization } from '../../core/scope.ts'
import { emailKey } from '../../lib/email-form.ts'
import { timestamp } from '../../lib/instant.ts'
import { PrecisError, usernameKey } from '../../lib/precis.ts'
import { spellingsOf, trimEnds } from '../../lib/typed-name.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import { hasColumn } from '../../store/db/catalog.ts'
import type { Db } from '../../store/db/db.ts'
import {
  attributeTexts,
  holdDefinitions,
  readValues,
  refuseMissing,
  stillGood,
  storedValues,
} from '../attributes/service.ts'
import * as links from '../links/service.ts'
import { findOrganization } from '../organizations/service.ts'
import { findManager } from '../provisioning/service.ts'
import type { Places } from '../search/service.ts'
import { hasAccess } from './access-state.ts'
import type { UserInput } from './input.ts'
import { emitUser, userTarget } from './journal.ts'
import { findWithRoleAlone, refuseLosingLastAdmin } from './last-admin.ts'
import { refuseManaged } from './managed.ts'
import { afterMove, type Move } from './moving.ts'
import { type ConfusableName, confusableNames, lockedNames, nameTaken } from './names.ts'
import { type AccountPart, changedParts, refuseOwnAccount } from './own-account.ts'
import { isPasswordRefused, passwordRefused } from './passwordless/passwordless.ts'
import {
  administeringRoles,
  isPowerful,
  refuseOutranked,
  refuseUngrantableRole,
  rolesAdministeringOrganizations,
} from './rights.ts'
import { type Brought, changedRow, changeOf, creation, isMoved, newRow, withDocument } from './rows.ts'
import { isServiceAccount } from './service-accounts.ts'
import * as store from './store.ts'
import { insert, write } from './write.ts'

/** A user as the API shows it: its JSON, and the version that its ETag is made of. */
export type UserDocument = { user_id: string; document: string; version: number }

/** `move`: what a move to another organization removed. */
export type UpdatedUser = UserDocument & { move?: Move }

/** The members users may change about themselves. */
export type OwnInput = Pick<
  UserInput,
  | 'first_name'
  | 'last_name'
  | 'email'
  | 'email_key'
  | 'locale'
  | 'password_hash'
  | 'must_change_password'
  | 'attributes'
>

/** The changes that a link permits. */
export type LinkInput = Pick<UserInput, 'password_hash' | 'email' | 'email_key' | 'email_verified' | 'invited'>

export async function get(ctx: Context, userId: string): Promise<UserDocument> {
  const found = isUuid(userId) ? await store.findDocument(ctx.db, scopeOf(ctx.actor), userId) : undefined
  if (found === undefined) throw unknownUser()
  return { user_id: userId, document: found.document, version: found.version }
}

/**
 * @param brought its `user_id`, if the caller has promised one to others already; `isVouched` for a user whom a provider vouches
 *   for, who needs the required attributes as any other
 */
export async function create(
  ctx: ChangeContext,
  sent: UserInput,
  { isVouched = false, ...imported }: Pick<Brought, 'user_id'> & { isVouched?: boolean } = {},
): Promise<UserDocument> {
  const input = withinOrganization(ctx.actor, sent)
  // The organization is held, which no shared transaction does.
  if (input.organization_id) ctx.db.shared?.rerunAlone()
  refuseUngrantableRole(ctx, input.role ?? 'user')
  const held = holdDefinitions(ctx.db)
  const { username_key = '', email_key = null } = input
  const free = refuseConfusableNames(ctx, { user_id: imported.user_id ?? '', username_key, email_key })
  free.catch(() => {}) // Awaited below; it is asked together with the definitions.
  const definitions = await held
  // The first administrator, and one who is let back in on the host, whatever the definitions require.
  const isLenient = ctx.actor.kind === 'system' && !isVouched
  const row = newRow({ ...ctx, definitions, isLenient }, input, imported)
  await free
  await insert(ctx, row, { type: 'user.created', isMade: imported.user_id === undefined })
  ctx.record(creation(row))
  return toDocument(row)
}

/**
 * @throws AppError `user_not_found`, `precondition_failed`, `user_outranks_caller`, `role_not_grantable`, `last_admin`,
 *   `username_taken`, `email_taken`, `external_id_taken`, `managed_elsewhere`
 */
export async function update(ctx: ChangeContext, { user_id, input, expected, ...how }: Update): Promise<UpdatedUser> {
  const found = await getForChange(ctx, user_id, { expected, part: 'row', find: store.findUserForChange })
  refuseNamedOrganization(ctx.actor, input)
  return change(ctx, found, input, { ...how, isByOthers: true })
}

type Update = { user_id: string; input: UserInput; expected: ExpectedVersion } & {
  /** The names of what the caller changes beside the row: also a new version of the user. */
  beside?: readonly string[]
  /** Also what an identity provider manages. */
  override?: boolean
  /** The company has changed the address: the former one may be another person's by now. */
  renewsAddress?: boolean
  /** Why the change is made, for the audit record. */
  details?: Readonly<Record<string, string>>
}

type OwnChange = {
  user_id: string
  input: OwnInput
  expected: ExpectedVersion
  /** Where the current password confirms the change: the hash it was verified against, which must still be the user's. */
  verified_hash?: string
  /** What the caller requested besides the change, for the audit record. */
  details?: Readonly<Record<string, string>>
}

/**
 * Changes what users may change of themselves. The caller is the user, so rank does not matter.
 *
 * @throws AppError `current_password_wrong`, `email_taken`, and as for any change
 */
export async function updateOwn(
  ctx: ChangeContext,
  { user_id, input, expected, verified_hash, details: own }: OwnChange,
): Promise<UserDocument> {
  const found = await getUnchanged(ctx, user_id, expected, store.findUserForChange)
  if (verified_hash !== undefined && found.password_hash !== verified_hash) {
    throw new AppError('current_password_wrong', 'The password has just been changed. Sign in again.')
  }
  return change(ctx, found, input, own === undefined ? {} : { details: own })
}

/**
 * Changes what the holder of a link may change: they have proved to be the user, or to have the user's mailbox. An identity
 * provider may manage the user by now.
 *
 * @throws AppError `user_not_found`, `email_taken`, `managed_elsewhere`
 */
export async function updateByLink(
  ctx: ChangeContext,
  { user_id, input }: { user_id: string; input: LinkInput },
): Promise<UserDocument> {
  const found = await getUnchanged(ctx, user_id, undefined, store.findUserForChange)
  return change(ctx, found, input)
}

type How = Pick<Update, 'beside' | 'override' | 'renewsAddress' | 'details'> & {
  /** Not by the user, but by an administrator or a program: what they may not do to themselves is refused. */
  isByOthers?: boolean
}

async function change(
  ctx: ChangeContext,
  found: store.UserRow,
  input: UserInput,
  { beside = [], override, renewsAddress = false, details: reasons, isByOthers = false }: How = {},
): Promise<UpdatedUser> {
  const definitions = input.attributes === undefined ? new Map() : await holdDefinitions(ctx.db)
  const next = changedRow({ now: ctx.now, definitions }, found, input, beside.length > 0)
  if (isByOthers) refuseOwnAccount(ctx, found.user_id, changedParts(found, next))
  await refuseManaged(ctx, { found, next, find: findManager(ctx.db), override, beside })
  if (next.role !== found.role) refuseUngrantableRole(ctx, next.role)
  if (isByOthers && next.password_hash !== found.password_hash) await refuseUselessPassword(ctx, next)
  const isLess = next.active === 0 || next.role !== found.role || next.access_ends_at !== found.access_ends_at
  if (isLess || isMoved(found, next)) {
    const standing = await afterMove(ctx.db, found, next)
    await refuseLosingLastAdmin(ctx, { found, next: standing, find: findWithRoleAlone(ctx.db) })
  }
  const details = { ...reasons, ...(beside.length > 0 && { scim: beside.join(', ') }), ...(override && { override }) }
  ctx.record({ ...changeOf(found, next), ...(Object.keys(details).length > 0 && { details }) })
  if (next.version === found.version) return toDocument(found)
  if (next.username_key !== found.username_key || next.email_key !== found.email_key) {
    await refuseConfusableNames(ctx, next)
  }
  const move = await write(ctx, found, next, { renewsAddress })
  return { ...toDocument(next), ...(move && { move }) }
}

/**
 * An identity provider sends passwords to all its applications, and Rollbook itself lets an administrator back in.
 *
 * @throws AppError `password_refused`
 */
async function refuseUselessPassword({ actor, db }: ChangeContext, row: store.UserRow): Promise<void> {
  if (row.password_hash === null || actor.kind === 'system' || actor.connection !== undefined) return
  if (await isPasswordRefused(db, row)) throw passwordRefused()
}

/**
 * Records the time of a successful sign-in. Returns its user.
 *
 * @throws AppError `sign_in_failed` when the user is gone, disabled or expired, a service account, or has another password by now
 */
export async function recordSignIn(
  ctx: ChangeContext,
  input: { user_id: string; verified_hash?: string; credentials_version: number; password_hash?: string },
): Promise<store.UserRow> {
  const found = await store.findUserForChange(ctx.db, scopeOf(ctx.actor), input.user_id)
  if (found === undefined || !hasAccess(found, ctx) || isServiceAccount(found)) throw signInFailed()
  if (!hasSameCredentials(found, input)) throw signInFailed()
  const password_hash = input.password_hash ?? found.password_hash
  // A sign-in by any way accepts an invitation.
  const seen = { last_login_at: timestamp(ctx.now), invited: 0, version: found.version + 1 }
  const next = { ...found, ...seen, password_hash }
  const row = withDocument(next)
  await store.updateUser(ctx.db, found, row)
  await links.end(ctx, row.user_id, 'signed_in', ['invitation', 'password_reset'])
  emitUser(ctx, 'user.signed_in', row)
  ctx.announce({ kind: 'users_changed' })
  return row
}

/** Whether the user still has the credentials that were checked. */
export function hasSameCredentials(
  found: Pick<store.UserRow, 'password_hash' | 'credentials_version'>,
  verified: { verified_hash?: string; credentials_version: number },
): boolean {
  // With the same version it is another hash of the same password, which a concurrent sign-in has stored.
  return found.password_hash === verified.verified_hash || found.credentials_version === verified.credentials_version
}

/** The connection that managed a user before the deletion, if there is still one. */
async function stillManaging({ db }: ChangeContext, { managed_by }: store.UserRow): Promise<string | null> {
  const connection = managed_by === null ? undefined : await findManager(db)(managed_by)
  return connection === undefined ? null : managed_by
}

/** The organization to which a user belonged before the deletion, if there is still one. */
async function stillBelonging({ db }: ChangeContext, { organization_id }: store.UserRow): Promise<string | null> {
  if (organization_id === null || (await findOrganization(db, organization_id)) === undefined) return null
  return organization_id
}

/** One message for all reasons: a caller must not learn which names exist. */
export function signInFailed(): AppError {
  return new AppError('sign_in_failed', 'The username or password is wrong, or this user may not sign in.')
}

/** Includes the password hash, for verification only. */
export function findById(db: Db, scope: Scope, userId: string): Promise<store.UserRow | undefined> {
  return store.findUserById(db, scope, userId)
}

/** The row, held until this change ends. */
export function findRowForChange(db: Db, scope: Scope, userId: string): Promise<store.UserRow | undefined> {
  return store.findUserForChange(db, scope, userId)
}

/** The user who goes by this username or e-mail address. */
export async function findForSignIn(db: Db, name: string): Promise<store.UserRow | undefined> {
  const keys = keysOf(name)
  return keys && store.findUserByName(db, keys)
}

/**
 * The user whom a person names who types or pastes: without blanks at the ends, and with whichever apostrophe or dash the keyboard has.
 * Only for names that people type: an address that a provider asserts is another person's if one character differs.
 */
export async function findByTypedName(db: Db, typed: string): Promise<store.UserRow | undefined> {
  const name = trimEnds(typed)
  const found = await findForSignIn(db, name)
  if (found !== undefined) return found
  const keys = spellingsOf(name.normalize('NFKC')).flatMap((one) => keysOf(one) ?? [])
  const others = keys.length === 0 ? [] : await store.listUsersByNames(db, keys)
  return others.length === 1 ? others[0] : undefined
}

/** The same for the host's commands, which may find the store as an earlier release has left it. */
export async function findStanding(db: Db, name: string): Promise<store.Standing | undefined> {
  const keys = keysOf(trimEnds(name))
  return keys && store.findStandingByName(db, keys, { hasGroups: await hasColumn(db, 'users', 'group_roles') })
}

function keysOf(name: string): { username_key: string; email_key: string } | undefined {
  // No user's name has such characters, and PostgreSQL takes none of them.
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) return undefined
  return { username_key: nameKey(name), email_key: emailKey(name) }
}

/** A text that can be no username may still be an e-mail address. */
function nameKey(name: string): string {
  try {
    return usernameKey(name)
  } catch (error) {
    if (error instanceof PrecisError) return name
    throw error
  }
}

/**
 * The user, held until this change ends, if the caller may delete them.
 *
 * @throws AppError `user_not_found`, `precondition_failed`, `user_outranks_caller`, `last_admin`, `managed_elsewhere`
 */
export async function getForRemoval(
  ctx: ChangeContext,
  userId: string,
  { expected, override }: { expected: ExpectedVersion; override?: boolean | undefined },
): Promise<store.UserRow> {
  const found = await getForChange(ctx, userId, { expected, part: 'deletion', find: store.findUserForChange })
  await refuseManagedAccount(ctx, found, { part: 'active', override })
  await refuseLosingLastAdmin(ctx, { found, next: undefined, find: findWithRoleAlone(ctx.db) })
  return found
}

/**
 * Puts a deleted user back as they were, under another version: what was issued to them, or read of them, is of before. The
 * caller has checked that this is allowed, and puts them back into their groups.
 *
 * @throws AppError `username_taken`, `email_taken`, `external_id_taken`, `validation_failed` if the user has no value of a
 *   required attribute
 */
export async function restore(ctx: ChangeContext, found: store.UserRow, places?: Places): Promise<UserDocument> {
  const { version, credentials_version } = found
  const managed_by = await stillManaging(ctx, found)
  const organization_id = await stillBelonging(ctx, found)
  const definitions = await holdDefinitions(ctx.db)
  const values = stillGood(definitions, readValues(found.attributes))
  refuseMissing(definitions, values)
  const attributes = storedValues(values)
  const next = {
    ...found,
    version: version + 1,
    credentials_version: credentials_version + 1,
    group_roles: '',
    ending_roles: '',
    managed_by,
    organization_id,
    attributes,
    invited: 0,
    // The time in which they were deleted is not inactivity.
    enabled_at: timestamp(ctx.now),
  }
  const row = withDocument(next, attributeTexts(definitions, values))
  await refuseConfusableNames(ctx, row)
  await insert(ctx, row, { type: 'user.restored', isMade: false, places })
  ctx.record({ action: 'user.restored', target: userTarget(row) })
  return toDocument(row)
}

/**
 * The user as it stands, if this caller may change it. The change itself asks again, in its transaction; asked before,
 * it spares the cost of a password that will not be set, and tells a stranger nothing about the user.
 *
 * @param part what of the account the caller is about to change
 * @throws AppError `user_not_found`, `precondition_failed`, `user_outranks_caller`, `user_required`, `own_account`
 */
export async function getForChange(
  ctx: Context,
  userId: string,
  { expected, part, find = store.findUserById }: ForChange,
): Promise<store.UserRow> {
  const found = await getUnchanged(ctx, userId, expected, find)
  refuseOutranked(ctx, found)
  refuseOwnAccount(ctx, found.user_id, [part])
  return found
}

/** Whether enabling this user, or a later end date, returns power. */
export async function isPowerfulIfEnabled(ctx: Context, userId: string): Promise<boolean> {
  const found = isUuid(userId) ? await store.findUserById(ctx.db, scopeOf(ctx.actor), userId) : undefined
  if (found === undefined || hasAccess(found, ctx)) return false
  return isPowerful(ctx, { role: found.role, groups: await store.findGivers(ctx.db, userId) })
}

type ForChange = { expected?: ExpectedVersion; part: AccountPart; find?: typeof store.findUserById }

/** Marks a user as invited, or as no longer invited. The caller holds the row, and writes the record. */
export async function setInvited(ctx: ChangeContext, found: store.UserRow, invited: boolean): Promise<void> {
  const next = changedRow(ctx, found, { invited: Number(invited) })
  if (next.version !== found.version) await write(ctx, found, next)
}

/** The user, held until this change ends, if the caller may change them. @throws AppError as above */
export async function holdForChange(ctx: ChangeContext, userId: string): Promise<UserDocument> {
  return toDocument(await holdRowForChange(ctx, userId, 'row'))
}

/** For a change that is not of the row; the caller holds the user. @throws AppError `managed_elsewhere` */
export function refuseManagedAccount(
  ctx: ChangeContext,
  found: store.UserRow,
  { part, override }: { part: 'active' | 'invitation'; override?: boolean | undefined },
): Promise<void> {
  return refuseManaged(ctx, { found, next: found, find: findManager(ctx.db), override, beside: [part] })
}

/** For an address that the user has yet to confirm: the row changes only then. @throws AppError `managed_elsewhere` */
export function refuseManagedEmail(ctx: ChangeContext, found: store.UserRow, email: string): Promise<void> {
  return refuseManaged(ctx, { found, next: { ...found, email }, find: findManager(ctx.db) })
}

/** Like `holdForChange`; returns the row. */
export function holdRowForChange(ctx: ChangeContext, userId: string, part: AccountPart): Promise<store.UserRow> {
  return getForChange(ctx, userId, { part, find: store.findUserForChange })
}

/** The user's own row, held until this change ends: for changes of what the user signs in with. */
export function holdOwnRow(ctx: ChangeContext, userId: string): Promise<store.UserRow> {
  return getUnchanged(ctx, userId, undefined, store.findUserForChange)
}

async function getUnchanged(
  ctx: Context,
  userId: string,
  expected: ExpectedVersion,
  find: (db: Db, scope: Scope, userId: string) => Promise<store.UserRow | undefined>,
): Promise<store.UserRow> {
  const found = isUuid(userId) ? await find(ctx.db, scopeOf(ctx.actor), userId) : undefined
  if (found === undefined) throw unknownUser()
  refuseUnexpected('user', found, expected)
  return found
}

function unknownUser(): AppError {
  return new AppError('user_not_found', 'There is no user with this id.')
}

/** Whether some active user holds everything: by default one without an end date. */
export async function hasActiveAdministrator(
  ctx: Pick<Context, 'db'> & { rules: Pick<Rules, 'roles'> },
  which?: store.WithRole,
): Promise<boolean> {
  return (await store.findSomeWithRole(ctx.db, administeringRoles(ctx), 1, which)).length > 0
}

/** Whether some active user without an end date can administer this organization. */
export async function hasOrganizationAdministrator(
  ctx: Pick<Context, 'db'> & { rules: Pick<Rules, 'roles'> },
  organizationId: string,
): Promise<boolean> {
  const roles = rolesAdministeringOrganizations(ctx)
  return (await store.findSomeWithRole(ctx.db, roles, 1, { within: organizationId })).length > 0
}

/** Whether there is any user at all. */
export function areThereAny({ db }: Pick<Context, 'db'>): Promise<boolean> {
  return store.hasUsers(db)
}

type Named = Pick<store.UserRow, 'user_id' | 'username_key' | 'email_key'>

/** @throws AppError `username_taken`, `email_taken` */
async function refuseConfusableNames(ctx: ChangeContext, row: Named): Promise<void> {
  const locks = lockedNames([row.username_key, row.email_key])
  if (locks.length === 0) return
  // Sent together: a connection runs its statements in turn, so the looks come when the lock is held.
  const lookups = [ctx.db.lock(locks)]
  for (const rule of confusableNames) {
    const name = row[rule.own]
    if (name?.includes('@')) lookups.push(refuseConfusable(ctx, rule, name, row.user_id))
  }
  for (const end of await Promise.allSettled(lookups)) if (end.status === 'rejected') throw end.reason
}

async function refuseConfusable(ctx: ChangeContext, rule: ConfusableName, name: string, userId: string): Promise<void> {
  if (await store.isConfusable(ctx.db, rule, name, userId)) throw nameTaken(rule)
}

/** The row itself, with its hash, stays in the transaction. */
function toDocument({ user_id, document, version }: store.UserRow): UserDocument {
  return { user_id, document, version }
}
