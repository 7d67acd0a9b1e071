/**
 * Hasty commits: changes of frequent commands share a transaction without savepoints and with one journal. They exist because
 * SQLite copies each page before it changes within a savepoint. They brought creates and updates 12 % (docs/decisions/speed.md,
 * 0056), and with the changes that arrive before the commit another 10 and 30 % (0130). Durability is that of any commit: a change
 * is acknowledged after it. When a change must be undone that has written, all run again carefully, as do the next 64 batches.
 */
import type { Connection } from '../db/sqlite/connection.ts'
import { storageRefusal } from '../db/sqlite/failures.ts'
import type { ChangeHandlers, JournalEntry } from '../storage/registry.ts'
import type { Savepoint } from '../storage/run-job.ts'
import type { Job } from '../storage/writer-protocol.ts'
import type { BatchOutcome, RunBatch } from './batch-transaction.ts'
import type { WriteTransaction } from './write-transaction.ts'

/** After a hasty commit had to be repeated, this many batches run carefully: the cause may recur. */
const carefulAfterHaste = 64

/** A job must be undone that has written something, and there is no savepoint. */
class Hasty extends Error {}

type Parts = {
  connection: Connection
  transaction: WriteTransaction
  handlers: ChangeHandlers
  runBatch: RunBatch
  writeJournal(entries: readonly JournalEntry[]): void | Promise<void>
  /** Adds jobs that have arrived meanwhile, in their order, up to the first that `may` not take part. */
  addArrived(batch: Job[], may: (job: Job) => boolean): void
}

/**
 * Returns what commits a batch without savepoints, for which SQLite copies each page before it changes, and with the journal of
 * all jobs written at the end. Nearly every refusal comes before the job has written anything. If one comes later, or the batch
 * may not be hasty, this returns undefined, and nothing has happened.
 */
export function hastyCommits({ connection, transaction, handlers, runBatch, writeJournal, addArrived }: Parts) {
  /** How many more batches run carefully. */
  let carefulBatches = 0

  function mayHurry({ name, dryRun }: Job): boolean {
    return handlers.besideJournal.has(name) && !dryRun
  }

  function isHasty(batch: readonly Job[]): boolean {
    if (carefulBatches === 0) return batch.length > 1 && batch.every(mayHurry)
    carefulBatches--
    return false
  }

  return async (batch: Job[]): Promise<BatchOutcome | undefined> => {
    if (!isHasty(batch)) return undefined
    const entries: JournalEntry[] = []
    let before = 0
    const part: Savepoint = {
      set() {
        before = connection.written() + entries.length
      },
      undo() {
        if (connection.written() + entries.length !== before) throw new Hasty()
      },
      release() {},
    }
    try {
      return await runBatch(batch, {
        part,
        writeJournal: (entry) => void entries.push(entry),
        addMore: () => addArrived(batch, mayHurry),
        finish: () => writeJournal(entries),
      })
    } catch (error) {
      if (storageRefusal(error)) throw error
      transaction.abandon()
      carefulBatches = carefulAfterHaste
      return undefined
    }
  }
}
