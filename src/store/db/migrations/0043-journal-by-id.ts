import type { Migration } from './migration.ts'

/**
 * On SQLite, audit records are found by their target, and events by their owner, through full-text indexes that are filled
 * in batches: a B-tree changes a random page with each entry (docs/decisions/speed.md, 0117). Rows up to the numbers in
 * `journal_indexed` are indexed.
 */
const fullText = (name: string, table: string, column: string) => [
  `CREATE VIRTUAL TABLE ${name} USING fts5(
     ids, content = '', columnsize = 0, detail = 'none', tokenize = 'ascii'
   )`,
  `INSERT INTO ${name} (rowid, ids)
     SELECT seq, 'x' || replace(${column}, '-', '') FROM ${table} WHERE ${column} IS NOT NULL ORDER BY seq`,
  // From here on, each batch merges a part of the index.
  `INSERT INTO ${name} (${name}, rank) VALUES ('automerge', 0), ('crisismerge', 1999)`,
]

export const journalById: Migration = {
  name: '0043-journal-by-id',
  needs: '0003-several-nodes',
  sqlite: [
    // Zeroing the pages of large indexes took half a gigabyte of memory. They hold only ids, which the journal keeps.
    'PRAGMA secure_delete = FAST',
    'DROP INDEX audit_records_target',
    'DROP INDEX events_owner',
    'PRAGMA secure_delete = ON',
    ...fullText('audit_targets', 'audit_records', 'target_id'),
    ...fullText('event_owners', 'events', 'owner_id'),
    'CREATE TABLE journal_indexed (audit_targets INTEGER NOT NULL, event_owners INTEGER NOT NULL)',
    `INSERT INTO journal_indexed
       SELECT (SELECT coalesce(max(seq), 0) FROM audit_records), (SELECT coalesce(max(seq), 0) FROM events)`,
  ],
  postgres: [],
}
