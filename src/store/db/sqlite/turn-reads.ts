import type { Db } from '../db.ts'
import type { Connection } from './connection.ts'

export type TurnReads = {
  readonly db: Db
  /** Ends the shared view: what is read from now on is what is committed now. */
  refresh(): void
}

/**
 * Reads of one turn of the event loop share a read transaction. Taking and giving back the lock for each of them costs
 * as much as reading a user does; a busy turn answers dozens of requests. Whoever learns of a change must call `refresh`
 * first, so that nobody reads an older state than they were told of.
 */
export function readsByTurn(connection: Connection, onFault: (error: unknown) => void): TurnReads {
  const begin = connection.raw.prepare('BEGIN')
  const commit = connection.raw.prepare('COMMIT')
  let open = false

  function enter(): void {
    if (open) return
    // One that could not be ended goes on.
    if (!connection.raw.isTransaction) begin.run()
    open = true
    setImmediate(refresh)
  }

  function refresh(): void {
    if (!open) return
    open = false
    try {
      // A fault of the storage may have ended it already.
      if (connection.raw.isTransaction) commit.run()
    } catch (error) {
      // It runs between requests, so nobody is there to catch it. The next read tries again and reports what is wrong.
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
