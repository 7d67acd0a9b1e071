/** A SQLite store as a file: copies it and checks whether it is intact. */
import { closeSync, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../core/errors.ts'
import { migrations } from '../../store/db/migrate.ts'
import { moveAdvice, moveMark } from '../../store/db/move-mark.ts'
import { openToRead } from '../../store/db/sqlite/open-to-read.ts'
import { syncFile } from '../../store/db/sqlite/sync.ts'

export type CopyOptions = {
  signal: AbortSignal
  /** Bytes copied so far, of the total. */
  onProgress(done: number, total: number): void
  /** The copy is complete; checking it takes some seconds per gigabyte. */
  onChecking(): void
}

export type StoreFacts = { users: number; bytes: number }

/** Pages per step, 2 MB, after which signals are handled. */
const stepPages = 500

/**
 * Copies the store at `from`, in its current state, to a new file for its owner only. When it returns, the copy is checked
 * and durable. The store may change during this: the copy is read in one transaction; otherwise SQLite would start over
 * at each change, and not finish before the changes pause.
 */
export async function copyStore(from: string, to: string, options: CopyOptions): Promise<StoreFacts> {
  const source = openStoreFile(from)
  try {
    beginReading(source, from)
    const { page_size: pageBytes } = source.prepare('PRAGMA page_size').get() as { page_size: number }
    closeSync(openSync(to, 'wx', 0o600))
    await backup(source, to, {
      rate: stepPages,
      progress({ totalPages, remainingPages }) {
        options.signal.throwIfAborted()
        options.onProgress((totalPages - remainingPages) * pageBytes, totalPages * pageBytes)
      },
    })
    options.signal.throwIfAborted()
    options.onChecking()
    const facts = checkCopy(to)
    options.signal.throwIfAborted()
    syncFile(to)
    return facts
  } catch (error) {
    removeStore(to)
    throw error
  } finally {
    source.close()
  }
}

function openStoreFile(path: string): DatabaseSync {
  if (!existsSync(path)) throw new OperatorError(`There is no store: ${path} does not exist.`)
  refuseOtherFormat(path)
  return openToRead(path)
}

/** The first bytes of a file, and the kind they identify. */
const otherFormats: readonly [start: string, advice: string][] = [
  ['PGDMP', 'It is a PostgreSQL dump: restore it with pg_restore (docs/backup.md#postgresql).'],
  ['--\n-- PostgreSQL database', 'It is a PostgreSQL dump: restore it with psql (docs/backup.md#postgresql).'],
  ['\x1f\x8b', 'It is compressed: unpack it with gunzip, or with tar, first.'],
  ['\x28\xb5\x2f\xfd', 'It is compressed: unpack it with unzstd first.'],
  ['\xfd7zXZ\0', 'It is compressed: unpack it with unxz first.'],
  ['BZh', 'It is compressed: unpack it with bunzip2 first.'],
  ['PK\x03\x04', 'It is an archive: unpack it with unzip first.'],
]

function refuseOtherFormat(path: string): void {
  if (!statSync(path).isFile()) throw new OperatorError(`${path} is not a file. Name the database file itself.`)
  const handle = openSync(path, 'r')
  const start = Buffer.alloc(32)
  const length = readSync(handle, start, 0, 32, 0)
  closeSync(handle)
  if (length === 0) throw new OperatorError(`${path} is empty, so it is not a Rollbook store.`)
  const text = start.toString('latin1', 0, length)
  const advice = otherFormats.find(([prefix]) => text.startsWith(prefix))?.[1]
  if (advice !== undefined) throw new OperatorError(`${path} is not a Rollbook store. ${advice}`)
}

/**
 * Starts a read transaction.
 *
 * @throws OperatorError if this is not a complete store of Rollbook, or one of a newer release
 */
function beginReading(database: DatabaseSync, path: string): void {
  try {
    database.exec('BEGIN')
    requireStore(database, path)
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause
    throw new OperatorError(`${path} cannot be read as a Rollbook store: ${(cause as Error).message}.`, { cause })
  }
}

function requireStore(database: DatabaseSync, path: string): void {
  const isTable = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
  for (const table of ['migrations', 'users', 'api_keys']) {
    if (isTable.get(table) === undefined) throw new OperatorError(`${path} is not a Rollbook store.`)
  }
  if (isTable.get(moveMark) !== undefined) throw new OperatorError(`${path} is not complete: ${moveAdvice}`)
  // Stores of the first release do not name the release they need.
  const applied = database.prepare('SELECT * FROM migrations').all() as { name: string; needs?: string }[]
  const newer = applied.filter((row) => !migrations.some(({ name }) => name === row.name || name === row.needs))
  if (newer.length > 0) {
    const names = newer.map(({ name }) => name).join(', ')
    throw new OperatorError(`${path} belongs to a newer release (${names}). Use that release for it.`)
  }
}

function checkCopy(path: string): StoreFacts {
  const copy = new DatabaseSync(path)
  try {
    // A copy keeps the WAL mode, in which it could not be read on a read-only disk.
    copy.exec('PRAGMA journal_mode = DELETE')
    const found = copy.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[]
    if (found[0]?.integrity_check !== 'ok') {
      const faults = found.slice(0, 3).map((row) => row.integrity_check)
      throw new OperatorError(`The store is damaged, so the copy was deleted. SQLite reports: ${faults.join('; ')}`)
    }
    const { users } = copy.prepare('SELECT count(*) AS users FROM users').get() as { users: number }
    const { bytes } = copy
      .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
      .get() as { bytes: number }
    return { users, bytes }
  } finally {
    copy.close()
  }
}

/** Deletes an unused database and the files that SQLite keeps next to it. */
export function removeStore(path: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}
