import type { Migration } from './migration.ts'

/**
 * Which objects a configuration file manages (`managed_by`), what the last apply made of each, and the last applies. No column has
 * a value that a file set: `applied` has digests, to see what was changed by hand since, and `secrets` keyed fingerprints.
 */
const statements = (text: string, ending: string) => [
  ...['attribute_definitions', 'sign_in_connections', 'provisioning_connections', 'webhook_endpoints', 'api_keys'].map(
    (table) => `ALTER TABLE ${table} ADD COLUMN managed_by ${text}`,
  ),
  `CREATE TABLE configuration_objects (
     section    ${text} NOT NULL,
     object_id  ${text} NOT NULL,
     name       ${text} NOT NULL,
     origin     ${text} NOT NULL,
     applied    ${text} NOT NULL,
     secrets    ${text} NOT NULL DEFAULT '{}',
     PRIMARY KEY (section, object_id)
   )${ending}`,
  `CREATE TABLE configuration_applies (
     apply_id   ${text} PRIMARY KEY,
     applied_at ${text} NOT NULL,
     request_id ${text} NOT NULL,
     actor_kind ${text} NOT NULL,
     actor_id   ${text} NOT NULL,
     source     ${text},
     generation ${text},
     plan       ${text} NOT NULL
   )${ending}`,
]

export const configurationFiles: Migration = {
  name: '0072-configuration-files',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT', ' WITHOUT ROWID'),
  postgres: statements('text COLLATE "C"', ''),
}
