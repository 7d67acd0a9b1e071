import type { Migration } from './migration.ts'

/** Company sign-in: the connections, the linked identities, sign-ins in progress, and failures. */
const statements = (text: string, ending: string) => [
  `CREATE TABLE sign_in_connections (
     connection_id ${text} PRIMARY KEY,
     version       integer NOT NULL,
     kind          ${text} NOT NULL,
     name          ${text} NOT NULL,
     name_key      ${text} NOT NULL,
     active        integer NOT NULL,
     position      integer NOT NULL,
     settings      ${text} NOT NULL,
     secrets       ${text} NOT NULL,
     created_at    ${text} NOT NULL,
     updated_at    ${text} NOT NULL
   )`,
  'CREATE UNIQUE INDEX sign_in_connections_name ON sign_in_connections (name_key)',
  `CREATE TABLE identities (
     identity_id   ${text} PRIMARY KEY,
     connection_id ${text} NOT NULL,
     subject       ${text} NOT NULL,
     user_id       ${text} NOT NULL,
     linked_by     ${text} NOT NULL,
     domain        ${text},
     email         ${text},
     created_at    ${text} NOT NULL,
     last_used_at  ${text} NOT NULL
   )`,
  'CREATE UNIQUE INDEX identities_subject ON identities (connection_id, subject)',
  'CREATE INDEX identities_user_id ON identities (user_id)',
  `CREATE TABLE pending_sign_ins (
     state_hash    ${text} PRIMARY KEY,
     connection_id ${text} NOT NULL,
     browser_hash  ${text} NOT NULL,
     return_to     ${text},
     purpose       ${text} NOT NULL,
     user_id       ${text},
     started_at    ${text} NOT NULL,
     expires_at    ${text} NOT NULL
   ) ${ending}`,
  'CREATE INDEX pending_sign_ins_expires_at ON pending_sign_ins (expires_at)',
  // Provider messages that were used, so that no node accepts one twice.
  `CREATE TABLE used_messages (
     message_hash  ${text} PRIMARY KEY,
     expires_at    ${text} NOT NULL
   ) ${ending}`,
  'CREATE INDEX used_messages_expires_at ON used_messages (expires_at)',
  `CREATE TABLE sign_in_failures (
     failure_id    ${text} PRIMARY KEY,
     connection_id ${text} NOT NULL,
     failed_at     ${text} NOT NULL,
     request_id    ${text} NOT NULL,
     reason        ${text} NOT NULL,
     detail        ${text} NOT NULL,
     claims        ${text} NOT NULL
   )`,
  'CREATE INDEX sign_in_failures_connection ON sign_in_failures (connection_id, failure_id)',
  `ALTER TABLE sessions ADD COLUMN connection_id ${text}`,
  `ALTER TABLE challenges ADD COLUMN connection_id ${text}`,
  // Most sessions start with a password.
  'CREATE INDEX sessions_connection ON sessions (connection_id) WHERE connection_id IS NOT NULL',
]

export const signInConnections: Migration = {
  name: '0026-sign-in-connections',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT', 'WITHOUT ROWID'),
  postgres: statements('text COLLATE "C"', ''),
}
