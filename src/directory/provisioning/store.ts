import type { Scope } from '../../core/scope.ts'
import type { Db, Transaction } from '../../store/db/db.ts'
import { forUpdate } from '../../store/db/dialect.ts'
import { andWithin } from '../../store/db/scope.ts'
import { sql } from '../../store/db/sql.ts'
import { defineTable, integer, type RowOf, text } from '../../store/db/table.ts'
import type { ProfileName } from './schema.ts'

const connections = defineTable('provisioning_connections', {
  connection_id: text(),
  version: integer(),
  name: text(),
  name_key: text(),
  profile: text<ProfileName>(),
  created_at: text(),
  updated_at: text(),
  managed_by: text(null),
  end_date_attribute: text(null),
  organization_id: text(null),
})

export type ConnectionRow = RowOf<typeof connections>

const insertion = connections.insertion('ON CONFLICT DO NOTHING')
const updating = connections.update('connection_id', { except: ['created_at'] })

/** Returns false if the name is taken. */
export async function insertConnection(db: Transaction, row: ConnectionRow): Promise<boolean> {
  return (await db.run(insertion(row))) > 0
}

/** Returns false, without effect, if the name is taken. */
export function updateConnection(db: Transaction, row: ConnectionRow): Promise<boolean> {
  return db.runUnlessTaken(updating(row))
}

export function findConnection(db: Db, scope: Scope, connectionId: string): Promise<ConnectionRow | undefined> {
  return db.get<ConnectionRow>(sql`
    SELECT ${connections.columns} FROM provisioning_connections
    WHERE connection_id = ${connectionId} AND deleted = 0${andWithin(scope)}`)
}

/** The connection, held against changes by others until this transaction ends. */
export function findConnectionForChange(
  db: Db,
  scope: Scope,
  connectionId: string,
): Promise<ConnectionRow | undefined> {
  return db.get<ConnectionRow>(sql`
    SELECT ${connections.columns} FROM provisioning_connections
    WHERE connection_id = ${connectionId} AND deleted = 0${andWithin(scope)} ${forUpdate(db)}`)
}

export function listConnections(db: Db, scope: Scope): Promise<ConnectionRow[]> {
  return db.all<ConnectionRow>(sql`
    SELECT ${connections.columns} FROM provisioning_connections WHERE deleted = 0${andWithin(scope)} ORDER BY name_key`)
}

export async function countConnections(db: Db): Promise<number> {
  const row = await db.get<{ count: number }>(
    sql`SELECT count(*) AS count FROM provisioning_connections WHERE deleted = 0`,
  )
  return Number(row?.count)
}

export async function countOfOrganization(db: Db, organizationId: string): Promise<number> {
  const row = await db.get<{ count: number }>(sql`
    SELECT count(*) AS count FROM provisioning_connections
    WHERE organization_id = ${organizationId} AND deleted = 0`)
  return Number(row?.count)
}

export async function countManaged(db: Db, connectionId: string): Promise<number> {
  const row = await db.get<{ count: number }>(
    sql`SELECT count(*) AS count FROM users WHERE managed_by = ${connectionId}`,
  )
  return Number(row?.count)
}

/** The user whom a connection brought last. */
export function findLatestManaged(
  db: Db,
  scope: Scope,
  connectionId: string,
): Promise<{ username: string; created_at: string } | undefined> {
  return db.get(sql`
    SELECT username, created_at FROM users WHERE managed_by = ${connectionId}${andWithin(scope)}
    ORDER BY user_id DESC LIMIT 1`)
}

type KeyUse = { connection_id: string; key_id: string; last_used_at: string | null }

/** When the keys of all connections were last accepted, as far as it is stored. */
export function listKeyUses(db: Db): Promise<KeyUse[]> {
  return db.all<KeyUse>(sql`SELECT connection_id, key_id, last_used_at FROM api_keys WHERE connection_id IS NOT NULL`)
}

/** Hides it, and releases its groups. The row stays until its users are released. */
export async function markDeleted(db: Transaction, connectionId: string): Promise<void> {
  await db.run(sql`UPDATE provisioning_connections SET deleted = 1 WHERE connection_id = ${connectionId}`)
  await db.run(sql`
    UPDATE user_groups SET managed_by = NULL, version = version + 1 WHERE managed_by = ${connectionId}`)
  await db.run(sql`DELETE FROM rejected_requests WHERE connection_id = ${connectionId}`)
}

export async function findDeleted(db: Db): Promise<string | undefined> {
  const row = await db.get<{ connection_id: string }>(
    sql`SELECT connection_id FROM provisioning_connections WHERE deleted = 1 ORDER BY connection_id LIMIT 1`,
  )
  return row?.connection_id
}

/** The first users of a connection by id. */
export async function findManaged(db: Db, connectionId: string, limit: number): Promise<string[]> {
  const rows = await db.all<{ user_id: string }>(sql`
    SELECT user_id FROM users WHERE managed_by = ${connectionId} ORDER BY user_id LIMIT ${limit}`)
  return rows.map(({ user_id }) => user_id)
}

export async function deleteConnection(db: Transaction, connectionId: string): Promise<void> {
  await db.run(sql`DELETE FROM provisioning_connections WHERE connection_id = ${connectionId}`)
}
