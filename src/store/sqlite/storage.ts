import { closeSync, openSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../core/errors.ts'
import type { Rules } from '../../core/rules.ts'
import type { Announcement } from '../context.ts'
import { openConnection } from '../db/sqlite/connection.ts'
import { databaseName, draftPath, isIn, prepareDirectory, unusable } from '../db/sqlite/directory.ts'
import { damageDetail } from '../db/sqlite/failures.ts'
import { inspectStore } from '../db/sqlite/inspect.ts'
import { type DirectoryLock, lockDirectory } from '../db/sqlite/lock.ts'
import { readsByTurn } from '../db/sqlite/turn-reads.ts'
import { replayAnswer } from '../idempotency/service.ts'
import { liveRules } from '../rules/live-rules.ts'
import { readStoredRules } from '../rules/stored-rules.ts'
import { clientGone } from '../storage/fair-queue.ts'
import { storageHealth } from '../storage/health.ts'
import { readAhead } from '../storage/read-ahead.ts'
import type { Query, ReadHandlers, StreamInput, StreamName, Threads } from '../storage/registry.ts'
import { sameTurn } from '../storage/same-turn.ts'
import { snapshotPlaces } from '../storage/snapshot-places.ts'
import type { ReadRequest, Snapshot, Storage } from '../storage/storage.ts'
import { lazyReader } from './reader.ts'
import { startWriter } from './writer.ts'

export type SqliteOptions = {
  handlers: ReadHandlers & { threads: Threads }
  directory: string
  rules: Rules
  now: number
  writeQueue: number
  /** How many snapshots may be open at once; one actor may have half of them. */
  maxSnapshots: number
  /** Called when the writer thread has died; the store refuses changes from then on. */
  onFault: (error: Error) => void
  /** Called with the progress of an upgrade's migrations. */
  onMigrating?: (message: string) => void
  /** Called when something about the storage needs attention. */
  onEvent(message: string, error?: Error): void
  /** For the benchmark that measures the cost of the journal. */
  withoutJournal?: boolean
}

/** A query, or a snapshot's next chunk, that takes longer is cancelled with 503. */
const readLimitMs = 15_000
/** How many queries may wait for the search thread. */
const searchQueue = 64
/** Checking a store of some gigabytes takes a minute. */
const checkLimitMs = 3_600_000
const [firstCheckMs, lastCheckMs] = [1000, 60_000]
/** Reported once, at the first sign. */
const damageEvent =
  'the store seems to be damaged, or its disk cannot be read: this node is not ready until a check finds it sound; see docs/backup.md'
const logFault =
  'the write-ahead log cannot be written back into the database, so it grows: see that the disk has room and works'
const [scrubTries, scrubPauseMs] = [10, 50]

/**
 * Opens the store in `directory` exclusively: a second process is refused. Files are for their owner only.
 *
 * @throws Error with a message for the operator if the directory is in use or cannot be used
 */
export async function openSqliteStorage(options: SqliteOptions): Promise<Storage> {
  const { directory, rules, handlers } = options
  const path = prepareDirectory(directory)
  const { lock, draft } = takeDirectory(directory)
  const listeners: ((event: Announcement) => void)[] = []
  // One process owns the directory, so it sees every change; each start begins a new series.
  const series = options.now.toString(36)
  let changes = 0
  const live = liveRules(rules)
  const announce = (event: Announcement) => {
    if (event.kind === 'users_changed') changes++
    if (event.kind === 'rules_changed') live.applyIfNewer(event.stored)
    for (const listener of listeners) listener(event)
  }
  /** A check of the file found damage. */
  let isConfirmed = false
  const health = storageHealth({
    damageMs: Number.POSITIVE_INFINITY,
    onDamage(error) {
      options.onEvent(damageEvent, error)
      void confirmDamage()
    },
  })
  const writer = await startWriter(
    { path, draft, rules, startedAt: options.now, withoutJournal: options.withoutJournal },
    {
      program: handlers.threads.writer,
      queueLimit: options.writeQueue,
      onFault: options.onFault,
      onAnnouncement: announce,
      onRefusal: health.heed,
      ...(options.onMigrating && { onMigrating: options.onMigrating }),
      onLogFault: (error) => options.onEvent(logFault, error),
    },
  ).catch((error: unknown) => {
    lock.release()
    throw error
  })
  const connection = openConnection({ path, readOnly: true, cacheKiB: 32_768, onFault: health.heed })
  const { db, flush } = readsByTurn(connection, health.heed)
  await readStoredRules(db).then(live.applyIfNewer, async (error: unknown) => {
    connection.close()
    await writer.close()
    lock.release()
    throw error
  })
  const readOnce = sameTurn({ waitsItself: true })
  // One at a time: a job that still waits can be dropped or go to another thread.
  const reading = { program: handlers.threads.reader, path }
  const watched = {
    ...reading,
    onRefusal: health.heed,
    onReplaced: (error: Error) =>
      options.onEvent('a reader thread ended unexpectedly; the next read starts another one', error),
  }
  const searches = lazyReader({ ...watched, queueLimit: searchQueue, handedOver: 1, limitMs: readLimitMs })
  // Reads that may take seconds have a separate thread, so that no page waits behind them.
  const longQueries = lazyReader({ ...watched, queueLimit: searchQueue, handedOver: 1, limitMs: readLimitMs })
  // The number of snapshots is the limit here. Some jobs are queued ahead, so that a busy main thread delays no list.
  const streams = lazyReader({
    ...watched,
    queueLimit: Number.POSITIVE_INFINITY,
    handedOver: 4,
    limitMs: readLimitMs,
  })
  const closing = new AbortController()
  const checks = lazyReader({ ...reading, queueLimit: 1, handedOver: 1, limitMs: checkLimitMs })
  /**
   * A disk that cannot be read sometimes looks like damage, even to the check itself. So the file is checked again until it
   * is found intact, or the service ends.
   */
  async function confirmDamage(): Promise<void> {
    let reported: string | undefined
    for (let pauseMs = firstCheckMs; !closing.signal.aborted; pauseMs = Math.min(2 * pauseMs, lastCheckMs)) {
      const found = await checks.call({ kind: 'check' }, { caller: 'damage' }).catch((error: Error) => error.message)
      if (closing.signal.aborted) return
      if (found === undefined) {
        isConfirmed = false
        health.forget()
        options.onEvent('a check of the store found no damage: this node is ready again')
        return
      }
      isConfirmed = true
      if (found !== reported) options.onEvent(`a check of the store found damage, changes are refused: ${found}`)
      reported = found as string
      await sleep(pauseMs, undefined, { ref: false, signal: closing.signal }).catch(() => {})
    }
  }
  const places = snapshotPlaces(options.maxSnapshots)
  let lastSnapshot = 0

  async function openSnapshot<Name extends StreamName>(
    name: Name,
    input: StreamInput<Name>,
    { actor, signal }: ReadRequest,
  ): Promise<Snapshot> {
    const caller = actor.id
    const leavePlace = await places.acquire(caller)
    const snapshot = ++lastSnapshot
    const closed = new AbortController()
    const close = () => {
      if (closed.signal.aborted) return
      closed.abort()
      leavePlace()
      streams.post({ kind: 'close', snapshot })
    }
    try {
      const total = await streams.call({ kind: 'open', snapshot, name, input }, { caller, ...(signal && { signal }) })
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
    rules: live.view,
    // Every change of rules was announced here before it was acknowledged.
    refreshRules: async () => {},
    migrated: writer.migrated,
    async change(name, input, { actor, now, requestId, origin, dryRun = false, responseKey }) {
      // A change could spread the damage, and would be lost in the restore anyway.
      if (isConfirmed) throw new AppError('storage_damaged', damageDetail)
      const job = { name, input, actor, now, requestId, origin, dryRun, ...(responseKey && { responseKey }) }
      const { result, replayed = false } = await writer.run(job)
      return { result: result as never, replayed }
    },
    keptAnswer: (request) => replayAnswer(db, request),
    async query(name, input, { actor, signal }) {
      const { run, isQuick, isBounded, sameAs }: Query = handlers.queries[name]
      if (isQuick(input as never)) {
        const quickly = (): Promise<unknown> => run(db, input as never)
        const key = sameAs?.(input as never, 'sqlite')
        return (await (key === undefined ? quickly() : readOnce(`${name} ${key}`, quickly))) as never
      }
      const options = { caller: actor.id, ...(signal && { signal }) }
      const reader = isBounded ? searches : longQueries
      return (await reader.call({ kind: 'query', name, input }, options)) as never
    },
    openSnapshot,
    // Audit records and events get their places with the commit.
    settleJournal: async () => {},
    async scrub(how) {
      if (how === 'thorough') await writer.doChore('vacuum')
      for (let tries = 0; tries < scrubTries; tries++) {
        // Short reads end soon; a streamed list may take long.
        if (await writer.doChore('checkpoint')) return true
        await sleep(scrubPauseMs)
      }
      return false
    },
    usersVersion: async () => `${series}.${changes}`,
    onAnnouncement: (listener) => listeners.push(listener),
    isReady: () => writer.isRunning() && !health.isDamaged(),
    isDamaged: health.isDamaged,
    isCurrent: () => true,
    ageMs: () => 0,
    load: () => ({ changes: writer.load(), snapshots: places.load(), pools: {}, faults: health.faults() }),
    async close() {
      closing.abort()
      // The writer last: the last connection to close writes the log back into the database file.
      await Promise.all([searches.close(), longQueries.close(), streams.close(), checks.close()])
      flush()
      connection.close()
      await writer.close()
      lock.release()
    },
  }
}

/** `draft` is set if there is no store yet: where the writer builds one. */
function takeDirectory(directory: string): { lock: DirectoryLock; draft: string | undefined } {
  const draft = draftPath(directory)
  // Before the lock, so that a killed first start differs from a lost store.
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
