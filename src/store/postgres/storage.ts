import type { Rules } from '../../core/rules.ts'
import { type PostgresAddress, placeOf } from '../../lib/postgres-url.ts'
import type { Announcement, Subject } from '../context.ts'
import { postgresDb } from '../db/postgres/connection.ts'
import { refuseTransactionPooling } from '../db/postgres/pooling.ts'
import { isPrepared, prepareSchema } from '../db/postgres/schema.ts'
import { sql } from '../db/sql.ts'
import { replayAnswer } from '../idempotency/service.ts'
import { type LiveRules, liveRules } from '../rules/live-rules.ts'
import { readStoredRules, type StoredRules } from '../rules/stored-rules.ts'
import { type StorageHealth, storageHealth } from '../storage/health.ts'
import type { ChangeHandlers, ReadHandlers } from '../storage/registry.ts'
import { sameTurn } from '../storage/same-turn.ts'
import { snapshotPlaces } from '../storage/snapshot-places.ts'
import type { Storage } from '../storage/storage.ts'
import { withoutDoubt } from './change.ts'
import { postgresChanges } from './changes.ts'
import { type Connections, openConnections, withClient } from './connections.ts'
import { type JournalUpkeep, journalUpkeep } from './journal-upkeep.ts'
import { patienceOf } from './patience.ts'
import { postgresQueries, quickReads } from './queries.ts'
import { mergePending, searchUpkeep } from './search-upkeep.ts'
import { postgresStreams } from './streams.ts'
import { vacuum } from './vacuum.ts'
import { waitForDatabase } from './wait-for-database.ts'
import { type Watch, watchDatabase } from './watch.ts'

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

/** A repaired database needs no restart: without another report of damage the node is ready again. */
const damageMs = 300_000
const damageEvent =
  'the database reports damage, so this node is not ready; repair or restore the database (docs/postgresql.md)'

/**
 * Returns the stored rules if they are not the current ones. Reads again if a change of this node was announced meanwhile: it may not be
 * in what was read.
 */
async function readNewerRules(
  live: Pick<LiveRules, 'current'>,
  read: () => Promise<StoredRules>,
): Promise<StoredRules | undefined> {
  for (;;) {
    const { version } = live.current()
    const stored = await read()
    if (live.current().version === version) return stored.version === version ? undefined : stored
  }
}

/**
 * Opens the store in a schema of a PostgreSQL database, which any number of nodes may share.
 *
 * @throws OperatorError when the database cannot be reached or may not be used
 */
export async function openPostgresStorage(options: PostgresOptions): Promise<Storage> {
  const { schema, handlers, rules, withoutJournal, poolSize, writeQueue, onEvent } = options
  const connections = openConnections(options)
  const health = storageHealth({ damageMs, onDamage: (error) => options.onDamage(damageEvent, error) })
  const listeners: ((event: Announcement) => void)[] = []
  const notify = (event: Announcement) => {
    for (const listener of listeners) listener(event)
  }
  const channel = `rollbook_${schema}`
  const live = liveRules(rules)
  // On the connections that reads share: they keep each of them, so that a caller who wants one alone would wait forever.
  const readRules = () => connections.shared.read((client) => readStoredRules(postgresDb(client, schema)))
  const refreshRules = async () => {
    const stored = await readNewerRules(live, readRules)
    if (stored === undefined) return
    live.apply(stored)
    notify({ kind: 'rules_changed', stored })
  }
  const onRules = async (version: string) => {
    if (version !== live.current().version) await refreshRules()
  }
  let journal: JournalUpkeep | undefined
  const onLook = () => journal?.look()
  const { migrated, watch } = await connect(options, {
    ...{ connections, health, channel, notify },
    ...{ onLook, onRules },
  }).catch(async (error: unknown) => {
    await connections.close()
    throw error
  })
  const { changes: primary, lists } = connections
  const { isUp } = watch
  const patience = patienceOf({ downMs: watch.downMs, onRefusal: health.heed })
  const db = quickReads(connections, schema, patience)
  const readOnce = sameTurn({ waitsItself: false })
  const places = snapshotPlaces(options.maxSnapshots)
  const settled = () => notify({ kind: 'journal' })
  const entries = journalUpkeep({ ...handlers, db, primary, schema, patience, isUp, onMoved: settled, onEvent })
  journal = entries
  const search = searchUpkeep({
    merge: () => withClient(lists, (client) => mergePending(postgresDb(client, schema))),
    // The watch reports a database that does not respond.
    onFault: (error) => isUp() && onEvent('the search index could not be maintained; retrying in a minute', error),
  })
  const onAnnouncement = (event: Announcement) => {
    if (event.kind === 'rules_changed') live.applyIfNewer(event.stored)
    if (event.kind !== 'journal') return notify(event)
    // Notified once the entries are settled.
    entries.soon()
    search.note()
  }
  const place = { handlers, primary, schema, channel, rules: live, refreshRules, withoutJournal, poolSize, writeQueue }
  const changes = postgresChanges({ ...place, patience, isUp, onAnnouncement })

  return {
    db,
    rules: live.view,
    refreshRules: () => patience(refreshRules),
    migrated,
    change: changes.change,
    keptAnswer: (request) =>
      patience(() =>
        withClient(primary, (client) => withoutDoubt(client, () => replayAnswer(postgresDb(client, schema), request))),
      ),
    query: postgresQueries({ handlers, connections, schema, patience, db, readOnce }),
    openSnapshot: postgresStreams({ handlers, lists, schema, places, patience, health }),
    settleJournal: entries.settleAll,
    async scrub(how) {
      if (how === 'thorough') await vacuum(connections.short)
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
    isReady: () => isUp() && !health.isDamaged(),
    isDamaged: health.isDamaged,
    isCurrent: watch.isCurrent,
    ageMs: watch.ageMs,
    load: () => ({
      changes: changes.load(),
      snapshots: places.load(),
      faults: health.faults(),
      pools: connections.load(),
    }),
    async close() {
      await changes.close()
      search.close()
      await entries.close()
      await watch.close()
      await connections.close()
    },
  }
}

type Followers = {
  connections: Connections
  health: StorageHealth
  channel: string
  notify(event: Announcement): void
  onLook(): void
  onRules(version: string): Promise<void>
}

/** Waits for the database, brings its schema up to date, and starts to watch it. */
async function connect(
  options: PostgresOptions,
  followers: Followers,
): Promise<{ migrated: readonly string[]; watch: Watch }> {
  const { address, schema, onEvent } = options
  const { connections, health, channel, notify, onLook, onRules } = followers
  const { changes, reads, watched, reset } = connections
  const waiting = { place: placeOf(address), onEvent }
  const migrated = await waitForDatabase(waiting, async () => {
    await withClient(changes, (one) => withClient(reads, (other) => refuseTransactionPooling(one, other)))
    const isReady = await withClient(changes, (client) => isPrepared(postgresDb(client, schema)))
    return isReady ? [] : prepareSchema(watched, options)
  })
  const watching = {
    primary: watched,
    channel,
    onRevocation(subjects: readonly Subject[] | undefined) {
      if (subjects === undefined) notify({ kind: 'forget' })
      else for (const subject of subjects) notify({ kind: 'revoked', subject })
    },
    onLook,
    onRules,
    onMove() {
      onEvent('the primary of the database changed')
      health.forget()
      reset()
    },
    onSilence: reset,
    onChange: (up: boolean, error?: Error) =>
      onEvent(up ? 'the database responds again' : 'the database does not respond', error),
  }
  return { migrated, watch: await waitForDatabase(waiting, () => watchDatabase(watching)) }
}
