import type { Migration } from './migration.ts'

/**
 * A challenge can wait for a code that is sent by email. `code_request`: what the request said; `email_key`: the address that got the code,
 * null until that is decided, and empty if no code was sent.
 */
const statements = (text: string) => [
  `ALTER TABLE challenges ADD COLUMN code_request ${text}`,
  `ALTER TABLE challenges ADD COLUMN email_key ${text}`,
  'CREATE INDEX challenges_undecided ON challenges (challenge_id) WHERE code_request IS NOT NULL AND email_key IS NULL',
]

export const emailCodes: Migration = {
  name: '0068-email-codes',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT'),
  postgres: statements('text COLLATE "C"'),
}
