import { toRefusal } from '../../core/errors.ts'
import type { Connection } from '../db/sqlite/connection.ts'
import { storageRefusal } from '../db/sqlite/failures.ts'
import { withoutSync } from '../db/sqlite/lazy-commit.ts'
import type { ChangeHandlers, JournalEntry } from '../storage/registry.ts'
import type { Job } from '../storage/writer-protocol.ts'
import { type BatchOutcome, faultOf, type RunBatch } from './batch-transaction.ts'
import { hastyCommits } from './hasty-commit.ts'
import type { Inbox } from './inbox.ts'
import type { WriteTransaction } from './write-transaction.ts'

/** A larger commit would only delay its first changes. */
export const batchLimit = 512

type Parts = {
  connection: Connection
  transaction: WriteTransaction
  handlers: ChangeHandlers
  inbox: Inbox
  runBatch: RunBatch
  writeJournal(entries: readonly JournalEntry[]): void | Promise<void>
}

/** Returns what runs jobs and commits them with one fsync, or none. Only then may they be acknowledged. */
export function batchCommits(parts: Parts): (batch: Job[]) => Promise<BatchOutcome> {
  const { connection, transaction, handlers, inbox, runBatch, writeJournal } = parts
  const commitHastily = hastyCommits({ connection, transaction, handlers, runBatch, writeJournal, addArrived })

  function isProvisional({ name, dryRun, responseKey }: Job): boolean {
    return handlers.provisional.has(name) && !dryRun && responseKey === undefined
  }

  function addArrived(batch: Job[], may: (job: Job) => boolean): void {
    inbox.gather()
    const isUnsynced = batch.every(isProvisional)
    const joins = (job: Job) => may(job) && (!isUnsynced || isProvisional(job))
    batch.push(...inbox.nextJobs(batchLimit - batch.length, joins))
  }

  async function commitOrRefuse(batch: Job[]): Promise<BatchOutcome> {
    try {
      const part = batch.length === 1 ? transaction.whole : transaction.savepoint
      const carefully = { part, writeJournal: (entry: JournalEntry) => writeJournal([entry]) }
      return (await commitHastily(batch)) ?? (await runBatch(batch, carefully))
    } catch (error) {
      // The whole transaction is lost (a full disk, an I/O error), so none of its changes happened.
      transaction.abandon()
      const refusal = storageRefusal(error)
      const outcome = refusal ? { refusal: toRefusal(refusal) } : { fault: faultOf(error) }
      return { outcomes: batch.map(({ id }) => ({ id, ...outcome })), announcements: [], withoutRoom: [] }
    }
  }

  // Decided before the transaction: SQLite does not change it inside.
  return async (batch) =>
    batch.every(isProvisional) ? withoutSync(connection, () => commitOrRefuse(batch)) : commitOrRefuse(batch)
}
