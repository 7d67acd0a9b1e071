import type { Migration } from './migration.ts'

/**
 * Roles and policies that are set while the service runs. Nodes of the previous release know only the roles of their settings: holders
 * of a stored role have no permissions there until the upgrade is complete.
 */
const statements = (text: string, ending: string) => [
  `CREATE TABLE roles (
     role        ${text} PRIMARY KEY,
     version     integer NOT NULL,
     description ${text} NOT NULL,
     permissions ${text} NOT NULL,
     managed_by  ${text},
     replaced_by ${text},
     created_at  ${text} NOT NULL,
     updated_at  ${text} NOT NULL
   )${ending}`,
  `CREATE TABLE policies (
     name       ${text} PRIMARY KEY,
     version    integer NOT NULL,
     value      ${text} NOT NULL,
     managed_by ${text},
     updated_at ${text} NOT NULL
   )${ending}`,
]

export const rolesAndPolicies: Migration = {
  name: '0070-roles-and-policies',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT', ' WITHOUT ROWID'),
  postgres: statements('text COLLATE "C"', ''),
}
