/**
 * The rules of users: who may change whom, what must stay unique, that an administrator remains.
 * Leaves the form of the input to input.ts, passwords to passwords/, lists to list.ts. Each change runs in a transaction.
 */

import { AppError } from '../../core/errors.ts'
import { type ExpectedVersion, isExpected } from '../../core/expected-version.ts'
import { timestamp } from '../../lib/instant.ts'
import { PrecisError, usernameKey } from '../../lib/precis.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import type { ChangeContext, Context, Rules } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import { emailKey, type UserInput } from './input.ts'
import { emitUser, userTarget } from './journal.ts'
import { findWithRoleAlone, refuseLosingLastAdmin } from './last-admin.ts'
import { confusableNames, lockedNames, nameTaken } from './names.ts'
import { administeringRoles, refuseOutranked, refuseUngrantableRole } from './rights.ts'
import { changedRow, changeOf, creation, newRow, withDocument } from './rows.ts'
import * as store from './store.ts'
import { insert, write } from './write.ts'

/** A user as the API shows it: its JSON, and the version that its ETag is made of. */
export type UserDocument = { user_id: string; document: string; version: number }

/** What people may say of themselves. */
export type OwnInput = Pick<
  UserInput,
  'first_name' | 'last_name' | 'email' | 'email_key' | 'password_hash' | 'must_change_password'
>

export async function get(ctx: Context, userId: string): Promise<UserDocument> {
  const found = isUuid(userId) ? await store.findDocument(ctx.db, userId) : undefined
  if (found === undefined) throw unknownUser()
  return { user_id: userId, document: found.document, version: found.version }
}

export async function create(ctx: ChangeContext, input: UserInput): Promise<UserDocument> {
  refuseUngrantableRole(ctx, input.role ?? 'user')
  const row = newRow(ctx, input)
  await refuseConfusableNames(ctx, row)
  await insert(ctx, row)
  ctx.record(creation(row))
  return toDocument(row)
}

/**
 * @throws AppError `user_not_found`, `precondition_failed`, `user_outranks_caller`, `role_not_grantable`, `last_admin`,
 *   `username_taken`, `email_taken`, `external_id_taken`
 */
export async function update(
  ctx: ChangeContext,
  { user_id, input, expected }: { user_id: string; input: UserInput; expected: ExpectedVersion },
): Promise<UserDocument> {
  const found = await getForChange(ctx, user_id, expected, store.findUserForChange)
  return change(ctx, found, input)
}

type OwnChange = {
  user_id: string
  input: OwnInput
  expected: ExpectedVersion
  /** Where the current password confirms the change: the hash it was verified against, which must still be the user's. */
  verified_hash?: string
}

/**
 * Changes what users may change of themselves. The caller is the user, so rank does not matter.
 *
 * @throws AppError `current_password_wrong`, `email_taken`, and as for any change
 */
export async function updateOwn(
  ctx: ChangeContext,
  { user_id, input, expected, verified_hash }: OwnChange,
): Promise<UserDocument> {
  const found = await getUnchanged(ctx, user_id, expected, store.findUserForChange)
  if (verified_hash !== undefined && found.password_hash !== verified_hash) {
    throw new AppError('current_password_wrong', 'The password has just been changed. Sign in again.')
  }
  return change(ctx, found, input)
}

async function change(ctx: ChangeContext, found: store.UserRow, input: UserInput): Promise<UserDocument> {
  const next = changedRow(ctx, found, input)
  if (next.role !== found.role) refuseUngrantableRole(ctx, next.role)
  if (next.active === 0 || next.role !== found.role) {
    await refuseLosingLastAdmin(ctx, { found, next, find: findWithRoleAlone(ctx.db) })
  }
  ctx.record(changeOf(found, next))
  if (next.version === found.version) return toDocument(found)
  if (next.username_key !== found.username_key || next.email_key !== found.email_key) {
    await refuseConfusableNames(ctx, next)
  }
  await write(ctx, found, next)
  return toDocument(next)
}

/**
 * The user to whom a sign-in has proved to belong, with the time of it.
 *
 * @throws AppError `sign_in_failed` when the user is gone, disabled, or has another password by now
 */
export async function recordSignIn(
  ctx: ChangeContext,
  input: { user_id: string; verified_hash: string; credentials_version: number; password_hash?: string },
): Promise<store.UserRow> {
  const found = await store.findUserForChange(ctx.db, input.user_id)
  if (found === undefined || found.active !== 1) throw signInFailed()
  // With the same version it is another hash of the same password, which a sign-in at the same moment has put there.
  const isSame = found.password_hash === input.verified_hash || found.credentials_version === input.credentials_version
  if (!isSame) throw signInFailed()
  const password_hash = input.password_hash ?? found.password_hash
  const next = { ...found, password_hash, last_login_at: timestamp(ctx.now), version: found.version + 1 }
  const row = { ...next, ...withDocument(next) }
  await store.updateUser(ctx.db, found, row)
  emitUser(ctx, 'user.signed_in', row)
  ctx.announce({ kind: 'users_changed' })
  return row
}

/** One message for all reasons: a caller must not learn which names exist. */
export function signInFailed(): AppError {
  const detail = 'The username or password is wrong, or this user may not sign in.'
  return new AppError('sign_in_failed', detail, { headers: { 'www-authenticate': 'Bearer realm="rollbook"' } })
}

/** Includes the password hash, for verification only. */
export function findById(db: Db, userId: string): Promise<store.UserRow | undefined> {
  return store.findUserById(db, userId)
}

/** The user who goes by this username or e-mail address. */
export async function findForSignIn(db: Db, name: string): Promise<store.UserRow | undefined> {
  // No user's name has such characters, and PostgreSQL takes none of them.
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) return undefined
  return store.findUserByName(db, { username_key: nameKey(name), email_key: emailKey(name) })
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
 * @throws AppError `user_not_found`, `precondition_failed`, `user_outranks_caller`, `last_admin`
 */
export async function getForRemoval(
  ctx: ChangeContext,
  userId: string,
  expected: ExpectedVersion,
): Promise<store.UserRow> {
  const found = await getForChange(ctx, userId, expected, store.findUserForChange)
  await refuseLosingLastAdmin(ctx, { found, next: undefined, find: findWithRoleAlone(ctx.db) })
  return found
}

/**
 * Puts a deleted user back as they were, under another version: what was issued to them, or read of them, is of before. The
 * caller puts them back into their groups.
 *
 * @throws AppError `user_outranks_caller`, `username_taken`, `email_taken`, `external_id_taken`
 */
export async function bringBack(ctx: ChangeContext, found: store.UserRow): Promise<UserDocument> {
  // By what the role holds now: its permissions may have grown since the deletion.
  refuseOutranked(ctx, { ...found, group_roles: '' })
  const { version, credentials_version } = found
  const next = { ...found, version: version + 1, credentials_version: credentials_version + 1, group_roles: '' }
  const row = withDocument(next)
  await refuseConfusableNames(ctx, row)
  await insert(ctx, row, { type: 'user.restored', isMade: false })
  ctx.record({ action: 'user.restored', target: userTarget(row) })
  return toDocument(row)
}

/**
 * The user as it stands, if this caller may change it. The change itself asks again, in its transaction; asked before,
 * it spares the cost of a password that will not be set, and tells a stranger nothing about the user.
 *
 * @throws AppError `user_not_found`, `precondition_failed`, `user_outranks_caller`
 */
export async function getForChange(
  ctx: Context,
  userId: string,
  expected: ExpectedVersion,
  find = store.findUserById,
): Promise<store.UserRow> {
  const found = await getUnchanged(ctx, userId, expected, find)
  refuseOutranked(ctx, found)
  return found
}

async function getUnchanged(
  ctx: Context,
  userId: string,
  expected: ExpectedVersion,
  find: (db: Db, userId: string) => Promise<store.UserRow | undefined>,
): Promise<store.UserRow> {
  const found = isUuid(userId) ? await find(ctx.db, userId) : undefined
  if (found === undefined) throw unknownUser()
  refuseUnexpected(found, expected)
  return found
}

/** @throws AppError `precondition_failed` */
export function refuseUnexpected({ version }: Pick<store.UserRow, 'version'>, expected: ExpectedVersion): void {
  if (isExpected(version, expected)) return
  throw new AppError(
    'precondition_failed',
    'The user has changed since you read it. Read it again, then repeat your change.',
  )
}

function unknownUser(): AppError {
  return new AppError('user_not_found', 'There is no user with this id.')
}

/** Whether some active user holds everything. */
export async function hasActiveAdministrator(
  ctx: Pick<Context, 'db'> & { rules: Pick<Rules, 'roles'> },
): Promise<boolean> {
  return (await store.findSomeWithRole(ctx.db, administeringRoles(ctx), 1)).length > 0
}

/** Whether there is any user at all. */
export function areThereAny({ db }: Pick<Context, 'db'>): Promise<boolean> {
  return store.hasUsers(db)
}

/** @throws AppError `username_taken`, `email_taken` */
async function refuseConfusableNames(ctx: ChangeContext, row: store.UserRow) {
  const locks = lockedNames([row.username_key, row.email_key])
  if (locks.length === 0) return
  await ctx.db.lock(locks)
  for (const rule of confusableNames) {
    const name = row[rule.own]
    if (!name?.includes('@')) continue
    if (await store.hasOtherUser(ctx.db, rule.others, name, row.user_id)) throw nameTaken(rule)
  }
}

/** The row itself, with its hash, stays in the transaction. */
function toDocument({ user_id, document, version }: store.UserRow): UserDocument {
  return { user_id, document, version }
}

export { findLastId, findUsersByNames, type Names, type UserRow } from './store.ts'
