/** Snapshots on PostgreSQL: read-only transactions. */
import type { PoolClient, QueryResult } from 'pg'
import type { Db } from '../db/db.ts'
import { type PostgresDb, postgresDb } from '../db/postgres/connection.ts'
import { isConnectionLost } from '../db/postgres/failures.ts'
import type { Primary } from '../db/postgres/primary.ts'
import { sql } from '../db/sql.ts'
import { clientGone } from '../storage/fair-queue.ts'

const beginReadOnly = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

export type ReadOptions = {
  /** A time limit for its statements. */
  limitMs?: number | undefined
  /** Fires when the caller no longer waits for the result. */
  signal?: AbortSignal | undefined
  /** Cancels the current statement of a connection, by its server process id. */
  cancel(pid: number): Promise<unknown>
}

/** Runs the reads in one snapshot. Their statement is cancelled when the reader leaves. */
export async function inSnapshot<T>(client: PoolClient, options: ReadOptions, reads: () => Promise<T>): Promise<T> {
  const { limitMs, signal, cancel } = options
  // The users are mostly in memory, and page cost limits must mean the same on every server.
  const limits =
    limitMs === undefined ? '' : `; SET LOCAL statement_timeout = ${limitMs}; SET LOCAL random_page_cost = 1.1`
  // Asked from the server: a proxy in between may have other process ids.
  const begun = client.query<{ pid: number }>(`${beginReadOnly}${limits}; SELECT pg_backend_pid() AS pid`)
  begun.catch(() => {}) // The reads fail as well then.
  let cancelled: Promise<unknown> | undefined
  const abort = () => {
    // If this fails, the statement's time limit ends it.
    cancelled = begun.then((results) => cancel(pidIn(results))).catch(() => {})
  }
  signal?.addEventListener('abort', abort)
  try {
    const result = await reads()
    await client.query('COMMIT')
    return result
  } catch (error) {
    // The next statement on this connection must not be cancelled instead.
    await cancelled
    if (!isConnectionLost(error)) await client.query('ROLLBACK')
    throw signal?.aborted ? clientGone() : error
  } finally {
    signal?.removeEventListener('abort', abort)
    await cancelled
  }
}

/** Refuses reads once the caller has left. Between two statements, none is running that could be cancelled. */
export function untilAbandoned(db: PostgresDb, signal: AbortSignal | undefined): Db {
  if (signal === undefined) return db
  const refuseAbandoned = () => {
    if (signal.aborted) throw clientGone()
  }
  const guarded =
    <Sent extends unknown[], Result>(read: (...sent: Sent) => Promise<Result>) =>
    async (...sent: Sent) => {
      refuseAbandoned()
      return read(...sent)
    }
  return {
    engine: db.engine,
    refuseAbandoned,
    get: guarded(db.get) as Db['get'],
    all: guarded(db.all) as Db['all'],
    texts: guarded(db.texts),
    copy: guarded(db.copy),
  }
}

/** Several statements sent together return an array of results, which pg's types lack. */
function pidIn(results: unknown): number {
  const last = (results as QueryResult<{ pid: number }>[]).at(-1)
  return last?.rows[0]?.pid as number
}

/** `count`: how many rows the snapshot has; undefined if not requested. */
export async function beginSnapshot(lists: Primary, schema: string, count: (db: Db) => Promise<number> | undefined) {
  const client = await lists.connect()
  try {
    await client.query(beginReadOnly)
    const db = postgresDb(client, schema)
    // The first read fixes the snapshot.
    const total = count(db)
    if (total === undefined) await db.get(sql`SELECT 1 FROM migrations`)
    return { client, total: await total }
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** A snapshot that was read to its end returns its connection to the pool. */
export function endSnapshot(client: PoolClient, finished: boolean): void {
  if (!finished) {
    client.release(true)
    return
  }
  client.query('COMMIT').then(
    () => client.release(),
    () => client.release(true),
  )
}
