/**
 * Connections to the primary. `pg` knows one host; here there are several, one of which is the primary, and that can change
 * at run time.
 */

import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { misconfigured, OperatorError } from '../../../core/errors.ts'
import { shareFaults } from '../../../lib/fault-owner.ts'
import { type PostgresAddress, tlsOptions } from '../../../lib/postgres-url.ts'
import { Client } from './client.ts'
import { isMisconfigured, isUnreachable, NotPrimary } from './failures.ts'

export type PrimaryOptions = {
  address: PostgresAddress
  schema: string
  /** The name of the connections in pg_stat_activity. */
  name: string
  /** The maximum number of connections. */
  size: number
  /** The server's statement timeout, 0 for none; our own is slightly longer. */
  statementMs: number
  /** How long an open transaction may be idle. */
  idleInTransactionMs: number
}

export type PoolLoad = {
  open: number
  idle: number
  /** How many callers wait for a connection. */
  waiting: number
  limit: number
}

export type Primary = {
  /** A dedicated connection; `release(true)` closes it. */
  connect(): Promise<pg.PoolClient>
  /** Ends all connections and their work; the next connection goes to the primary of that time. */
  reset(): void
  load(): PoolLoad
  close(): Promise<void>
}

const connectMs = 3000
/** How long to wait for a connection in use. */
const poolMs = 8000
const lockMs = 5000
/** The server's own timeout comes first; this one is for a server or a network that stopped responding. */
const silenceMs = 1500
const idleMs = 60_000
export const farewellMs = 500

export function connectionOptions(options: PrimaryOptions, { host, port } = options.address.hosts[0] as Host) {
  const { address, schema, name, statementMs, idleInTransactionMs } = options
  return {
    host,
    port,
    user: address.user,
    // Never from the environment or the user's files: only the configuration counts.
    password: () => address.password ?? '',
    database: address.database,
    ssl: tlsOptions(address, host),
    application_name: name,
    options: `-c search_path=${schema} -c client_min_messages=warning -c jit=off`,
    connectionTimeoutMillis: connectMs,
    ...(statementMs > 0 && { statement_timeout: statementMs, query_timeout: statementMs + silenceMs }),
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
    pipeline: true,
  }
}

type Host = { host: string; port: number }

/**
 * Refuses a server that does not accept writes now, a standby or a demoted primary, and a database that cannot store every name.
 *
 * @throws NotPrimary; OperatorError for another encoding than UTF8
 */
export async function requirePrimary(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query(
    "SELECT current_setting('transaction_read_only') AS read_only, current_setting('server_encoding') AS encoding",
  )
  const { read_only, encoding } = rows[0] ?? {}
  if (read_only !== 'off') throw new NotPrimary('The server accepts no writes: it is a standby of another server.')
  if (encoding === 'UTF8') return
  throw new OperatorError(
    `The database has the encoding ${encoding}, which cannot store every name. Create one with CREATE DATABASE … ENCODING 'UTF8' ` +
      'TEMPLATE template0 and set ROLLBOOK_DATABASE_URL to it; pg_dump and pg_restore bring an existing store there.',
    { exitCode: misconfigured },
  )
}

/**
 * Whether a server that requires a standby for its commits has none left. Perhaps another server was promoted and this one
 * does not know, for example because its agent died: it continues to read, and accepts writes that are never confirmed.
 */
export const forsaken = `current_setting('synchronous_standby_names') <> ''
  AND NOT EXISTS (SELECT FROM pg_stat_get_wal_senders())`

type Candidate = { client: pg.Client; host: Host; forsaken: boolean; timeline: string }

/**
 * Connects to the server that accepts writes. All are asked at once, and the first that does is used. One without its
 * standby has to wait for the others' answers: of several such, the one promoted last is the primary.
 */
export async function connectToPrimary(options: PrimaryOptions): Promise<{ client: pg.Client; host: Host }> {
  const tries = options.address.hosts.map((host) => tryHost(options, host))
  const followed = tries.map(async (one) => {
    const candidate = await one
    if (candidate.forsaken) throw new NotPrimary('The server has no standby to confirm its commits.')
    return candidate
  })
  try {
    const found = await Promise.any(followed).catch(() => lastPromoted(tries))
    for (const one of tries)
      one.then(
        (other) => other !== found && cut(other.client),
        () => {},
      )
    return found
  } catch (error) {
    const { errors } = error as AggregateError
    // A wrong password matters more than which server is a standby.
    throw errors.find(isMisconfigured) ?? errors.find((one) => !(one instanceof NotPrimary)) ?? errors[0]
  }
}

async function tryHost(options: PrimaryOptions, host: Host): Promise<Candidate> {
  const client = new Client(connectionOptions(options, host))
  // A broken idle connection is reported by this event alone.
  client.on('error', () => {})
  try {
    await client.connect()
    await requirePrimary(client)
    // With only one server, no other can have been promoted.
    if (options.address.hosts.length === 1) return { client, host, forsaken: false, timeline: '' }
    const { rows } = await client.query(
      `SELECT ${forsaken} AS forsaken, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline`,
    )
    return { client, host, ...rows[0] }
  } catch (error) {
    cut(client)
    throw error
  }
}

/** Each promotion starts a new timeline with the next number. */
async function lastPromoted(tries: readonly Promise<Candidate>[]): Promise<Candidate> {
  await Promise.any(tries)
  const outcomes = await Promise.allSettled(tries)
  const candidates = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  return candidates.reduce((last, one) => (one.timeline > last.timeline ? one : last))
}

/** A pool has one timeout for both: waiting for a connection in use, and opening a new one. */
class QuicklyConnected extends Client {
  constructor(options: pg.ClientConfig = {}) {
    // The pool hides the password from its enumerable options.
    super({ ...options, password: options.password, connectionTimeoutMillis: connectMs })
  }
}

type Connected = { pool: pg.Pool; clients: Set<pg.ClientBase>; waiting: Set<() => void> }

function makePool(options: PrimaryOptions, host: Host): Connected {
  const pool = new pg.Pool({
    ...connectionOptions(options, host),
    Client: QuicklyConnected,
    connectionTimeoutMillis: poolMs,
    max: options.size,
    idleTimeoutMillis: idleMs,
    onConnect: requirePrimary,
  } as pg.PoolConfig)
  const clients = new Set<pg.ClientBase>()
  // The pool drops idle ones that break; those in use fail their statement.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    clients.add(client)
    client.on('error', () => {})
  })
  pool.on('remove', (client) => clients.delete(client))
  return { pool, clients, waiting: new Set() }
}

/** Returns a connection. If the primary changes while a caller waits, the caller need not wait to the end. */
function acquireClient({ pool, waiting }: Connected): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => {
    const abandon = () => reject(new NotPrimary('The primary changed while waiting for a connection.'))
    waiting.add(abandon)
    // Other callers use the connection later.
    shareFaults(() => pool.connect()).then(
      (client) => {
        if (waiting.delete(abandon)) resolve(client)
        else client.release(true)
      },
      (error) => {
        waiting.delete(abandon)
        reject(error)
      },
    )
  })
}

/** A pool of connections to the primary, opened on demand. */
export function openPrimary(options: PrimaryOptions): Primary {
  let current: Connected | undefined
  let locating: Promise<Connected> | undefined
  let closed = false
  const several = options.address.hosts.length > 1

  async function locate(): Promise<Connected> {
    const [only] = options.address.hosts
    if (!several) return makePool(options, only as Host)
    const { client, host } = await connectToPrimary(options)
    closeClient(client).catch(() => {}) // It was only asked.
    return makePool(options, host)
  }

  function reset(): void {
    const old = current
    current = undefined
    locating = undefined
    if (old === undefined) return
    old.pool.end().catch(() => {})
    for (const client of old.clients) cut(client)
    for (const abandon of old.waiting) abandon()
    old.waiting.clear()
  }

  return {
    async connect() {
      if (closed) throw new Error('The connections to the database are closed.')
      if (current === undefined) {
        locating ??= locate()
        const mine = locating
        try {
          const found = await mine
          // A search that started before a reset may have found the previous primary.
          if (locating === mine) current = found
        } finally {
          if (locating === mine) locating = undefined
        }
      }
      const used = closed ? undefined : current
      if (used === undefined) throw new NotPrimary('The primary changed while looking for it.')
      try {
        return await acquireClient(used)
      } catch (error) {
        // The primary may have changed.
        if (current === used && (error instanceof NotPrimary || (several && isUnreachable(error)))) reset()
        throw error
      }
    },
    reset,
    load: () => ({
      open: current?.pool.totalCount ?? 0,
      idle: current?.pool.idleCount ?? 0,
      waiting: current?.pool.waitingCount ?? 0,
      limit: options.size,
    }),
    async close() {
      closed = true
      const old = current
      current = undefined
      if (old === undefined) return
      const poolEnd = old.pool.end().catch(() => {})
      // Abandon connections that are still being opened: a frozen server would keep them for long.
      await Promise.race([poolEnd, sleep(farewellMs, undefined, { ref: false })])
      for (const client of old.clients) cut(client)
    },
  }
}

/** Closes a connection cleanly; a frozen server does not respond to that. */
export async function closeClient(client: pg.ClientBase): Promise<void> {
  await Promise.race([(client as pg.Client).end(), sleep(farewellMs, undefined, { ref: false })])
  cut(client)
}

/** Closes immediately: `end` would wait for pending responses, which a frozen server never sends. */
export function cut(client: pg.ClientBase): void {
  socketOf(client).destroy()
}

/** pg offers no other way, and its types have none. */
export function socketOf(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}
