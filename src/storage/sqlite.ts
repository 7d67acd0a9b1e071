import { closeSync, openSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Announcement, Rules } from '../context.ts'
import { openConnection } from '../db/sqlite/connection.ts'
import { databaseName, draftPath, isIn, prepareDirectory, unusable } from '../db/sqlite/directory.ts'
import { inspectStore } from '../db/sqlite/inspect.ts'
import { type DirectoryLock, lockDirectory } from '../db/sqlite/lock.ts'
import { readsByTurn } from '../db/sqlite/turn-reads.ts'
import { replayAnswer } from '../idempotency/service.ts'
import { queries } from '../queries.ts'
import type { ListPlan } from '../users/list-plan.ts'
import { clientGone } from './fair-queue.ts'
import { readAhead } from './read-ahead.ts'
import { lazyReader } from './reader.ts'
import { snapshotPlaces } from './snapshot-places.ts'
import type { ReadRequest, Snapshot, Storage } from './storage.ts'
import { startWriter } from './writer.ts'

export type SqliteOptions = {
  directory: string
  rules: Rules
  now: number
  writeQueue: number
  /** How many snapshots may be open at once; one actor may have half of them. */
  maxSnapshots: number
  /** Called when the writer thread has died; the store refuses changes from then on. */
  onFault: (error: Error) => void
  /** For the benchmark alone, which measures what the journal costs. */
  withoutJournal?: boolean
}

/** A query, or a snapshot's next piece, that takes longer is ended, and answered with 503. */
const readLimitMs = 15_000
/** How many queries may wait for the search thread. */
const searchQueue = 64
const [scrubTries, scrubPauseMs] = [10, 50]

/**
 * Opens the store in `directory`, alone: a second process is refused. Files are for their owner only.
 *
 * @throws Error with a message for the operator when the directory is in use or cannot be used
 */
export async function openSqliteStorage(options: SqliteOptions): Promise<Storage> {
  const { directory, rules } = options
  const path = prepareDirectory(directory)
  const { lock, draft } = takeDirectory(directory)
  const listeners: ((event: Announcement) => void)[] = []
  // One process owns the directory, so it sees every change; a new start begins a new series.
  const series = options.now.toString(36)
  let changes = 0
  const announce = (event: Announcement) => {
    if (event.kind === 'users_changed') changes++
    for (const listener of listeners) listener(event)
  }
  let refreshReads = () => {}
  const onCommit = () => refreshReads()
  const writer = await startWriter(
    { path, draft, rules, startedAt: options.now, withoutJournal: options.withoutJournal },
    { queueLimit: options.writeQueue, onFault: options.onFault, onCommit, onAnnouncement: announce },
  ).catch((error: unknown) => {
    lock.release()
    throw error
  })
  const connection = openConnection({ path, readOnly: true, cacheKiB: 32_768 })
  const { db, refresh } = readsByTurn(connection)
  refreshReads = refresh
  // One at a time: what waits here can be left out or go to another thread.
  const searches = lazyReader({ path, queueLimit: searchQueue, handedOver: 1, limitMs: readLimitMs })
  // The number of snapshots is the limit here. Some jobs are at hand, so that a busy main thread slows no list.
  const streams = lazyReader({ path, queueLimit: Number.POSITIVE_INFINITY, handedOver: 4, limitMs: readLimitMs })
  const places = snapshotPlaces(options.maxSnapshots)
  let lastSnapshot = 0

  async function openSnapshot(plan: ListPlan, { actor, signal }: ReadRequest): Promise<Snapshot> {
    const caller = actor.id
    const leavePlace = await places.take(caller)
    const snapshot = ++lastSnapshot
    const closed = new AbortController()
    const close = () => {
      if (closed.signal.aborted) return
      closed.abort()
      leavePlace()
      streams.tell({ kind: 'close', snapshot })
    }
    try {
      const total = await streams.call({ kind: 'open', snapshot, plan }, { caller, ...(signal && { signal }) })
      if (signal?.aborted) throw clientGone()
      const next = () => streams.call({ kind: 'next', snapshot }, { caller, signal: closed.signal })
      return {
        total: total as number | undefined,
        next: readAhead(next as () => Promise<Uint8Array | undefined>),
        close,
      }
    } catch (error) {
      close()
      throw error
    }
  }

  return {
    db,
    migrated: writer.migrated,
    async change(name, input, { actor, now, requestId, origin, dryRun = false, keep }) {
      const job = { name, input, actor, now, requestId, origin, dryRun, ...(keep && { keep }) }
      const { result, replayed = false } = await writer.run(job)
      return { result: result as never, replayed }
    },
    keptAnswer: (request) => replayAnswer(db, request),
    async query(name, input, { actor, signal }) {
      const { run, isQuick } = queries[name]
      if (isQuick(input as never)) return (await run(db, input as never)) as never
      const options = { caller: actor.id, ...(signal && { signal }) }
      return (await searches.call({ kind: 'query', name, input }, options)) as never
    },
    openSnapshot,
    // Audit records and events have their places when the change is committed.
    settle: async () => {},
    async scrub(how) {
      if (how === 'thorough') await writer.doChore('vacuum')
      for (let tries = 0; tries < scrubTries; tries++) {
        // Reads of a moment end by themselves; a list that is streamed may take long.
        if (await writer.doChore('checkpoint')) return true
        await sleep(scrubPauseMs)
      }
      return false
    },
    usersVersion: async () => `${series}.${changes}`,
    onAnnouncement: (listener) => listeners.push(listener),
    isReady: () => writer.isRunning(),
    isCurrent: () => true,
    ageMs: () => 0,
    load: () => ({ changes: writer.load(), snapshots: places.load(), pools: {} }),
    async close() {
      // The writer last: the last connection to close writes the log back into the database file.
      await Promise.all([searches.close(), streams.close()])
      refresh()
      connection.close()
      await writer.close()
      lock.release()
    },
  }
}

/** `draft` is set when there is no store yet: where the writer builds one. */
function takeDirectory(directory: string): { lock: DirectoryLock; draft: string | undefined } {
  const draft = draftPath(directory)
  // Before the lock, so that a first start that is killed here can be told from a store that was lost.
  const isUntouched = ![databaseName, 'lock', basename(draft)].some((name) => isIn(directory, name))
  if (isUntouched) makeFile(directory, draft)
  const lock = lockDirectory(directory)
  try {
    const isNew = inspectStore(directory, lock) === 'absent'
    if (isNew) makeFile(directory, draft)
    else rmSync(draft, { force: true })
    return { lock, draft: isNew ? draft : undefined }
  } catch (error) {
    if (isUntouched) rmSync(draft, { force: true })
    lock.remove()
    throw error
  }
}

/** For its owner only: SQLite gives the log files the mode of the database. */
function makeFile(directory: string, path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600))
  } catch (error) {
    throw unusable(directory, error)
  }
}
