import type { PoolLoad } from '../db/postgres/primary.ts'
import type { StorageFaults } from './health.ts'
import type { SnapshotLoad } from './snapshot-places.ts'

/** The current load of a storage, and its refusals since the start. */
export type StorageLoad = {
  changes: ChangeLoad
  snapshots: SnapshotLoad
  /** Connections to the database, by purpose; none on SQLite. */
  /** Reads and changes that failed because of the storage. */
  faults: StorageFaults
  pools: Readonly<Record<string, PoolLoad>>
}

export type ChangeLoad = { waiting: number; limit: number; refused: number }
