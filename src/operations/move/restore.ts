import { existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../core/errors.ts'
import { stampOf } from '../../lib/instant.ts'
import { databasePath, prepareDirectory, unusable } from '../../store/db/sqlite/directory.ts'
import { type DirectoryLock, lockDirectory } from '../../store/db/sqlite/lock.ts'
import { syncNames } from '../../store/db/sqlite/sync.ts'
import type { Ended } from './restored.ts'
import { type CopyOptions, copyStore, removeStore, type StoreFacts } from './store-file.ts'

export type Restored = StoreFacts & {
  ended: Ended
  /** Where the previous store is now. */
  previousPath: string | undefined
}

/**
 * Replaces the store in `directory`, which must not be in use, with a copy of the backup `from`. An existing store is kept
 * under another name, and replaced only with `replace`. If this is killed at any time, the directory has either the old
 * store or the new one. A dry run performs every step that can fail; like a failed restore, it leaves everything unchanged.
 */
export async function restore(
  from: string,
  directory: string,
  now: Date,
  options: CopyOptions & {
    replace: boolean
    dryRun?: boolean
    /** Makes the changes that the copy needs before it is served. */
    prepare(path: string): Promise<Ended>
  },
): Promise<Restored> {
  if (!existsSync(from)) throw new OperatorError(`There is no backup: ${from} does not exist.`)
  const createdDirectory = makeDirectory(directory)
  const path = databasePath(directory)
  const lock = lockForRestore(directory, createdDirectory)
  const draft = `${path}.restoring`
  let isDone = false
  try {
    const isThere = hasStore(path)
    if (isThere && !options.replace) {
      throw new OperatorError(
        `${directory} already has a store. With --replace the backup takes its place, and the old store is kept under another name.`,
      )
    }
    removeStore(draft) // Left by a killed restore.
    const facts = await copyStore(from, draft, options)
    const ended = await options.prepare(draft)
    if (options.dryRun) return { ...facts, ended, previousPath: undefined }
    const previousPath = isThere ? setAside(path, `${path}.before-${stampOf(now)}`) : undefined
    renameSync(draft, path)
    isDone = true
    syncNames(path)
    return { ...facts, ended, previousPath }
  } finally {
    if (isDone) lock.release()
    else {
      removeStore(draft)
      lock.remove()
      if (createdDirectory !== undefined) rmSync(createdDirectory, { recursive: true })
    }
  }
}

function lockForRestore(directory: string, createdDirectory: string | undefined): DirectoryLock {
  try {
    prepareDirectory(directory)
    return lockDirectory(directory)
  } catch (error) {
    if (createdDirectory !== undefined) rmSync(createdDirectory, { recursive: true })
    throw error
  }
}

/** Returns the topmost directory that was created; undefined if all existed. */
function makeDirectory(directory: string): string | undefined {
  try {
    return mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw unusable(directory, error)
  }
}

/** An interrupted start leaves an empty file. */
function hasStore(path: string): boolean {
  return [path, `${path}-wal`].some((file) => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0)
}

/**
 * Gives the store a second name and merges its log: SQLite would take a log next to the new store for that store's log.
 */
function setAside(path: string, name: string): string {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return setLogAside(path, name)
  const fault = bringInLog(path)
  forgetSecondNames(path)
  const keptPath = freeName(name)
  linkSync(path, keptPath)
  if (fault && existsSync(`${path}-wal`)) {
    // Too damaged for SQLite to merge its log. Both files are kept; after a kill here, the log is missing under the old name.
    linkSync(`${path}-wal`, `${keptPath}-wal`)
    syncNames(path)
    rmSync(`${path}-wal`)
  }
  rmSync(`${path}-shm`, { force: true })
  syncNames(path)
  return keptPath
}

/** A log without its database: SQLite would delete it, with the changes in it. */
function setLogAside(path: string, name: string): string {
  const keptPath = `${freeName(name)}-wal`
  renameSync(`${path}-wal`, keptPath)
  rmSync(`${path}-shm`, { force: true })
  syncNames(path)
  return keptPath
}

function freeName(name: string): string {
  let free = name
  for (let n = 2; existsSync(free) || existsSync(`${free}-wal`); n++) free = `${name}-${n}`
  return free
}

/** A killed restore can leave the store with two names. */
function forgetSecondNames(path: string): void {
  const folder = dirname(path)
  const { ino } = statSync(path)
  for (const name of readdirSync(folder)) {
    const other = join(folder, name)
    if (name !== basename(path) && statSync(other).ino === ino) rmSync(other)
  }
}

/** Merges the log into the database. Returns why it could not, if the store is damaged. */
function bringInLog(path: string): Error | undefined {
  const database = new DatabaseSync(path, { timeout: 5000 })
  try {
    database.exec('PRAGMA journal_mode = DELETE')
    return undefined
  } catch (error) {
    const { errcode = 0 } = error as { errcode?: number }
    // SQLITE_BUSY and SQLITE_LOCKED (https://sqlite.org/rescode.html).
    if ([5, 6].includes(errcode & 0xff)) {
      throw new OperatorError('Another program is reading the store, perhaps a backup. Try again when it has ended.', {
        cause: error,
      })
    }
    return error as Error
  } finally {
    database.close()
  }
}
