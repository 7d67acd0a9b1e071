import type { Migration } from './migration.ts'

/**
 * What several nodes have to agree on: which jobs ran when and, on PostgreSQL, whether anything was revoked and whether
 * any user has changed. SQLite has one process, which knows the latter two by itself.
 */
export const severalNodes: Migration = {
  name: '0003-several-nodes',
  needs: '0002-search',
  sqlite: ['CREATE TABLE jobs (name TEXT PRIMARY KEY, last_run_at TEXT NOT NULL) WITHOUT ROWID'],
  postgres: [
    'CREATE TABLE jobs (name text COLLATE "C" PRIMARY KEY, last_run_at text COLLATE "C" NOT NULL)',
    // One row, counted up by each revocation: nodes look at it to learn whether what they remember still holds.
    'CREATE TABLE revocations (count bigint NOT NULL)',
    'INSERT INTO revocations VALUES (0)',
    // Counted up by every statement that changes users. The sum tells whether a list is still as it was; in one row it
    // would make all changes wait for each other, so that each connection counts in one of 256.
    'CREATE TABLE user_changes (shard integer PRIMARY KEY, count bigint NOT NULL) WITH (fillfactor = 50)',
    'INSERT INTO user_changes SELECT shard, 0 FROM generate_series(0, 255) AS shard',
    // With the search path of now, so that it works whatever that of an administrator's session is.
    `CREATE FUNCTION count_user_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
     BEGIN
       UPDATE user_changes SET count = count + 1 WHERE shard = pg_backend_pid() % 256;
       RETURN NULL;
     END $$`,
    `CREATE TRIGGER users_changed AFTER INSERT OR UPDATE OR DELETE ON users
     FOR EACH STATEMENT EXECUTE FUNCTION count_user_change()`,
  ],
}
