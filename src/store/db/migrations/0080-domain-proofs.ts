import type { Migration } from './migration.ts'

/** What the DNS record of a domain must have, random for each domain of each organization. */
export const domainProofs: Migration = {
  name: '0080-domain-proofs',
  needs: '0003-several-nodes',
  sqlite: ["ALTER TABLE organization_domains ADD COLUMN proof TEXT NOT NULL DEFAULT ''"],
  postgres: [`ALTER TABLE organization_domains ADD COLUMN proof text COLLATE "C" NOT NULL DEFAULT ''`],
}
