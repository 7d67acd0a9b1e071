import type { PoolClient } from 'pg'
import type { PostgresAddress } from '../../lib/postgres-url.ts'
import { isConnectionLost } from '../db/postgres/failures.ts'
import { openPrimary, type PoolLoad, type Primary, type PrimaryOptions } from '../db/postgres/primary.ts'
import { shareConnections } from '../db/postgres/share.ts'

type Options = {
  address: PostgresAddress
  schema: string
  poolSize: number
  maxSnapshots: number
  snapshotSeconds: number
}

/** The pools of a node. None waits behind the work of another. */
export type Connections = {
  readonly changes: Primary
  /** For quick reads, `shared` by all of them. */
  readonly reads: Primary
  readonly shared: ReturnType<typeof shareConnections>
  /** For snapshots, queries that may take long, and the upkeep of the search index. */
  readonly lists: Primary
  /** How the watch and migrations connect. */
  readonly watched: PrimaryOptions
  /** How changes connect. */
  readonly short: PrimaryOptions
  /** Ends all connections and their work; the next ones go to the primary of that time. */
  reset(): void
  load(): Record<'changes' | 'reads' | 'lists', PoolLoad>
  close(): Promise<void>
}

/** For pages, and separately for reads of several seconds, so that no page waits behind one. */
export const [searchesAtOnce, longQueriesAtOnce] = [4, 2]
const statementMs = 10_000
/** A search that takes longer is cancelled and fails with 503. */
const readLimitMs = 15_000
/** How many connections carry all quick reads. */
const sharedConnections = 4

/** Connects to nothing yet. */
export function openConnections({ address, schema, poolSize, maxSnapshots, snapshotSeconds }: Options): Connections {
  const common = { address, schema, statementMs }
  const short: PrimaryOptions = { ...common, name: 'rollbook', size: poolSize, idleInTransactionMs: 15_000 }
  const changes = openPrimary(short)
  const reads = openPrimary({ ...short, name: 'rollbook reads', size: sharedConnections })
  const shared = shareConnections(reads, sharedConnections)
  const lists = openPrimary({
    ...common,
    name: 'rollbook lists',
    statementMs: readLimitMs,
    // One more for the upkeep of the search index.
    size: maxSnapshots + searchesAtOnce + longQueriesAtOnce + 1,
    // Between two chunks a reader may be idle for as long as the snapshot may live.
    idleInTransactionMs: (snapshotSeconds + 10) * 1000,
  })
  const pools = { changes, reads, lists }
  return {
    ...pools,
    shared,
    watched: { ...common, name: 'rollbook listener', size: 1, idleInTransactionMs: 0 },
    short,
    reset() {
      for (const pool of Object.values(pools)) pool.reset()
    },
    load: () => ({ changes: changes.load(), reads: reads.load(), lists: lists.load() }),
    async close() {
      await shared.close()
      await Promise.all(Object.values(pools).map((pool) => pool.close()))
    },
  }
}

export async function withClient<T>(primary: Primary, work: (client: PoolClient) => Promise<T>): Promise<T> {
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
