import type { Db, Transaction } from '../db/db.ts'
import { joinSql, rawSql, type Sql, sql } from '../db/sql.ts'
import { AppError, memberFault } from '../errors.ts'
import type { User } from './schema.ts'

/** A row as both engines have it; SQLite has a number of its own for each, for its search index. */
export type UserRow = {
  user_id: string
  version: number
  /** The user as the API shows it, in JSON. */
  document: string
  username: string
  username_key: string
  email: string | null
  email_key: string | null
  external_id: string | null
  first_name: string
  last_name: string
  role: string
  active: number
  password_hash: string | null
  last_login_at: string | null
  created_at: string
  updated_at: string
  search_text: string
  /** 1: the password was set by somebody else, and serves only to set another. */
  must_change_password: number
  /** Counted up whenever credentials of the user end. */
  credentials_version: number
}

/** The one place that decides what of a row may leave. */
export function toUser(row: Omit<UserRow, 'document'>): User {
  return {
    user_id: row.user_id,
    username: row.username,
    email: row.email,
    external_id: row.external_id,
    first_name: row.first_name,
    last_name: row.last_name,
    role: row.role,
    active: Boolean(row.active),
    has_password: row.password_hash !== null,
    last_login_at: row.last_login_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

/** @throws AppError `username_taken`, `email_taken`, `external_id_taken` */
export async function insertUser(db: Transaction, row: UserRow): Promise<void> {
  const inserted = await db.run(sql`
    INSERT INTO users (user_id, version, document, username, username_key, email, email_key, external_id, first_name,
      last_name, role, active, password_hash, last_login_at, created_at, updated_at, search_text, must_change_password,
      credentials_version)
    VALUES (${row.user_id}, ${row.version}, ${row.document}, ${row.username}, ${row.username_key}, ${row.email},
      ${row.email_key}, ${row.external_id}, ${row.first_name}, ${row.last_name}, ${row.role}, ${row.active},
      ${row.password_hash}, ${row.last_login_at}, ${row.created_at}, ${row.updated_at}, ${row.search_text},
      ${row.must_change_password}, ${row.credentials_version})
    ON CONFLICT DO NOTHING`)
  if (inserted === 0) await refuseTaken(db, row)
}

/** The columns that a change of a user can touch. */
const changeable = [
  'version',
  'document',
  'username',
  'username_key',
  'email',
  'email_key',
  'external_id',
  'first_name',
  'last_name',
  'role',
  'active',
  'password_hash',
  'last_login_at',
  'updated_at',
  'search_text',
  'must_change_password',
  'credentials_version',
] as const satisfies (keyof UserRow)[]

/**
 * Writes what differs between two states of a row. Only that: SQLite rewrites each index whose column is set, also to
 * the same value, which took a third of the time of a change.
 *
 * @throws AppError `username_taken`, `email_taken`, `external_id_taken`
 */
export async function updateUser(db: Transaction, found: UserRow, next: UserRow): Promise<void> {
  const columns = changeable.filter((column) => next[column] !== found[column])
  const changes = columns.map((column) => sql`${rawSql(column)} = ${next[column]}`)
  const update = sql`UPDATE users SET ${joinSql(changes, ', ')} WHERE user_id = ${next.user_id}`
  // Most changes touch nothing that must be unique, and need no way back.
  if (!columns.some((column) => unique.includes(column))) await db.run(update)
  else if (!(await db.runUnlessTaken(update))) await refuseTaken(db, next)
}

const unique: readonly string[] = ['username_key', 'email_key', 'external_id'] satisfies (keyof UserRow)[]

/** Says everything that is taken, the username first: the database names only one, in an order of its own. */
async function refuseTaken(db: Db, row: UserRow): Promise<never> {
  const others = await db.all<Pick<UserRow, 'username_key' | 'email_key' | 'external_id'>>(sql`
    SELECT username_key, email_key, external_id FROM users
    WHERE user_id <> ${row.user_id} AND (username_key = ${row.username_key} OR email_key = ${row.email_key}
      OR external_id = ${row.external_id})`)
  const taken = (['username', 'email', 'external_id'] as const).filter((member) => {
    const column = member === 'external_id' ? member : (`${member}_key` as const)
    return row[column] !== null && others.some((other) => other[column] === row[column])
  })
  const [first] = taken
  if (first === undefined) {
    throw new AppError('overloaded', 'Somebody who had this name has just been changed; repeat the request.')
  }
  const faults = taken.map((member) => memberFault(member, `${member}_taken`, takenDetails[member]))
  throw new AppError(`${first}_taken`, takenDetails[first], { errors: faults })
}

const takenDetails = {
  username: 'Another user already has this username.',
  email: 'Another user already has this e-mail address.',
  external_id: 'Another user already has this external id.',
}

export async function deleteUser(db: Transaction, userId: string): Promise<void> {
  await db.run(sql`DELETE FROM users WHERE user_id = ${userId}`)
}

/** Each column by its name, here as everywhere: one that a later release adds must not change what is answered here. */
export function findUserById(db: Db, userId: string): Promise<UserRow | undefined> {
  return db.get<UserRow>(sql`
    SELECT user_id, version, document, username, username_key, email, email_key, external_id, first_name, last_name, role,
      active, password_hash, last_login_at, created_at, updated_at, search_text,
      must_change_password, credentials_version
    FROM users WHERE user_id = ${userId}`)
}

/** The user, held against changes by others until this transaction ends. */
export function findUserForChange(db: Db, userId: string): Promise<UserRow | undefined> {
  if (db.engine === 'sqlite') return findUserById(db, userId)
  return db.get<UserRow>(sql`
    SELECT user_id, version, document, username, username_key, email, email_key, external_id, first_name, last_name, role,
      active, password_hash, last_login_at, created_at, updated_at, search_text,
      must_change_password, credentials_version
    FROM users WHERE user_id = ${userId} FOR UPDATE`)
}

/** For a sign-in: no other user has one of these as the other. */
export function findUserByName(
  db: Db,
  { username_key, email_key }: { username_key: string; email_key: string },
): Promise<UserRow | undefined> {
  return db.get<UserRow>(sql`
    SELECT user_id, version, document, username, username_key, email, email_key, external_id, first_name, last_name, role,
      active, password_hash, last_login_at, created_at, updated_at, search_text, must_change_password, credentials_version
    FROM users WHERE username_key = ${username_key} OR email_key = ${email_key}`)
}

export function findDocument(db: Db, userId: string): Promise<{ document: string; version: number } | undefined> {
  return db.get(sql`SELECT document, version FROM users WHERE user_id = ${userId}`)
}

/** Whether somebody else has this text as the username, or as the e-mail address. */
export async function hasOtherUserWithUsername(db: Db, key: string, userId: string): Promise<boolean> {
  return (await db.get(sql`SELECT 1 FROM users WHERE username_key = ${key} AND user_id <> ${userId}`)) !== undefined
}

export async function hasOtherUserWithEmail(db: Db, key: string, userId: string): Promise<boolean> {
  return (await db.get(sql`SELECT 1 FROM users WHERE email_key = ${key} AND user_id <> ${userId}`)) !== undefined
}

/** Whether there is another active user with one of these roles; uses the index users_role. */
export async function hasOtherActiveUserWithRole(db: Db, roles: readonly string[], userId: string): Promise<boolean> {
  const list: Sql = joinSql(
    roles.map((role) => sql`${role}`),
    ', ',
  )
  const found = await db.get(
    sql`SELECT 1 FROM users WHERE role IN (${list}) AND active = 1 AND user_id <> ${userId} LIMIT 1`,
  )
  return found !== undefined
}
