import type { Migration } from './migration.ts'

/** Provisioning connections, their rejected requests, and the users and keys that belong to them. */
const statements = (text: string) => [
  `CREATE TABLE provisioning_connections (
     connection_id ${text} PRIMARY KEY,
     version       integer NOT NULL,
     name          ${text} NOT NULL,
     name_key      ${text} NOT NULL,
     profile       ${text} NOT NULL,
     deleted       integer NOT NULL DEFAULT 0,
     created_at    ${text} NOT NULL,
     updated_at    ${text} NOT NULL
   )`,
  // A deleted connection stays until its users are released; its name is free at once.
  'CREATE UNIQUE INDEX provisioning_connections_name ON provisioning_connections (name_key) WHERE deleted = 0',
  `CREATE TABLE rejected_requests (
     rejection_id  ${text} PRIMARY KEY,
     connection_id ${text} NOT NULL,
     rejected_at   ${text} NOT NULL,
     request_id    ${text} NOT NULL,
     method        ${text} NOT NULL,
     path          ${text} NOT NULL,
     body          ${text},
     status        integer NOT NULL,
     scim_type     ${text},
     detail        ${text} NOT NULL
   )`,
  'CREATE INDEX rejected_requests_connection ON rejected_requests (connection_id, rejection_id)',
  `ALTER TABLE api_keys ADD COLUMN connection_id ${text}`,
  `ALTER TABLE users ADD COLUMN managed_by ${text}`,
  // Most users belong to no connection.
  'CREATE INDEX users_managed_by ON users (managed_by, user_id) WHERE managed_by IS NOT NULL',
]

export const provisioning: Migration = {
  name: '0018-provisioning',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT'),
  postgres: statements('text COLLATE "C"'),
}
