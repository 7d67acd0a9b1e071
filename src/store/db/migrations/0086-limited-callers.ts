import type { Migration } from './migration.ts'

/** How many members of a group do not belong to its organization; and what a connection may reach that an organization set up itself. */
const statements = (integer: string, text: string) => [
  `ALTER TABLE user_groups ADD COLUMN guest_count ${integer} NOT NULL DEFAULT 0`,
  `UPDATE user_groups SET guest_count = (
    SELECT count(*) FROM group_members JOIN users USING (user_id)
    WHERE group_members.group_id = user_groups.group_id
      AND (users.organization_id IS NULL OR users.organization_id <> user_groups.organization_id))
  WHERE organization_id IS NOT NULL`,
  `ALTER TABLE sign_in_connections ADD COLUMN limited_permissions ${text}`,
]

export const limitedCallers: Migration = {
  name: '0086-limited-callers',
  needs: '0003-several-nodes',
  sqlite: statements('INTEGER', 'TEXT'),
  postgres: statements('integer', 'text COLLATE "C"'),
}
