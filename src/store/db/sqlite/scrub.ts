/** Removes deleted data from the files: `secure_delete` overwrites most copies, but not all. */
import type { Connection } from './connection.ts'

/**
 * Writes the log back into the database and truncates it, because it still contains deleted data. Returns false if a reader
 * uses an older state: it does not wait for readers, because changes would wait as well.
 */
export function emptyLog({ raw }: Connection): boolean {
  const { timeout } = raw.prepare('PRAGMA busy_timeout').get() as { timeout: number }
  raw.exec('PRAGMA busy_timeout = 0')
  try {
    const { busy } = raw.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }
    return busy === 0
  } finally {
    raw.exec(`PRAGMA busy_timeout = ${timeout}`)
  }
}

/**
 * Rewrites a store unless it is larger than this. Returns whether it did. SQLite moves rows between pages, and what it
 * leaves in the old page is neither overwritten then nor when the row is deleted.
 */
export function vacuum({ raw }: Connection, limitBytes: number): boolean {
  const { bytes } = raw
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
    .get() as { bytes: number }
  if (bytes > limitBytes) return false
  raw.exec('VACUUM')
  return true
}
