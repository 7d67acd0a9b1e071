import type { Migration } from './migration.ts'

/** The users of an organization by username, the other order in which an organization is read page by page. */
const statement = `CREATE INDEX users_organization_username ON users (organization_id, username_key) WHERE organization_id IS NOT NULL`

export const usersOfOrganizations: Migration = {
  name: '0089-users-of-organizations',
  needs: '0003-several-nodes',
  sqlite: [statement],
  postgres: [statement],
}
