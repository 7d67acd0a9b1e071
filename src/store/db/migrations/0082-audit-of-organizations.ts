import type { Migration } from './migration.ts'

/**
 * To which organization the target of an audit record belonged at that time, and where it came from if the record is that of a move. Both are
 * copies of what the record's text says, which is covered by the hash chain. An import belongs to the organization of the caller who
 * was limited to it. The indexes contain only what belongs to an organization.
 */
const statements = (text: string) => [
  `ALTER TABLE audit_records ADD COLUMN organization_id ${text}`,
  `ALTER TABLE audit_records ADD COLUMN former_organization_id ${text}`,
  'CREATE INDEX audit_records_organization ON audit_records (organization_id, seq) WHERE organization_id IS NOT NULL',
  `CREATE INDEX audit_records_former_organization ON audit_records (former_organization_id, seq)
     WHERE former_organization_id IS NOT NULL`,
  `ALTER TABLE imports ADD COLUMN organization_id ${text}`,
  'CREATE INDEX imports_organization ON imports (organization_id) WHERE organization_id IS NOT NULL',
]

export const auditOfOrganizations: Migration = {
  name: '0082-audit-of-organizations',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT'),
  postgres: statements('text COLLATE "C"'),
}
