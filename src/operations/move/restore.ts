import { existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { emitEnded } from '../../access/sessions/end.ts'
import { OperatorError } from '../../core/errors.ts'
import { stampOf } from '../../lib/instant.ts'
import { uuidv7Maker } from '../../lib/uuidv7.ts'
import { beginAnew } from '../../record/events/begin.ts'
import { append, Collector } from '../../record/journal/journal.ts'
import { findNewestEvent } from '../../record/journal/store.ts'
import { system } from '../../store/context.ts'
import { hasTable } from '../../store/db/catalog.ts'
import { sql } from '../../store/db/sql.ts'
import { type Connection, openConnection } from '../../store/db/sqlite/connection.ts'
import { databasePath, prepareDirectory, unusable } from '../../store/db/sqlite/directory.ts'
import { type DirectoryLock, lockDirectory } from '../../store/db/sqlite/lock.ts'
import { syncNames } from '../../store/db/sqlite/sync.ts'
import { type CopyOptions, copyStore, removeStore, type StoreFacts } from './store-file.ts'

export type Restored = StoreFacts & {
  /** Where the store that was there before is now. */
  kept: string | undefined
}

/**
 * Puts a copy of the backup `from` in the place of the store in `directory`, which nobody may serve meanwhile. A store
 * that is there is kept under another name, and only with `replace`. Whenever this is killed, the directory has either
 * the old store or the new one. A dry run does all that can fail; like a restore that fails, it leaves everything as it
 * was.
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
  const lock = take(directory, made)
  const draft = `${path}.restoring`
  let isDone = false
  try {
    const isThere = hasStore(path)
    if (isThere && !options.replace) {
      throw new OperatorError(
        `${directory} already has a store. With --replace the backup takes its place, and the old store is kept under another name.`,
      )
    }
    removeStore(draft) // Of a restore that was killed.
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

function take(directory: string, made: string | undefined): DirectoryLock {
  try {
    prepareDirectory(directory)
    return lockDirectory(directory)
  } catch (error) {
    if (made !== undefined) rmSync(made, { recursive: true })
    throw error
  }
}

/** Returns the uppermost directory that had to be made; undefined when all were there. */
function makeDirectory(directory: string): string | undefined {
  try {
    return mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw unusable(directory, error)
  }
}

/** What has to be different from the backup before somebody serves it. */
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

/** Somebody may have been signed out, or disabled, since the backup: an old cookie must not let them in again. */
async function endSessions(store: Connection): Promise<Ended[]> {
  if (!(await hasTable(store, 'sessions'))) return []
  return store.all<Ended>(sql`DELETE FROM sessions RETURNING user_id, session_id`)
}

/** What was told between the backup and now has never happened in this store: who follows it begins again. */
async function recordRestore(db: Connection, ended: readonly Ended[], now: number): Promise<void> {
  const journal = new Collector()
  for (const one of ended) emitEnded(journal, one)
  journal.record({ action: 'store.restored', details: { sessions_ended: ended.length } })
  const newId = uuidv7Maker()
  const request = { actor: system, now, requestId: 'restore', origin: undefined }
  await append(
    db,
    journal.entry(request, () => newId(now)),
  )
  await beginAnew({ db })
  await skipNumbers(db)
}

/** More than can have been told since the backup. */
const skipped = 1_000_000_000

/**
 * Receivers of webhooks compare the numbers of events, and have seen some that this store is about to give: it goes on
 * above them. The newest row carries the count.
 */
async function skipNumbers(db: Connection): Promise<void> {
  const newest = await findNewestEvent(db)
  await db.run(sql`UPDATE events SET seq = seq + ${skipped} WHERE seq = ${newest}`)
  if (!(await hasTable(db, 'webhook_endpoints'))) return
  await db.run(sql`UPDATE webhook_endpoints SET cursor = cursor + ${skipped} WHERE cursor = ${newest}`)
  await db.run(sql`UPDATE webhook_deliveries SET event_seq = event_seq + ${skipped} WHERE event_seq = ${newest}`)
}

/** An empty file is what a start that went no further leaves behind. */
function hasStore(path: string): boolean {
  return [path, `${path}-wal`].some((file) => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0)
}

/**
 * Gives the store a second name, and leaves it in one file: SQLite would take a log that lies beside the new store for
 * the log of that one.
 */
function setAside(path: string, name: string): string {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return setLogAside(path, name)
  const fault = bringInLog(path)
  forgetSecondNames(path)
  const kept = freeName(name)
  linkSync(path, kept)
  if (fault && existsSync(`${path}-wal`)) {
    // So damaged that SQLite cannot bring its log in. Both are kept; killed here, the log is missing under the old name.
    linkSync(`${path}-wal`, `${kept}-wal`)
    syncNames(path)
    rmSync(`${path}-wal`)
  }
  rmSync(`${path}-shm`, { force: true })
  syncNames(path)
  return kept
}

/** A log without its database: SQLite would delete it, and with it the changes in it. */
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

/** A restore that was killed can have left the store with two names. */
function forgetSecondNames(path: string): void {
  const folder = dirname(path)
  const { ino } = statSync(path)
  for (const name of readdirSync(folder)) {
    const other = join(folder, name)
    if (name !== basename(path) && statSync(other).ino === ino) rmSync(other)
  }
}

/** Writes the log back into the database and ends it. Answers why it could not, when the store is damaged. */
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
