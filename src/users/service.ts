/**
 * The rules of users: who may change whom, what must stay unique, that an administrator remains.
 * Leaves the form of the input to input.ts, passwords to passwords/, lists to list.ts. Each change runs in a transaction.
 */
import { type ChangeContext, type Context, holds, timestamp } from '../context.ts'
import { AppError, memberFault } from '../errors.ts'
import { fold } from '../lib/fold.ts'
import { isUuid } from '../lib/uuidv7.ts'
import type { UserInput } from './input.ts'
import { markPending } from './search-index.ts'
import * as store from './store.ts'

/** A user as the API shows it: its JSON, and the version that its ETag is made of. */
export type UserDocument = { user_id: string; document: string; version: number }

/** What the caller believes the user's version to be: any of these, or anything (`*`). */
export type ExpectedVersion = readonly number[] | '*' | undefined

export async function get(ctx: Context, userId: string): Promise<UserDocument> {
  const found = isUuid(userId) ? await store.findDocument(ctx.db, userId) : undefined
  if (found === undefined) throw unknownUser()
  return { user_id: userId, document: found.document, version: found.version }
}

export async function create(ctx: ChangeContext, input: UserInput): Promise<UserDocument> {
  const { username = '', username_key = '', role = 'user', active = true } = input
  refuseUngrantableRole(ctx, role)
  const now = timestamp(ctx.now)
  const row = withDocument({
    user_id: ctx.newId(),
    version: 1,
    username,
    username_key,
    email: input.email ?? null,
    email_key: input.email_key ?? null,
    external_id: input.external_id ?? null,
    first_name: input.first_name ?? '',
    last_name: input.last_name ?? '',
    role,
    active: Number(active),
    password_hash: input.password_hash ?? null,
    last_login_at: null,
    created_at: now,
    updated_at: now,
    search_text: '',
  })
  await refuseConfusableNames(ctx, row)
  await store.insertUser(ctx.db, row)
  await markPending(ctx.db, row.user_id)
  ctx.announce({ kind: 'users_changed' })
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
  const { active = Boolean(found.active), ...members } = input
  const next = { ...found, ...members, active: Number(active) }
  if (next.role !== found.role) refuseUngrantableRole(ctx, next.role)
  if (!active || next.role !== found.role) await refuseLosingLastAdmin(ctx, found, { role: next.role, active })
  if (isSame(found, next)) return toDocument(found)
  const row = { ...next, ...withDocument({ ...next, version: found.version + 1, updated_at: timestamp(ctx.now) }) }
  if (row.username_key !== found.username_key || row.email_key !== found.email_key)
    await refuseConfusableNames(ctx, row)
  await store.updateUser(ctx.db, found, row)
  if (row.search_text !== found.search_text) await markPending(ctx.db, user_id)
  ctx.announce({ kind: 'users_changed' })
  return toDocument(row)
}

/** @throws AppError `user_not_found`, `precondition_failed`, `user_outranks_caller`, `last_admin` */
export async function remove(
  ctx: ChangeContext,
  { user_id, expected }: { user_id: string; expected: ExpectedVersion },
): Promise<{ user_id: string }> {
  const found = await getForChange(ctx, user_id, expected, store.findUserForChange)
  await refuseLosingLastAdmin(ctx, found, { role: found.role, active: false })
  await markPending(ctx.db, user_id)
  await store.deleteUser(ctx.db, user_id)
  ctx.announce({ kind: 'users_changed' })
  return { user_id }
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
  const found = isUuid(userId) ? await find(ctx.db, userId) : undefined
  if (found === undefined) throw unknownUser()
  if (expected !== undefined && expected !== '*' && !expected.includes(found.version)) {
    throw new AppError(
      'precondition_failed',
      'The user has changed since; read it again and repeat the change on that.',
    )
  }
  // Whoever sets an administrator's password could sign in as that administrator.
  if (!mayGrant(ctx, found.role)) {
    throw new AppError('user_outranks_caller', `Users with the role ${found.role} can be changed by their like only.`)
  }
  return found
}

function unknownUser(): AppError {
  return new AppError('user_not_found', 'There is no user with this id.')
}

function permissionsOf({ rules }: Context, role: string): readonly string[] {
  // A role that is no longer configured holds nothing, also when it was called "constructor".
  return (Object.hasOwn(rules.roles, role) && rules.roles[role]) || []
}

function mayGrant(ctx: Context, role: string): boolean {
  return permissionsOf(ctx, role).every((permission) => holds(ctx.actor.permissions, permission))
}

function refuseUngrantableRole(ctx: Context, role: string): void {
  if (mayGrant(ctx, role)) return
  throw new AppError('role_not_grantable', `The role ${role} holds permissions that this credential lacks.`)
}

/** An administering role is one that holds everything: only its users can grant every role again. */
function isAdministering(ctx: Context, role: string): boolean {
  return permissionsOf(ctx, role).includes('*')
}

async function refuseLosingLastAdmin(
  ctx: ChangeContext,
  found: store.UserRow,
  next: { role: string; active: boolean },
): Promise<void> {
  const administers = (one: { role: string; active: boolean }) => one.active && isAdministering(ctx, one.role)
  if (!administers({ role: found.role, active: Boolean(found.active) }) || administers(next)) return
  const roles = Object.keys(ctx.rules.roles).filter((role) => isAdministering(ctx, role))
  // Two administrators who remove each other at the same time must not both find the other one.
  await ctx.db.lock(['last_admin'])
  if (await store.hasOtherActiveUserWithRole(ctx.db, roles, found.user_id)) return
  throw new AppError('last_admin', 'This is the last active administrator; make another user administrator first.')
}

/**
 * A username that equals somebody else's e-mail address could sign in as, or be mistaken for, that person. No index spans
 * the two columns, so such names are locked while they are looked for.
 */
async function refuseConfusableNames(ctx: ChangeContext, { username_key, email_key, user_id }: store.UserRow) {
  const names = [username_key, email_key].filter((key) => key?.includes('@'))
  if (names.length === 0) return
  await ctx.db.lock(names.map((name) => `name:${name}`))
  if (username_key.includes('@') && (await store.hasOtherUserWithEmail(ctx.db, username_key, user_id))) {
    throw taken('username', 'This username is the e-mail address of another user.')
  }
  if (email_key !== null && (await store.hasOtherUserWithUsername(ctx.db, email_key, user_id))) {
    throw taken('email', 'This e-mail address is the username of another user.')
  }
}

/** The row itself, with its hash, stays in the transaction. */
function toDocument({ user_id, document, version }: store.UserRow): UserDocument {
  return { user_id, document, version }
}

function taken(member: 'username' | 'email', detail: string): AppError {
  return new AppError(`${member}_taken`, detail, { errors: [memberFault(member, `${member}_taken`, detail)] })
}

function isSame(a: store.UserRow, b: store.UserRow): boolean {
  return (Object.keys(a) as (keyof store.UserRow)[]).every((column) => a[column] === b[column])
}

function withDocument(row: Omit<store.UserRow, 'document'>): store.UserRow {
  return { ...row, search_text: searchText(row), document: JSON.stringify(store.toUser(row)) }
}

/** Two line feeds before each field make a search for its beginning one for three characters as well. */
function searchText(row: Pick<store.UserRow, 'username' | 'email' | 'first_name' | 'last_name'>): string {
  const fields = [row.username, row.email ?? '', `${row.first_name} ${row.last_name}`.trim(), row.last_name]
  return fields.map((field) => (field === '' ? '' : `\n\n${fold(field)}`)).join('')
}
