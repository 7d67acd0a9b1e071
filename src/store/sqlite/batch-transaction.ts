import type { Announcement } from '../context.ts'
import type { Connection } from '../db/sqlite/connection.ts'
import { NoRoom, storageRefusal } from '../db/sqlite/failures.ts'
import type { LiveRules } from '../rules/live-rules.ts'
import { findRulesVersion, readStoredRules } from '../rules/stored-rules.ts'
import type { ChangeHandlers, JournalEntry } from '../storage/registry.ts'
import { addOnce, runJob, type Savepoint } from '../storage/run-job.ts'
import type { Fault, Job, Outcome } from '../storage/writer-protocol.ts'
import type { IndexUpkeep } from './index-upkeep.ts'
import type { PageBudget } from './page-budget.ts'
import type { Parked } from './parked-changes.ts'
import type { WriteTransaction } from './write-transaction.ts'

export type BatchOutcome = {
  outcomes: Outcome[]
  announcements: Announcement[]
  /** They had no effect and need room before they can run again. */
  withoutRoom: Parked[]
}

/** How the jobs of a transaction are run. */
export type BatchWay = {
  part: Savepoint
  writeJournal(entry: JournalEntry): void | Promise<void>
  /** Called after the last job: adds those that have arrived meanwhile. */
  addMore?(): void
  /** Called before the commit. */
  finish?(): void | Promise<void>
}

type Parts = {
  connection: Connection
  transaction: WriteTransaction
  handlers: ChangeHandlers
  rules: LiveRules
  budget: PageBudget
  index: IndexUpkeep
  /** A new id for a job of this time. */
  makeId(now: number): string
}

export type RunBatch = (batch: readonly Job[], way: BatchWay) => Promise<BatchOutcome>

/** Returns what runs jobs in one transaction. An error means that the transaction is lost, or must be abandoned. */
export function batchTransactions(parts: Parts): RunBatch {
  const { connection, transaction, handlers, rules: live, budget, index, makeId } = parts

  /** An earlier change of this transaction may have changed them, or may have been undone. */
  async function rulesInForce() {
    if ((await findRulesVersion(connection)) !== live.current().version) live.apply(await readStoredRules(connection))
    return live.current()
  }

  async function runOne(job: Job, way: BatchWay, announce: (event: Announcement) => void): Promise<Outcome | NoRoom> {
    const { part: savepoint, writeJournal } = way
    const newId = () => makeId(job.now)
    try {
      const { rules } = await rulesInForce()
      const surroundings = { handlers, db: connection, rules, savepoint, newId, announce, writeJournal }
      return { id: job.id, ...(await runJob(job, surroundings)) }
    } catch (error) {
      // Without its transaction there is no savepoint to return to: the batch is lost.
      if (!connection.raw.isTransaction || storageRefusal(error)) throw error
      await savepoint.undo()
      await savepoint.release()
      return error instanceof NoRoom ? error : { id: job.id, fault: faultOf(error) }
    }
  }

  return async (batch, way) => {
    const outcomes: Outcome[] = []
    const announcements: Announcement[] = []
    const withoutRoom: Parked[] = []
    budget.expect({ ofManyRows: batch.some(({ name }) => handlers.ofManyRows.has(name)) })
    transaction.start()
    // The batch may grow meanwhile.
    for (const job of batch) {
      const outcome = await runOne(job, way, (event) => addOnce(announcements, event))
      if (outcome instanceof NoRoom) withoutRoom.push({ job, userIds: outcome.userIds })
      else outcomes.push(outcome)
      if (job === batch.at(-1)) way.addMore?.()
    }
    await way.finish?.()
    transaction.commit()
    index.add(outcomes.filter((outcome) => 'result' in outcome && outcome.replayed !== true).length)
    return { outcomes, announcements, withoutRoom }
  }
}

export function faultOf(error: unknown): Fault {
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  return { message, stack }
}
