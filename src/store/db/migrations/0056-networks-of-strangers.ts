import type { Migration } from './migration.ts'

/** Rows that visitors make before they sign in have the network of the visitor, so that one network gets a limited number. */
const statements = (text: string) => [
  `ALTER TABLE pending_sign_ins ADD COLUMN network ${text}`,
  'CREATE INDEX pending_sign_ins_network ON pending_sign_ins (network, started_at) WHERE network IS NOT NULL',
  `ALTER TABLE challenges ADD COLUMN network ${text}`,
  'CREATE INDEX challenges_network ON challenges (network, challenge_id) WHERE network IS NOT NULL',
]

export const networksOfStrangers: Migration = {
  name: '0056-networks-of-strangers',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT'),
  postgres: statements('text COLLATE "C"'),
}
