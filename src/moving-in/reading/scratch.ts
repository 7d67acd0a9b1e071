import { DatabaseSync, type StatementSync } from 'node:sqlite'

/**
 * A set or map of texts that may exceed memory: SQLite stores it in an unnamed temporary file, which disappears with the
 * process.
 */
export type Scratch = {
  /** Adds the text. Returns whether it was new. */
  add(kind: string, text: string): boolean
  set(kind: string, text: string, value: string): void
  get(kind: string, text: string): string | undefined
  /** Returns the value and removes it. */
  remove(kind: string, text: string): string | undefined
  count(kind: string): number
  /** Iterates over the values, in the order of their texts. */
  values(kind: string): Generator<string>
  close(): void
}

export function openScratch(): Scratch {
  const db = new DatabaseSync('')
  db.exec(`
    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32000;
    CREATE TABLE texts (kind TEXT, text TEXT, value TEXT, PRIMARY KEY (kind, text)) WITHOUT ROWID;
    BEGIN;
  `)
  const add = db.prepare('INSERT OR IGNORE INTO texts (kind, text) VALUES (?, ?)')
  const set = db.prepare('INSERT OR REPLACE INTO texts (kind, text, value) VALUES (?, ?, ?)')
  const get = db.prepare('SELECT value FROM texts WHERE kind = ? AND text = ?')
  const takeText = db.prepare('DELETE FROM texts WHERE kind = ? AND text = ? RETURNING value')
  const count = db.prepare('SELECT count(*) AS count FROM texts WHERE kind = ?')
  const next = db.prepare('SELECT text, value FROM texts WHERE kind = ? AND text > ? ORDER BY text LIMIT 1')
  const valueIn = (row: unknown): string | undefined => (row as { value: string } | undefined)?.value
  return {
    add: (kind, text) => add.run(kind, text).changes === 1,
    set: (kind, text, value) => void set.run(kind, text, value),
    get: (kind, text) => valueIn(get.get(kind, text)),
    remove: (kind, text) => valueIn(takeText.get(kind, text)),
    values: (kind) => valuesAfter(next, kind),
    count: (kind) => (count.get(kind) as { count: number }).count,
    close: () => db.close(),
  }
}

function* valuesAfter(next: StatementSync, kind: string): Generator<string> {
  for (let text = ''; ; ) {
    const row = next.get(kind, text) as { text: string; value: string } | undefined
    if (row === undefined) return
    text = row.text
    yield row.value
  }
}
