import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Opens a store for reading that may not be served now. SQLite creates `-wal` and `-shm` for every reader, and only a connection that
 * may write removes them, as the last one. So this one may write, but its statements may not. A log that a crash left is not merged.
 */
export function openToRead(path: string): DatabaseSync {
  const readOnly = existsSync(`${path}-wal`) || !isWritable(path)
  const database = new DatabaseSync(path, { readOnly, timeout: 5000 })
  database.exec('PRAGMA query_only = ON')
  return database
}

function isWritable(path: string): boolean {
  try {
    for (const place of [path, dirname(path)]) accessSync(place, constants.W_OK)
    return true
  } catch {
    return false
  }
}
