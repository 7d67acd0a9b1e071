import type { Migration } from './migration.ts'

/** Keys that belong to a user. */
const statements = (text: string) => [
  `ALTER TABLE api_keys ADD COLUMN user_id ${text}`,
  `ALTER TABLE api_keys ADD COLUMN user_permissions ${text}`,
  'CREATE INDEX api_keys_of_users ON api_keys (user_id) WHERE user_id IS NOT NULL',
]

export const keysOfUsers: Migration = {
  name: '0051-keys-of-users',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT'),
  postgres: statements('text COLLATE "C"'),
}
