import type { Migration } from './migration.ts'

/**
 * Groups and their members. `group_roles` of a user holds the roles of the user's groups, so that reading a user also
 * reads these (docs/decisions/0052).
 */
const additions = (text: string) => [
  `ALTER TABLE users ADD COLUMN group_roles ${text} NOT NULL DEFAULT ''`,
  `ALTER TABLE deleted_users ADD COLUMN group_ids ${text} NOT NULL DEFAULT '[]'`,
]

const statements = (text: string, ending: string) => [
  ...additions(text),
  `CREATE TABLE user_groups (
     group_id     ${text} PRIMARY KEY,
     version      integer NOT NULL,
     name         ${text} NOT NULL,
     name_key     ${text} NOT NULL UNIQUE,
     description  ${text} NOT NULL,
     external_id  ${text} UNIQUE,
     role         ${text},
     member_count integer NOT NULL,
     created_at   ${text} NOT NULL,
     updated_at   ${text} NOT NULL
   )`,
  'CREATE INDEX user_groups_role ON user_groups (role) WHERE role IS NOT NULL',
  `CREATE TABLE group_members (
     group_id ${text} NOT NULL,
     user_id  ${text} NOT NULL,
     PRIMARY KEY (group_id, user_id)
   ) ${ending}`,
  'CREATE INDEX group_members_user ON group_members (user_id, group_id)',
]

export const groups: Migration = {
  name: '0015-groups',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT', 'WITHOUT ROWID'),
  postgres: statements('text COLLATE "C"', ''),
}
