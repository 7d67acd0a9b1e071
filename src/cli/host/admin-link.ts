/** Creates the link for the first administrator. The service may be running. */
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { makeSetupLink } from '../../access/sign-in/setup/service.ts'
import { handlers } from '../../app/handlers.ts'
import { createLog } from '../../app/log.ts'
import { system } from '../../core/actor.ts'
import type { Config } from '../../core/config.ts'
import { OperatorError } from '../../core/errors.ts'
import { reachableAddress } from '../../http/server/own-address.ts'
import { hasTable } from '../../store/db/catalog.ts'
import { openConnection } from '../../store/db/sqlite/connection.ts'
import { openStorage } from '../../store/engines/open.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { refuseAbsent, systemUser } from './admin-reset.ts'
import { changesOn } from './changes-on.ts'

/** @throws OperatorError if there is an active administrator, or no store */
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
      'There is already an active administrator. Sign in as that user; if that is impossible, see rollbook admin reset --help.',
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
 * SQLite allows a second process to write. Other commands must not, because the running service would not learn what they
 * revoke. A link revokes nothing, and the service caches no links.
 */
async function besideService(config: Config): Promise<Opened> {
  const connection = openConnection({ path: join(resolve(config.dataDir), 'rollbook.db') })
  if (!(await hasTable(connection, 'setup_links'))) {
    connection.close()
    throw new OperatorError('The store is from an earlier release. Start the service on it once.')
  }
  const change = await changesOn(connection, config)
  return { storage: { change }, close: async () => connection.close() }
}
