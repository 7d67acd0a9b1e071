import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../../core/config.ts'
import { OperatorError } from '../../core/errors.ts'
import { rulesOf } from '../../core/rules.ts'
import { megabytes } from '../../lib/amounts.ts'
import { databasePath } from '../db/sqlite/directory.ts'
import { openSqliteStorage } from '../sqlite/storage.ts'
import type { Handlers } from '../storage/registry.ts'
import type { Storage } from '../storage/storage.ts'

/** For the benchmark alone, which measures what the journal costs. */
export type Switches = { withoutJournal?: boolean }

/** Opens the configured storage, with the schema of this release. */
export async function openStorage(
  handlers: Handlers,
  config: Config,
  log: Logger,
  onFault: (error: Error) => void,
  switches: Switches = {},
): Promise<Storage> {
  const { writeQueue, maxSnapshots } = config
  const onEvent = (message: string, err?: Error) => (err ? log.warn({ err }, message) : log.info(message))
  const common = { rules: rulesOf(config), now: Date.now(), writeQueue, maxSnapshots, ...switches }
  if (config.databaseUrl !== undefined) {
    // Loaded on demand: on SQLite the driver would only cost memory.
    const [{ openPostgresStorage }, changes] = await Promise.all([
      import('../postgres/storage.ts'),
      handlers.loadChanges(),
    ])
    return openPostgresStorage({
      ...common,
      handlers: { ...handlers, ...changes },
      address: config.databaseUrl,
      schema: config.databaseSchema,
      adminKeyFile: join(resolve(config.dataDir), 'admin-key'),
      poolSize: config.databasePoolSize,
      snapshotSeconds: config.snapshotSeconds,
      onEvent,
      onDamage: (message, err) => log.error({ err }, message),
    })
  }
  const directory = resolve(config.dataDir)
  return openSqliteStorage({
    ...common,
    handlers,
    directory,
    onFault,
    onMigrating: (message) => log.info(message),
    onEvent: (message, err) => log.error({ err }, message),
  }).catch((error: Error & { code?: string }) => {
    if (error.code !== 'ERR_SQLITE_ERROR') throw error
    if (/disk is full/.test(error.message)) throw noRoom(directory, error)
    throw new OperatorError(`The database in ${directory} cannot be opened: ${error.message}.`, { cause: error })
  })
}

/** A migration writes what it changes to the log before the log is merged into the database. */
function noRoom(directory: string, cause: Error): OperatorError {
  const { size = 0 } = statSync(databasePath(directory), { throwIfNoEntry: false }) ?? {}
  const room = megabytes(size + 256 * 1_000_000)
  return new OperatorError(
    `The disk of ${directory} is full. Make room and start again: a migration of this store can need ${room} besides it. What was ` +
      'migrated stays, and the rest follows.',
    { cause },
  )
}
