import type { Scope } from '../../../core/scope.ts'
import type { Db, Transaction } from '../../../store/db/db.ts'
import { forUpdate, texts } from '../../../store/db/dialect.ts'
import { andWithin } from '../../../store/db/scope.ts'
import { type FixedSql, sql } from '../../../store/db/sql.ts'
import { defineTable, integer, type RowOf, text } from '../../../store/db/table.ts'
import { type PersonRow, personColumns } from '../sessions/service.ts'

const keys = defineTable('api_keys', {
  key_id: text(),
  name: text(),
  prefix: text(),
  /** A JSON array of permission words. */
  permissions: text(),
  key_hash: text(),
  /** The hash before the last rotation, accepted until `previous_expires_at`. */
  previous_hash: text(null),
  previous_expires_at: text(null),
  /** 1: it comes from the configuration, not from the API. */
  managed: integer(),
  created_at: text(),
  expires_at: text(null),
  last_used_at: text(null),
  /** The provisioning connection that it belongs to. */
  connection_id: text(null),
  /** The user that it belongs to. */
  user_id: text(null),
  /**
   * The permissions of a key of a user. `permissions` is then empty: nodes of the previous release, which do not know of
   * owners, grant such a key nothing.
   */
  user_permissions: text(null),
  managed_by: text(null),
  /** The organization of a program's key. Null for keys of users, who have one themselves. */
  organization_id: text(null),
})

export type KeyRow = RowOf<typeof keys>

/** With the organization of a key that has one. */
const withOrganization = sql`${keys.columns},
  (SELECT organizations.name FROM organizations WHERE organizations.organization_id = api_keys.organization_id)
    AS organization_name`

/** `organization_name`: null without an organization. */
export type KnownKeyRow = KeyRow & { organization_name: string | null }

const insertion = keys.insertion()

export async function insertKey(db: Transaction, row: KeyRow): Promise<void> {
  await db.run(insertion(row))
}

export function findKeyById(db: Db, scope: Scope, keyId: string): Promise<KnownKeyRow | undefined> {
  return db.get<KnownKeyRow>(
    sql`SELECT ${withOrganization} FROM api_keys WHERE key_id = ${keyId}${andKeyWithin(scope)}`,
  )
}

/** Reads the key and locks it until the transaction ends. */
export function findKeyForChange(db: Db, scope: Scope, keyId: string): Promise<KeyRow | undefined> {
  return db.get<KeyRow>(
    sql`SELECT ${keys.columns} FROM api_keys WHERE key_id = ${keyId}${andKeyWithin(scope)} ${forUpdate(db)}`,
  )
}

export function findKeyByHash(db: Db, hash: string): Promise<KnownKeyRow | undefined> {
  return db.get<KnownKeyRow>(sql`
    SELECT ${withOrganization} FROM api_keys WHERE key_hash = ${hash} OR previous_hash = ${hash}`)
}

/** The keys that belong to no user. */
export function listKeys(db: Db, scope: Scope): Promise<KeyRow[]> {
  return db.all<KeyRow>(
    sql`SELECT ${keys.columns} FROM api_keys WHERE user_id IS NULL${andWithin(scope)} ORDER BY key_id`,
  )
}

/** The key of a user belongs to the organization of the user. */
function andKeyWithin(scope: Scope): FixedSql {
  if (scope.kind === 'everyone') return andWithin(scope)
  const { organization_id } = scope
  return { fixed: keyWithin, values: [organization_id, organization_id] }
}

const keyWithin = [
  ' AND (user_id IS NULL AND organization_id = ',
  ' OR user_id IN (SELECT user_id FROM users WHERE organization_id = ',
  '))',
]

export function listKeysOfUser(db: Db, userId: string): Promise<KeyRow[]> {
  return db.all<KeyRow>(sql`SELECT ${keys.columns} FROM api_keys WHERE user_id = ${userId} ORDER BY key_id`)
}

export function findOwner(db: Db, userId: string): Promise<PersonRow | undefined> {
  return db.get<PersonRow>(sql`SELECT ${personColumns[db.engine]} FROM users WHERE user_id = ${userId}`)
}

/** Returns which of these users have a key. */
export async function findUsersWithKeys(db: Db, userIds: readonly string[]): Promise<Set<string>> {
  const rows = await db.all<{ user_id: string }>(sql`
    SELECT DISTINCT user_id FROM api_keys WHERE user_id IN (SELECT value FROM ${texts(db, userIds)})`)
  return new Set(rows.map(({ user_id }) => user_id))
}

/** How many keys each of these users has, if any. */
export async function countKeysOf(db: Db, userIds: readonly string[]): Promise<Map<string, number>> {
  if (userIds.length === 0) return new Map()
  const rows = await db.all<{ user_id: string; count: number }>(sql`
    SELECT user_id, count(*) AS count FROM api_keys WHERE user_id IN (SELECT value FROM ${texts(db, userIds)})
    GROUP BY user_id`)
  return new Map(rows.map(({ user_id, count }) => [user_id, Number(count)]))
}

/** The next users with a session or a key, by id. */
export async function listUsersWithCredentials(db: Db, after: string, limit: number): Promise<string[]> {
  const rows = await db.all<{ user_id: string }>(sql`
    SELECT user_id FROM (
      SELECT DISTINCT user_id FROM sessions WHERE user_id > ${after} ORDER BY user_id LIMIT ${limit}) AS signed_in
    UNION SELECT user_id FROM (
      SELECT DISTINCT user_id FROM api_keys WHERE user_id > ${after} ORDER BY user_id LIMIT ${limit}) AS with_key
    ORDER BY user_id LIMIT ${limit}`)
  return rows.map(({ user_id }) => user_id)
}

/** Returns the ids of the deleted keys. */
export async function deleteKeysOfUser(db: Transaction, userId: string): Promise<string[]> {
  return ids(await db.returning(sql`DELETE FROM api_keys WHERE user_id = ${userId} RETURNING key_id`))
}

export async function replaceHash(
  db: Transaction,
  row: Pick<KeyRow, 'key_id' | 'prefix' | 'key_hash' | 'previous_hash' | 'previous_expires_at'>,
): Promise<void> {
  await db.run(sql`
    UPDATE api_keys SET prefix = ${row.prefix}, key_hash = ${row.key_hash}, previous_hash = ${row.previous_hash},
      previous_expires_at = ${row.previous_expires_at}
    WHERE key_id = ${row.key_id}`)
}

export async function updateKey(
  db: Transaction,
  row: Pick<KeyRow, 'key_id' | 'name' | 'permissions' | 'user_permissions' | 'expires_at' | 'organization_id'>,
): Promise<void> {
  await db.run(sql`
    UPDATE api_keys SET name = ${row.name}, permissions = ${row.permissions}, user_permissions = ${row.user_permissions},
      expires_at = ${row.expires_at}, organization_id = ${row.organization_id}
    WHERE key_id = ${row.key_id}`)
}

export async function deleteKey(db: Transaction, keyId: string): Promise<void> {
  await db.run(sql`DELETE FROM api_keys WHERE key_id = ${keyId}`)
}

/** These three return the ids of the keys they changed. */
export async function deleteManagedKeysExcept(db: Transaction, hash: string): Promise<string[]> {
  return ids(await db.returning(sql`DELETE FROM api_keys WHERE managed = 1 AND key_hash <> ${hash} RETURNING key_id`))
}

export async function deleteKeyByHash(db: Transaction, hash: string): Promise<string[]> {
  return ids(await db.returning(sql`DELETE FROM api_keys WHERE key_hash = ${hash} RETURNING key_id`))
}

export async function forgetPreviousHash(db: Transaction, hash: string): Promise<string[]> {
  return ids(
    await db.returning(sql`
      UPDATE api_keys SET previous_hash = NULL, previous_expires_at = NULL WHERE previous_hash = ${hash}
      RETURNING key_id`),
  )
}

/** The keys of a provisioning connection, held until this transaction ends. */
export function findKeysOfConnection(db: Db, connectionId: string): Promise<KeyRow[]> {
  return db.all<KeyRow>(sql`
    SELECT ${keys.columns} FROM api_keys WHERE connection_id = ${connectionId} ORDER BY key_id ${forUpdate(db)}`)
}

/** The keys of a connection belong to its organization. */
export async function setOrganizationOfKeys(
  db: Transaction,
  connectionId: string,
  organizationId: string | null,
): Promise<void> {
  await db.run(sql`UPDATE api_keys SET organization_id = ${organizationId} WHERE connection_id = ${connectionId}`)
}

/** Returns the users of these keys; some keys have none. */
export function findOwners(db: Db, keyIds: readonly string[]): Promise<{ user_id: string }[]> {
  return db.all(sql`
    SELECT DISTINCT user_id FROM api_keys
    WHERE key_id IN (SELECT value FROM ${texts(db, keyIds)}) AND user_id IS NOT NULL`)
}

function ids(rows: { key_id: string }[]): string[] {
  return rows.map(({ key_id }) => key_id)
}

/** Only later uses: a late report does not set the time back. */
export async function setLastUsed(db: Transaction, keyId: string, lastUsedAt: string): Promise<void> {
  await db.run(sql`
    UPDATE api_keys SET last_used_at = ${lastUsedAt}
    WHERE key_id = ${keyId} AND (last_used_at IS NULL OR last_used_at < ${lastUsedAt})`)
}

const dayMs = 24 * 3600 * 1000

/**
 * Returns when the first long-lived API key (over a month) expires, in epoch milliseconds. Short-lived keys are meant to
 * expire, and the keys of users are their own concern.
 */
export async function findNextKeyExpiry(db: Db, now: string): Promise<number | undefined> {
  const rows = await db.all<{ created_at: string; expires_at: string }>(sql`
    SELECT created_at, expires_at FROM api_keys WHERE expires_at > ${now} AND user_id IS NULL ORDER BY expires_at`)
  const spans = rows.map(({ created_at, expires_at }) => ({ from: Date.parse(created_at), to: Date.parse(expires_at) }))
  return spans.find(({ from, to }) => to - from > 30 * dayMs)?.to
}
