import type { PoolClient } from 'pg'
import { AppError, fromRefusal } from '../../core/errors.ts'
import type { Rules } from '../../core/rules.ts'
import { type PostgresAddress, placeOf } from '../../lib/postgres-url.ts'
import { uuidv7Maker } from '../../lib/uuidv7.ts'
import type { Announcement } from '../context.ts'
import type { Db } from '../db/db.ts'
import { type PostgresDb, postgresDb } from '../db/postgres/connection.ts'
import { isConnectionLost, storageRefusal } from '../db/postgres/failures.ts'
import { refuseTransactionPooling } from '../db/postgres/pooling.ts'
import { openPrimary, type Primary, type PrimaryOptions } from '../db/postgres/primary.ts'
import { isPrepared, prepareSchema } from '../db/postgres/schema.ts'
import { shareConnections } from '../db/postgres/share.ts'
import { sql } from '../db/sql.ts'
import { replayAnswer } from '../idempotency/service.ts'
import { clientGone } from '../storage/fair-queue.ts'
import { storageHealth } from '../storage/health.ts'
import { readAhead } from '../storage/read-ahead.ts'
import type { ChangeHandlers, Query, ReadHandlers, StreamInput, StreamName } from '../storage/registry.ts'
import { sameTurn } from '../storage/same-turn.ts'
import { snapshotPlaces } from '../storage/snapshot-places.ts'
import type { ReadRequest, Snapshot, Storage } from '../storage/storage.ts'
import { runTransaction, settleSome, withoutDoubt } from './change.ts'
import { type JournalWatch, watchJournal } from './journal-watch.ts'
import { patiently } from './patience.ts'
import { pendingBound } from './pending-bound.ts'
import { mergePending, searchUpkeep } from './search-upkeep.ts'
import { createSettler, type Settler } from './settler.ts'
import { shareTransactions } from './share-transactions.ts'
import { runShared } from './shared-transaction.ts'
import { beginSnapshot, endSnapshot, inSnapshot, untilAbandoned } from './snapshot.ts'
import { takeTurns } from './turns.ts'
import { vacuum } from './vacuum.ts'
import { waitForDatabase } from './wait-for-database.ts'
import { type WatchOptions, watchDatabase } from './watch.ts'

export type PostgresOptions = {
  handlers: ReadHandlers & ChangeHandlers
  address: PostgresAddress
  schema: string
  /** Holds the key of a store that was served before, unless this is a first start. */
  adminKeyFile?: string
  rules: Rules
  now: number
  /** How many connections changes share. */
  poolSize: number
  /** How many changes may run or wait. */
  writeQueue: number
  /** How many snapshots may be open at once; one actor may have half of them. */
  maxSnapshots: number
  /** The longest time a snapshot may stay open, in seconds. */
  snapshotSeconds: number
  /** For the benchmark alone, which measures what the journal costs. */
  withoutJournal?: boolean
  /** Called when the database stops or starts to respond, or needs attention. */
  onEvent(message: string, error?: Error): void
  /** Called when the database reports damage. */
  onDamage(message: string, error: Error): void
}

const statementMs = 10_000
/** A repaired database needs no restart: without another report of damage the node is ready again. */
const damageMs = 300_000
const damageEvent =
  'the database reports damage, so this node is not ready; repair or restore the database (docs/postgresql.md)'
/** A search that takes longer is cancelled and fails with 503. */
const readLimitMs = 15_000
/** How many connections carry all quick reads. */
const sharedConnections = 4
/**
 * While some transactions wait for the disk, the next ones are prepared. With more, each would contain fewer changes.
 */
const sharedTransactions = 4
/** For pages, and separately for reads of several seconds, so that no page waits behind one. */
const [searchesAtOnce, longQueriesAtOnce, searchQueue] = [4, 2, 64]
/** A page whose cost was misjudged is cancelled after this time and fails with 503. */
const pageLimitMs = 1000

/**
 * Opens the store in a schema of a PostgreSQL database, which any number of nodes may share.
 *
 * @throws OperatorError when the database cannot be reached or may not be used
 */
export async function openPostgresStorage(options: PostgresOptions): Promise<Storage> {
  const { address, schema, rules, handlers } = options
  const common = { address, schema, statementMs }
  const listed = {
    ...common,
    statementMs: readLimitMs,
    // One more for the upkeep of the search index.
    size: options.maxSnapshots + searchesAtOnce + longQueriesAtOnce + 1,
  }
  const short: PrimaryOptions = { ...common, name: 'rollbook', size: options.poolSize, idleInTransactionMs: 15_000 }
  const watched: PrimaryOptions = { ...common, name: 'rollbook listener', size: 1, idleInTransactionMs: 0 }
  const waiting = { place: placeOf(address), onEvent: options.onEvent }
  const primary = openPrimary(short)
  const giveUp = async (error: unknown): Promise<never> => {
    await Promise.all([primary.close(), reads.close()])
    throw error
  }
  const reads = openPrimary({ ...short, name: 'rollbook reads', size: sharedConnections })
  const migrated = await waitForDatabase(waiting, async () => {
    await withClient(primary, (one) => withClient(reads, (other) => refuseTransactionPooling(one, other)))
    const isReady = await withClient(primary, (client) => isPrepared(postgresDb(client, schema)))
    return isReady ? [] : prepareSchema(watched, options)
  }).catch(giveUp)
  const shared = shareConnections(reads, sharedConnections)
  const lists = openPrimary({
    ...listed,
    name: 'rollbook lists',
    // Between two chunks a reader may be idle for as long as the snapshot may live.
    idleInTransactionMs: (options.snapshotSeconds + 10) * 1000,
  })
  const listeners: ((event: Announcement) => void)[] = []
  const notify = (event: Announcement) => {
    for (const listener of listeners) listener(event)
  }
  const connectAnew = () => {
    primary.reset()
    reads.reset()
    lists.reset()
  }
  const channel = `rollbook_${schema}`
  let settler: Settler | undefined
  let journal: JournalWatch | undefined
  const pending = pendingBound()
  const health = storageHealth({ damageMs, onDamage: (error) => options.onDamage(damageEvent, error) })
  const watching: WatchOptions = {
    primary: watched,
    channel,
    onRevocation(subjects) {
      if (subjects === undefined) notify({ kind: 'forget' })
      else for (const subject of subjects) notify({ kind: 'revoked', subject })
    },
    onLook: () => journal?.look(),
    onMove() {
      options.onEvent('the primary of the database changed')
      health.forget()
      connectAnew()
    },
    onSilence: connectAnew,
    onChange: (up, error) =>
      options.onEvent(up ? 'the database responds again' : 'the database does not respond', error),
  }
  const watch = await waitForDatabase(waiting, () => watchDatabase(watching)).catch(giveUp)
  const { downMs } = watch
  const newId = uuidv7Maker()
  const places = snapshotPlaces(options.maxSnapshots)
  const inTurn = takeTurns(searchesAtOnce, searchQueue, searchesAtOnce / 2)
  const inLongTurn = takeTurns(longQueriesAtOnce, searchQueue, longQueriesAtOnce / 2)
  const readOnce = sameTurn({ waitsItself: false })
  const changes = new Set<Promise<unknown>>()
  let refused = 0

  const read = <T>(work: (db: PostgresDb) => Promise<T>): Promise<T> =>
    patiently(() => shared.read((client) => work(postgresDb(client, schema))), downMs, health.heed)
  const alone = <T>(work: (db: Db) => Promise<T>): Promise<T> =>
    patiently(
      () => withClient(primary, (client) => withoutDoubt(client, () => work(postgresDb(client, schema)))),
      downMs,
      health.heed,
    )
  const db: Db = {
    engine: 'postgres',
    get: (statement) => read((connection) => connection.get(statement)),
    all: (statement) => read((connection) => connection.all(statement)),
    texts: (statement, size) => read((connection) => connection.texts(statement, size)),
  }

  const cancel = (pid: number) => db.get(sql`SELECT pg_cancel_backend(${pid})`)

  /** Ids are created before the first try, so that a retry uses the same ones. */
  function idMaker(now: number): () => () => string {
    const createdIds: string[] = []
    return () => {
      let next = 0
      return () => (createdIds[next++] ??= newId(now))
    }
  }

  const surroundings = { handlers, schema, channel, rules, withoutJournal: options.withoutJournal }
  const share = shareTransactions(Math.max(1, Math.min(sharedTransactions, options.poolSize >> 1)), async (jobs) =>
    watch.isUp() ? withClient(primary, (client) => runShared(client, { ...surroundings, jobs })) : [],
  )

  const change: Storage['change'] = async (
    name,
    input,
    { actor, now, requestId, origin, dryRun = false, responseKey },
  ) => {
    if (changes.size >= options.writeQueue) {
      refused++
      throw new AppError('overloaded', 'Too many changes are waiting; nothing was changed. Try again.')
    }
    const job = { name, input, actor, now, requestId, origin, dryRun, ...(responseKey && { responseKey }) }
    const ids = idMaker(now)
    const work = () => withClient(primary, (client) => runTransaction(client, { ...surroundings, job, newId: ids() }))
    const since = performance.now()
    const alone = () => patiently(work, downMs, health.heed, since)
    // A dry run is always undone, and a stored response needs a savepoint.
    const mayShare = !dryRun && responseKey === undefined
    const keys = mayShare ? handlers.sharing[name]?.(input as never) : undefined
    const pending = keys === undefined ? alone() : share({ job, newId: ids() }, keys).then((one) => one ?? alone())
    changes.add(pending)
    try {
      const { outcome, announced } = await pending
      for (const event of announced) {
        if (event.kind === 'journal') {
          settler?.soon()
          upkeep.note()
        } else notify(event)
      }
      if ('result' in outcome) return { result: outcome.result as never, replayed: outcome.replayed ?? false }
      const refusal = fromRefusal(outcome.refusal)
      if (outcome.replayed) refusal.headers['idempotency-replayed'] = 'true'
      throw refusal
    } finally {
      changes.delete(pending)
    }
  }

  const upkeep = searchUpkeep({
    merge: () => withClient(lists, (client) => mergePending(postgresDb(client, schema))),
    // The watch reports a database that does not respond.
    onFault: (error) =>
      watch.isUp() && options.onEvent('the search index could not be maintained; retrying in a minute', error),
  })

  settler = createSettler({
    hasPending: () => handlers.journal.hasPending(db, pending.get()),
    // Bypasses the queue of changes: reads must not be refused because of many writes.
    settleSome: () =>
      patiently(
        () =>
          withClient(primary, (client) =>
            settleSome(client, { journal: handlers.journal, schema, after: pending.get() }),
          ),
        downMs,
        health.heed,
      ),
    onSettled: () => notify({ kind: 'journal' }),
    onFault: (error) => options.onEvent('the journal could not be settled; retrying', error),
  })

  journal = watchJournal({
    read: (work) => withClient(primary, (client) => work(postgresDb(client, schema))),
    pending,
    onPending: () => settler?.soon(),
    onMoved: () => notify({ kind: 'journal' }),
    // The watch reports a database that does not respond.
    onFault: (error) => watch.isUp() && options.onEvent('the journal could not be read; retrying', error),
  })

  async function openSnapshot<Name extends StreamName>(
    name: Name,
    input: StreamInput<Name>,
    { actor, signal }: ReadRequest,
  ): Promise<Snapshot> {
    const stream = handlers.streams[name]
    const leavePlace = await places.acquire(actor.id)
    const { client, total } = await patiently(
      () => beginSnapshot(lists, schema, (connection) => stream.total(connection, input as never)),
      downMs,
      health.heed,
    ).catch((error) => {
      leavePlace()
      throw error
    })
    const rows = stream.pieces(postgresDb(client, schema), input as never)
    let open = true
    const end = (finished: boolean) => {
      if (!open) return
      open = false
      leavePlace()
      endSnapshot(client, finished)
    }
    const next = async () => {
      const { value } = await rows.next().catch((error) => {
        health.heed(storageRefusal(error))
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
    change,
    keptAnswer: (request) => alone((connection) => replayAnswer(connection, request)),
    async query(name, input, { actor, signal }) {
      const { run, isQuick, isBounded, sameAs }: Query = handlers.queries[name]
      if (isQuick(input as never)) {
        const quickly = (): Promise<unknown> => run(db, input as never)
        const key = sameAs?.(input as never, 'postgres')
        return (await (key === undefined ? quickly() : readOnce(`${name} ${key}`, quickly))) as never
      }
      const caller = { caller: actor.id, ...(signal && { signal }) }
      const options = { limitMs: isBounded ? pageLimitMs : undefined, signal, cancel }
      const work = () =>
        withClient(lists, (client) =>
          inSnapshot(client, options, (): Promise<unknown> => {
            const reads = untilAbandoned(postgresDb(client, schema), signal)
            return run(reads, input as never)
          }),
        )
      const turns = isBounded ? inTurn : inLongTurn
      return (await turns(caller, () => patiently(work, downMs, health.heed))) as never
    },
    openSnapshot,
    settleJournal: settler.settleAll,
    async scrub(how) {
      if (how === 'thorough') await vacuum(short)
      return true
    },
    usersVersion: () =>
      readOnce('users version', async () => {
        // With the table's own number: a restored table starts counting again.
        const row = await db.get<{ version: string }>(
          sql`SELECT 'users'::regclass::oid || '.' || sum(count) AS version FROM user_changes`,
        )
        return String(row?.version)
      }),
    onAnnouncement: (listener) => listeners.push(listener),
    isReady: () => watch.isUp() && !health.isDamaged(),
    isDamaged: health.isDamaged,
    isCurrent: watch.isCurrent,
    ageMs: watch.ageMs,
    load: () => ({
      changes: { waiting: changes.size, limit: options.writeQueue, refused },
      snapshots: places.load(),
      faults: health.faults(),
      pools: { changes: primary.load(), reads: reads.load(), lists: lists.load() },
    }),
    async close() {
      // Accepted changes are still made, or refused after the time limit.
      await Promise.allSettled(changes)
      upkeep.close()
      journal.close()
      await settler.close()
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
    // A connection in an unknown state must not be reused.
    client.release(isConnectionLost(error) || client.getTransactionStatus() !== 'I')
    throw error
  }
}
