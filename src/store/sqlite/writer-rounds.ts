import type { Connection } from '../db/sqlite/connection.ts'
import type { Job, WriterMessage } from '../storage/writer-protocol.ts'
import { batchLimit } from './batch-commit.ts'
import type { BatchOutcome } from './batch-transaction.ts'
import { doChores } from './chores.ts'
import type { Inbox } from './inbox.ts'
import type { IndexUpkeep } from './index-upkeep.ts'
import type { LogKeeper } from './log-keeper.ts'
import type { PageBudget } from './page-budget.ts'
import type { ParkedChanges } from './parked-changes.ts'

export type WriterRounds = {
  /** Plans the first quiet round. */
  start(): void
  /** Runs a round at the end of this turn of the event loop, unless one is planned or running. */
  runSoon(): void
}

type Parts = {
  connection: Connection
  inbox: Inbox
  commit(batch: Job[]): Promise<BatchOutcome>
  index: IndexUpkeep
  parked: ParkedChanges
  log: LogKeeper
  budget: PageBudget
  send(message: WriterMessage): void
  /** Called once when everything sent before the order to close is done. */
  onClose(): void
}

/**
 * The order of the writer thread's work. A round commits one batch of changes and acknowledges it, then does at most one step of
 * upkeep, so that no change waits longer than for that. Without changes, rounds of the search index alone follow in quiet moments.
 */
export function writerRounds(parts: Parts): WriterRounds {
  const { connection, inbox, commit, index, parked, log, budget, send } = parts
  /** A round is planned or running. */
  let isScheduled = false

  function runSoon(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(runRound)
  }

  async function runRound(): Promise<void> {
    inbox.gather()
    const batch = inbox.nextJobs(batchLimit)
    if (batch.length > 0) await commitAndAcknowledge(batch)
    if (!inbox.hasJobs && inbox.hasChores)
      send({ kind: 'done', outcomes: doChores(connection, inbox.nextChores()), announcements: [] })
    if (batch.length > 0) index.noteChanges()
    if (index.isOverdue()) await index.step()
    else if (!parked.isEmpty) await parked.step()
    log.look(budget.passPages)
    scheduleNext()
  }

  async function commitAndAcknowledge(batch: Job[]): Promise<void> {
    const { outcomes, announcements, withoutRoom } = await commit(batch)
    parked.add(withoutRoom)
    send({ kind: 'done', outcomes, announcements })
  }

  async function runQuietRound(): Promise<void> {
    if (isScheduled) return // The current round plans the next quiet one.
    isScheduled = true
    await index.step()
    log.look(budget.passPages)
    scheduleNext()
  }

  function scheduleNext(): void {
    isScheduled = false
    if (inbox.hasJobs) runSoon()
    else if (inbox.isClosing && !inbox.hasChores) parts.onClose()
    else if (!parked.isEmpty) runSoon()
    else index.planQuietStep(runQuietRound)
  }

  return {
    start() {
      index.noteChanges()
      index.planQuietStep(runQuietRound)
    },
    runSoon,
  }
}
