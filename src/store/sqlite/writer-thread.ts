/** The thread that owns the write connection. It runs the changes it receives, many in one commit. */
import { flushCompileCache } from 'node:module'
import { parentPort } from 'node:worker_threads'
import { liveRules } from '../rules/live-rules.ts'
import type { ChangeHandlers, JournalEntry, Upkeep } from '../storage/registry.ts'
import type { Outcome, WriterMessage, WriterSetup } from '../storage/writer-protocol.ts'
import { batchCommits } from './batch-commit.ts'
import { batchTransactions } from './batch-transaction.ts'
import { openInbox, type Sent } from './inbox.ts'
import { indexUpkeep } from './index-upkeep.ts'
import { keepLog } from './log-keeper.ts'
import { openWriterStore } from './open-writer.ts'
import { pageBudget } from './page-budget.ts'
import { parkedChanges } from './parked-changes.ts'
import { writeTransaction } from './write-transaction.ts'
import { writerRounds } from './writer-rounds.ts'

type WriterHandlers = ChangeHandlers & { upkeep: Upkeep }

const port = parentPort as NonNullable<typeof parentPort>
let onMessage: (message: unknown) => unknown

/** Serves the main thread. Called once, by the module that the thread starts with. */
export function runWriterThread(handlers: WriterHandlers): void {
  awaitSetup(handlers)
  port.on('message', (message) => onMessage(message))
}

/** Without a store: waits for the order to open one, or to end. */
function awaitSetup(handlers: WriterHandlers): void {
  onMessage = (message) => (message === 'end' ? port.close() : serve(message as WriterSetup, handlers))
}

function send(message: WriterMessage): void {
  port.postMessage(message)
}

function sendOutcomes(outcomes: Outcome[]): void {
  send({ kind: 'done', outcomes, announcements: [] })
}

/** Opens a store, and makes the changes that follow until the order to close it. */
async function serve(setup: WriterSetup, handlers: WriterHandlers): Promise<void> {
  const { upkeep, journal } = handlers
  const { withoutJournal } = setup
  const rules = liveRules(setup.rules)
  const store = await openWriterStore(setup, (message) => send({ kind: 'migrating', message }))
  const { connection, migrated, makeId } = store
  const transaction = writeTransaction(connection)
  const index = await indexUpkeep(connection, upkeep)
  const budget = pageBudget(connection)
  const inbox = openInbox(port)
  const log = keepLog({ connection, onFault: (fault) => send({ kind: 'log_fault', fault }) })
  const parked = parkedChanges({
    connection,
    transaction,
    upkeep,
    index,
    onRoom: inbox.putFirst,
    onRefused: sendOutcomes,
  })
  const writeJournal = (entries: readonly JournalEntry[]) =>
    withoutJournal || entries.length === 0 ? undefined : journal.append(connection, entries)
  const runBatch = batchTransactions({ connection, transaction, handlers, rules, budget, index, makeId })
  const commit = batchCommits({ connection, transaction, handlers, inbox, runBatch, writeJournal })
  const rounds = writerRounds({ connection, inbox, commit, index, parked, log, budget, send, onClose: close })

  function close(): void {
    index.close()
    parked.close()
    // The last connection to close writes the log back.
    connection.close()
    awaitSetup(handlers)
    send({ kind: 'closed' })
  }

  onMessage = (message) => {
    inbox.add(message as Sent)
    rounds.runSoon()
  }
  send({ kind: 'ready', migrated })
  // Node holds in memory what it read from the cache until then.
  flushCompileCache()
  rounds.start()
}
