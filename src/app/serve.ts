/** Starts the service on a port, shows the operator what to do next, and stops it without losing anything. */
import { existsSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { isOpen, makeSetupLink } from '../access/sign-in/setup/service.ts'
import { system } from '../core/actor.ts'
import { type Config, oddities } from '../core/config.ts'
import { listenFailure } from '../http/server/listen-failure.ts'
import { reachableAddress } from '../http/server/own-address.ts'
import { placeOf } from '../lib/postgres-url.ts'
import { openOwnPort } from '../operations/metrics/service.ts'
import type { Switches } from '../store/engines/open.ts'
import { type AdminKey, openService } from './service.ts'

export type Running = {
  /** The API's URL on this machine, with the prefix. */
  url: string
  /** Set if this start created the first administrator's key. */
  adminKey: AdminKey | undefined
  /** Whether no user is an active administrator yet. */
  lacksAdministrator(): Promise<boolean>
  /** A new link for the first administrator, which replaces earlier ones; undefined if there is an administrator. */
  makeSetupLink(): Promise<string | undefined>
  stop(reason: string): Promise<void>
}

export async function serve(
  config: Config,
  log: Logger,
  onFault: (error: Error) => void,
  { beforeListening = () => {}, ...switches }: Switches & { beforeListening?: () => void } = {},
): Promise<Running> {
  const service = await openService(config, log, onFault, switches)
  const { storage, adminKey } = service
  const { fastify, metrics } = service.app
  try {
    beforeListening()
    await fastify.listen({ host: config.host, port: config.port }).catch((error: unknown) => {
      throw listenFailure(error, 'ROLLBOOK_HOST', 'ROLLBOOK_PORT')
    })
    const { port } = fastify.server.address() as AddressInfo
    const { metricsHost, metricsPort } = config
    const ownPort =
      metricsPort === undefined ? undefined : await openOwnPort(metrics, { host: metricsHost, port: metricsPort }, log)
    const url = `${reachableAddress(config.host, port)}${config.basePath}`
    log.info({ url, ...placeOfData(config) }, 'listening')
    if (ownPort !== undefined) log.info({ url: ownPort.url }, 'listening for Prometheus')
    for (const oddity of oddities(config)) log.warn(oddity)
    await service.startWork()

    let stopping: Promise<void> | undefined
    async function stop(reason: string): Promise<void> {
      await service.drain(reason, {
        count: () => countConnections(fastify.server),
        closeIdle: () => fastify.server.closeIdleConnections(),
        closeAll: () => fastify.server.closeAllConnections(),
      })
      await ownPort?.close()
      await service.close()
    }
    return {
      url,
      adminKey,
      lacksAdministrator: () => isOpen({ db: storage.db, rules: storage.rules, now: Date.now() }),
      makeSetupLink: () =>
        makeSetupLink(storage, config.publicUrl ?? url, { actor: system, now: Date.now(), requestId: 'start' }),
      stop: (
        reason, // A second signal waits for the same end.
      ) => (stopping ??= stop(reason)),
    }
  } catch (error) {
    await storage.close()
    throw error
  }
}

function placeOfData({ databaseUrl, databaseSchema, dataDir }: Config) {
  if (databaseUrl === undefined) return { data_dir: resolve(dataDir) }
  return { database: placeOf(databaseUrl), schema: databaseSchema }
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
}

export type Welcome = {
  /** Text for the terminal only; it must not reach a log. */
  isTerminal: boolean
  /** No user is an active administrator yet. */
  lacksAdministrator: boolean
  setupLink?: string | undefined
  /** How to run the command line here, such as `npx rollbook`. */
  command: string
}

/** The first-start message: the address, how to sign in, where the key is, and one command that works when pasted. */
export function banner(
  { url, adminKey }: Pick<Running, 'url' | 'adminKey'>,
  config: Config,
  { isTerminal, lacksAdministrator, setupLink, command }: Welcome,
): string {
  const file = join(config.dataDir, 'admin-key')
  const [where, key] =
    config.adminKey !== undefined
      ? ['as set by ROLLBOOK_ADMIN_KEY or ROLLBOOK_ADMIN_KEY_FILE', '$ROLLBOOK_ADMIN_KEY']
      : existsSync(file)
        ? [`in ${file}`, `$(cat ${file})`]
        : [`not in ${file}; use the key you kept, or look on the node that started first`, 'rb_…']
  const publicUrl = config.publicUrl ?? url
  const lines = [
    `Rollbook serves ${url}`,
    '',
    `  Docs page   ${publicUrl}/docs`,
    `  Console     ${publicUrl}/console/`,
    `  Admin key   ${where}`,
  ]
  if (adminKey && isTerminal) lines.push(`              ${adminKey.key}  (shown at this start only; the file keeps it)`)
  if (isTerminal && setupLink !== undefined) {
    lines.push(
      '',
      'To become the first administrator, open this link. It works once, within 24 hours:',
      '',
      `  ${setupLink}`,
    )
  } else if (lacksAdministrator) {
    lines.push('', 'No user can sign in to the console yet. To create a link for the first administrator, run:', '')
    lines.push(`  ${command} admin link`)
  }
  lines.push('', 'Create a user:', '')
  lines.push(
    `  curl -H "X-API-Key: ${key}" -H 'Content-Type: application/json' -d '{"username":"ada"}' ${url}/users`,
    '',
  )
  return lines.join('\n')
}
