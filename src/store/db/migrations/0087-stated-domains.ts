import type { Migration } from './migration.ts'

/** How a domain was verified: `dns`, or `statement` of a caller. Null: not yet, or before this was noted. */
const statements = (text: string) => [`ALTER TABLE organization_domains ADD COLUMN verified_by ${text}`]

export const statedDomains: Migration = {
  name: '0087-stated-domains',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT'),
  postgres: statements('text COLLATE "C"'),
}
