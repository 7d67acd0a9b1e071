import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../errors.ts'

/**
 * Takes the directory for this process; answers what gives it back. The lock is an exclusive one on a file of its own,
 * held by SQLite through the operating system: it ends with the process, however that ends, so none is ever left over.
 */
export function lockDirectory(directory: string): () => void {
  const path = join(directory, 'lock')
  const holder = join(directory, 'lock.pid')
  closeSync(openSync(path, 'a', 0o600))
  const lock = new DatabaseSync(path, { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    throw new OperatorError(
      `The data directory ${directory} is in use by another Rollbook (process ${processIn(holder)}). ` +
        'Stop that one first, or give this one a directory of its own with ROLLBOOK_DATA_DIR.',
      { cause },
    )
  }
  writeFileSync(holder, `${process.pid}\n`, { mode: 0o600 })
  return () => {
    rmSync(holder, { force: true })
    lock.close()
  }
}

function processIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return 'unknown' // It may hold the lock and not have written its number yet.
  }
}
