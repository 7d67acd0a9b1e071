import type { Db, Transaction } from '../../store/db/db.ts'
import { forUpdate, givenRows, isServer, texts } from '../../store/db/dialect.ts'
import { fixedSql, sql } from '../../store/db/sql.ts'
import { defineTable, integer, type RowOf, text } from '../../store/db/table.ts'
import { byFile } from '../../store/managed-by-file.ts'
import type { Attribute, Settings } from './schema.ts'

const definitions = defineTable('attribute_definitions', {
  name: text(),
  version: integer(),
  /** JSON of Settings. */
  definition: text(),
  created_at: text(),
  updated_at: text(),
  managed_by: text(null),
})

export type DefinitionRow = RowOf<typeof definitions>

export function toAttribute({ name, definition, created_at, updated_at, managed_by }: DefinitionRow): Attribute {
  const settings = JSON.parse(definition) as Settings
  return { name, ...settings, created_at, updated_at, ...(managed_by === byFile && { managed_by }) }
}

export function listDefinitions(db: Db): Promise<DefinitionRow[]> {
  return db.all<DefinitionRow>(sql`SELECT ${definitions.columns} FROM attribute_definitions ORDER BY name`)
}

/**
 * The definitions for a change of users. On PostgreSQL the part without rows locks the table of users as any change of a
 * user does, before the definitions are read: `holdUsers` waits for that lock, and no change reads what is being replaced.
 */
export function listHeldDefinitions(db: Db): Promise<DefinitionRow[]> {
  if (db.shared) return db.shared.read(listHeldForEach, undefined)
  return db.all<DefinitionRow>(sql`
    ${isServer(db) ? lockingUsers : nothing} SELECT ${definitions.columns} FROM attribute_definitions ORDER BY name`)
}

async function listHeldForEach(db: Db, queries: readonly unknown[]): Promise<DefinitionRow[][]> {
  const rows = await listHeldDefinitions(db)
  return queries.map(() => rows)
}

const lockingUsers = fixedSql('WITH held AS (SELECT 1 FROM users WHERE false FOR SHARE)')
const nothing = fixedSql('')

/** Waits for all changes of users, and lets none begin until this transaction ends. On SQLite changes run one after another. */
export async function holdUsers(db: Transaction): Promise<void> {
  if (isServer(db)) await db.run(sql`LOCK TABLE users IN EXCLUSIVE MODE`)
}

export function findDefinition(db: Db, name: string): Promise<DefinitionRow | undefined> {
  return db.get<DefinitionRow>(sql`SELECT ${definitions.columns} FROM attribute_definitions WHERE name = ${name}`)
}

export function findDefinitionForChange(db: Db, name: string): Promise<DefinitionRow | undefined> {
  return db.get<DefinitionRow>(
    sql`SELECT ${definitions.columns} FROM attribute_definitions WHERE name = ${name} ${forUpdate(db)}`,
  )
}

const insertion = definitions.insertion('ON CONFLICT DO NOTHING')
const updating = definitions.update('name', { except: ['created_at'] })

/** Returns false if there is an attribute with this name. */
export async function insertDefinition(db: Transaction, row: DefinitionRow): Promise<boolean> {
  return (await db.run(insertion(row))) > 0
}

export async function updateDefinition(db: Transaction, row: DefinitionRow): Promise<void> {
  await db.run(updating(row))
}

/** Deletes the definition and what the index has of it, not the values in the users. */
export async function deleteDefinition(db: Transaction, name: string): Promise<void> {
  await db.run(sql`DELETE FROM attribute_definitions WHERE name = ${name}`)
  await deleteEntries(db, name)
}

export async function deleteEntries(db: Transaction, attribute: string): Promise<void> {
  await db.run(sql`DELETE FROM attribute_values WHERE attribute = ${attribute}`)
}

export async function countUsers(db: Db): Promise<number> {
  return Number((await db.get<{ n: number }>(sql`SELECT count(*) AS n FROM users`))?.n ?? 0)
}

/** How many users there are, at most `most`. */
export async function countUpTo(db: Db, most: number): Promise<number> {
  const found = await db.get<{ n: number }>(sql`SELECT count(*) AS n FROM (SELECT 1 FROM users LIMIT ${most}) AS few`)
  return Number(found?.n ?? 0)
}

/** The values of a user, in JSON. */
export async function findValues(db: Db, userId: string): Promise<string> {
  const found = await db.get<{ attributes: string }>(sql`SELECT attributes FROM users WHERE user_id = ${userId}`)
  return found?.attributes ?? '{}'
}

export type Holder = { user_id: string; attributes: string; document: string }

/** The next users with attributes, by user_id. */
export function listHolders(db: Db, after: string, limit: number): Promise<Holder[]> {
  return db.all<Holder>(sql`
    SELECT user_id, attributes, document FROM users
    WHERE user_id > ${after} AND attributes <> '{}' ORDER BY user_id LIMIT ${limit}`)
}

const givenHolders = givenRows<Holder>({ user_id: 'text', attributes: 'text', document: 'text' })

/** Writes other attributes and documents of users, as their next versions. */
export async function replaceAttributes(db: Transaction, holders: readonly Holder[], now: string): Promise<void> {
  await db.run(sql`
    UPDATE users SET attributes = given.attributes, document = given.document, version = version + 1, updated_at = ${now}
    FROM ${givenHolders(db, holders)} WHERE users.user_id = given.user_id`)
}

export async function isRefreshDue(db: Db): Promise<boolean> {
  return (await db.get(sql`SELECT 1 AS is_due FROM search_refresh WHERE name = 'users'`)) !== undefined
}

/** The user up to whom search texts are refreshed, locked until the change ends; undefined if no refresh is due. */
export async function findRefreshPlace(db: Transaction): Promise<string | undefined> {
  const found = await db.get<{ after_user_id: string }>(
    sql`SELECT after_user_id FROM search_refresh WHERE name = 'users' ${forUpdate(db)}`,
  )
  return found?.after_user_id
}

/** Undefined: none is due any more. */
export async function setRefreshPlace(db: Transaction, after: string | undefined): Promise<void> {
  if (after === undefined) await db.run(sql`DELETE FROM search_refresh WHERE name = 'users'`)
  else
    await db.run(sql`
      INSERT INTO search_refresh (name, after_user_id) VALUES ('users', ${after})
      ON CONFLICT (name) DO UPDATE SET after_user_id = excluded.after_user_id`)
}

type SearchTextRow = { user_id: string; attributes: string; search_text: string }

/** The next users, locked until the change ends: another change keeps the part of the text that attributes make. */
export function holdSearchTexts(db: Transaction, after: string, limit: number): Promise<SearchTextRow[]> {
  return db.all<SearchTextRow>(sql`
    SELECT user_id, attributes, search_text FROM users WHERE user_id > ${after} ORDER BY user_id LIMIT ${limit}
    ${forUpdate(db)}`)
}

type NewSearchText = Pick<SearchTextRow, 'user_id' | 'search_text'>

const givenTexts = givenRows<NewSearchText>({ user_id: 'text', search_text: 'text' })

export async function replaceSearchTexts(db: Transaction, rows: readonly NewSearchText[]): Promise<void> {
  const userIds = rows.map(({ user_id }) => user_id)
  if (!isServer(db)) {
    await db.run(sql`
      INSERT OR IGNORE INTO search_pending (row_id)
      SELECT row_id FROM users WHERE user_id IN (SELECT value FROM ${texts(db, userIds)})`)
  }
  await db.run(sql`
    UPDATE users SET search_text = given.search_text FROM ${givenTexts(db, rows)} WHERE users.user_id = given.user_id`)
}

/** The index entries of one value. */
export type Entry = { attribute: string; value_key: string; user_id: string; is_unique: number }

const givenEntries = givenRows<Entry>({ attribute: 'text', value_key: 'text', user_id: 'text', is_unique: 'bigint' })

/** Returns how many were free: a unique value that another user has is left out. */
export function insertEntries(db: Transaction, entries: readonly Entry[]): Promise<number> {
  return db.run(sql`
    INSERT INTO attribute_values (attribute, value_key, user_id, is_unique)
    SELECT attribute, value_key, user_id, is_unique FROM ${givenEntries(db, entries)} WHERE true
    ON CONFLICT DO NOTHING`)
}

/** The users who have one of these unique values, in any attribute. */
export async function findOwnersOfKeys(db: Db, keys: readonly string[]): Promise<string[]> {
  const rows = await db.all<{ user_id: string }>(sql`
    SELECT attribute_values.user_id
    FROM attribute_definitions JOIN attribute_values ON attribute_values.attribute = attribute_definitions.name
    WHERE attribute_values.value_key IN (SELECT value FROM ${texts(db, keys)}) AND attribute_values.is_unique = 1`)
  return rows.map(({ user_id }) => user_id).sort()
}

/** Which of these unique values a user already has. */
export function findOwners(db: Db, entries: readonly Entry[]): Promise<Entry[]> {
  return db.all<Entry>(sql`
    SELECT attribute_values.attribute, attribute_values.value_key, attribute_values.user_id, 1 AS is_unique
    FROM ${givenEntries(db, entries)} JOIN attribute_values
      ON attribute_values.attribute = given.attribute AND attribute_values.value_key = given.value_key
    WHERE attribute_values.is_unique = 1`)
}

/** The unique values whose domain may have another form, by key. */
export function listDomainsInDoubt(
  db: Db,
  attribute: string,
  { after, limit }: { after: string; limit: number },
): Promise<Entry[]> {
  return db.all<Entry>(sql`
    SELECT attribute, value_key, user_id, is_unique FROM attribute_values
    WHERE attribute = ${attribute} AND is_unique = 1 AND value_key > ${after}
      AND (value_key LIKE '%@%xn--%' OR octet_length(value_key) <> length(value_key))
    ORDER BY value_key LIMIT ${limit}`)
}

export async function deleteEntriesIn(db: Transaction, userId: string, attributes: readonly string[]): Promise<void> {
  await db.run(sql`
    DELETE FROM attribute_values
    WHERE user_id = ${userId} AND attribute IN (SELECT value FROM ${texts(db, attributes)})`)
}

export async function deleteEntriesOf(db: Transaction, userId: string): Promise<void> {
  await db.run(sql`DELETE FROM attribute_values WHERE user_id = ${userId}`)
}

/** How many users share a value of an attribute with another. */
export async function countSharers(db: Db, attribute: string): Promise<number> {
  const found = await db.get<{ n: number }>(sql`
    SELECT count(DISTINCT user_id) AS n FROM attribute_values
    WHERE attribute = ${attribute} AND value_key IN (
      SELECT value_key FROM attribute_values WHERE attribute = ${attribute}
      GROUP BY value_key HAVING count(*) > 1)`)
  return Number(found?.n ?? 0)
}

export async function setUnique(db: Transaction, attribute: string): Promise<void> {
  await db.run(sql`UPDATE attribute_values SET is_unique = 1 WHERE attribute = ${attribute}`)
}
