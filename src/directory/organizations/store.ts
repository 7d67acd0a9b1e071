import type { Db, Transaction } from '../../store/db/db.ts'
import { forShare, forUpdate, texts } from '../../store/db/dialect.ts'
import { sql } from '../../store/db/sql.ts'
import { defineTable, integer, type RowOf, text } from '../../store/db/table.ts'
import { type ListPlan, listed } from '../named-resources/service.ts'

const organizations = defineTable('organizations', {
  organization_id: text(),
  version: integer(),
  name: text(),
  name_key: text(),
  external_id: text(null),
  active: integer(1),
  second_factor: text(null),
  managed_by: text(null),
  created_at: text(),
  updated_at: text(),
})

export type OrganizationRow = RowOf<typeof organizations>

const insertion = organizations.insertion('ON CONFLICT DO NOTHING')
const updating = organizations.update('organization_id', { except: ['created_at'] })

/** Returns false if the name or external id is taken. */
export async function insertOrganization(db: Transaction, row: OrganizationRow): Promise<boolean> {
  return (await db.run(insertion(row))) > 0
}

/** Returns false, without effect, if the name or external id is taken. */
export function updateOrganization(db: Transaction, row: OrganizationRow): Promise<boolean> {
  return db.runUnlessTaken(updating(row))
}

export function findTaken(
  db: Db,
  row: Pick<OrganizationRow, 'organization_id' | 'name_key' | 'external_id'>,
): Promise<Pick<OrganizationRow, 'name_key' | 'external_id'>[]> {
  return db.all(sql`
    SELECT name_key, external_id FROM organizations
    WHERE organization_id <> ${row.organization_id} AND (name_key = ${row.name_key} OR external_id = ${row.external_id})`)
}

export async function deleteOrganization(db: Transaction, organizationId: string): Promise<void> {
  await db.run(sql`DELETE FROM organization_domains WHERE organization_id = ${organizationId}`)
  await db.run(sql`DELETE FROM branding WHERE scope = ${organizationId}`)
  await db.run(sql`DELETE FROM organizations WHERE organization_id = ${organizationId}`)
}

export function findOrganization(db: Db, organizationId: string): Promise<OrganizationRow | undefined> {
  return db.get<OrganizationRow>(
    sql`SELECT ${organizations.columns} FROM organizations WHERE organization_id = ${organizationId}`,
  )
}

/** The organization, held against changes by others until this transaction ends. */
export function findOrganizationForChange(db: Db, organizationId: string): Promise<OrganizationRow | undefined> {
  return db.get<OrganizationRow>(sql`
    SELECT ${organizations.columns} FROM organizations WHERE organization_id = ${organizationId} ${forUpdate(db)}`)
}

/** The same for something that is to belong to it: several transactions can hold it in this way, and it cannot be deleted meanwhile. */
export function findOrganizationForMember(db: Db, organizationId: string): Promise<OrganizationRow | undefined> {
  return db.get<OrganizationRow>(sql`
    SELECT ${organizations.columns} FROM organizations WHERE organization_id = ${organizationId} ${forShare(db)}`)
}

/** The organizations with one of these names, by key, or ids. */
export function findOrganizationsNamed(
  db: Db,
  { ids, name_keys }: { ids: readonly string[]; name_keys: readonly string[] },
): Promise<Pick<OrganizationRow, 'organization_id' | 'name_key'>[]> {
  return db.all(sql`
    SELECT organization_id, name_key FROM organizations
    WHERE organization_id IN (SELECT value FROM ${texts(db, ids)})
      OR name_key IN (SELECT value FROM ${texts(db, name_keys)})`)
}

export async function hasOrganizations(db: Db): Promise<boolean> {
  return (await db.get(sql`SELECT 1 FROM organizations LIMIT 1`)) !== undefined
}

export type SortColumn = 'name_key' | 'created_at'
export type OrganizationFilters = {
  ids?: readonly string[]
  name_key?: string
  external_id?: string
  active?: number
}
export type OrganizationList = ListPlan<SortColumn> & { filters: OrganizationFilters }

export function listOrganizations(db: Db, list: OrganizationList): Promise<OrganizationRow[]> {
  return db.all<OrganizationRow>(sql`
    SELECT ${organizations.columns} FROM organizations ${listed(db, 'organization_id', list)}`)
}

/** For files that describe all of them. */
export function listAll(db: Db): Promise<OrganizationRow[]> {
  return db.all<OrganizationRow>(sql`SELECT ${organizations.columns} FROM organizations ORDER BY name_key`)
}

/** What a search of organizations looks at, of all organizations. */
export function listSearched(db: Db): Promise<{ id: string; name: string; external_id: string | null }[]> {
  return db.all(sql`SELECT organization_id AS id, name, external_id FROM organizations`)
}

export type Counts = { organization_id: string; user_count: number; group_count: number }

/** How many users and groups belong to each of these organizations. */
export async function countMembers(db: Db, organizationIds: readonly string[]): Promise<Counts[]> {
  const rows = await db.all<Counts>(sql`
    SELECT value AS organization_id,
      (SELECT count(*) FROM users WHERE users.organization_id = value) AS user_count,
      (SELECT count(*) FROM user_groups WHERE user_groups.organization_id = value) AS group_count
    FROM ${texts(db, organizationIds)}`)
  return rows.map((row) => ({ ...row, user_count: Number(row.user_count), group_count: Number(row.group_count) }))
}

/** How many keys and connections, for sign-in and for provisioning, belong to an organization. */
export async function countBelongings(
  db: Db,
  organizationId: string,
): Promise<{ key_count: number; connection_count: number }> {
  const found = await db.get<{ key_count: number; connection_count: number }>(sql`
    SELECT (SELECT count(*) FROM api_keys WHERE organization_id = ${organizationId}) AS key_count,
      (SELECT count(*) FROM sign_in_connections WHERE organization_id = ${organizationId})
        + (SELECT count(*) FROM provisioning_connections WHERE organization_id = ${organizationId} AND deleted = 0)
        AS connection_count`)
  return { key_count: Number(found?.key_count ?? 0), connection_count: Number(found?.connection_count ?? 0) }
}
