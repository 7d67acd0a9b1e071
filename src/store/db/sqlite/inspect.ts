/**
 * Checks a data directory before the service opens it for writing. Only an empty directory is a first start: one that lost
 * a part of its store must not be served as if it were new. Changes nothing.
 */
import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { OperatorError } from '../../../core/errors.ts'
import { moveMark } from '../move-mark.ts'
import { databaseName, databasePath, draftPath } from './directory.ts'

/** The remains of a store whose database is gone, apart from `lock`, which the caller may just have created. */
const remains = /^(admin-key|rollbook\.db-(wal|journal)|rollbook\.db\.(restoring|before-).*)$/

/**
 * Returns whether there is a store. `wasUsed`: the directory had a lock before this process took it.
 *
 * @throws OperatorError if only a part of one is there, or a file that is not a store of Rollbook
 */
export function inspectStore(directory: string, { wasUsed }: { wasUsed: boolean }): 'absent' | 'present' {
  const names = readdirSync(directory)
  if (!names.includes(databaseName)) {
    const found = names.filter((name) => remains.test(name))
    if (found.length > 0) throw refusal(directory, `rollbook.db is missing, but there is ${found.join(', ')}`)
    // A killed first start leaves its draft, so that it can be repeated.
    if (wasUsed && !existsSync(draftPath(directory))) {
      throw refusal(directory, 'rollbook.db is missing, but a file `lock` says that the service has run here')
    }
    return 'absent'
  }
  const fault = faultOf(databasePath(directory))
  if (fault !== undefined) throw refusal(directory, `rollbook.db ${fault}`)
  return 'present'
}

function refusal(directory: string, found: string): OperatorError {
  return new OperatorError(
    `The data directory ${directory} has no complete store: ${found}. Nothing was changed. Keep a copy of the directory, ` +
      `then restore a backup: rollbook restore --from <backup> --data-dir ${directory} --replace. If your users are in ` +
      'PostgreSQL, set ROLLBOOK_DATABASE_URL. For a new, empty store, move the files away or set ROLLBOOK_DATA_DIR to ' +
      'another directory. See docs/backup.md.',
  )
}

const headerBytes = 100
const magic = 'SQLite format 3\0'

function faultOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return 'is a link to a file that does not exist; is its disk mounted?'
  if (!stats.isFile()) return 'is not a file'
  const logBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  const log = logBytes > 0 ? ` (its log rollbook.db-wal has ${logBytes} bytes)` : ''
  if (stats.size === 0) return `is empty, 0 bytes${log}`
  const header = headerOf(path)
  if (header.length < headerBytes || header.toString('latin1', 0, magic.length) !== magic) {
    return 'is not a SQLite database'
  }
  // https://www.sqlite.org/fileformat.html, 1.3: the length counts when both versions agree. With a log it may be ahead.
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  const isCounted = header.readUInt32BE(24) === header.readUInt32BE(92)
  const whole = header.readUInt32BE(28) * pageBytes
  if (logBytes === 0 && isCounted && stats.size < whole) {
    return `is cut off: it has ${stats.size} of ${whole} bytes`
  }
  return faultOfTables(path, logBytes > 0)
}

function headerOf(path: string): Buffer {
  const handle = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(headerBytes)
    return buffer.subarray(0, readSync(handle, buffer, 0, headerBytes, 0))
  } finally {
    closeSync(handle)
  }
}

/** `immutable` keeps SQLite from creating files next to a foreign database; but a log must be read. */
function faultOfTables(path: string, hasLog: boolean): string | undefined {
  const url = pathToFileURL(path)
  if (!hasLog) url.search = 'immutable=1'
  const database = new DatabaseSync(hasLog ? path : url, { readOnly: true, timeout: 5000 })
  try {
    const tables = database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all()
      .map(({ name }) => String(name))
    if (tables.length === 0) return 'is a database without tables'
    // An unfinished move is refused with its own advice.
    if (tables.includes(moveMark)) return undefined
    const needed = ['migrations', 'users', 'api_keys']
    const missing = needed.filter((name) => !tables.includes(name))
    if (missing.length === needed.length) return 'is a database of another program'
    if (missing.length > 0) return `is damaged: it lacks the table ${missing.join(', ')}`
    const applied = database.prepare('SELECT count(*) AS n FROM migrations').get() as { n: number }
    return applied.n === 0 ? 'is damaged: its table migrations is empty' : undefined
  } finally {
    database.close()
  }
}
