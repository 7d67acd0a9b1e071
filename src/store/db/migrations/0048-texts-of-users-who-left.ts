import type { Migration } from './migration.ts'

/**
 * A text leaves `search_texts` with its user and not with the next step of the index, so that a purge leaves no name
 * behind. The index's own trigrams stay until the job rewrites them (docs/decisions/0003-search-index.md, 0120).
 */
export const textsOfUsersWhoLeft: Migration = {
  name: '0048-texts-of-users-who-left',
  needs: '0003-several-nodes',
  sqlite: [
    'DELETE FROM search_texts WHERE row_id NOT IN (SELECT row_id FROM users)',
    `CREATE TRIGGER search_texts_left AFTER DELETE ON users BEGIN
       DELETE FROM search_texts WHERE row_id = OLD.row_id;
     END`,
    `CREATE TRIGGER search_texts_moved AFTER UPDATE OF row_id ON users BEGIN
       DELETE FROM search_texts WHERE row_id = OLD.row_id;
     END`,
  ],
  postgres: [],
}
