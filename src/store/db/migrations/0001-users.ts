import type { Migration } from './migration.ts'

/** Users, API keys, and the responses stored for Idempotency-Key. */
export const users: Migration = {
  name: '0001-users',
  needs: '0001-users',
  sqlite: [
    // `row_id` increases with `user_id`: SQLite's search index returns rows in its order.
    `CREATE TABLE users (
       row_id        INTEGER PRIMARY KEY,
       user_id       TEXT NOT NULL UNIQUE,
       version       INTEGER NOT NULL,
       document      TEXT NOT NULL,
       username      TEXT NOT NULL,
       username_key  TEXT NOT NULL UNIQUE,
       email         TEXT,
       email_key     TEXT UNIQUE,
       external_id   TEXT UNIQUE,
       first_name    TEXT NOT NULL,
       last_name     TEXT NOT NULL,
       role          TEXT NOT NULL,
       active        INTEGER NOT NULL,
       password_hash TEXT,
       last_login_at TEXT,
       created_at    TEXT NOT NULL,
       updated_at    TEXT NOT NULL,
       search_text   TEXT NOT NULL
     )`,
    'CREATE INDEX users_role ON users (role, user_id)',
    'CREATE INDEX users_inactive ON users (user_id) WHERE active = 0',
    'CREATE INDEX users_created_at ON users (created_at)',
    'CREATE INDEX users_last_login_at ON users (last_login_at) WHERE last_login_at IS NOT NULL',
    `CREATE TABLE api_keys (
       key_id              TEXT PRIMARY KEY,
       name                TEXT NOT NULL,
       prefix              TEXT NOT NULL,
       permissions         TEXT NOT NULL,
       key_hash            TEXT NOT NULL UNIQUE,
       previous_hash       TEXT UNIQUE,
       previous_expires_at TEXT,
       managed             INTEGER NOT NULL,
       created_at          TEXT NOT NULL,
       expires_at          TEXT,
       last_used_at        TEXT
     )`,
    `CREATE TABLE idempotency_keys (
       scope       TEXT PRIMARY KEY,
       fingerprint TEXT NOT NULL,
       answer      BLOB NOT NULL,
       created_at  TEXT NOT NULL
     ) WITHOUT ROWID`,
    'CREATE INDEX idempotency_keys_created_at ON idempotency_keys (created_at)',
  ],
  // Texts compare by their bytes, as on SQLite, whatever the collation of the database. Numbers represent booleans, and
  // texts instants, so that a row is the same on both engines.
  postgres: [
    `CREATE TABLE users (
       user_id       text COLLATE "C" PRIMARY KEY,
       version       integer NOT NULL,
       document      text COLLATE "C" NOT NULL,
       username      text COLLATE "C" NOT NULL,
       username_key  text COLLATE "C" NOT NULL UNIQUE,
       email         text COLLATE "C",
       email_key     text COLLATE "C" UNIQUE,
       external_id   text COLLATE "C" UNIQUE,
       first_name    text COLLATE "C" NOT NULL,
       last_name     text COLLATE "C" NOT NULL,
       role          text COLLATE "C" NOT NULL,
       active        integer NOT NULL,
       password_hash text COLLATE "C",
       last_login_at text COLLATE "C",
       created_at    text COLLATE "C" NOT NULL,
       updated_at    text COLLATE "C" NOT NULL,
       search_text   text COLLATE "C" NOT NULL
     )`,
    'CREATE INDEX users_role ON users (role, user_id)',
    'CREATE INDEX users_inactive ON users (user_id) WHERE active = 0',
    'CREATE INDEX users_created_at ON users (created_at, user_id)',
    'CREATE INDEX users_last_login_at ON users (last_login_at, user_id)',
    'CREATE INDEX users_without_email ON users (user_id) WHERE email_key IS NULL',
    `CREATE TABLE api_keys (
       key_id              text COLLATE "C" PRIMARY KEY,
       name                text COLLATE "C" NOT NULL,
       prefix              text COLLATE "C" NOT NULL,
       permissions         text COLLATE "C" NOT NULL,
       key_hash            text COLLATE "C" NOT NULL UNIQUE,
       previous_hash       text COLLATE "C" UNIQUE,
       previous_expires_at text COLLATE "C",
       managed             integer NOT NULL,
       created_at          text COLLATE "C" NOT NULL,
       expires_at          text COLLATE "C",
       last_used_at        text COLLATE "C"
     )`,
    `CREATE TABLE idempotency_keys (
       scope       text COLLATE "C" PRIMARY KEY,
       fingerprint text COLLATE "C" NOT NULL,
       answer      bytea NOT NULL,
       created_at  text COLLATE "C" NOT NULL
     )`,
    'CREATE INDEX idempotency_keys_created_at ON idempotency_keys (created_at)',
  ],
}
