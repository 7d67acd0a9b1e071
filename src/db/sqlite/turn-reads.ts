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
export function readsByTurn(connection: Connection): TurnReads {
  const begin = connection.raw.prepare('BEGIN')
  const commit = connection.raw.prepare('COMMIT')
  let open = false

  function enter(): void {
    if (open) return
    begin.run()
    open = true
    setImmediate(refresh)
  }

  function refresh(): void {
    if (!open) return
    open = false
    // A fault of the storage may have ended it already.
    if (connection.raw.isTransaction) commit.run()
  }

  return {
    refresh,
    db: {
      engine: connection.engine,
      get(statement) {
        enter()
        return connection.get(statement)
      },
      all(statement) {
        enter()
        return connection.all(statement)
      },
    },
  }
}
