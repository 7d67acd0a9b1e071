import type { Migration } from './migration.ts'

/** Sign-ins of the command line. A used one stays for a day: whoever uses its code again ends the key. */
const statements = (text: string, bigint: string, ending: string) => [
  `CREATE TABLE cli_logins (
     login_id            ${text} PRIMARY KEY,
     flow                ${text} NOT NULL,
     page_hash           ${text} NOT NULL UNIQUE,
     secret_hash         ${text} UNIQUE,
     redirect_uri        ${text},
     state               ${text},
     code_challenge      ${text},
     name                ${text} NOT NULL,
     permissions         ${text},
     key_seconds         ${bigint} NOT NULL,
     address             ${text} NOT NULL,
     network             ${text} NOT NULL,
     created_at          ${text} NOT NULL,
     expires_at          ${text} NOT NULL,
     polled_at           ${text},
     interval_seconds    ${bigint} NOT NULL,
     outcome             ${text},
     user_id             ${text},
     credentials_version ${bigint} NOT NULL,
     key_id              ${text}
   ) ${ending}`,
  'CREATE INDEX cli_logins_user_id ON cli_logins (user_id) WHERE user_id IS NOT NULL',
  'CREATE INDEX cli_logins_expires_at ON cli_logins (expires_at)',
  'CREATE INDEX cli_logins_network ON cli_logins (network, login_id)',
]

export const cliLogins: Migration = {
  name: '0069-cli-logins',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT', 'INTEGER', 'WITHOUT ROWID'),
  postgres: statements('text COLLATE "C"', 'bigint', ''),
}
