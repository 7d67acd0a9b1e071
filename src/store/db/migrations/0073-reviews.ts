import type { Migration } from './migration.ts'

/**
 * Access reviews, and their rows as they were when the review began. `frozen` is the row of the access report as JSON; of a user who is
 * erased it has the ids alone. `digest` is that of the decided row, written when the review is closed.
 */
const statements = (text: string, integer: string, ending: string) => [
  `CREATE TABLE reviews (
     review_id     ${text} PRIMARY KEY,
     name          ${text} NOT NULL,
     filter        ${text} NOT NULL,
     due_at        ${text} NOT NULL,
     reviewers     ${text} NOT NULL,
     remove_open   ${integer} NOT NULL,
     row_count     ${integer} NOT NULL,
     created_at    ${text} NOT NULL,
     creator       ${text} NOT NULL,
     updated_at    ${text} NOT NULL,
     due_recorded  ${integer} NOT NULL DEFAULT 0,
     closed_at     ${text},
     closer        ${text},
     digest        ${text}
   )${ending}`,
  'CREATE INDEX reviews_due ON reviews (due_recorded, due_at)',
  `CREATE TABLE review_rows (
     review_id   ${text} NOT NULL,
     position    ${integer} NOT NULL,
     row_id      ${text} NOT NULL,
     user_id     ${text} NOT NULL,
     frozen      ${text} NOT NULL,
     state       ${text} NOT NULL DEFAULT 'open',
     comment     ${text} NOT NULL DEFAULT '',
     decided_at  ${text},
     decider     ${text},
     digest      ${text},
     PRIMARY KEY (review_id, position)
   )${ending}`,
  'CREATE UNIQUE INDEX review_rows_id ON review_rows (review_id, row_id)',
  'CREATE INDEX review_rows_state ON review_rows (review_id, state, position)',
  'CREATE INDEX review_rows_user ON review_rows (user_id)',
]

export const reviews: Migration = {
  name: '0073-reviews',
  needs: '0003-several-nodes',
  sqlite: statements('TEXT', 'INTEGER', ' WITHOUT ROWID'),
  postgres: statements('text COLLATE "C"', 'integer', ''),
}
