/**
 * Connections to the server that takes writes. `pg` knows one host; here are several, of which one is the primary, and
 * that one changes while we run.
 */
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type PostgresAddress, tlsOptions } from '../../../lib/postgres-url.ts'
import { isMisconfigured, isUnreachable, NotPrimary } from './failures.ts'

export type PrimaryOptions = {
  address: PostgresAddress
  schema: string
  /** How the connections are called in pg_stat_activity. */
  name: string
  /** How many connections there may be. */
  size: number
  /** So long a statement may take on the server, without a limit when 0; a moment later we give up waiting for it. */
  statementMs: number
  /** So long an open transaction may wait for its next statement. */
  idleInTransactionMs: number
}

export type PoolLoad = {
  open: number
  idle: number
  /** Who waits for a connection. */
  waiting: number
  limit: number
}

export type Primary = {
  /** A connection of its own to work with; `release(true)` closes it. */
  connect(): Promise<pg.PoolClient>
  /** Ends all connections and those who use them; the next one is made to whichever server is the primary by then. */
  reset(): void
  load(): PoolLoad
  close(): Promise<void>
}

const connectMs = 3000
/** So long one waits for a connection that others use. */
const poolMs = 8000
const lockMs = 5000
/** The server's own time-out comes first; this one is for a server, or a network, that says nothing any more. */
const silenceMs = 1500
const idleMs = 60_000
export const farewellMs = 500

export function connectionOptions(options: PrimaryOptions, { host, port } = options.address.hosts[0] as Host) {
  const { address, schema, name, statementMs, idleInTransactionMs } = options
  return {
    host,
    port,
    user: address.user,
    // Never from the environment or from a file of the user's: what is configured is what counts.
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

/** Whether this server takes writes now; a standby, or a primary that was set aside, does not. */
export async function requirePrimary(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query("SELECT current_setting('transaction_read_only') AS read_only")
  if (rows[0]?.read_only !== 'off')
    throw new NotPrimary('The server accepts no writes: it is a standby of another server.')
}

/**
 * Whether a server that may not commit without a standby has none left. Perhaps another one was promoted and this one has
 * not heard of it, as when the program that guards it died: it goes on reading, and takes writes that nobody confirms.
 */
export const forsaken = `current_setting('synchronous_standby_names') <> ''
  AND NOT EXISTS (SELECT FROM pg_stat_get_wal_senders())`

type Candidate = { client: pg.Client; host: Host; forsaken: boolean; timeline: string }

/**
 * Connects to the server that takes writes. All are asked at once, and the first that does is taken. One that is forsaken
 * has to wait for the others' answers: of several such the one that was promoted last is the primary.
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
    // A wrong password matters more than who is a standby.
    throw errors.find(isMisconfigured) ?? errors.find((one) => !(one instanceof NotPrimary)) ?? errors[0]
  }
}

async function tryHost(options: PrimaryOptions, host: Host): Promise<Candidate> {
  const client = new pg.Client(connectionOptions(options, host))
  // A connection that breaks while nobody asks it anything says so by this event alone.
  client.on('error', () => {})
  try {
    await client.connect()
    await requirePrimary(client)
    // Where there is one server only, nobody else can have been promoted.
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

/** Each promotion begins a new timeline, with the next number. */
async function lastPromoted(tries: readonly Promise<Candidate>[]): Promise<Candidate> {
  await Promise.any(tries)
  const outcomes = await Promise.allSettled(tries)
  const candidates = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  return candidates.reduce((last, one) => (one.timeline > last.timeline ? one : last))
}

/** A pool has one time for both: to wait for a connection that others use, and to make a new one. */
class QuicklyConnected extends pg.Client {
  constructor(options: pg.ClientConfig = {}) {
    // The pool hides the password from whoever looks at its options.
    super({ ...options, password: options.password, connectionTimeoutMillis: connectMs })
  }
}

type Connected = { pool: pg.Pool; clients: Set<pg.ClientBase>; waiting: Set<() => void> }

/** A pool of connections to the primary, made when they are wanted. */
export function openPrimary(options: PrimaryOptions): Primary {
  let current: Connected | undefined
  let locating: Promise<Connected> | undefined
  let closed = false
  const several = options.address.hosts.length > 1

  async function locate(): Promise<Connected> {
    const [only] = options.address.hosts
    if (!several) return makePool(only as Host)
    const { client, host } = await connectToPrimary(options)
    leave(client).catch(() => {}) // It was only asked.
    return makePool(host)
  }

  function makePool(host: Host): Connected {
    const pool = new pg.Pool({
      ...connectionOptions(options, host),
      Client: QuicklyConnected,
      connectionTimeoutMillis: poolMs,
      max: options.size,
      idleTimeoutMillis: idleMs,
      onConnect: requirePrimary,
    } as pg.PoolConfig)
    const clients = new Set<pg.ClientBase>()
    // Idle ones that break are left out by the pool; those in use fail their statement.
    pool.on('error', () => {})
    pool.on('connect', (client) => {
      clients.add(client)
      client.on('error', () => {})
    })
    pool.on('remove', (client) => clients.delete(client))
    return { pool, clients, waiting: new Set() }
  }

  /** A connection. Whoever waits for one when the primary becomes another one does not wait to the end. */
  function take({ pool, waiting }: Connected): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      const leave = () => reject(new NotPrimary('The primary changed while waiting for a connection.'))
      waiting.add(leave)
      pool.connect().then(
        (client) => {
          if (waiting.delete(leave)) resolve(client)
          else client.release(true)
        },
        (error) => {
          waiting.delete(leave)
          reject(error)
        },
      )
    })
  }

  function reset(): void {
    const old = current
    current = undefined
    locating = undefined
    if (old === undefined) return
    old.pool.end().catch(() => {})
    for (const client of old.clients) cut(client)
    for (const leave of old.waiting) leave()
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
          // One that was begun before a reset may have found the primary of then.
          if (locating === mine) current = found
        } finally {
          if (locating === mine) locating = undefined
        }
      }
      const used = closed ? undefined : current
      if (used === undefined) throw new NotPrimary('The primary changed while looking for it.')
      try {
        return await take(used)
      } catch (error) {
        // The primary may be another one by now.
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
      const ended = old.pool.end().catch(() => {})
      // Whoever is still under way asks for nobody any more; a server that stands still would keep them for long.
      await Promise.race([ended, sleep(farewellMs, undefined, { ref: false })])
      for (const client of old.clients) cut(client)
    },
  }
}

/** Ends a connection in order; a server that stands still does not answer the farewell. */
export async function leave(client: pg.ClientBase): Promise<void> {
  await Promise.race([(client as pg.Client).end(), sleep(farewellMs, undefined, { ref: false })])
  cut(client)
}

/** At once: `end` would wait for the answers to what was asked, and a server that stands still never gives them. */
export function cut(client: pg.ClientBase): void {
  socketOf(client).destroy()
}

/** pg has no other way to it, and its types have none at all. */
export function socketOf(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}
