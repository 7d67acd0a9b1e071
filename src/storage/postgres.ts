import type { PoolClient } from 'pg'
import type { Announcement, Rules } from '../context.ts'
import type { Db } from '../db/db.ts'
import { postgresDb } from '../db/postgres/connection.ts'
import { isConnectionLost, storageRefusal } from '../db/postgres/failures.ts'
import { openPrimary, type Primary, type PrimaryOptions } from '../db/postgres/primary.ts'
import { prepareSchema } from '../db/postgres/schema.ts'
import { shareConnections } from '../db/postgres/share.ts'
import { type PostgresAddress, placeOf } from '../db/postgres/url.ts'
import { sql } from '../db/sql.ts'
import { AppError, fromRefusal } from '../errors.ts'
import { replayAnswer } from '../idempotency/service.ts'
import { uuidv7Maker } from '../lib/uuidv7.ts'
import { queries } from '../queries.ts'
import { stream } from '../users/list.ts'
import type { ListPlan } from '../users/list-plan.ts'
import { clientGone } from './fair-queue.ts'
import { patiently } from './patience.ts'
import { runTransaction, withoutDoubt } from './postgres-change.ts'
import { beginSnapshot, endSnapshot, inSnapshot } from './postgres-snapshot.ts'
import { readAhead } from './read-ahead.ts'
import { snapshotPlaces } from './snapshot-places.ts'
import type { ReadRequest, Snapshot, Storage } from './storage.ts'
import { takeTurns } from './turns.ts'
import { waitForDatabase } from './wait-for-database.ts'
import { type WatchOptions, watchDatabase } from './watch.ts'

export type PostgresOptions = {
  address: PostgresAddress
  schema: string
  rules: Rules
  now: number
  /** How many connections changes share. */
  poolSize: number
  /** How many changes may be under way or wait. */
  writeQueue: number
  /** How many snapshots may be open at once; one actor may have half of them. */
  maxSnapshots: number
  /** So long a snapshot may stay open, in seconds. */
  snapshotSeconds: number
  /** Called when the database stops or begins to answer, or when something about it needs attention. */
  onEvent(message: string, error?: Error): void
}

const statementMs = 10_000
/** A search that takes longer is ended, and answered with 503. */
const readLimitMs = 15_000
/** So many connections carry all quick reads. */
const sharedConnections = 4
const [searchesAtOnce, searchQueue] = [4, 64]

/**
 * Opens the store in a schema of a PostgreSQL database, beside as many other nodes as there are.
 *
 * @throws OperatorError when the database cannot be reached or may not be used
 */
export async function openPostgresStorage(options: PostgresOptions): Promise<Storage> {
  const { address, schema, rules } = options
  const common = { address, schema, statementMs }
  const listed = { ...common, statementMs: readLimitMs, size: options.maxSnapshots + searchesAtOnce }
  const short: PrimaryOptions = { ...common, name: 'rollbook', size: options.poolSize, idleInTransactionMs: 15_000 }
  const watched: PrimaryOptions = { ...common, name: 'rollbook listener', size: 1, idleInTransactionMs: 0 }
  const waiting = { place: placeOf(address), onEvent: options.onEvent }
  const migrated = await waitForDatabase(waiting, () => prepareSchema(watched, options))
  const primary = openPrimary(short)
  const reads = openPrimary({ ...short, name: 'rollbook reads', size: sharedConnections })
  const shared = shareConnections(reads, sharedConnections)
  const lists = openPrimary({
    ...listed,
    name: 'rollbook lists',
    // Between two pieces a reader may be slow for as long as the snapshot may live.
    idleInTransactionMs: (options.snapshotSeconds + 10) * 1000,
  })
  const listeners: ((event: Announcement) => void)[] = []
  const tell = (event: Announcement) => {
    for (const listener of listeners) listener(event)
  }
  const connectAnew = () => {
    primary.reset()
    reads.reset()
    lists.reset()
  }
  const channel = `rollbook_${schema}`
  const watching: WatchOptions = {
    primary: watched,
    channel,
    onRevocation(subjects) {
      if (subjects === undefined) tell({ kind: 'forget' })
      else for (const subject of subjects) tell({ kind: 'revoked', subject })
    },
    onMove() {
      options.onEvent('the database has another primary')
      connectAnew()
    },
    onSilence: connectAnew,
    onChange: (up, error) => options.onEvent(up ? 'the database answers again' : 'the database does not answer', error),
  }
  const watch = await waitForDatabase(waiting, () => watchDatabase(watching))
  const { downMs } = watch
  const newId = uuidv7Maker()
  const placeFor = snapshotPlaces(options.maxSnapshots)
  const inTurn = takeTurns(searchesAtOnce, searchQueue)
  const changes = new Set<Promise<unknown>>()

  const read = <T>(work: (db: Db) => Promise<T>): Promise<T> =>
    patiently(async () => work(postgresDb(await shared.connect(), schema)), downMs)
  const alone = <T>(work: (db: Db) => Promise<T>): Promise<T> =>
    patiently(
      () => withClient(primary, (client) => withoutDoubt(client, () => work(postgresDb(client, schema)))),
      downMs,
    )
  const db: Db = {
    engine: 'postgres',
    get: (statement) => read((connection) => connection.get(statement)),
    all: (statement) => read((connection) => connection.all(statement)),
  }

  /** Ids are made before the first try: what is tried again makes the same. */
  function idMaker(now: number): () => () => string {
    const made: string[] = []
    return () => {
      let next = 0
      return () => (made[next++] ??= newId(now))
    }
  }

  async function openSnapshot(plan: ListPlan, { actor, signal }: ReadRequest): Promise<Snapshot> {
    const leavePlace = await placeFor(actor.id)
    const { client, total } = await patiently(() => beginSnapshot(lists, schema, plan), downMs).catch((error) => {
      leavePlace()
      throw error
    })
    const rows = stream(postgresDb(client, schema), plan)
    let open = true
    const end = (finished: boolean) => {
      if (!open) return
      open = false
      leavePlace()
      endSnapshot(client, finished)
    }
    const next = async () => {
      const { value } = await rows.next().catch((error) => {
        throw storageRefusal(error) ?? error
      })
      if (value === undefined) end(true)
      return value
    }
    if (signal?.aborted) {
      end(false)
      throw clientGone()
    }
    return { total, next: readAhead(next), close: () => end(false) }
  }

  return {
    db,
    migrated,
    async change(name, input, { actor, now, requestId, dryRun = false, keep }) {
      if (changes.size >= options.writeQueue) {
        throw new AppError('overloaded', 'Too many changes are waiting; nothing was changed.')
      }
      const job = { name, input, actor, now, requestId, dryRun, ...(keep && { keep }) }
      const ids = idMaker(now)
      const work = () =>
        withClient(primary, (client) => runTransaction(client, { job, schema, channel, rules, newId: ids() }))
      const change = patiently(work, downMs)
      changes.add(change)
      try {
        const { outcome, announced } = await change
        for (const event of announced) tell(event)
        if ('result' in outcome) return { result: outcome.result as never, replayed: outcome.replayed ?? false }
        const refusal = fromRefusal(outcome.refusal)
        if (outcome.replayed) refusal.headers['idempotency-replayed'] = 'true'
        throw refusal
      } finally {
        changes.delete(change)
      }
    },
    keptAnswer: (request) => alone((connection) => replayAnswer(connection, request)),
    async query(name, input, { actor, signal }) {
      const { run, isQuick } = queries[name]
      if (isQuick(input)) return (await run(db, input)) as never
      const caller = { caller: actor.id, ...(signal && { signal }) }
      const work = () => withClient(lists, (client) => inSnapshot(client, () => run(postgresDb(client, schema), input)))
      return (await inTurn(caller, () => patiently(work, downMs))) as never
    },
    openSnapshot,
    async usersVersion() {
      // With the table's own number: one that was restored counts anew.
      const row = await db.get<{ version: string }>(
        sql`SELECT 'users'::regclass::oid || '.' || sum(count) AS version FROM user_changes`,
      )
      return String(row?.version)
    },
    onAnnouncement: (listener) => listeners.push(listener),
    isReady: watch.isUp,
    isCurrent: watch.isCurrent,
    ageMs: watch.ageMs,
    async close() {
      // Those that have come are still made, or refused when patience ends.
      await Promise.allSettled(changes)
      await watch.close()
      await shared.close()
      await Promise.all([primary.close(), reads.close(), lists.close()])
    },
  }
}

async function withClient<T>(primary: Primary, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await primary.connect()
  try {
    const result = await work(client)
    client.release()
    return result
  } catch (error) {
    // A connection of which nothing is known any more serves nobody.
    client.release(isConnectionLost(error) || client.getTransactionStatus() !== 'I')
    throw error
  }
}
