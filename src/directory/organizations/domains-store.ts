import type { Db, Transaction } from '../../store/db/db.ts'
import { texts } from '../../store/db/dialect.ts'
import { sql } from '../../store/db/sql.ts'
import { defineTable, type RowOf, text } from '../../store/db/table.ts'

const domains = defineTable('organization_domains', {
  organization_id: text(),
  domain: text(),
  proof: text(),
  verified_at: text(null),
  created_at: text(),
  /** `dns` or `statement`: how it was verified. */
  verified_by: text(null),
})

export type DomainRow = RowOf<typeof domains>

const insertion = domains.insertion()

export async function insertDomain(db: Transaction, row: DomainRow): Promise<void> {
  await db.run(insertion(row))
}

/** Returns false, without effect, if the domain is verified for another organization. */
export function setVerified(
  db: Transaction,
  { organization_id, domain, verified_at, verified_by }: Omit<DomainRow, 'proof' | 'created_at'>,
): Promise<boolean> {
  return db.runUnlessTaken(sql`
    UPDATE organization_domains SET verified_at = ${verified_at}, verified_by = ${verified_by}
    WHERE organization_id = ${organization_id} AND domain = ${domain}`)
}

export async function deleteDomain(db: Transaction, organizationId: string, domain: string): Promise<void> {
  await db.run(sql`DELETE FROM organization_domains WHERE organization_id = ${organizationId} AND domain = ${domain}`)
}

export function findDomain(db: Db, organizationId: string, domain: string): Promise<DomainRow | undefined> {
  return db.get<DomainRow>(sql`
    SELECT ${domains.columns} FROM organization_domains
    WHERE organization_id = ${organizationId} AND domain = ${domain}`)
}

/** The organization that has proved the domain. */
export async function findOrganizationOfDomain(db: Db, domain: string): Promise<string | undefined> {
  const found = await db.get<{ organization_id: string }>(sql`
    SELECT organization_id FROM organization_domains WHERE domain = ${domain} AND verified_at IS NOT NULL`)
  return found?.organization_id
}

export async function countDomains(db: Db, organizationId: string): Promise<number> {
  const found = await db.get<{ n: number }>(
    sql`SELECT count(*) AS n FROM organization_domains WHERE organization_id = ${organizationId}`,
  )
  return Number(found?.n ?? 0)
}

/** The domains that callers have vouched for, by organization, then by name. */
export function listStated(db: Db): Promise<Pick<DomainRow, 'organization_id' | 'domain'>[]> {
  return db.all(sql`
    SELECT organization_id, domain FROM organization_domains
    WHERE verified_by = ${'statement'} AND verified_at IS NOT NULL ORDER BY organization_id, domain`)
}

/** By organization, then by name. */
export function listDomainsOf(db: Db, organizationIds: readonly string[]): Promise<DomainRow[]> {
  return db.all<DomainRow>(sql`
    SELECT ${domains.columns} FROM organization_domains
    WHERE organization_id IN (SELECT value FROM ${texts(db, organizationIds)}) ORDER BY organization_id, domain`)
}
