import { refuseBrokenConstraint } from '../db/constraints.ts'
import type { Db } from '../db/db.ts'
import { joinSql, rawSql, type Sql, sql } from '../db/sql.ts'
import type { User } from './schema.ts'

export type UserRow = {
  row_id: number
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
}

export type NewUserRow = Omit<UserRow, 'row_id'>

/** The one place that decides what of a row may leave. */
export function toUser(row: Omit<NewUserRow, 'document'>): User {
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
export async function insertUser(db: Db, row: NewUserRow): Promise<{ row_id: number }> {
  const inserted = await db
    .get<{ row_id: number }>(sql`
      INSERT INTO users (user_id, version, document, username, username_key, email, email_key, external_id, first_name,
        last_name, role, active, password_hash, last_login_at, created_at, updated_at, search_text)
      VALUES (${row.user_id}, ${row.version}, ${row.document}, ${row.username}, ${row.username_key}, ${row.email},
        ${row.email_key}, ${row.external_id}, ${row.first_name}, ${row.last_name}, ${row.role}, ${row.active},
        ${row.password_hash}, ${row.last_login_at}, ${row.created_at}, ${row.updated_at}, ${row.search_text})
      RETURNING row_id`)
    .catch(refuseBrokenConstraint)
  return inserted as { row_id: number }
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
] as const satisfies (keyof UserRow)[]

/**
 * Writes what differs between two states of a row. Only that: SQLite rewrites each index whose column is set, also to
 * the same value, which took a third of the time of a change.
 *
 * @throws AppError `username_taken`, `email_taken`, `external_id_taken`
 */
export async function updateUser(db: Db, found: UserRow, next: UserRow): Promise<void> {
  const changes = changeable
    .filter((column) => next[column] !== found[column])
    .map((column) => sql`${rawSql(column)} = ${next[column]}`)
  await db
    .run(sql`UPDATE users SET ${joinSql(changes, ', ')} WHERE user_id = ${next.user_id}`)
    .catch(refuseBrokenConstraint)
}

export async function deleteUser(db: Db, userId: string): Promise<void> {
  await db.run(sql`DELETE FROM users WHERE user_id = ${userId}`)
}

export function findUserById(db: Db, userId: string): Promise<UserRow | undefined> {
  return db.get<UserRow>(sql`SELECT * FROM users WHERE user_id = ${userId}`)
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
