import type { Migration } from './migration.ts'

/** Lists and counts users who are invited. It costs nothing for the others. */
export const invitedUsers: Migration = {
  name: '0025-invited-users',
  needs: '0003-several-nodes',
  // Includes the column that is the same in all of them: without it SQLite reads each row.
  sqlite: ['CREATE INDEX users_invited ON users (invited, user_id) WHERE invited = 1'],
  postgres: ['CREATE INDEX users_invited ON users (user_id) WHERE invited = 1'],
}
