import type { Connection } from '../db/sqlite/connection.ts'
import type { Savepoint } from '../storage/run-job.ts'

export type WriteTransaction = {
  start(): void
  commit(): void
  /** Undoes the transaction, unless a storage fault has already ended it. */
  abandon(): void
  /** For one of several jobs of a transaction. */
  readonly savepoint: Savepoint
  /** For the only job of a transaction, which needs no savepoint. */
  readonly whole: Savepoint
}

/** Prepares the statements around the changes of the write connection. */
export function writeTransaction({ raw }: Connection): WriteTransaction {
  const prepare = (text: string) => {
    const statement = raw.prepare(text)
    statement.setReadBigInts(true) // See connection.run.
    return statement
  }
  const [start, commit, rollback] = [prepare('BEGIN IMMEDIATE'), prepare('COMMIT'), prepare('ROLLBACK')]
  const [set, release, undo] = [prepare('SAVEPOINT change'), prepare('RELEASE change'), prepare('ROLLBACK TO change')]
  return {
    start: () => void start.run(),
    commit: () => void commit.run(),
    abandon() {
      if (raw.isTransaction) rollback.run()
    },
    savepoint: { set: () => void set.run(), undo: () => void undo.run(), release: () => void release.run() },
    whole: {
      set() {},
      undo() {
        rollback.run()
        start.run()
      },
      release() {},
    },
  }
}
