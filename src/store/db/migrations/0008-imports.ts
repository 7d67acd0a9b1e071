import type { Migration } from './migration.ts'

/** Imports, their progress, and the verdicts on their rows, some hundred per row of `import_rows`. */
export const imports: Migration = {
  name: '0008-imports',
  needs: '0003-several-nodes',
  sqlite: [
    `CREATE TABLE imports (
       job_id      TEXT PRIMARY KEY,
       state       TEXT NOT NULL,
       options     TEXT NOT NULL,
       rows_done   INTEGER NOT NULL,
       created     INTEGER NOT NULL,
       updated     INTEGER NOT NULL,
       unchanged   INTEGER NOT NULL,
       skipped     INTEGER NOT NULL,
       rejected    INTEGER NOT NULL,
       digest      TEXT,
       created_at  TEXT NOT NULL,
       updated_at  TEXT NOT NULL,
       finished_at TEXT
     )`,
    'CREATE INDEX imports_updated_at ON imports (updated_at)',
    `CREATE TABLE import_rows (
       job_id    TEXT NOT NULL REFERENCES imports (job_id) ON DELETE CASCADE,
       first_row INTEGER NOT NULL,
       rejected  INTEGER NOT NULL,
       verdicts  TEXT NOT NULL,
       PRIMARY KEY (job_id, first_row)
     )`,
    'CREATE INDEX import_rows_rejected ON import_rows (job_id, first_row) WHERE rejected > 0',
  ],
  postgres: [
    `CREATE TABLE imports (
       job_id      text COLLATE "C" PRIMARY KEY,
       state       text COLLATE "C" NOT NULL,
       options     text COLLATE "C" NOT NULL,
       rows_done   bigint NOT NULL,
       created     bigint NOT NULL,
       updated     bigint NOT NULL,
       unchanged   bigint NOT NULL,
       skipped     bigint NOT NULL,
       rejected    bigint NOT NULL,
       digest      text COLLATE "C",
       created_at  text COLLATE "C" NOT NULL,
       updated_at  text COLLATE "C" NOT NULL,
       finished_at text COLLATE "C"
     )`,
    'CREATE INDEX imports_updated_at ON imports (updated_at)',
    `CREATE TABLE import_rows (
       job_id    text COLLATE "C" NOT NULL REFERENCES imports (job_id) ON DELETE CASCADE,
       first_row bigint NOT NULL,
       rejected  bigint NOT NULL,
       verdicts  text COLLATE "C" NOT NULL,
       PRIMARY KEY (job_id, first_row)
     )`,
    'CREATE INDEX import_rows_rejected ON import_rows (job_id, first_row) WHERE rejected > 0',
  ],
}
