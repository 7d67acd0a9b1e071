import type { Migration } from './migration.ts'

/** The provisioning connection that manages a group, as one manages a user. */
export const managedGroups: Migration = {
  name: '0058-managed-groups',
  needs: '0003-several-nodes',
  sqlite: ['ALTER TABLE user_groups ADD COLUMN managed_by TEXT'],
  postgres: ['ALTER TABLE user_groups ADD COLUMN managed_by text COLLATE "C"'],
}
