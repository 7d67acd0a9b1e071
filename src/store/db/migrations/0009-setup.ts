import type { Migration } from './migration.ts'

/** The link that creates the first administrator: one at a time, until it is used. */
export const setup: Migration = {
  name: '0009-setup',
  needs: '0003-several-nodes',
  sqlite: [
    `CREATE TABLE setup_links (
       token_hash TEXT PRIMARY KEY,
       created_at TEXT NOT NULL,
       expires_at TEXT NOT NULL
     ) WITHOUT ROWID`,
  ],
  postgres: [
    `CREATE TABLE setup_links (
       token_hash text COLLATE "C" PRIMARY KEY,
       created_at text COLLATE "C" NOT NULL,
       expires_at text COLLATE "C" NOT NULL
     )`,
  ],
}
