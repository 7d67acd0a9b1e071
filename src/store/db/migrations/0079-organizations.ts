import type { Migration } from './migration.ts'

/**
 * Organizations, their domains, and to which organization users, groups, keys and connections belong. The indexes contain only what belongs to
 * one, so a store without organizations has nothing to maintain.
 *
 * A node of 0.3.0 that changes a user of an organization during an upgrade writes a document without it, which the triggers put back.
 */
const owned = ['user_groups', 'api_keys', 'sign_in_connections', 'provisioning_connections', 'deleted_users']

const statements = (text: string, ending: string, order: string) => [
  `CREATE TABLE organizations (
     organization_id ${text} PRIMARY KEY,
     version         integer NOT NULL,
     name            ${text} NOT NULL,
     name_key        ${text} NOT NULL,
     external_id     ${text},
     active          integer NOT NULL DEFAULT 1,
     second_factor   ${text},
     managed_by      ${text},
     created_at      ${text} NOT NULL,
     updated_at      ${text} NOT NULL
   )${ending}`,
  'CREATE UNIQUE INDEX organizations_name ON organizations (name_key)',
  'CREATE UNIQUE INDEX organizations_external_id ON organizations (external_id)',
  `CREATE TABLE organization_domains (
     organization_id ${text} NOT NULL,
     domain          ${text} NOT NULL,
     verified_at     ${text},
     created_at      ${text} NOT NULL,
     PRIMARY KEY (organization_id, domain)
   )${ending}`,
  // Before it is verified, a domain may be named by several organizations.
  'CREATE UNIQUE INDEX organization_domains_verified ON organization_domains (domain) WHERE verified_at IS NOT NULL',
  `ALTER TABLE users ADD COLUMN organization_id ${text}`,
  `CREATE INDEX users_organization ON users (${order}) WHERE organization_id IS NOT NULL`,
  ...owned.flatMap((table) => [
    `ALTER TABLE ${table} ADD COLUMN organization_id ${text}`,
    `CREATE INDEX ${table}_organization ON ${table} (organization_id) WHERE organization_id IS NOT NULL`,
  ]),
]

const place = (find: string, document: string) => `${find}(${document}, ',"attributes":')`
const member = (row: string) => `'"organization_id":"' || ${row}organization_id || '"'`
const isOlder = (find: string) =>
  `NEW.organization_id IS NOT NULL AND ${find}(NEW.document, ${member('NEW.')}) = 0 AND ${place(find, 'NEW.document')} > 0`
const completed = (find: string, row: string) => {
  const at = place(find, `${row}document`)
  return `substr(${row}document, 1, ${at} - 1) || ',' || ${member(row)} || substr(${row}document, ${at})`
}

export const organizations: Migration = {
  name: '0079-organizations',
  needs: '0003-several-nodes',
  sqlite: [
    // Each index of SQLite ends with the numbers of the rows, which are in the order of lists.
    ...statements('TEXT', ' WITHOUT ROWID', 'organization_id'),
    // From the row itself and not from NEW: the trigger of end dates may have completed the document already.
    `CREATE TRIGGER users_of_organization_written_by_older_release AFTER UPDATE OF document ON users
     WHEN ${isOlder('instr')} BEGIN
       UPDATE users SET document = ${completed('instr', '')}
       WHERE user_id = NEW.user_id AND instr(document, ${member('')}) = 0;
     END`,
  ],
  postgres: [
    ...statements('text COLLATE "C"', '', 'organization_id, user_id'),
    `CREATE FUNCTION put_back_organization() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       NEW.document := ${completed('strpos', 'NEW.')};
       RETURN NEW;
     END $$`,
    // After the trigger of end dates, by its name.
    `CREATE TRIGGER users_written_by_older_release_without_organization BEFORE UPDATE OF document ON users
     FOR EACH ROW WHEN (${isOlder('strpos')}) EXECUTE FUNCTION put_back_organization()`,
  ],
}
