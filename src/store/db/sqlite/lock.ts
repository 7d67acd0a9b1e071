import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../../core/errors.ts'
import { isIn, unusable } from './directory.ts'

export type DirectoryLock = {
  /** A lock file existed already: the directory was used before. */
  readonly wasUsed: boolean
  release(): void
  /** Releases the directory without a trace, after work that failed and left nothing else. */
  remove(): void
}

/**
 * Locks the directory for this process. SQLite holds an exclusive lock on a separate file through the operating system, so
 * it ends with the process, in whatever way that ends.
 */
export function lockDirectory(directory: string): DirectoryLock {
  const path = join(directory, 'lock')
  const holder = join(directory, 'lock.pid')
  const inUse = (cause?: unknown) =>
    new OperatorError(
      `The data directory ${directory} is in use by another Rollbook (process ${processIn(holder)}). ` +
        'Stop that process first, or set ROLLBOOK_DATA_DIR to another directory.',
      { cause },
    )
  try {
    const wasUsed = isIn(directory, 'lock')
    closeSync(openSync(path, 'a', 0o600))
    const { ino } = statSync(path)
    const lock = new DatabaseSync(path, { timeout: 0 })
    try {
      lock.exec('BEGIN EXCLUSIVE')
    } catch (cause) {
      lock.close()
      throw inUse(cause)
    }
    // Another process may have removed the file between the two steps; the lock would be on an unlinked file.
    if (statSync(path, { throwIfNoEntry: false })?.ino !== ino) {
      lock.close()
      throw inUse()
    }
    writeFileSync(holder, `${process.pid}\n`, { mode: 0o600 })
    const release = () => {
      rmSync(holder, { force: true })
      lock.close()
    }
    return {
      wasUsed,
      release,
      remove() {
        if (!wasUsed) rmSync(path, { force: true })
        release()
      },
    }
  } catch (error) {
    throw unusable(directory, error)
  }
}

function processIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return 'unknown' // It may hold the lock without having written its number yet.
  }
}
