import type { Announcement, Rules } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { queries } from '../../queries.ts'
import type { Snapshot, Store } from '../../store.ts'
import { isQuick, type ListPlan } from '../../users/list-plan.ts'
import { openConnection } from './connection.ts'
import { prepareDirectory } from './directory.ts'
import { lockDirectory } from './lock.ts'
import { lazyReader } from './reader.ts'
import { startWriter } from './writer.ts'

export type SqliteOptions = {
  directory: string
  rules: Rules
  now: number
  writeQueue: number
  /** How many snapshots may be open at once. */
  maxSnapshots: number
  /** Called when the writer thread has died; the store refuses changes from then on. */
  onFault: (error: Error) => void
}

/** Pieces of some 150 kB that a snapshot may have under way. */
const piecesAhead = 3
/** A query that takes longer is ended, and answered with 503. */
const queryLimitMs = 15_000

/**
 * Opens the store in `directory`, alone: a second process is refused. Files are for their owner only.
 *
 * @throws Error with a message for the operator when the directory is in use or cannot be used
 */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { directory, rules } = options
  const path = prepareDirectory(directory)
  const unlock = lockDirectory(directory)
  const listeners: ((event: Announcement) => void)[] = []
  // One process owns the directory, so it sees every change; a new start begins a new series.
  const series = options.now.toString(36)
  let changes = 0
  const announce = (event: Announcement) => {
    if (event.kind === 'users_changed') changes++
    for (const listener of listeners) listener(event)
  }
  const writer = await startWriter(
    { path, rules, startedAt: options.now },
    { queueLimit: options.writeQueue, onFault: options.onFault, onAnnouncement: announce },
  ).catch((error: unknown) => {
    unlock()
    throw error
  })
  const db = openConnection({ path, readOnly: true })
  const searches = lazyReader(path)
  const streams = lazyReader(path)
  let openSnapshots = 0
  let lastSnapshot = 0

  async function openSnapshot(plan: ListPlan): Promise<Snapshot> {
    if (openSnapshots >= options.maxSnapshots) {
      const detail = `At most ${options.maxSnapshots} whole lists are streamed at once; ask for pages with ?limit=, or try again.`
      throw new AppError('too_many_snapshots', detail, { retryAfterSeconds: 5 })
    }
    openSnapshots++
    const snapshot = ++lastSnapshot
    let open = true
    const close = () => {
      if (!open) return
      open = false
      openSnapshots--
      streams.tell({ kind: 'close', snapshot })
    }
    try {
      const total = (await streams.call({ kind: 'open', snapshot, plan })) as number | undefined
      return { total, next: readAhead(() => streams.call({ kind: 'next', snapshot }) as Promise<Piece>), close }
    } catch (error) {
      close()
      throw error
    }
  }

  return {
    db,
    migrated: writer.migrated,
    async change(name, input, { actor, now, requestId, dryRun = false, keep }) {
      const job = { name, input, actor, now, requestId, dryRun, ...(keep && { keep }) }
      const { result, replayed = false } = await writer.run(job)
      return { result: result as never, replayed }
    },
    async query(name, input) {
      if (name === 'users.page' && isQuick(input)) return (await queries[name](db, input)) as never
      return (await searches.call({ kind: 'query', name, input }, { withinMs: queryLimitMs })) as never
    },
    openSnapshot,
    usersVersion: () => `${series}.${changes}`,
    onAnnouncement: (listener) => listeners.push(listener),
    isReady: () => writer.isRunning(),
    async close() {
      // The writer last: the last connection to close writes the log back into the database file.
      await Promise.all([searches.close(), streams.close()])
      db.close()
      await writer.close()
      unlock()
    },
  }
}

type Piece = Uint8Array | undefined

/** Asks for pieces before they are wanted, so that the thread reads on while the one before goes out. */
function readAhead(ask: () => Promise<Piece>): () => Promise<Piece> {
  const asked: Promise<Piece>[] = []
  return () => {
    while (asked.length < piecesAhead) {
      const piece = ask()
      // Whoever takes the piece learns of its failure; one that is not taken any more concerns nobody.
      piece.catch(() => {})
      asked.push(piece)
    }
    return asked.shift() as Promise<Piece>
  }
}
