/** Views of one moment on PostgreSQL: transactions that only read. */
import type { PoolClient, QueryResult } from 'pg'
import type { Db } from '../db/db.ts'
import { postgresDb } from '../db/postgres/connection.ts'
import { isConnectionLost } from '../db/postgres/failures.ts'
import type { Primary } from '../db/postgres/primary.ts'
import { sql } from '../db/sql.ts'
import { clientGone } from './fair-queue.ts'

const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

export type ReadOptions = {
  /** The work is limited: its statements have this time. */
  limitMs?: number | undefined
  /** Fires when the caller no longer waits for the result. */
  signal?: AbortSignal | undefined
  /** Ends the statement that a connection to the database is at, by the number of its process there. */
  cancel(pid: number): Promise<unknown>
}

/** Runs the reads in one view of the data. Their statement is ended when the reader leaves. */
export async function inSnapshot<T>(client: PoolClient, options: ReadOptions, reads: () => Promise<T>): Promise<T> {
  const { limitMs, signal, cancel } = options
  // The users are mostly in memory, and page cost limits must mean the same on every server.
  const limits =
    limitMs === undefined ? '' : `; SET LOCAL statement_timeout = ${limitMs}; SET LOCAL random_page_cost = 1.1`
  // Asked of the server: what stands between may have numbers of its own.
  const begun = client.query<{ pid: number }>(`${begin}${limits}; SELECT pg_backend_pid() AS pid`)
  begun.catch(() => {}) // The reads fail as well then.
  let cancelled: Promise<unknown> | undefined
  const leave = () => {
    // Where this fails, the time limit of the statement ends it.
    cancelled = begun.then((results) => cancel(pidIn(results))).catch(() => {})
  }
  signal?.addEventListener('abort', leave)
  try {
    const result = await reads()
    await client.query('COMMIT')
    return result
  } catch (error) {
    // The next statement on this connection must not be the one that is ended.
    await cancelled
    if (!isConnectionLost(error)) await client.query('ROLLBACK')
    throw signal?.aborted ? clientGone() : error
  } finally {
    signal?.removeEventListener('abort', leave)
    await cancelled
  }
}

/** Several statements sent together have a result each, which the types of pg do not know. */
function pidIn(results: unknown): number {
  const last = (results as QueryResult<{ pid: number }>[]).at(-1)
  return last?.rows[0]?.pid as number
}

/** `count`: how many rows the snapshot has; undefined when that is not asked for. */
export async function beginSnapshot(lists: Primary, schema: string, count: (db: Db) => Promise<number> | undefined) {
  const client = await lists.connect()
  try {
    await client.query(begin)
    const db = postgresDb(client, schema)
    // The first read is what fixes the view.
    const total = count(db)
    if (total === undefined) await db.get(sql`SELECT 1 FROM migrations`)
    return { client, total: await total }
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** One that was read to its end leaves its connection for the next. */
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
