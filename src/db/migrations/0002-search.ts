/**
 * The search index: every three neighbouring characters of `users.search_text`, without the text itself. Rows written
 * since the last indexing wait in `search_pending` and are looked through one by one (docs/decisions/0003).
 */
export const search = {
  name: '0002-search',
  statements: [
    `CREATE VIRTUAL TABLE users_search USING fts5(
       search_text, content = '', contentless_delete = 1, detail = 'none', tokenize = 'trigram case_sensitive 1'
     )`,
    'CREATE TABLE search_pending (row_id INTEGER PRIMARY KEY)',
  ],
}
