import type { Migration } from './migration.ts'

/** Finds the users who hold more than the role `user`, of their own or through groups: few of all, whom the access report lists. */
const statement = `CREATE INDEX users_with_permissions ON users (user_id) WHERE role <> 'user' OR group_roles <> ''`

export const usersWithPermissions: Migration = {
  name: '0084-users-with-permissions',
  needs: '0003-several-nodes',
  sqlite: [statement],
  postgres: [statement],
}
