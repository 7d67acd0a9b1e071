import type { Migration } from './migration.ts'

/**
 * Links with which a user sets a password or confirms an address, the hashes of their tokens, and unprocessed requests
 * for a new password.
 */
const statements = (text: string) => [
  'ALTER TABLE users ADD COLUMN email_verified integer NOT NULL DEFAULT 0',
  'ALTER TABLE users ADD COLUMN invited integer NOT NULL DEFAULT 0',
  `ALTER TABLE users ADD COLUMN locale ${text}`,
  `CREATE TABLE user_links (
     link_id      ${text} PRIMARY KEY,
     user_id      ${text} NOT NULL,
     purpose      ${text} NOT NULL,
     email        ${text},
     created_at   ${text} NOT NULL,
     expires_at   ${text} NOT NULL,
     ended_at     ${text},
     ended_reason ${text}
   )`,
  // Two nodes that create a link at once must not leave two of them.
  'CREATE UNIQUE INDEX user_links_live ON user_links (user_id, purpose) WHERE ended_at IS NULL',
  'CREATE INDEX user_links_user ON user_links (user_id)',
  'CREATE INDEX user_links_expiry ON user_links (expires_at)',
  `CREATE TABLE link_tokens (
     token_hash ${text} PRIMARY KEY,
     link_id    ${text} NOT NULL,
     mailed     integer NOT NULL
   )`,
  'CREATE INDEX link_tokens_link ON link_tokens (link_id)',
  `CREATE TABLE password_reset_requests (
     request_id ${text} PRIMARY KEY,
     name       ${text},
     network    ${text} NOT NULL,
     created_at ${text} NOT NULL
   )`,
  'CREATE INDEX password_reset_requests_network ON password_reset_requests (network, created_at)',
  'CREATE INDEX password_reset_requests_open ON password_reset_requests (request_id) WHERE name IS NOT NULL',
]

export const links: Migration = {
  name: '0022-links',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT'),
  postgres: statements('text COLLATE "C"'),
}
