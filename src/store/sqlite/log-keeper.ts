import type { Connection } from '../db/sqlite/connection.ts'
import type { Fault } from '../storage/writer-protocol.ts'

export type LogKeeper = {
  /** Called between transactions, after each commit. Writes the log back once this many pages were added; changes wait meanwhile. */
  look(passPages: number): void
}

type Pages = { log: number; checkpointed: number }

type Parts = {
  connection: Connection
  /** Called when the log cannot be written back, once until it can again. */
  onFault(fault: Fault): void
}

/** Writes the log back into the database, so that it restarts from its beginning before a commit has to write it back itself. */
export function keepLog({ connection, onFault }: Parts): LogKeeper {
  // Only returns the length of the log. SQLite before 3.51 does not know NOOP and writes the log back instead, as
  // PASSIVE does.
  const measure = connection.raw.prepare('PRAGMA wal_checkpoint(NOOP)')
  const checkpoint = connection.raw.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  let isFaulty = false
  /** The length of the log at the last try. If a reader prevents it, the next try follows as many pages later. */
  let triedLength = 0

  function writeBackIfLong(passPages: number): void {
    const { log, checkpointed } = measure.get() as Pages
    if (log < triedLength) triedLength = 0
    if (log - Math.max(triedLength, checkpointed) < passPages) return
    triedLength = log // Also if this fails.
    const written = checkpoint.get() as Pages
    if (written.checkpointed === written.log) triedLength = 0
    isFaulty = false
  }

  return {
    look(passPages) {
      try {
        writeBackIfLong(passPages)
      } catch (error) {
        // A disk fault fails the change, which is refused, but not the thread.
        const { message, stack } = error as Error
        if (!isFaulty) onFault({ message, stack })
        isFaulty = true
      }
    },
  }
}
