/** Takes what was deleted out of the files: `secure_delete` has overwritten it where it was, but not everywhere. */
import type { Connection } from './connection.ts'

/**
 * Writes the log back into the database and cuts it to nothing: what was deleted still stands in it. False when somebody
 * reads an older state; nobody is waited for, because changes would wait as well.
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
 * Writes a store anew that is no larger than this; answers whether it did. SQLite moves rows between pages, and what it
 * leaves behind between the rows of the old page is neither overwritten then nor when the row is deleted.
 */
export function vacuum({ raw }: Connection, limitBytes: number): boolean {
  const { bytes } = raw
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
    .get() as { bytes: number }
  if (bytes > limitBytes) return false
  raw.exec('VACUUM')
  return true
}
