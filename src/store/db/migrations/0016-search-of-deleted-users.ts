import { updateAll } from './batches.ts'
import type { Migration } from './migration.ts'

/**
 * Makes deleted users searchable and sortable. The columns copy values of the deleted row, which is kept as JSON. A
 * user deleted by a node of an earlier release during a rolling upgrade is listed, but not found by searches.
 */
const columns = ['username_key', 'email_key', 'role', 'search_text'] as const

const definitions = {
  username_key: "NOT NULL DEFAULT ''",
  email_key: '',
  role: "NOT NULL DEFAULT ''",
  search_text: "NOT NULL DEFAULT ''",
} as const

const added = (type: string) =>
  columns.map((name) => `ALTER TABLE deleted_users ADD COLUMN ${name} ${type} ${definitions[name]}`)

export const searchOfDeletedUsers: Migration = {
  name: '0016-search-of-deleted-users',
  needs: '0003-several-nodes',
  sqlite: [
    ...added('TEXT'),
    'CREATE INDEX deleted_users_username ON deleted_users (username_key, user_id)',
    // A search scans this index, a tenth of the table, in the order of the list.
    `CREATE INDEX deleted_users_search
       ON deleted_users (deleted_at, user_id, restorable_until, username_key, email_key, role, search_text)`,
    'DROP INDEX deleted_users_deleted_at',
  ],
  // PostgreSQL limits the size of an index entry, which long names exceed; a search scans the table in the server's
  // process.
  postgres: [
    ...added('text COLLATE "C"'),
    'CREATE INDEX deleted_users_username ON deleted_users (username_key, user_id)',
  ],
  async fill(db) {
    const json = db.engine === 'sqlite' ? 'user_row' : 'user_row::json'
    await updateAll(db, 'deleted_users', columns.map((name) => `${name} = ${json} ->> '${name}'`).join(', '))
  },
}
