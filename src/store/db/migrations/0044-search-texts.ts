import type { Migration } from './migration.ts'

/**
 * The texts of the search index, a tenth of the size of the users' rows: a search verifies the index's matches there,
 * or scans all of it (docs/decisions/0003-search-index.md, 0120). The trigger keeps it in step with the index, whichever release runs.
 */
export const searchTexts: Migration = {
  name: '0044-search-texts',
  needs: '0003-several-nodes',
  sqlite: [
    'CREATE TABLE search_texts (row_id INTEGER PRIMARY KEY, search_text TEXT NOT NULL)',
    'INSERT INTO search_texts SELECT row_id, search_text FROM users ORDER BY row_id',
    `CREATE TRIGGER search_texts_kept AFTER DELETE ON search_pending BEGIN
       DELETE FROM search_texts WHERE row_id = OLD.row_id;
       INSERT INTO search_texts SELECT row_id, search_text FROM users WHERE row_id = OLD.row_id;
     END`,
  ],
  postgres: [],
}
