import { sql } from '../sql.ts'
import type { Migration } from './migration.ts'

/**
 * Up to which user the search texts have the values of attributes that are searchable now; without a row they all have. The
 * texts are written step by step while the service runs (src/directory/attributes/search-texts.ts): with a million users that
 * takes minutes. A user whom a node of an earlier release changes meanwhile is found by attributes after their next change.
 */
const table = (text: string) => [
  `CREATE TABLE search_refresh (name ${text} PRIMARY KEY, after_user_id ${text} NOT NULL)`,
]

export const searchByAttributes: Migration = {
  name: '0064-search-by-attributes',
  needs: '0003-several-nodes',
  sqlite: table('TEXT'),
  postgres: table('text COLLATE "C"'),
  async fill(db) {
    await db.run(sql`
      INSERT INTO search_refresh (name, after_user_id)
      SELECT 'users', '' WHERE EXISTS (SELECT 1 FROM attribute_definitions)`)
  },
}
