/** Makes a store that comes from elsewhere ready to be served; see operations/move/restored.ts. */
import { hostname } from 'node:os'
import { handlers } from '../../app/handlers.ts'
import { createLog } from '../../app/log.ts'
import { loadConfig } from '../../core/config.ts'
import { type Ended, takeOver } from '../../operations/move/service.ts'
import { migrate } from '../../store/db/migrate.ts'
import { openConnection } from '../../store/db/sqlite/connection.ts'
import { openStorage } from '../../store/engines/open.ts'
import { configOfStore, refuseAbsent, systemUser } from './admin-reset.ts'
import { changesOn } from './changes-on.ts'

type Options = { isTrial: boolean; now: number }

/** The copy of a SQLite store, before it gets its name. */
export async function prepareCopy(path: string, { isTrial, now }: Options): Promise<Ended> {
  const connection = openConnection({ path })
  try {
    await migrate(connection, now)
    // No rule of the configuration matters here.
    const change = await changesOn(connection, loadConfig({}))
    return await takeOver({ change, settleJournal: async () => {} }, { isTrial, now, origin: originOf('restore') })
  } finally {
    connection.close()
  }
}

/** The configured store, which no node serves. */
export async function prepareStore(
  dataDir: string | undefined,
  { isTrial, dryRun }: { isTrial: boolean; dryRun: boolean },
): Promise<Ended> {
  const config = configOfStore(dataDir)
  await refuseAbsent(config)
  let fault: Error | undefined
  const storage = await openStorage(handlers, config, createLog('silent'), (error) => {
    fault = error
  })
  try {
    return await takeOver(storage, { isTrial, dryRun, now: Date.now(), origin: originOf('restored') })
  } catch (error) {
    throw fault ?? error
  } finally {
    await storage.close()
  }
}

function originOf(command: string): { address: string; user_agent: string } {
  return { address: hostname(), user_agent: `rollbook ${command}, by ${systemUser()}` }
}
