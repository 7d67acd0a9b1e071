/** `rollbook/server`: the service inside another Node program, which owns the HTTP server and the process. */
import { type Config, ConfigError, loadConfig, settings } from '../../core/config.ts'
import { createLog } from '../log.ts'
import { openService } from '../service.ts'
import { fetchFrom } from './fetch.ts'
import { handlerOf } from './handler.ts'
import { ofOwnServer } from './own-server.ts'
import { pluginOf } from './plugin.ts'
import type { openRollbook as OpenRollbook, Settings } from './types.ts'
import { verifyIn } from './verify.ts'

export { VerifyError } from '../../sdk/verify/errors.ts'

export const openRollbook: typeof OpenRollbook = async (settings, { log: destination, onFault = throwLater } = {}) => {
  const config = readSettings(settings)
  const log = createLog(destination === undefined ? 'silent' : config.logLevel, destination ?? { write: () => {} })
  const service = await openService(config, log, onFault, { isEmbedded: true })
  const { app } = service
  try {
    await service.startWork()
  } catch (error) {
    await service.close()
    throw error
  }
  const { handler, serve, requests } = handlerOf(app, config)
  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    await service.drain('closed by the program', requests)
    await service.close()
  }
  return {
    handler,
    fetch: fetchFrom(app.fastify.server),
    fastify: pluginOf(config, serve),
    verify: verifyIn(app, config),
    close: () => (closing ??= close()),
  }
}

/** @throws ConfigError that names every fault at once */
function readSettings(input: Settings): Config {
  const config = loadConfig(input)
  const defaults = loadConfig({})
  const faults = ofOwnServer
    .filter((member) => config[member] !== defaults[member])
    .map(
      (member) =>
        `${settings[member].name} configures a server of Rollbook's own; here the server is yours. Remove it.`,
    )
  if (config.publicUrl === undefined) {
    faults.push(`${settings.publicUrl.name} is missing: Rollbook cannot know the address of your server.`)
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return config
}

/** As an `error` event without a listener: the process ends, and whatever supervises it starts it again. */
function throwLater(error: Error): void {
  process.nextTick(() => {
    throw error
  })
}
