/** The link that makes the first administrator, for whoever has the host; the store may be served meanwhile. */
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { makeSetupLink } from '../../access/setup/link.ts'
import { handlers } from '../../app/handlers.ts'
import { createLog } from '../../app/log.ts'
import type { Config } from '../../core/config.ts'
import { AppError, OperatorError } from '../../core/errors.ts'
import { reachableAddress } from '../../http/server/own-address.ts'
import { uuidv7Maker } from '../../lib/uuidv7.ts'
import { rulesOf, system } from '../../store/context.ts'
import { hasTable } from '../../store/db/catalog.ts'
import { openConnection } from '../../store/db/sqlite/connection.ts'
import { openStorage } from '../../store/storage/open.ts'
import { runJob } from '../../store/storage/run-job.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { refuseAbsent, systemUser } from './admin-reset.ts'

/** @throws OperatorError when there is an administrator already, or no store */
export async function makeLink(config: Config): Promise<string> {
  await refuseAbsent(config)
  const { storage, close } = config.databaseUrl === undefined ? await besideService(config) : await asNode(config)
  try {
    const base = config.publicUrl ?? `${reachableAddress(config.host, config.port)}${config.basePath}`
    const origin = { address: hostname(), user_agent: `rollbook admin link, by ${systemUser()}` }
    const request = { actor: system, now: Date.now(), requestId: crypto.randomUUID(), origin }
    const link = await makeSetupLink(storage, base, request)
    if (link !== undefined) return link
    throw new OperatorError(
      'There is an active administrator already: sign in as that one. If nobody can, see rollbook admin reset --help.',
    )
  } finally {
    await close()
  }
}

type Opened = { storage: Pick<Storage, 'change'>; close(): Promise<void> }

async function asNode(config: Config): Promise<Opened> {
  const storage = await openStorage(handlers, config, createLog('silent'), (error) => {
    throw error
  })
  return { storage, close: () => storage.close() }
}

/**
 * SQLite lets another process write while the service runs; the rest of the commands may not, because the service would
 * not hear of what they revoke. A link revokes nothing, and nobody remembers one.
 */
async function besideService(config: Config): Promise<Opened> {
  const connection = openConnection({ path: join(resolve(config.dataDir), 'rollbook.db') })
  if (!(await hasTable(connection, 'setup_links'))) {
    connection.close()
    throw new OperatorError('The store is of an earlier release. Start the service on it once.')
  }
  const makeId = uuidv7Maker()
  const changes = await handlers.loadChanges()
  const change: Storage['change'] = (name, input, { actor, now, requestId, origin }) =>
    connection.alone(async () => {
      const outcome = await runJob(
        { name, input, actor, now, requestId, origin, dryRun: false },
        {
          handlers: changes,
          db: connection,
          rules: rulesOf(config),
          // What is refused leaves with an error, which undoes the transaction.
          savepoint: { set() {}, undo() {}, release() {} },
          newId: () => makeId(now),
          writeJournal: (entry) => changes.journal.append(connection, entry),
          announce() {},
        },
      )
      if ('refusal' in outcome) throw new AppError(outcome.refusal.code, outcome.refusal.detail)
      return { result: outcome.result as never, replayed: false }
    })
  return { storage: { change }, close: async () => connection.close() }
}
