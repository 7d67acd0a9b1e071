import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Meter, Transaction } from '../db.ts'
import { isSql, renderSql, type Sql, type SqlValue, withoutNul } from '../sql.ts'
import { isBrokenUniqueness } from './failures.ts'
import { createMeter } from './meter.ts'
import { openToRead } from './open-to-read.ts'

type Row = Record<string, unknown>

/** How many composed statements (filters, sorts) a connection keeps prepared. */
const composedLimit = 100

export type Connection = Transaction & {
  readonly raw: DatabaseSync
  readonly meter: Meter
  /** `get` and `all` without a promise. */
  readonly now: {
    get<Row extends object>(statement: Sql): Row | undefined
    all<Row extends object>(statement: Sql): Row[]
  }
  /** How many rows the statements have written so far, whether or not that was undone. */
  written(): number
  exec(text: string): void
  /** Runs the work in a transaction while no other process writes. */
  alone<T>(work: () => Promise<T>): Promise<T>
  close(): void
}

export type OpenOptions = {
  path: string
  readOnly?: boolean
  /** Only reads a store that may not be served now, and leaves no file behind; see `openToRead`. */
  isVisit?: boolean
  cacheKiB?: number
  /** Called with each error of a read, in addition to its caller. */
  onFault?: (error: unknown) => void
}

/**
 * Opens a connection to the SQLite file with our settings. It is synchronous behind its asynchronous interface: a statement
 * has run when the call returns.
 */
export function openConnection(options: OpenOptions): Connection {
  const { path, readOnly = false, isVisit = false, cacheKiB = 16_384, onFault } = options
  const raw = isVisit
    ? openToRead(path)
    : new DatabaseSync(path, { readOnly, enableForeignKeyConstraints: true, timeout: 5000 })
  raw.enableDefensive(true)
  if (!readOnly) {
    raw.exec('PRAGMA journal_mode = WAL')
    // FULL: the commit is on the disk before it is acknowledged.
    raw.exec('PRAGMA synchronous = FULL')
    // Deleted data is overwritten: an erased user must not be found in the file.
    raw.exec('PRAGMA secure_delete = ON')
    // A snapshot that is read for minutes keeps the log from restarting; afterwards it shrinks to this size.
    raw.exec(`PRAGMA journal_size_limit = ${256 * 1024 * 1024}`)
  }
  raw.exec(`PRAGMA cache_size = -${cacheKiB}`)
  raw.exec('PRAGMA temp_store = MEMORY')

  const byPlace = new Map<readonly string[], StatementSync>()
  const byText = new Map<string, StatementSync>()
  let written = 0

  function prepare(piece: Sql): { statement: StatementSync; parameters: readonly SqlValue[] } {
    const known = byPlace.get(piece.strings)
    if (known !== undefined) return { statement: known, parameters: withoutNul(piece.values as readonly SqlValue[]) }
    if (!piece.values.some(isSql)) {
      const statement = raw.prepare(piece.strings.join('?'))
      byPlace.set(piece.strings, statement)
      return { statement, parameters: withoutNul(piece.values as readonly SqlValue[]) }
    }
    const { text, parameters: rendered } = renderSql(piece, () => '?')
    const parameters = withoutNul(rendered)
    let statement = byText.get(text)
    if (statement === undefined) {
      statement = raw.prepare(text)
      if (byText.size >= composedLimit) byText.delete(byText.keys().next().value as string)
      byText.set(text, statement)
    }
    return { statement, parameters }
  }

  const now: Connection['now'] = {
    get<R extends object>(piece: Sql) {
      try {
        const { statement, parameters } = prepare(piece)
        return statement.get(...parameters) as R | undefined
      } catch (error) {
        onFault?.(error)
        throw error
      }
    },
    all<R extends object>(piece: Sql) {
      try {
        const { statement, parameters } = prepare(piece)
        return statement.all(...parameters) as Row[] as R[]
      } catch (error) {
        onFault?.(error)
        throw error
      }
    },
  }

  const meter = createMeter(raw)
  const connection: Connection = {
    engine: 'sqlite',
    raw,
    now,
    meter,
    refuseAbandoned: meter.look,
    written: () => written,
    exec: (text) => raw.exec(text),
    async alone(work) {
      raw.exec('BEGIN IMMEDIATE')
      try {
        const result = await work()
        raw.exec('COMMIT')
        return result
      } catch (error) {
        if (raw.isTransaction) raw.exec('ROLLBACK')
        throw error
      }
    },
    async get(piece) {
      meter.look()
      return now.get(piece)
    },
    async all(piece) {
      meter.look()
      return now.all(piece)
    },
    async run(piece) {
      const { statement, parameters } = prepare(piece)
      // As bigint: deletions in the search index leave a last inserted row id that no double can hold.
      statement.setReadBigInts(true)
      const changes = Number(statement.run(...parameters).changes)
      written += changes
      return changes
    },
    async returning<R extends object>(piece: Sql) {
      const rows = now.all<R>(piece)
      written += rows.length
      return rows
    },
    async runUnlessTaken(piece) {
      try {
        await connection.run(piece)
        return true
      } catch (error) {
        if (isBrokenUniqueness(error)) return false
        throw error
      }
    },
    async undoable(work) {
      raw.exec('SAVEPOINT part')
      try {
        const result = await work()
        raw.exec('RELEASE part')
        return result
      } catch (error) {
        // A disk fault can have ended the whole transaction.
        if (raw.isTransaction) raw.exec('ROLLBACK TO part; RELEASE part')
        throw error
      }
    },
    // Only the write connection changes anything.
    async lock() {},
    tryLock: async () => true,
    close: () => raw.close(),
  }
  return connection
}
