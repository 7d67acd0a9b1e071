import type { Db, Transaction } from '../../../store/db/db.ts'
import { texts } from '../../../store/db/dialect.ts'
import { sql } from '../../../store/db/sql.ts'
import { defineTable, type RowOf, text } from '../../../store/db/table.ts'
import type { Placed } from '../../../store/journal-entry.ts'
import type { KindName } from './kinds/kinds.ts'

const identities = defineTable('identities', {
  identity_id: text(),
  connection_id: text(),
  subject: text(),
  user_id: text(),
  linked_by: text<'user' | 'domain' | 'creation' | 'administrator'>(),
  /** The trusted domain that linked it. */
  domain: text(null),
  email: text(null),
  created_at: text(),
  last_used_at: text(),
})

export type IdentityRow = RowOf<typeof identities>

const insertion = identities.insertion('ON CONFLICT DO NOTHING')

/** Returns false if another user has it. */
export async function insertIdentity(db: Transaction, row: IdentityRow): Promise<boolean> {
  return (await db.run(insertion(row))) > 0
}

export function findIdentity(db: Db, connectionId: string, subject: string): Promise<IdentityRow | undefined> {
  return db.get<IdentityRow>(sql`
    SELECT ${identities.columns} FROM identities WHERE connection_id = ${connectionId} AND subject = ${subject}`)
}

/** Addresses are stored as the provider sent them. */
export function findAccounts(
  db: Db,
  { connection_id, subject, email }: { connection_id: string; subject: string | null; email: string | null },
): Promise<Pick<IdentityRow, 'subject' | 'user_id'>[]> {
  return db.all(sql`
    SELECT subject, user_id FROM identities
    WHERE connection_id = ${connection_id} AND (subject = ${subject} OR lower(email) = lower(${email})) LIMIT 100`)
}

/** `organization_id`: that of the connection. */
export type NamedIdentity = IdentityRow & Placed & { connection_name: string; connection_kind: KindName }

export function listIdentitiesOf(db: Db, userId: string): Promise<NamedIdentity[]> {
  return db.all<NamedIdentity>(sql`
    SELECT identity_id, identities.connection_id, name AS connection_name, kind AS connection_kind, subject, user_id, linked_by, domain, email,
      identities.created_at, last_used_at, organization_id
    FROM identities JOIN sign_in_connections USING (connection_id)
    WHERE user_id = ${userId} ORDER BY identity_id LIMIT 200`)
}

/** The distinct combinations of roles of the users who have linked a connection. */
export function listStandings(db: Db, connectionId: string): Promise<{ role: string; group_roles: string }[]> {
  return db.all(sql`
    SELECT DISTINCT role, group_roles FROM identities JOIN users USING (user_id) WHERE connection_id = ${connectionId}`)
}

/** Those of the connections of an organization. */
export function listIdentitiesWithin(
  db: Db,
  userId: string,
  organizationId: string,
): Promise<Pick<NamedIdentity, 'identity_id' | 'connection_id' | 'connection_name' | 'subject'>[]> {
  return db.all(sql`
    SELECT identity_id, identities.connection_id, name AS connection_name, subject
    FROM identities JOIN sign_in_connections USING (connection_id)
    WHERE user_id = ${userId} AND sign_in_connections.organization_id = ${organizationId} ORDER BY identity_id`)
}

/** Returns those of these users who can sign in through a connection, or with a passkey. */
export async function findUsersWithWays(db: Db, userIds: readonly string[]): Promise<Set<string>> {
  const rows = await db.all<{ user_id: string }>(sql`
    SELECT user_id FROM identities JOIN sign_in_connections USING (connection_id)
    WHERE active = 1 AND user_id IN (SELECT value FROM ${texts(db, userIds)})
    UNION SELECT user_id FROM factors
    WHERE kind = 'passkey' AND confirmed_at IS NOT NULL AND user_id IN (SELECT value FROM ${texts(db, userIds)})`)
  return new Set(rows.map(({ user_id }) => user_id))
}

/** In the order of their subjects. */
export function listIdentitiesOfConnection(
  db: Db,
  connectionId: string,
  { after, limit }: { after: string; limit: number },
): Promise<IdentityRow[]> {
  return db.all<IdentityRow>(sql`
    SELECT ${identities.columns} FROM identities
    WHERE connection_id = ${connectionId} AND subject > ${after} ORDER BY subject LIMIT ${limit}`)
}

export async function countIdentities(db: Db, connectionId: string): Promise<number> {
  const row = await db.get<{ count: number }>(
    sql`SELECT count(*) AS count FROM identities WHERE connection_id = ${connectionId}`,
  )
  return Number(row?.count)
}

export async function useIdentity(
  db: Transaction,
  { identity_id, email, now }: { identity_id: string; email: string | null; now: string },
): Promise<void> {
  await db.run(sql`UPDATE identities SET last_used_at = ${now}, email = ${email} WHERE identity_id = ${identity_id}`)
}

export async function setIdentityEmail(db: Transaction, identityId: string, email: string): Promise<void> {
  await db.run(sql`UPDATE identities SET email = ${email} WHERE identity_id = ${identityId}`)
}

export async function deleteIdentity(db: Transaction, identityId: string): Promise<void> {
  await db.run(sql`DELETE FROM identities WHERE identity_id = ${identityId}`)
}

export function deleteIdentitiesOfUser(db: Transaction, userId: string): Promise<number> {
  return db.run(sql`DELETE FROM identities WHERE user_id = ${userId}`)
}

export function deleteIdentitiesOfConnection(db: Transaction, connectionId: string): Promise<number> {
  return db.run(sql`DELETE FROM identities WHERE connection_id = ${connectionId}`)
}

/** Those that a domain linked which is no longer trusted, or from which users are no longer created. */
export function deleteIdentitiesOfDomain(db: Transaction, connectionId: string, domain: string): Promise<number> {
  return db.run(
    sql`DELETE FROM identities WHERE connection_id = ${connectionId} AND domain = ${domain} AND linked_by = 'domain'`,
  )
}
