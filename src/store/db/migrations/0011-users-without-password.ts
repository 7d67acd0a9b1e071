import type { Migration } from './migration.ts'

/** Who has no password, to be listed and counted. Those who have one pay nothing for it. */
export const usersWithoutPassword: Migration = {
  name: '0011-users-without-password',
  needs: '0003-several-nodes',
  // With the column that is empty in all of them: without it SQLite looks at each row.
  sqlite: ['CREATE INDEX users_without_password ON users (password_hash, user_id) WHERE password_hash IS NULL'],
  postgres: ['CREATE INDEX users_without_password ON users (user_id) WHERE password_hash IS NULL'],
}
