import type { Db, Transaction } from '../../store/db/db.ts'
import { forUpdate, texts } from '../../store/db/dialect.ts'
import { sql } from '../../store/db/sql.ts'
import { defineTable, type RowOf, text } from '../../store/db/table.ts'

const setupLinks = defineTable('organization_setup_links', {
  setup_link_id: text(),
  organization_id: text(),
  /** JSON. */
  features: text(),
  email: text(null),
  email_key: text(null),
  locale: text(null),
  creator_kind: text(),
  creator_id: text(),
  creator_name: text(),
  created_at: text(),
  expires_at: text(),
  last_used_at: text(null),
  revoked_at: text(null),
})

export type SetupLinkRow = RowOf<typeof setupLinks>

const insertion = setupLinks.insertion()

export async function insertSetupLink(db: Transaction, row: SetupLinkRow): Promise<void> {
  await db.run(insertion(row))
}

export function findSetupLink(db: Db, setupLinkId: string): Promise<SetupLinkRow | undefined> {
  return db.get<SetupLinkRow>(sql`
    SELECT ${setupLinks.columns} FROM organization_setup_links WHERE setup_link_id = ${setupLinkId}`)
}

export function findSetupLinkForChange(db: Db, setupLinkId: string): Promise<SetupLinkRow | undefined> {
  return db.get<SetupLinkRow>(sql`
    SELECT ${setupLinks.columns} FROM organization_setup_links WHERE setup_link_id = ${setupLinkId} ${forUpdate(db)}`)
}

/** The links of an organization, the newest first. */
export function listSetupLinks(db: Db, organizationId: string): Promise<SetupLinkRow[]> {
  return db.all<SetupLinkRow>(sql`
    SELECT ${setupLinks.columns} FROM organization_setup_links
    WHERE organization_id = ${organizationId} ORDER BY setup_link_id DESC`)
}

export async function countLiveSetupLinks(db: Db, organizationId: string, now: string): Promise<number> {
  const found = await db.get<{ count: number }>(sql`
    SELECT count(*) AS count FROM organization_setup_links
    WHERE organization_id = ${organizationId} AND revoked_at IS NULL AND expires_at > ${now}`)
  return Number(found?.count ?? 0)
}

export async function setRevoked(db: Transaction, setupLinkId: string, now: string): Promise<void> {
  await db.run(sql`
    UPDATE organization_setup_links SET revoked_at = ${now} WHERE setup_link_id = ${setupLinkId} AND revoked_at IS NULL`)
}

export async function setUsed(db: Transaction, setupLinkId: string, now: string): Promise<void> {
  await db.run(sql`UPDATE organization_setup_links SET last_used_at = ${now} WHERE setup_link_id = ${setupLinkId}`)
}

/** For a restored store. Returns how many ended. */
export function revokeAllSetupLinks(db: Transaction, now: string): Promise<number> {
  return db.run(sql`
    UPDATE organization_setup_links SET revoked_at = ${now} WHERE revoked_at IS NULL AND expires_at > ${now}`)
}

export async function listSetupLinkIdsOf(db: Db, organizationId: string): Promise<string[]> {
  const rows = await db.all<{ setup_link_id: string }>(sql`
    SELECT setup_link_id FROM organization_setup_links WHERE organization_id = ${organizationId}`)
  return rows.map(({ setup_link_id }) => setup_link_id)
}

/** Some that expired before the time. */
export async function listExpiredSetupLinks(db: Db, before: string, limit: number): Promise<string[]> {
  const rows = await db.all<{ setup_link_id: string }>(sql`
    SELECT setup_link_id FROM organization_setup_links WHERE expires_at < ${before} LIMIT ${limit}`)
  return rows.map(({ setup_link_id }) => setup_link_id)
}

export async function deleteSetupLinks(db: Transaction, ids: readonly string[]): Promise<void> {
  await db.run(sql`DELETE FROM organization_setup_links WHERE setup_link_id IN (SELECT value FROM ${texts(db, ids)})`)
}

/** Of a user who is erased: the name as the creator, and the addresses. */
export async function forgetInSetupLinks(
  db: Transaction,
  { user_id, email_keys }: { user_id: string; email_keys: readonly string[] },
): Promise<void> {
  await db.run(sql`
    UPDATE organization_setup_links SET creator_name = '' WHERE creator_id = ${user_id} AND creator_kind = 'user'`)
  await db.run(sql`
    UPDATE organization_setup_links SET email = NULL, email_key = NULL
    WHERE email_key IN (SELECT value FROM ${texts(db, email_keys)})`)
}
