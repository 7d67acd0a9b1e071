import type { Migration } from './migration.ts'

/** Passkeys are factors with a public key; challenges store what a passkey must sign. */
const statements = (text: string, bigint: string) => [
  ...[
    `credential_id ${text}`,
    `public_key ${text}`,
    `sign_count ${bigint} NOT NULL DEFAULT 0`,
    `transports ${text} NOT NULL DEFAULT ''`,
    `rp_id ${text}`,
    `aaguid ${text}`,
    `backup_eligible ${bigint} NOT NULL DEFAULT 0`,
    `backed_up ${bigint} NOT NULL DEFAULT 0`,
  ].map((column) => `ALTER TABLE factors ADD COLUMN ${column}`),
  'CREATE UNIQUE INDEX factors_credential_id ON factors (credential_id) WHERE credential_id IS NOT NULL',
  'CREATE INDEX factors_rp_id ON factors (rp_id) WHERE rp_id IS NOT NULL',
  `ALTER TABLE challenges ADD COLUMN webauthn ${text}`,
]

export const passkeys: Migration = {
  name: '0023-passkeys',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT', 'INTEGER'),
  postgres: statements('text COLLATE "C"', 'bigint'),
}
