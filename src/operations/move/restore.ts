import { existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { emitEnded } from '../../access/sessions/end.ts'
import { OperatorError } from '../../core/errors.ts'
import { stampOf } from '../../lib/instant.ts'
import { uuidv7Maker } from '../../lib/uuidv7.ts'
import { startNewHistory } from '../../record/events/history.ts'
import { append, Collector } from '../../record/journal/journal.ts'
import { findNewestEvent } from '../../record/journal/rows.ts'
import { system } from '../../store/context.ts'
import { hasTable } from '../../store/db/catalog.ts'
import { sql } from '../../store/db/sql.ts'
import { type Connection, openConnection } from '../../store/db/sqlite/connection.ts'
import { databasePath, prepareDirectory, unusable } from '../../store/db/sqlite/directory.ts'
import { type DirectoryLock, lockDirectory } from '../../store/db/sqlite/lock.ts'
import { syncNames } from '../../store/db/sqlite/sync.ts'
import { type CopyOptions, copyStore, removeStore, type StoreFacts } from './store-file.ts'

export type Restored = StoreFacts & {
  /** Where the previous store is now. */
  kept: string | undefined
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
  options: CopyOptions & { replace: boolean; dryRun?: boolean },
): Promise<Restored> {
  if (!existsSync(from)) throw new OperatorError(`There is no backup: ${from} does not exist.`)
  const made = makeDirectory(directory)
  const path = databasePath(directory)
  const lock = lockForRestore(directory, made)
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
    await makeReady(draft, now.getTime())
    if (options.dryRun) return { ...facts, kept: undefined }
    const kept = isThere ? setAside(path, `${path}.before-${stampOf(now)}`) : undefined
    renameSync(draft, path)
    isDone = true
    syncNames(path)
    return { ...facts, kept }
  } finally {
    if (isDone) lock.release()
    else {
      removeStore(draft)
      lock.remove()
      if (made !== undefined) rmSync(made, { recursive: true })
    }
  }
}

function lockForRestore(directory: string, made: string | undefined): DirectoryLock {
  try {
    prepareDirectory(directory)
    return lockDirectory(directory)
  } catch (error) {
    if (made !== undefined) rmSync(made, { recursive: true })
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

/** Changes what must differ from the backup before the store is served. */
async function makeReady(path: string, now: number): Promise<void> {
  const store = openConnection({ path })
  try {
    await store.alone(async () => {
      const ended = await endSessions(store)
      if (await hasTable(store, 'events')) await recordRestore(store, ended, now)
    })
  } finally {
    store.close()
  }
}

type Ended = { user_id: string; session_id: string }

/** Users may have signed out or been disabled since the backup: an old cookie must not work again. */
async function endSessions(store: Connection): Promise<Ended[]> {
  if (!(await hasTable(store, 'sessions'))) return []
  if (await hasTable(store, 'trusted_browsers')) await store.run(sql`DELETE FROM trusted_browsers`)
  return store.all<Ended>(sql`DELETE FROM sessions RETURNING user_id, session_id`)
}

/** Events between the backup and now never happened in this store, so followers must start over. */
async function recordRestore(db: Connection, ended: readonly Ended[], now: number): Promise<void> {
  const journal = new Collector()
  for (const one of ended) emitEnded(journal, one)
  journal.record({ action: 'store.restored', details: { sessions_ended: ended.length } })
  const newId = uuidv7Maker()
  const request = { actor: system, now, requestId: 'restore', origin: undefined }
  await append(db, [journal.entry(request, () => newId(now))])
  await startNewHistory({ db })
  await skipNumbers(db)
}

/** More numbers than can have been assigned since the backup. */
const skipped = 1_000_000_000

/**
 * Webhook receivers compare event numbers and have seen some that this store is about to assign, so numbering continues
 * above them. The newest row carries the counter.
 */
async function skipNumbers(db: Connection): Promise<void> {
  const newest = await findNewestEvent(db)
  await db.run(sql`UPDATE events SET seq = seq + ${skipped} WHERE seq = ${newest}`)
  if (!(await hasTable(db, 'webhook_endpoints'))) return
  await db.run(sql`UPDATE webhook_endpoints SET cursor = cursor + ${skipped} WHERE cursor = ${newest}`)
  await db.run(sql`UPDATE webhook_deliveries SET event_seq = event_seq + ${skipped} WHERE event_seq = ${newest}`)
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
  const kept = freeName(name)
  linkSync(path, kept)
  if (fault && existsSync(`${path}-wal`)) {
    // Too damaged for SQLite to merge its log. Both files are kept; after a kill here, the log is missing under the old name.
    linkSync(`${path}-wal`, `${kept}-wal`)
    syncNames(path)
    rmSync(`${path}-wal`)
  }
  rmSync(`${path}-shm`, { force: true })
  syncNames(path)
  return kept
}

/** A log without its database: SQLite would delete it, with the changes in it. */
function setLogAside(path: string, name: string): string {
  const kept = `${freeName(name)}-wal`
  renameSync(`${path}-wal`, kept)
  rmSync(`${path}-shm`, { force: true })
  syncNames(path)
  return kept
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
