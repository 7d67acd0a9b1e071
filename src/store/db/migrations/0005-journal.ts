import type { Migration } from './migration.ts'

/**
 * The journal: audit records in a hash chain, and the events of the change feed. Existing users are written as events, so
 * that a follower that starts at the beginning has everything. On PostgreSQL a change writes its entry to
 * `journal_pending`; numbers and chain come afterwards, in commit order (docs/decisions/0020).
 */
export const journal: Migration = {
  name: '0005-journal',
  needs: '0003-several-nodes',
  sqlite: [
    `CREATE TABLE audit_records (
       seq         INTEGER PRIMARY KEY,
       record_id   TEXT NOT NULL,
       occurred_at TEXT NOT NULL,
       action      TEXT NOT NULL,
       outcome     TEXT NOT NULL,
       code        TEXT,
       actor_kind  TEXT NOT NULL,
       actor_id    TEXT NOT NULL,
       key_id      TEXT,
       session_id  TEXT,
       target_kind TEXT,
       target_id   TEXT,
       request_id  TEXT NOT NULL,
       who         TEXT,
       what        TEXT,
       who_digest  TEXT NOT NULL,
       what_digest TEXT NOT NULL,
       hash        TEXT NOT NULL
     )`,
    'CREATE INDEX audit_records_actor ON audit_records (actor_id)',
    'CREATE INDEX audit_records_target ON audit_records (target_id)',
    // Only indexes that every change can afford: a search by action or time scans (docs/decisions/0020).
    "CREATE INDEX audit_records_pruned ON audit_records (action) WHERE action = 'audit.pruned'",
    "CREATE INDEX audit_records_refused ON audit_records (outcome) WHERE outcome <> 'success'",
    `CREATE TABLE events (
       seq         INTEGER PRIMARY KEY,
       event_id    TEXT NOT NULL,
       type        TEXT NOT NULL,
       subject     TEXT NOT NULL,
       owner_id    TEXT NOT NULL,
       occurred_at TEXT NOT NULL,
       data        TEXT
     )`,
    'CREATE INDEX events_owner ON events (owner_id)',
    'CREATE TABLE journal_state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID',
    `INSERT INTO events (event_id, type, subject, owner_id, occurred_at, data)
       SELECT user_id || '.0', 'user.created', user_id, user_id, created_at, document FROM users ORDER BY user_id`,
    `INSERT INTO events (event_id, type, subject, owner_id, occurred_at, data)
       SELECT session_id || '.0', 'session.created', session_id, user_id, created_at, json_object(
         'session_id', session_id, 'user_id', user_id, 'created_at', created_at, 'expires_at', expires_at,
         'address', address, 'user_agent', user_agent) FROM sessions ORDER BY session_id`,
    `INSERT INTO events (event_id, type, subject, owner_id, occurred_at, data)
       SELECT key_id || '.0', 'key.created', key_id, key_id, created_at, json_object(
         'key_id', key_id, 'prefix', prefix, 'name', name, 'permissions', json(permissions),
         'created_at', created_at, 'expires_at', expires_at) FROM api_keys ORDER BY key_id`,
  ],
  postgres: [
    `CREATE TABLE audit_records (
       seq         bigint PRIMARY KEY,
       record_id   text COLLATE "C" NOT NULL,
       occurred_at text COLLATE "C" NOT NULL,
       action      text COLLATE "C" NOT NULL,
       outcome     text COLLATE "C" NOT NULL,
       code        text COLLATE "C",
       actor_kind  text COLLATE "C" NOT NULL,
       actor_id    text COLLATE "C" NOT NULL,
       key_id      text COLLATE "C",
       session_id  text COLLATE "C",
       target_kind text COLLATE "C",
       target_id   text COLLATE "C",
       request_id  text COLLATE "C" NOT NULL,
       who         text COLLATE "C",
       what        text COLLATE "C",
       who_digest  text COLLATE "C" NOT NULL,
       what_digest text COLLATE "C" NOT NULL,
       hash        text COLLATE "C" NOT NULL
     )`,
    'CREATE INDEX audit_records_actor ON audit_records (actor_id, seq)',
    'CREATE INDEX audit_records_target ON audit_records (target_id, seq)',
    "CREATE INDEX audit_records_pruned ON audit_records (seq) WHERE action = 'audit.pruned'",
    "CREATE INDEX audit_records_refused ON audit_records (outcome, seq) WHERE outcome <> 'success'",
    `CREATE TABLE events (
       seq         bigint PRIMARY KEY,
       event_id    text COLLATE "C" NOT NULL,
       type        text COLLATE "C" NOT NULL,
       subject     text COLLATE "C" NOT NULL,
       owner_id    text COLLATE "C" NOT NULL,
       occurred_at text COLLATE "C" NOT NULL,
       data        text COLLATE "C"
     )`,
    'CREATE INDEX events_owner ON events (owner_id, seq)',
    'CREATE TABLE journal_state (name text COLLATE "C" PRIMARY KEY, value text COLLATE "C" NOT NULL)',
    // Rows stay only briefly, so vacuum often.
    `CREATE TABLE journal_pending (
       id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       entry text COLLATE "C" NOT NULL
     ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`,
    `INSERT INTO events (seq, event_id, type, subject, owner_id, occurred_at, data)
       SELECT row_number() OVER (ORDER BY number, id), id || '.0', type, id, owner_id, created_at, data FROM (
         SELECT 1 AS number, user_id AS id, 'user.created' AS type, user_id AS owner_id, created_at, document AS data
           FROM users
         UNION ALL SELECT 2, session_id, 'session.created', user_id, created_at, json_build_object(
             'session_id', session_id, 'user_id', user_id, 'created_at', created_at, 'expires_at', expires_at,
             'address', address, 'user_agent', user_agent)::text FROM sessions
         UNION ALL SELECT 3, key_id, 'key.created', key_id, created_at, json_build_object(
             'key_id', key_id, 'prefix', prefix, 'name', name, 'permissions', permissions::json,
             'created_at', created_at, 'expires_at', expires_at)::text FROM api_keys) AS existing`,
  ],
}
