import type { Migration } from './migration.ts'

/**
 * What several nodes have to agree on: which jobs ran when and, on PostgreSQL, whether anything was revoked and whether
 * any user changed. SQLite has one process, which knows the latter two itself.
 */
export const severalNodes: Migration = {
  name: '0003-several-nodes',
  needs: '0002-search',
  sqlite: ['CREATE TABLE jobs (name TEXT PRIMARY KEY, last_run_at TEXT NOT NULL) WITHOUT ROWID'],
  postgres: [
    'CREATE TABLE jobs (name text COLLATE "C" PRIMARY KEY, last_run_at text COLLATE "C" NOT NULL)',
    // One row, incremented by each revocation: nodes compare it to know whether their caches are still valid.
    'CREATE TABLE revocations (count bigint NOT NULL)',
    'INSERT INTO revocations VALUES (0)',
    // Incremented by every statement that changes users. The sum tells whether a list is unchanged; in a single row it
    // would make all changes wait for each other, so each connection counts in one of 256.
    'CREATE TABLE user_changes (shard integer PRIMARY KEY, count bigint NOT NULL) WITH (fillfactor = 50)',
    'INSERT INTO user_changes SELECT shard, 0 FROM generate_series(0, 255) AS shard',
    // With the current search path, so that it works in an administrator's session too.
    `CREATE FUNCTION count_user_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
     BEGIN
       UPDATE user_changes SET count = count + 1 WHERE shard = pg_backend_pid() % 256;
       RETURN NULL;
     END $$`,
    `CREATE TRIGGER users_changed AFTER INSERT OR UPDATE OR DELETE ON users
     FOR EACH STATEMENT EXECUTE FUNCTION count_user_change()`,
  ],
}
