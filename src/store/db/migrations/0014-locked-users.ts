import type { Migration } from './migration.ts'

/** Lists and counts users who are locked. It costs a sign-in nothing while the user has few wrong passwords. */
const indexes = [
  'CREATE INDEX sign_in_throttles_waiting ON sign_in_throttles (allowed_at) WHERE failures >= 5',
  'CREATE INDEX sign_in_throttles_locked ON sign_in_throttles (throttle_key) WHERE failures >= 20',
]

export const lockedUsers: Migration = {
  name: '0014-locked-users',
  needs: '0003-several-nodes',
  sqlite: indexes,
  postgres: indexes,
}
