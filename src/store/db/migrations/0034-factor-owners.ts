import type { Migration } from './migration.ts'

/** The users with a factor, by kind: statistics count them without reading the factors. */
const statements = ['CREATE INDEX factors_owners ON factors (user_id, kind) WHERE confirmed_at IS NOT NULL']

export const factorOwners: Migration = {
  name: '0034-factor-owners',
  needs: '0003-several-nodes',
  sqlite: statements,
  postgres: statements,
}
