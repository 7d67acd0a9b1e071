import type { Migration } from './migration.ts'

/** The users with a factor, by kind. SQLite reads the factors themselves unless the index also has the column of its condition. */
const statements = [
  'CREATE INDEX factors_owners ON factors (user_id, kind, confirmed_at) WHERE confirmed_at IS NOT NULL',
]

export const factorOwners: Migration = {
  name: '0034-factor-owners',
  needs: '0003-several-nodes',
  sqlite: statements,
  postgres: statements,
}
