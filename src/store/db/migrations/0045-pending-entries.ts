import type { Migration } from './migration.ts'

/**
 * The entries of the changes that share a transaction are one text of some 20 kB. PostgreSQL's own compression took 80 µs of the
 * server for it, lz4 takes 20 and writes as little to the log. A server built without lz4 stores it as it is, in 45.
 */
export const pendingEntries: Migration = {
  name: '0045-pending-entries',
  needs: '0005-journal',
  sqlite: [],
  postgres: [
    `DO $$ BEGIN
       ALTER TABLE journal_pending ALTER COLUMN entry SET COMPRESSION lz4;
     EXCEPTION WHEN feature_not_supported THEN
       ALTER TABLE journal_pending ALTER COLUMN entry SET STORAGE EXTERNAL;
     END $$`,
  ],
}
