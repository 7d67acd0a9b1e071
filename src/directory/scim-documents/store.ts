/** SCIM's own data about users: one document per user, and the email addresses in it. */
import type { Db, Transaction } from '../../store/db/db.ts'
import { texts } from '../../store/db/dialect.ts'
import { rawSql, sql } from '../../store/db/sql.ts'
import { storedValues } from '../attributes/service.ts'
import type { User } from '../users/schema.ts'

/** What a client sent of a user, and the values of attributes that this gave. */
export type KeptDocument = { document: string; attributes: string }

export function findDocument(db: Db, userId: string): Promise<KeptDocument | undefined> {
  return db.get<KeptDocument>(sql`SELECT document, attributes FROM scim_documents WHERE user_id = ${userId}`)
}

/** The documents of those of these users who have one, by user_id. */
export async function findDocuments(db: Db, userIds: readonly string[]): Promise<Map<string, KeptDocument>> {
  if (userIds.length === 0) return new Map()
  const rows = await db.all<KeptDocument & { user_id: string }>(sql`
    SELECT user_id, document, attributes FROM scim_documents
    WHERE user_id IN (SELECT value FROM ${texts(db, userIds)})`)
  return new Map(rows.map((row) => [row.user_id, row]))
}

/** The users who have one of these addresses, `limit` at most. Some of them may have been deleted. */
export async function findByEmail(db: Db, emailKeys: readonly string[], limit: number): Promise<string[]> {
  const rows = await db.all<{ user_id: string }>(sql`
    SELECT user_id FROM users WHERE email_key IN (SELECT value FROM ${texts(db, emailKeys)})
    UNION SELECT user_id FROM scim_emails WHERE email_key IN (SELECT value FROM ${texts(db, emailKeys)})
    ORDER BY user_id LIMIT ${limit}`)
  return rows.map(({ user_id }) => user_id)
}

/** The ids of the users who have these usernames or external ids, which are unique. */
export async function findByKeys(
  db: Db,
  column: 'username_key' | 'external_id',
  keys: readonly string[],
): Promise<string[]> {
  const rows = await db.all<{ user_id: string }>(sql`
    SELECT user_id FROM users WHERE ${rawSql(column)} IN (SELECT value FROM ${texts(db, keys)}) ORDER BY user_id`)
  return rows.map(({ user_id }) => user_id)
}

/** The values of a user that a stored resource is made of. With others it is out of date. */
type UserValues = Pick<
  User,
  'user_id' | 'username' | 'email' | 'external_id' | 'first_name' | 'last_name' | 'active' | 'expires_at' | 'attributes'
>

type Kept = {
  user: UserValues
  version: number
  document: string
  /** The whole resource without its groups and its meta: the beginning of a JSON object. */
  resource: string
  email_keys: readonly string[]
}

/** Replaces the document of a user. */
export async function put(db: Transaction, row: Kept): Promise<void> {
  const { version, document, resource, email_keys } = row
  const { user_id, username, email, external_id, first_name, last_name, active, expires_at = null } = row.user
  await db.run(sql`
    INSERT INTO scim_documents
      (user_id, version, username, email, external_id, first_name, last_name, active, access_ends_at, attributes, resource,
        document)
    VALUES
      (${user_id}, ${version}, ${username}, ${email}, ${external_id}, ${first_name}, ${last_name}, ${active ? 1 : 0},
        ${expires_at}, ${storedValues(row.user.attributes)}, ${resource}, ${document})
    ON CONFLICT (user_id) DO UPDATE SET
      version = excluded.version, username = excluded.username, email = excluded.email,
      external_id = excluded.external_id, first_name = excluded.first_name, last_name = excluded.last_name,
      active = excluded.active, access_ends_at = excluded.access_ends_at, attributes = excluded.attributes, resource = excluded.resource, document = excluded.document`)
  await db.run(sql`DELETE FROM scim_emails WHERE user_id = ${user_id}`)
  if (email_keys.length === 0) return
  await db.run(sql`
    INSERT INTO scim_emails (email_key, user_id) SELECT value, ${user_id} FROM ${texts(db, email_keys)} WHERE true
    ON CONFLICT DO NOTHING`)
}

export async function remove(db: Transaction, userId: string): Promise<void> {
  await db.run(sql`DELETE FROM scim_documents WHERE user_id = ${userId}`)
  await db.run(sql`DELETE FROM scim_emails WHERE user_id = ${userId}`)
}
