import type { Migration } from './migration.ts'

/** Users who are programs: `kind` is `service`, and `person` for all others. The index has only the few programs. */
export const serviceAccounts: Migration = {
  name: '0054-service-accounts',
  needs: '0003-several-nodes',
  sqlite: [
    `ALTER TABLE users ADD COLUMN kind TEXT NOT NULL DEFAULT 'person'`,
    // Includes the column that is the same in all of them: without it SQLite reads each row.
    `CREATE INDEX users_service_accounts ON users (kind, user_id) WHERE kind = 'service'`,
  ],
  postgres: [
    `ALTER TABLE users ADD COLUMN kind text COLLATE "C" NOT NULL DEFAULT 'person'`,
    `CREATE INDEX users_service_accounts ON users (user_id) WHERE kind = 'service'`,
  ],
}
