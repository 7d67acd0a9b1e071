import { shareFaults } from '../../../lib/fault-owner.ts'
import type { Db } from '../db.ts'
import type { Sql } from '../sql.ts'
import type { Connection } from './connection.ts'

export type TurnReads = {
  readonly db: Db
  /** Runs the reads that wait. */
  flush(): void
}

type Read = { run: () => unknown; resolve: (found: never) => void; reject: (error: unknown) => void }

/**
 * Runs the reads of one turn of the event loop together at its end, in one transaction. Alternating between SQLite and
 * HTTP empties the processor's caches: one by one, reads made a request take twice as long (docs/decisions/speed.md, 0055). Each
 * read sees every change that was announced before it.
 */
export function readsByTurn(connection: Connection, onFault: (error: unknown) => void): TurnReads {
  const { raw, engine, now } = connection
  const beginTransaction = raw.prepare('BEGIN')
  const commit = raw.prepare('COMMIT')
  let waiting: Read[] = []

  function flush(): void {
    const reads = waiting
    waiting = []
    try {
      // A single read locks by itself. A transaction that could not be ended continues.
      if (reads.length > 1 && !raw.isTransaction) beginTransaction.run()
    } catch (error) {
      onFault(error)
      for (const { reject } of reads) reject(error)
      return
    }
    for (const read of reads) runOne(read)
    try {
      // A storage fault may have ended it already.
      if (raw.isTransaction) commit.run()
    } catch (error) {
      // The reads have their results. The next one tries again and reports the error.
      onFault(error)
    }
  }

  function inTurn<T>(run: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (waiting.push({ run, resolve, reject }) === 1) shareFaults(() => setImmediate(flush))
    })
  }

  return {
    flush,
    db: {
      engine,
      get: <Row extends object>(statement: Sql) => inTurn(() => now.get<Row>(statement)),
      all: <Row extends object>(statement: Sql) => inTurn(() => now.all<Row>(statement)),
    },
  }
}

function runOne({ run, resolve, reject }: Read): void {
  try {
    resolve(run() as never)
  } catch (error) {
    reject(error)
  }
}
