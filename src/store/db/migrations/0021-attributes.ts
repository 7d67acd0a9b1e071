import { updateAll } from './batches.ts'
import type { Migration } from './migration.ts'

/**
 * Attributes of users and their definitions. The values are in the user's row and document, so that reading a user
 * costs nothing extra; values of searchable and unique attributes are also indexed (docs/decisions/0054).
 */
const statements = (text: string, ending: string) => [
  `CREATE TABLE attribute_definitions (
     name       ${text} PRIMARY KEY,
     version    integer NOT NULL,
     definition ${text} NOT NULL,
     created_at ${text} NOT NULL,
     updated_at ${text} NOT NULL
   ) ${ending}`,
  `CREATE TABLE attribute_values (
     attribute ${text} NOT NULL,
     value_key ${text} NOT NULL,
     user_id   ${text} NOT NULL,
     is_unique integer NOT NULL,
     PRIMARY KEY (attribute, value_key, user_id)
   ) ${ending}`,
  'CREATE UNIQUE INDEX attribute_values_unique ON attribute_values (attribute, value_key) WHERE is_unique = 1',
  'CREATE INDEX attribute_values_user ON attribute_values (user_id)',
  `ALTER TABLE users ADD COLUMN attributes ${text} NOT NULL DEFAULT '{}'`,
]

export const attributes: Migration = {
  name: '0021-attributes',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT', 'WITHOUT ROWID'),
  postgres: statements('text COLLATE "C"', ''),
  async fill(db) {
    // A document is an object with members: it ends with a brace.
    const withAttributes = `document = substr(document, 1, length(document) - 1) || ',"attributes":{}}'`
    await updateAll(db, 'users', withAttributes)
    await updateAll(db, 'deleted_users', withAttributes)
  },
}
