import type { Migration } from './migration.ts'

/** Webhook endpoints, and the deliveries to each of them. */
export const webhooks: Migration = {
  name: '0007-webhooks',
  needs: '0003-several-nodes',
  sqlite: [
    `CREATE TABLE webhook_endpoints (
       endpoint_id         TEXT PRIMARY KEY,
       url                 TEXT NOT NULL,
       description         TEXT NOT NULL,
       event_types         TEXT,
       active              INTEGER NOT NULL,
       disabled_reason     TEXT,
       secret              TEXT NOT NULL,
       previous_secret     TEXT,
       previous_expires_at TEXT,
       sealed              INTEGER NOT NULL,
       cursor              INTEGER NOT NULL,
       failure_count       INTEGER NOT NULL DEFAULT 0,
       failing_since       TEXT,
       paused_until        TEXT,
       deleted             INTEGER NOT NULL DEFAULT 0,
       version             INTEGER NOT NULL,
       created_at          TEXT NOT NULL,
       updated_at          TEXT NOT NULL
     )`,
    `CREATE TABLE webhook_deliveries (
       delivery_id     TEXT PRIMARY KEY,
       endpoint_id     TEXT NOT NULL REFERENCES webhook_endpoints (endpoint_id) ON DELETE CASCADE,
       event_seq       INTEGER,
       event_id        TEXT NOT NULL,
       order_key       TEXT NOT NULL,
       type            TEXT NOT NULL,
       body            TEXT,
       status          TEXT NOT NULL,
       attempt_count   INTEGER NOT NULL,
       next_attempt_at TEXT,
       claimed_until   TEXT,
       attempts        TEXT NOT NULL,
       created_at      TEXT NOT NULL,
       finished_at     TEXT
     )`,
    `CREATE TABLE webhook_backlogs (
       endpoint_id TEXT NOT NULL REFERENCES webhook_endpoints (endpoint_id) ON DELETE CASCADE,
       order_key   TEXT NOT NULL,
       after_seq   INTEGER NOT NULL,
       PRIMARY KEY (endpoint_id, order_key)
     )`,
    'CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (endpoint_id, delivery_id)',
    'CREATE INDEX webhook_deliveries_status ON webhook_deliveries (endpoint_id, status, delivery_id)',
    'CREATE INDEX webhook_deliveries_order ON webhook_deliveries (endpoint_id, order_key, status, event_seq)',
    "CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_attempt_at) WHERE status = 'due'",
    `CREATE INDEX webhook_deliveries_tests ON webhook_deliveries (endpoint_id, next_attempt_at)
       WHERE status = 'due' AND event_seq IS NULL`,
    'CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (status, finished_at, created_at)',
  ],
  postgres: [
    `CREATE TABLE webhook_endpoints (
       endpoint_id         text COLLATE "C" PRIMARY KEY,
       url                 text COLLATE "C" NOT NULL,
       description         text COLLATE "C" NOT NULL,
       event_types         text COLLATE "C",
       active              integer NOT NULL,
       disabled_reason     text COLLATE "C",
       secret              text COLLATE "C" NOT NULL,
       previous_secret     text COLLATE "C",
       previous_expires_at text COLLATE "C",
       sealed              integer NOT NULL,
       cursor              bigint NOT NULL,
       failure_count       integer NOT NULL DEFAULT 0,
       failing_since       text COLLATE "C",
       paused_until        text COLLATE "C",
       deleted             integer NOT NULL DEFAULT 0,
       version             integer NOT NULL,
       created_at          text COLLATE "C" NOT NULL,
       updated_at          text COLLATE "C" NOT NULL
     )`,
    // Rows change several times and due rows are searched constantly, so vacuum often.
    `CREATE TABLE webhook_deliveries (
       delivery_id     text COLLATE "C" PRIMARY KEY,
       endpoint_id     text COLLATE "C" NOT NULL REFERENCES webhook_endpoints (endpoint_id) ON DELETE CASCADE,
       event_seq       bigint,
       event_id        text COLLATE "C" NOT NULL,
       order_key       text COLLATE "C" NOT NULL,
       type            text COLLATE "C" NOT NULL,
       body            text COLLATE "C",
       status          text COLLATE "C" NOT NULL,
       attempt_count   integer NOT NULL,
       next_attempt_at text COLLATE "C",
       claimed_until   text COLLATE "C",
       attempts        text COLLATE "C" NOT NULL,
       created_at      text COLLATE "C" NOT NULL,
       finished_at     text COLLATE "C"
     ) WITH (autovacuum_vacuum_scale_factor = 0.02)`,
    `CREATE TABLE webhook_backlogs (
       endpoint_id text COLLATE "C" NOT NULL REFERENCES webhook_endpoints (endpoint_id) ON DELETE CASCADE,
       order_key   text COLLATE "C" NOT NULL,
       after_seq   bigint NOT NULL,
       PRIMARY KEY (endpoint_id, order_key)
     )`,
    'CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (endpoint_id, delivery_id)',
    'CREATE INDEX webhook_deliveries_status ON webhook_deliveries (endpoint_id, status, delivery_id)',
    'CREATE INDEX webhook_deliveries_order ON webhook_deliveries (endpoint_id, order_key, status, event_seq)',
    "CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_attempt_at) WHERE status = 'due'",
    `CREATE INDEX webhook_deliveries_tests ON webhook_deliveries (endpoint_id, next_attempt_at)
       WHERE status = 'due' AND event_seq IS NULL`,
    'CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (status, finished_at, created_at)',
  ],
}
