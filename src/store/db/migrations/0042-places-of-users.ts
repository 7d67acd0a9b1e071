import type { Migration } from './migration.ts'

/**
 * Counts changes to the number of users before a place of the default order, so that a place stays valid until the
 * next one (docs/decisions/speed.md, 0108). New users come last, because ids start with the time: an id of the last five minutes
 * affects only later places, which are never cached.
 */
export const placesOfUsers: Migration = {
  name: '0042-places-of-users',
  needs: '0003-several-nodes',
  sqlite: [],
  postgres: [
    'ALTER TABLE user_changes ADD COLUMN moves bigint NOT NULL DEFAULT 0',
    `CREATE FUNCTION count_user_move() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
     BEGIN
       UPDATE user_changes SET moves = moves + 1 WHERE shard = pg_backend_pid() % 256;
       RETURN NULL;
     END $$`,
    `CREATE FUNCTION count_early_users() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
     DECLARE
       begun text := lpad(to_hex((extract(epoch FROM clock_timestamp() - interval '5 minutes') * 1000)::bigint), 12, '0');
     BEGIN
       IF EXISTS (SELECT FROM added WHERE user_id < left(begun, 8) || '-' || right(begun, 4)) THEN
         UPDATE user_changes SET moves = moves + 1 WHERE shard = pg_backend_pid() % 256;
       END IF;
       RETURN NULL;
     END $$`,
    `CREATE TRIGGER users_moved AFTER DELETE OR TRUNCATE OR UPDATE OF user_id ON users
     FOR EACH STATEMENT EXECUTE FUNCTION count_user_move()`,
    `CREATE TRIGGER users_added AFTER INSERT ON users REFERENCING NEW TABLE AS added
     FOR EACH STATEMENT EXECUTE FUNCTION count_early_users()`,
  ],
}
