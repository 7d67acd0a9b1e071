import type { Migration } from './migration.ts'

/**
 * Second factors, recovery codes, and sign-ins that wait for their next step; sessions record how and when their user
 * was authenticated. Factors have no foreign key: a deleted user who is restored still needs them.
 */
const statements = (text: string, bigint: string, ending: string) => [
  `ALTER TABLE sessions ADD COLUMN amr ${text} NOT NULL DEFAULT 'pwd'`,
  `ALTER TABLE sessions ADD COLUMN auth_time ${text} NOT NULL DEFAULT ''`,
  `CREATE TABLE factors (
     factor_id       ${text} PRIMARY KEY,
     user_id         ${text} NOT NULL,
     kind            ${text} NOT NULL,
     name            ${text} NOT NULL,
     secret          ${text} NOT NULL,
     sealed          ${bigint} NOT NULL,
     last_step       ${bigint} NOT NULL,
     created_at      ${text} NOT NULL,
     confirmed_at    ${text},
     last_used_at    ${text}
   ) ${ending}`,
  'CREATE INDEX factors_user_id ON factors (user_id)',
  "CREATE INDEX factors_plain ON factors (factor_id) WHERE kind = 'totp' AND sealed = 0",
  'CREATE INDEX factors_pending ON factors (created_at) WHERE confirmed_at IS NULL',
  `CREATE TABLE recovery_codes (
     user_id    ${text} NOT NULL,
     code_hash  ${text} NOT NULL,
     created_at ${text} NOT NULL,
     PRIMARY KEY (user_id, code_hash)
   ) ${ending}`,
  `CREATE TABLE challenges (
     challenge_id        ${text} PRIMARY KEY,
     purpose             ${text} NOT NULL,
     user_id             ${text},
     browser_hash        ${text} NOT NULL,
     amr                 ${text} NOT NULL,
     credentials_version ${bigint} NOT NULL,
     password_hash       ${text},
     attempts            ${bigint} NOT NULL,
     created_at          ${text} NOT NULL,
     expires_at          ${text} NOT NULL
   ) ${ending}`,
  'CREATE INDEX challenges_user_id ON challenges (user_id)',
  'CREATE INDEX challenges_expires_at ON challenges (expires_at)',
]

export const factors: Migration = {
  name: '0020-factors',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT', 'INTEGER', 'WITHOUT ROWID'),
  postgres: statements('text COLLATE "C"', 'bigint', ''),
}
