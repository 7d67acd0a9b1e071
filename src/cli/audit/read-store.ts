/** Opens the store for reading, in one snapshot, while others may write to it. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../../core/config.ts'
import { OperatorError } from '../../core/errors.ts'
import type { PostgresAddress } from '../../lib/postgres-url.ts'
import { hasTable } from '../../store/db/catalog.ts'
import type { Db } from '../../store/db/db.ts'

export type ReadStore = { db: Db; close(): Promise<void> }

/** Opens the SQLite store in a directory, or the configured store. */
export async function openForReading(config: Config, dataDir?: string): Promise<ReadStore> {
  const { databaseUrl, databaseSchema, dataDir: configured } = config
  const store =
    dataDir === undefined && databaseUrl !== undefined
      ? await openPostgres(databaseUrl, databaseSchema)
      : await openSqlite(resolve(dataDir ?? configured))
  if (await hasTable(store.db, 'audit_records')) return store
  await store.close()
  throw new OperatorError(
    'The store is from an earlier release and has no audit records. Start the service on it once.',
  )
}

async function openSqlite(directory: string): Promise<ReadStore> {
  const path = join(directory, 'rollbook.db')
  if (!existsSync(path)) throw new OperatorError(`There is no store: ${path} does not exist.`)
  const { openConnection } = await import('../../store/db/sqlite/connection.ts')
  const connection = openConnection({ path, readOnly: true, isVisit: true, cacheKiB: 8192 })
  connection.exec('BEGIN')
  return { db: connection, close: async () => connection.close() }
}

async function openPostgres(address: PostgresAddress, schema: string): Promise<ReadStore> {
  const { connectToPrimary } = await import('../../store/db/postgres/primary.ts')
  const { postgresDb } = await import('../../store/db/postgres/connection.ts')
  const options = { address, schema, name: 'rollbook audit', size: 1, statementMs: 0, idleInTransactionMs: 0 }
  const { client } = await connectToPrimary(options)
  // A PostgreSQL role can have time limits, which are meant for servers.
  await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0')
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  return { db: postgresDb(client, schema), close: () => client.end() }
}
