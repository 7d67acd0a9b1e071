import { renameSync } from 'node:fs'
import { greatestId, uuidv7Maker } from '../../lib/uuidv7.ts'
import { migrate, migrations } from '../db/migrate.ts'
import { sql } from '../db/sql.ts'
import { type Connection, openConnection } from '../db/sqlite/connection.ts'
import { syncNames } from '../db/sqlite/sync.ts'
import type { WriterSetup } from '../storage/writer-protocol.ts'
import { migrationCacheKiB } from './page-budget.ts'

type OpenWriter = {
  connection: Connection
  /** Names of the migrations that have run. */
  migrated: string[]
  /** A new id for this time, greater than every id of ours that the store has. */
  makeId(now: number): string
}

/** Opens the write connection to the store of this setup, after building and migrating it if necessary. */
export async function openWriterStore(setup: WriterSetup, onMigrating: (message: string) => void): Promise<OpenWriter> {
  const built = await buildStore(setup)
  const connection = openConnection({ path: setup.path, cacheKiB: migrationCacheKiB })
  const migrated = [...built, ...(await migrate(connection, setup.startedAt, migrations, onMigrating))]
  // Only our own ids: imported ids may be greater than any of ours.
  const last = await connection.get<{ user_id: string | null }>(sql`
    SELECT max(user_id) AS user_id FROM users WHERE user_id < ${greatestId(setup.startedAt)}`)
  return { connection, migrated, makeId: uuidv7Maker(last?.user_id ?? undefined) }
}

/** Builds the store of a first start. It gets its name when it is complete and on the disk. */
async function buildStore({ path, draft, startedAt }: WriterSetup): Promise<string[]> {
  if (draft === undefined) return []
  const connection = openConnection({ path: draft })
  const migrated = await migrate(connection, startedAt)
  connection.close()
  renameSync(draft, path)
  syncNames(path)
  return migrated
}
