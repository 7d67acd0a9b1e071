import type { Scope } from '../../../core/scope.ts'
import { isUuid } from '../../../lib/uuidv7.ts'
import type { Db, Transaction } from '../../../store/db/db.ts'
import { forShare, forUpdate, skipLocked, texts } from '../../../store/db/dialect.ts'
import { andWithin, conditionsWithin } from '../../../store/db/scope.ts'
import { joinSql, rawSql, sql } from '../../../store/db/sql.ts'
import { defineTable, integer, type RowOf, text } from '../../../store/db/table.ts'
import { type Erased, findMentions } from '../../../store/mentions.ts'
import type { KindName } from './kinds/kinds.ts'

const connections = defineTable('sign_in_connections', {
  connection_id: text(),
  version: integer(),
  kind: text<KindName>(),
  name: text(),
  name_key: text(),
  active: integer(),
  position: integer(),
  /** JSON: the settings of every kind and of its own, flat. */
  settings: text(),
  /** JSON: by name, each with whether it is encrypted. */
  secrets: text(),
  created_at: text(),
  updated_at: text(),
  managed_by: text(null),
  organization_id: text(null),
  /**
   * JSON: the permissions of the limited caller who changed it last, in their organization: it signs in no user with more, and gives no more.
   * Null: only callers of the whole service have changed it.
   */
  limited_permissions: text(null),
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
  return db.get<ConnectionRow>(
    sql`SELECT ${connections.columns} FROM sign_in_connections WHERE connection_id = ${connectionId}${andWithin(scope)}`,
  )
}

/** The connection, held against changes by others until this transaction ends. */
export function findConnectionForChange(
  db: Db,
  scope: Scope,
  connectionId: string,
): Promise<ConnectionRow | undefined> {
  return db.get<ConnectionRow>(sql`
    SELECT ${connections.columns} FROM sign_in_connections
    WHERE connection_id = ${connectionId}${andWithin(scope)} ${forUpdate(db)}`)
}

/** The connection, which stays as it is until this transaction ends; others may read it meanwhile. */
export function findConnectionForShare(db: Db, scope: Scope, connectionId: string): Promise<ConnectionRow | undefined> {
  return db.get<ConnectionRow>(sql`
    SELECT ${connections.columns} FROM sign_in_connections
    WHERE connection_id = ${connectionId}${andWithin(scope)} ${forShare(db)}`)
}

/** In the order of the buttons. */
export function listConnections(db: Db, scope: Scope): Promise<ConnectionRow[]> {
  const [within] = conditionsWithin(scope, rawSql('organization_id'))
  if (within !== undefined) {
    return db.all<ConnectionRow>(sql`
      SELECT ${connections.columns} FROM sign_in_connections WHERE ${within} ORDER BY position, name_key`)
  }
  return db.all<ConnectionRow>(sql`SELECT ${connections.columns} FROM sign_in_connections ORDER BY position, name_key`)
}

/** Those that a question may concern of the connections that organizations set up themselves. */
export type Concerned = {
  /** One of these. */
  connection_ids?: readonly string[]
  /** Those of this organization. */
  organization_id?: string | null | undefined
  /** Those that name this domain anywhere. */
  domain?: string | undefined
}

const active = rawSql(`active = 1 AND (organization_id IS NULL OR organization_id NOT IN (
      SELECT organizations.organization_id FROM organizations WHERE organizations.active = 0))`)

/**
 * The connections through which users sign in now, in the order of the buttons: not those of disabled organizations. Of those that
 * organizations set up themselves only the concerned ones: there can be many, and each sign-in reads this list.
 */
export function listActive(
  db: Db,
  { connection_ids = [], organization_id, domain = '' }: Concerned,
): Promise<
  Pick<ConnectionRow, 'connection_id' | 'name' | 'kind' | 'settings' | 'organization_id' | 'limited_permissions'>[]
> {
  // Both may come from a browser.
  const ids = connection_ids.filter(isUuid)
  const isDomain = /^[\da-z.-]{1,253}$/.test(domain)
  const among = [
    rawSql('limited_permissions IS NULL'),
    ...(ids.length === 0 ? [] : [sql`connection_id IN (SELECT value FROM ${texts(db, ids)})`]),
    ...(organization_id == null ? [] : [sql`organization_id = ${organization_id}`]),
    // The caller looks at the settings: a text that finds too many does no harm.
    ...(isDomain ? [sql`settings LIKE ${`%"${domain}"%`}`] : []),
  ]
  return db.all(sql`
    SELECT connection_id, name, kind, settings, organization_id, limited_permissions FROM sign_in_connections
    WHERE ${active} AND (${joinSql(among, ' OR ')}) ORDER BY position, name_key`)
}

/** Whether addresses of some domain lead to a connection now. */
export async function hasDomains(db: Db): Promise<boolean> {
  const found = await db.get(
    sql`SELECT 1 FROM sign_in_connections WHERE ${active} AND settings LIKE ${'%"domains":["%'} LIMIT 1`,
  )
  return found !== undefined
}

export async function countConnections(db: Db): Promise<number> {
  return Number((await db.get<{ count: number }>(sql`SELECT count(*) AS count FROM sign_in_connections`))?.count)
}

export async function countOfOrganization(db: Db, organizationId: string): Promise<number> {
  const row = await db.get<{ count: number }>(
    sql`SELECT count(*) AS count FROM sign_in_connections WHERE organization_id = ${organizationId}`,
  )
  return Number(row?.count)
}

export async function deleteConnection(db: Transaction, connectionId: string): Promise<void> {
  await db.run(sql`DELETE FROM sign_in_connections WHERE connection_id = ${connectionId}`)
  await db.run(sql`DELETE FROM sign_in_failures WHERE connection_id = ${connectionId}`)
  await db.run(sql`DELETE FROM pending_sign_ins WHERE connection_id = ${connectionId}`)
}

const failures = defineTable('sign_in_failures', {
  failure_id: text(),
  connection_id: text(),
  failed_at: text(),
  request_id: text(),
  reason: text(),
  detail: text(),
  /** JSON. */
  claims: text(),
  /** Null unless it was a test. */
  test_outcome: text(null),
  test_reason: text(null),
})

type FailureRow = RowOf<typeof failures>

const failureInsertion = failures.insertion()

/** Keeps the newest ones of the connection, `keptOfReason` of them with this reason. */
export async function insertFailure(
  db: Transaction,
  row: Parameters<typeof failures.complete>[0],
  { keptCount: kept, keptOfReason = kept }: { keptCount: number; keptOfReason?: number | undefined },
): Promise<void> {
  await db.run(failureInsertion(failures.complete(row)))
  if (keptOfReason < kept) {
    await db.run(sql`
      DELETE FROM sign_in_failures WHERE failure_id IN (
        SELECT failure_id FROM sign_in_failures WHERE connection_id = ${row.connection_id} AND reason = ${row.reason}
        ORDER BY failure_id DESC LIMIT ${kept} OFFSET ${keptOfReason})`)
  }
  await db.run(sql`
    DELETE FROM sign_in_failures WHERE connection_id = ${row.connection_id} AND failure_id <= (
      SELECT failure_id FROM sign_in_failures WHERE connection_id = ${row.connection_id}
      ORDER BY failure_id DESC LIMIT 1 OFFSET ${kept})`)
}

/** The latest first. */
export function listFailures(db: Db, connectionId: string, limit: number): Promise<FailureRow[]> {
  return db.all<FailureRow>(sql`
    SELECT ${failures.columns} FROM sign_in_failures WHERE connection_id = ${connectionId}
    ORDER BY failure_id DESC LIMIT ${limit}`)
}

/** When a sign-in failed last; test sign-ins do not count. */
export async function findLastFailure(db: Db, connectionId: string): Promise<string | null> {
  const row = await db.get<{ failed_at: string }>(sql`
    SELECT failed_at FROM sign_in_failures WHERE connection_id = ${connectionId} AND reason <> 'test'
    ORDER BY failure_id DESC LIMIT 1`)
  return row?.failed_at ?? null
}

/** Deletes the failed sign-ins of every connection whose claims mention the user. */
export async function deleteFailuresAbout(db: Transaction, erased: Erased): Promise<void> {
  const place = { table: 'sign_in_failures', id: 'failure_id', columns: ['claims', 'detail'] }
  const ids = await findMentions(db, erased, place)
  await db.run(sql`DELETE FROM sign_in_failures WHERE failure_id IN (SELECT value FROM ${texts(db, ids)})`)
}

export function deleteFailuresBefore(db: Transaction, instant: string): Promise<number> {
  return db.run(sql`
    DELETE FROM sign_in_failures WHERE failure_id IN (
      SELECT failure_id FROM sign_in_failures WHERE failed_at < ${instant} LIMIT 5000 ${skipLocked(db)})`)
}
