import type { Migration } from './migration.ts'

/** Browsers in which a user is not asked for the second factor, and which sessions were started that way. */
const statements = (text: string, bigint: string, ending: string) => [
  `ALTER TABLE sessions ADD COLUMN trusted ${bigint} NOT NULL DEFAULT 0`,
  `CREATE TABLE trusted_browsers (
     browser_id   ${text} PRIMARY KEY,
     user_id      ${text} NOT NULL,
     token_hash   ${text} NOT NULL,
     created_at   ${text} NOT NULL,
     expires_at   ${text} NOT NULL,
     last_used_at ${text} NOT NULL,
     address      ${text} NOT NULL,
     user_agent   ${text} NOT NULL
   ) ${ending}`,
  'CREATE INDEX trusted_browsers_user_id ON trusted_browsers (user_id)',
  'CREATE INDEX trusted_browsers_expires_at ON trusted_browsers (expires_at)',
]

export const trustedBrowsers: Migration = {
  name: '0024-trusted-browsers',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT', 'INTEGER', 'WITHOUT ROWID'),
  postgres: statements('text COLLATE "C"', 'bigint', ''),
}
