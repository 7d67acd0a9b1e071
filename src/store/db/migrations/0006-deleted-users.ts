import type { Migration } from './migration.ts'

/**
 * Users who can be restored for a while, and the progress of erasures: in the audit log by actor and by target, and in the
 * events; and whether everything blanked so far is out of the files as well.
 */
export const deletedUsers: Migration = {
  name: '0006-deleted-users',
  needs: '0003-several-nodes',
  sqlite: [
    `CREATE TABLE deleted_users (
       user_id          TEXT PRIMARY KEY,
       deleted_at       TEXT NOT NULL,
       restorable_until TEXT NOT NULL,
       document         TEXT NOT NULL,
       user_row         TEXT NOT NULL
     )`,
    'CREATE INDEX deleted_users_deleted_at ON deleted_users (deleted_at, user_id)',
    'CREATE INDEX deleted_users_restorable_until ON deleted_users (restorable_until)',
    `CREATE TABLE erasures (
       user_id      TEXT PRIMARY KEY,
       requested_at TEXT NOT NULL,
       finished_at  TEXT,
       actor_seq    INTEGER NOT NULL,
       target_seq   INTEGER NOT NULL,
       event_seq    INTEGER NOT NULL,
       blanked      INTEGER NOT NULL,
       scrubbed     INTEGER NOT NULL
     )`,
    'CREATE INDEX erasures_unfinished ON erasures (requested_at) WHERE finished_at IS NULL',
  ],
  postgres: [
    `CREATE TABLE deleted_users (
       user_id          text COLLATE "C" PRIMARY KEY,
       deleted_at       text COLLATE "C" NOT NULL,
       restorable_until text COLLATE "C" NOT NULL,
       document         text COLLATE "C" NOT NULL,
       user_row         text COLLATE "C" NOT NULL
     )`,
    'CREATE INDEX deleted_users_deleted_at ON deleted_users (deleted_at, user_id)',
    'CREATE INDEX deleted_users_restorable_until ON deleted_users (restorable_until)',
    `CREATE TABLE erasures (
       user_id      text COLLATE "C" PRIMARY KEY,
       requested_at text COLLATE "C" NOT NULL,
       finished_at  text COLLATE "C",
       actor_seq    bigint NOT NULL,
       target_seq   bigint NOT NULL,
       event_seq    bigint NOT NULL,
       blanked      bigint NOT NULL,
       scrubbed     bigint NOT NULL
     )`,
    'CREATE INDEX erasures_unfinished ON erasures (requested_at) WHERE finished_at IS NULL',
  ],
}
