import type { Migration } from './migration.ts'

/** Lists and counts users without a password. It costs nothing for users who have one. */
export const usersWithoutPassword: Migration = {
  name: '0011-users-without-password',
  needs: '0003-several-nodes',
  // Includes the column that is null in all of them: without it SQLite reads each row.
  sqlite: ['CREATE INDEX users_without_password ON users (password_hash, user_id) WHERE password_hash IS NULL'],
  postgres: ['CREATE INDEX users_without_password ON users (user_id) WHERE password_hash IS NULL'],
}
