import type { Migration } from './migration.ts'

/** The nodes of a store: each reports once a minute. SQLite has one, which need not report. */
export const nodes: Migration = {
  name: '0012-nodes',
  needs: '0003-several-nodes',
  sqlite: [
    `CREATE TABLE nodes (
       node_id      TEXT PRIMARY KEY,
       host         TEXT NOT NULL,
       version      TEXT NOT NULL,
       started_at   TEXT NOT NULL,
       last_seen_at TEXT NOT NULL
     ) WITHOUT ROWID`,
  ],
  postgres: [
    `CREATE TABLE nodes (
       node_id      text COLLATE "C" PRIMARY KEY,
       host         text COLLATE "C" NOT NULL,
       version      text COLLATE "C" NOT NULL,
       started_at   text COLLATE "C" NOT NULL,
       last_seen_at text COLLATE "C" NOT NULL
     )`,
  ],
}
