import type { Migration } from './migration.ts'

/**
 * The outbox of messages, and the state of the mail server. A row has no body and no link: both are created when it is
 * sent (docs/decisions/0066).
 */
const statements = (text: string, options: string) => [
  `CREATE TABLE mails (
     mail_id         ${text} PRIMARY KEY,
     kind            ${text} NOT NULL,
     user_id         ${text},
     address         ${text} NOT NULL,
     address_key     ${text} NOT NULL,
     locale          ${text},
     data            ${text} NOT NULL,
     link_id         ${text},
     status          ${text} NOT NULL,
     attempt_count   integer NOT NULL,
     planned_at      ${text} NOT NULL,
     next_attempt_at ${text},
     claimed_until   ${text},
     error           ${text},
     response        ${text},
     expires_at      ${text},
     created_at      ${text} NOT NULL,
     finished_at     ${text}
   )${options}`,
  // The status comes first although it is constant here: otherwise SQLite uses mails_status and sorts all waiting rows.
  "CREATE INDEX mails_due ON mails (status, next_attempt_at) WHERE status = 'waiting'",
  'CREATE INDEX mails_status ON mails (status, mail_id)',
  'CREATE INDEX mails_user ON mails (user_id, mail_id)',
  'CREATE INDEX mails_address ON mails (address_key, planned_at)',
  'CREATE INDEX mails_link ON mails (link_id) WHERE link_id IS NOT NULL',
  'CREATE INDEX mails_finished ON mails (finished_at) WHERE finished_at IS NOT NULL',
  `CREATE TABLE mail_servers (
     name          ${text} PRIMARY KEY,
     failure_count integer NOT NULL,
     failing_since ${text},
     paused_until  ${text}
   )`,
  "INSERT INTO mail_servers (name, failure_count) VALUES ('smtp', 0)",
]

export const mails: Migration = {
  name: '0019-mails',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT', ''),
  // Rows change several times and due rows are searched constantly, so vacuum often.
  postgres: statements(
    'text COLLATE "C"',
    ' WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)',
  ),
}
