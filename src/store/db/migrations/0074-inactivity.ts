import type { Migration } from './migration.ts'

/**
 * When a user was enabled again, when they last used their access, and when they were told that they will be disabled for inactivity. A
 * node of the previous release does not write `enabled_at`: a user whom it enables counts from their last sign-in.
 */
const statements = (text: string) =>
  ['enabled_at', 'access_used_at', 'inactivity_noticed_at', 'inactivity_ends_at'].map(
    (column) => `ALTER TABLE users ADD COLUMN ${column} ${text}`,
  )

export const inactivity: Migration = {
  name: '0074-inactivity',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT'),
  postgres: statements('text COLLATE "C"'),
}
