import type { Migration } from './migration.ts'

/**
 * On SQLite: users who have never signed in, in the order of the list by last sign-in, whose index lacks them. On
 * PostgreSQL one index has all users.
 */
export const usersNeverSignedIn: Migration = {
  name: '0013-users-never-signed-in',
  needs: '0003-several-nodes',
  sqlite: ['CREATE INDEX users_never_signed_in ON users (last_login_at) WHERE last_login_at IS NULL'],
  postgres: [],
}
