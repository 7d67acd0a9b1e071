import type { Migration } from './migration.ts'

/**
 * The search index: all trigrams of `users.search_text`, without the text itself. Rows written since the last indexing wait
 * in `search_pending` and are scanned one by one (docs/decisions/0003). PostgreSQL has its own index where it may: see
 * store/db/postgres/schema.ts.
 */
export const search: Migration = {
  name: '0002-search',
  needs: '0002-search',
  sqlite: [
    `CREATE VIRTUAL TABLE users_search USING fts5(
       search_text, content = '', contentless_delete = 1, detail = 'none', tokenize = 'trigram case_sensitive 1'
     )`,
    'CREATE TABLE search_pending (row_id INTEGER PRIMARY KEY)',
  ],
  postgres: [],
}
