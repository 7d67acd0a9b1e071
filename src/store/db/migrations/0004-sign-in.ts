import type { Migration } from './migration.ts'

/** Sessions, throttled sign-ins, signing keys, our own secrets, and the feed of revocations. */
export const signIn: Migration = {
  name: '0004-sign-in',
  needs: '0003-several-nodes',
  sqlite: [
    'ALTER TABLE users ADD COLUMN must_change_password INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE users ADD COLUMN credentials_version INTEGER NOT NULL DEFAULT 0',
    `CREATE TABLE sessions (
       session_id   TEXT PRIMARY KEY,
       user_id      TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
       token_hash   TEXT NOT NULL UNIQUE,
       created_at   TEXT NOT NULL,
       last_seen_at TEXT NOT NULL,
       expires_at   TEXT NOT NULL,
       address      TEXT NOT NULL,
       user_agent   TEXT NOT NULL
     )`,
    'CREATE INDEX sessions_user_id ON sessions (user_id)',
    'CREATE INDEX sessions_expires_at ON sessions (expires_at)',
    'CREATE INDEX sessions_last_seen_at ON sessions (last_seen_at)',
    `CREATE TABLE sign_in_throttles (
       throttle_key TEXT PRIMARY KEY,
       failures     INTEGER NOT NULL,
       allowed_at   TEXT NOT NULL,
       updated_at   TEXT NOT NULL
     ) WITHOUT ROWID`,
    'CREATE INDEX sign_in_throttles_updated_at ON sign_in_throttles (updated_at)',
    `CREATE TABLE signing_keys (
       kid         TEXT PRIMARY KEY,
       public_key  TEXT NOT NULL,
       private_key TEXT NOT NULL,
       sealed      INTEGER NOT NULL,
       created_at  TEXT NOT NULL,
       signs_from  TEXT NOT NULL,
       retired_at  TEXT,
       expires_at  TEXT
     )`,
    `CREATE TABLE secrets (
       name       TEXT PRIMARY KEY,
       value      TEXT NOT NULL,
       sealed     INTEGER NOT NULL,
       created_at TEXT NOT NULL
     )`,
    `CREATE TABLE revoked (
       seq                 INTEGER PRIMARY KEY AUTOINCREMENT,
       kind                TEXT NOT NULL,
       id                  TEXT NOT NULL,
       credentials_version INTEGER,
       revoked_at          TEXT NOT NULL
     )`,
    'CREATE INDEX revoked_revoked_at ON revoked (revoked_at)',
  ],
  postgres: [
    'ALTER TABLE users ADD COLUMN must_change_password integer NOT NULL DEFAULT 0',
    'ALTER TABLE users ADD COLUMN credentials_version integer NOT NULL DEFAULT 0',
    `CREATE TABLE sessions (
       session_id   text COLLATE "C" PRIMARY KEY,
       user_id      text COLLATE "C" NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
       token_hash   text COLLATE "C" NOT NULL UNIQUE,
       created_at   text COLLATE "C" NOT NULL,
       last_seen_at text COLLATE "C" NOT NULL,
       expires_at   text COLLATE "C" NOT NULL,
       address      text COLLATE "C" NOT NULL,
       user_agent   text COLLATE "C" NOT NULL
     )`,
    'CREATE INDEX sessions_user_id ON sessions (user_id)',
    'CREATE INDEX sessions_expires_at ON sessions (expires_at)',
    'CREATE INDEX sessions_last_seen_at ON sessions (last_seen_at)',
    `CREATE TABLE sign_in_throttles (
       throttle_key text COLLATE "C" PRIMARY KEY,
       failures     integer NOT NULL,
       allowed_at   text COLLATE "C" NOT NULL,
       updated_at   text COLLATE "C" NOT NULL
     )`,
    'CREATE INDEX sign_in_throttles_updated_at ON sign_in_throttles (updated_at)',
    `CREATE TABLE signing_keys (
       kid         text COLLATE "C" PRIMARY KEY,
       public_key  text COLLATE "C" NOT NULL,
       private_key text COLLATE "C" NOT NULL,
       sealed      integer NOT NULL,
       created_at  text COLLATE "C" NOT NULL,
       signs_from  text COLLATE "C" NOT NULL,
       retired_at  text COLLATE "C",
       expires_at  text COLLATE "C"
     )`,
    `CREATE TABLE secrets (
       name       text COLLATE "C" PRIMARY KEY,
       value      text COLLATE "C" NOT NULL,
       sealed     integer NOT NULL,
       created_at text COLLATE "C" NOT NULL
     )`,
    // Numbered from the single row of `revocations`, which is locked until the commit: so in commit order, and without
    // gaps.
    `CREATE TABLE revoked (
       seq                 bigint PRIMARY KEY,
       kind                text COLLATE "C" NOT NULL,
       id                  text COLLATE "C" NOT NULL,
       credentials_version integer,
       revoked_at          text COLLATE "C" NOT NULL
     )`,
    'CREATE INDEX revoked_revoked_at ON revoked (revoked_at)',
  ],
}
