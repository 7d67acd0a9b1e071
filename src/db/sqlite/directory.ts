import { chmodSync, closeSync, mkdirSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Makes sure of the data directory and of the database file in it, for their owner only; answers the file's path.
 * A directory that holds other people's files as well keeps its mode: ours are closed to others one by one.
 */
export function prepareDirectory(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const entries = readdirSync(directory)
  if (entries.length === 0 || entries.includes('rollbook.db')) closeToOthers(directory)
  const path = join(directory, 'rollbook.db')
  // Made here for its mode: SQLite gives the log files the mode of the database.
  closeSync(openSync(path, 'a', 0o600))
  return path
}

function closeToOthers(directory: string): void {
  try {
    chmodSync(directory, 0o700)
  } catch (error) {
    // A volume can belong to another user and let us in as a group.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
  }
}
