import { Worker } from 'node:worker_threads'
import { threadModule } from '../../lib/home.ts'
import type { Connection } from '../db/sqlite/connection.ts'
import type { CheckpointOutcome, Fault } from '../storage/writer-protocol.ts'

/**
 * While the thread writes pages back, changes add more, fewer each time. When this few are left, or after this many
 * passes, the writer thread writes the rest, and changes wait for it.
 */
const [fewPages, mostPasses] = [100, 10]
/**
 * With few changes, this connection now and then writes some pages back itself, which saves the memory of a thread. Changes
 * wait for it: about 20 ms for the first number of pages, 40 ms for the second.
 */
const [ownPages, mostOwnPages, ownMs] = [400, 1000, 500]
/** How long the thread waits for more work before it ends. */
const quietMs = 5000
const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16, stackSizeMb: 1 }

export type LogLengths = {
  /** The thread starts a pass when this many pages have been added since the last one. */
  passPages: number
  /** The log restarts from its beginning when it is this long. Changes wait before that, so it should not happen often. */
  restartPages: number
}

export type LogKeeper = {
  /**
   * Whether the thread is working. Until it is done, the log cannot be truncated, and this must not be the last open
   * connection.
   */
  readonly isBusy: boolean
  /** Called between transactions, after each commit: starts a write-back once enough pages were added to the log. */
  look(lengths: LogLengths): void
  /** Ends the thread. Afterwards no other connection of this process writes the log back. */
  end(): Promise<void>
}

type Pages = { log: number; checkpointed: number }

type Parts = {
  connection: Connection
  path: string
  /** Called between transactions when the thread is done. */
  onDone(): void
  /** Called when the log cannot be written back, once until it can again. */
  onFault(fault: Fault): void
  /** If it took this long until a few pages were added, there are few changes. */
  slowMs?: number
}

/**
 * Decides who writes SQLite's log back into the database, and when. A separate thread does while changes continue
 * (docs/decisions/speed.md, 0115), and this connection writes the last pages, because the log restarts only once all of it is
 * written back. Without it a commit does this itself, and all changes wait: restarting at 24,000 pages took p99 of updates from 88
 * to 57 ms beside other work (0127). Durability does not depend on it: the checkpoint is SQLite's own, and a commit is synced
 * before it is acknowledged. It is also what reports that the log cannot be written back.
 */
export function keepLog({ connection, path, onDone, onFault, slowMs = ownMs }: Parts): LogKeeper {
  // Only returns the length of the log. SQLite before 3.51 does not know NOOP and writes the log back instead, as
  // PASSIVE does.
  const measure = connection.raw.prepare('PRAGMA wal_checkpoint(NOOP)')
  const checkpoint = connection.raw.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  let thread: Worker | undefined
  let exits: Promise<unknown> = Promise.resolve()
  let ending: NodeJS.Timeout | undefined
  let isBusy = false
  let isFaulty = false
  let isEnded = false
  let passes = 0
  let restartPages = 0
  /** The length of the log when the thread was last asked. If a reader or a fault prevents it, we ask again as many pages later. */
  let requestedLength = 0
  /** The length of the log at the last check, and since when it has been growing. */
  let seen = 0
  let since = performance.now()

  function start(): Worker {
    const started = new Worker(threadModule('store/sqlite/checkpoint-thread'), { workerData: path, resourceLimits })
    started.unref()
    let fault: Fault = { message: 'The checkpoint thread has ended.', stack: undefined }
    started.on('message', heed)
    started.once('error', ({ message, stack }: Error) => {
      fault = { message, stack }
    })
    const exited = new Promise<void>((resolve) => {
      started.once('exit', () => {
        resolve()
        if (thread !== started) return
        thread = undefined
        if (isBusy) heed({ fault })
      })
    })
    exits = Promise.all([exits, exited])
    return started
  }

  function heed({ fault }: CheckpointOutcome): void {
    if (isEnded) return
    // A waiting change is in the middle of its transaction; the remaining pages are written next time.
    if (fault !== undefined) report(fault)
    else if (!connection.raw.isTransaction && attempt(writeRest) === 'again') return
    isBusy = false
    ending ??= setTimeout(dismiss, quietMs).unref()
    onDone()
  }

  /**
   * Once the log is long enough to restart, writes the pages of commits made while the thread was working, unless there are
   * so many that the thread must run again.
   */
  function writeRest(): 'again' | 'done' {
    const { log, checkpointed } = measure.get() as Pages
    if (log < restartPages) {
      isFaulty = false
      return 'done'
    }
    if (passes < mostPasses && log - checkpointed > fewPages) {
      askThread()
      return 'again'
    }
    writeBack()
    return 'done'
  }

  function writeBack(): void {
    const { log, checkpointed } = checkpoint.get() as Pages
    if (checkpointed === log) requestedLength = 0
    isFaulty = false
  }

  function startIfLong(lengths: LogLengths): void {
    const { log, checkpointed } = measure.get() as Pages
    const now = performance.now()
    if (log < seen) since = now
    seen = log
    if (log < requestedLength) requestedLength = 0
    const added = log - Math.max(requestedLength, checkpointed)
    if (added < Math.min(lengths.passPages, ownPages)) return
    const isSlow = thread === undefined && added <= mostOwnPages && now - since >= slowMs
    if (added < lengths.passPages && !isSlow) return
    requestedLength = log
    if (isSlow) {
      since = now
      writeBack()
      return
    }
    clearTimeout(ending)
    ending = undefined
    isBusy = true
    passes = 0
    restartPages = lengths.restartPages
    askThread()
  }

  function askThread(): void {
    passes++
    thread ??= start()
    thread.postMessage('write')
  }

  /** A disk fault fails the change, which is refused, but not the thread. */
  function attempt<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      const { message, stack } = error as Error
      report({ message, stack })
      return undefined
    }
  }

  function report(fault: Fault): void {
    if (!isFaulty) onFault(fault)
    isFaulty = true
  }

  function dismiss(): void {
    clearTimeout(ending)
    ending = undefined
    thread?.postMessage('end')
    thread = undefined
  }

  return {
    get isBusy() {
      return isBusy
    },
    look(lengths) {
      if (!isBusy) attempt(() => startIfLong(lengths))
    },
    async end() {
      isEnded = true
      dismiss()
      await exits
    },
  }
}
