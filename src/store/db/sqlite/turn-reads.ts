import type { Db } from '../db.ts'
import type { Connection } from './connection.ts'

export type TurnReads = {
  readonly db: Db
  /** Ends the shared snapshot: later reads see the current commits. */
  refresh(): void
}

/**
 * Reads of one turn of the event loop share a read transaction. Acquiring and releasing the lock for each costs as much as
 * reading a user, and a busy turn serves dozens of requests. After learning of a change, call `refresh` first, so that no
 * read sees a state older than an announced one.
 */
export function readsByTurn(connection: Connection, onFault: (error: unknown) => void): TurnReads {
  const begin = connection.raw.prepare('BEGIN')
  const commit = connection.raw.prepare('COMMIT')
  let open = false

  function enter(): void {
    if (open) return
    // A transaction that could not be ended continues.
    if (!connection.raw.isTransaction) begin.run()
    open = true
    setImmediate(refresh)
  }

  function refresh(): void {
    if (!open) return
    open = false
    try {
      // A storage fault may have ended it already.
      if (connection.raw.isTransaction) commit.run()
    } catch (error) {
      // It runs between requests, so there is no caller to report to. The next read tries again and reports the error.
      onFault(error)
    }
  }

  function enterAnd<T>(read: () => Promise<T>): Promise<T> {
    try {
      enter()
      return read()
    } catch (error) {
      onFault(error)
      return Promise.reject(error)
    }
  }

  return {
    refresh,
    db: {
      engine: connection.engine,
      get: (statement) => enterAnd(() => connection.get(statement)),
      all: (statement) => enterAnd(() => connection.all(statement)),
    },
  }
}
