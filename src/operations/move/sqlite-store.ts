/** The SQLite side of a move. The directory is locked while it is open, so no service can use it. */
import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../core/errors.ts'
import { indexPending, placeBehind } from '../../directory/search/service.ts'
import { emptyIndexes, fillIndexes } from '../../record/journal/service.ts'
import { migrate } from '../../store/db/migrate.ts'
import { sql } from '../../store/db/sql.ts'
import { type Connection, openConnection } from '../../store/db/sqlite/connection.ts'
import { prepareDirectory } from '../../store/db/sqlite/directory.ts'
import { lockDirectory } from '../../store/db/sqlite/lock.ts'
import { openToRead } from '../../store/db/sqlite/open-to-read.ts'
import { batchOf, type Key, type Kind, RowWriter, readRows, type Value } from './rows.ts'
import type { Shape, Store, Target } from './store.ts'
import { removeStore } from './store-file.ts'
import { tables } from './tables.ts'

/** Cache size: writing touches all parts of the indexes; reading goes through the rows once. */
const [writeCacheKiB, readCacheKiB] = [65_536, 8192]

export function openSqliteSource(directory: string): Store {
  const path = join(directory, 'rollbook.db')
  if (!existsSync(path)) throw new OperatorError(`There is no store in ${directory}.`)
  const lock = lockDirectory(directory)
  try {
    const connection = openConnection({ path, readOnly: true, isVisit: true, cacheKiB: readCacheKiB })
    return storeOn(connection, directory, lock.release)
  } catch (error) {
    lock.release()
    throw error
  }
}

export function openSqliteTarget(directory: string, now: number): Target {
  const path = prepareDirectory(directory)
  const lock = lockDirectory(directory)
  try {
    const isNew = makeDatabase(path)
    const connection = openConnection({ path, cacheKiB: writeCacheKiB })
    return {
      ...storeOn(connection, directory, () => {
        // A refused move leaves no database, which the service would have to refuse.
        if (isNew && isWithoutTables(path)) {
          removeStore(path)
          lock.remove()
        } else lock.release()
      }),
      async migrate() {
        await migrate(connection, now)
      },
      exec: async (text) => connection.exec(text),
      write: (shape, { bytes }) => write(connection, shape, bytes),
      async empty() {
        await connection.alone(async () => {
          for (const { name } of [...tables, { name: 'search_pending' }, { name: 'search_texts' }]) {
            connection.exec(`DELETE FROM ${name}`)
          }
          connection.exec("INSERT INTO users_search (users_search) VALUES ('delete-all')")
          await emptyIndexes(connection)
        })
      },
      async finish() {},
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Creates the file, for its owner only. Returns whether it did not exist. */
function makeDatabase(path: string): boolean {
  const size = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size(path) === 0 && size(`${path}-wal`) > 0) {
    throw new OperatorError(
      `${path} is missing or empty, but its log ${path}-wal is there, with changes that SQLite would delete. Move that file ` +
        'away, or choose another directory.',
    )
  }
  const isNew = !existsSync(path)
  closeSync(openSync(path, 'a', 0o600))
  return isNew
}

function isWithoutTables(path: string): boolean {
  const database = openToRead(path)
  try {
    return database.prepare('SELECT 1 FROM sqlite_master').get() === undefined
  } finally {
    database.close()
  }
}

function storeOn(connection: Connection, directory: string, unlock: () => void): Store {
  const writer = new RowWriter()
  return {
    db: connection,
    place: `the directory ${directory}`,
    async columns(table) {
      const rows = await connection.all<{ name: string }>(sql`SELECT name FROM pragma_table_info(${table})`)
      return new Map<string, Kind | undefined>(rows.map(({ name }) => [name, undefined]))
    },
    async refresh() {}, // There is no other writer.
    async read(shape, after, limit) {
      for (const row of select(connection, shape, after, limit)) writer.write(shape.columns, row)
      return batchOf(shape.columns, shape.key.length, writer.drain())
    },
    async close() {
      connection.close()
      unlock()
    },
  }
}

function select(connection: Connection, shape: Shape, after: Key | undefined, limit: number): Value[][] {
  const key = shape.key.join(', ')
  const start = after ? `WHERE (${key}) > (${after.map(() => '?').join(', ')})` : ''
  const columns = shape.columns.map(({ name }) => name).join(', ')
  const text = `SELECT ${columns} FROM ${shape.name} ${start} ORDER BY ${key} LIMIT ?`
  const statement = connection.raw.prepare(text)
  statement.setReturnArrays(true)
  return statement.all(...(after ?? []), limit) as unknown as Value[][]
}

async function write(connection: Connection, shape: Shape, bytes: Buffer): Promise<void> {
  const isOfUsers = shape.name === 'users'
  const columns = [...shape.columns.map(({ name }) => name), ...(isOfUsers ? ['row_id'] : [])]
  const places = columns.map(() => '?').join(', ')
  const insert = connection.raw.prepare(`INSERT INTO ${shape.name} (${columns.join(', ')}) VALUES (${places})`)
  const idColumn = shape.columns.findIndex(({ name }) => name === 'user_id')
  await connection.alone(async () => {
    const before = isOfUsers ? await lastRowId(connection) : undefined
    let [last, rows] = [before, 0]
    for (const row of readRows(shape.columns, bytes)) {
      if (isOfUsers) last = placeBehind(last, String(row[idColumn]), { isMade: false })
      insert.run(...row, ...(isOfUsers ? [last as number] : []))
      rows++
    }
    // The indexes are part of the same commit, so they are complete whenever the rows are.
    if (!isOfUsers) return fillIndexes(connection, 1)
    await connection.run(sql`INSERT INTO search_pending SELECT row_id FROM users WHERE row_id > ${before ?? 0}`)
    await indexPending(connection, rows)
  })
}

async function lastRowId(connection: Connection): Promise<number | undefined> {
  const row = await connection.get<{ id: number | null }>(sql`SELECT max(row_id) AS id FROM users`)
  return row?.id ?? undefined
}
