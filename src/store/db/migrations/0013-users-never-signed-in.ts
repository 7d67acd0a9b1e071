import type { Migration } from './migration.ts'

/**
 * On SQLite: who has never signed in, in the order of the list by last sign-in; that index has the others only. PostgreSQL
 * has them all in one.
 */
export const usersNeverSignedIn: Migration = {
  name: '0013-users-never-signed-in',
  needs: '0003-several-nodes',
  sqlite: ['CREATE INDEX users_never_signed_in ON users (last_login_at) WHERE last_login_at IS NULL'],
  postgres: [],
}
