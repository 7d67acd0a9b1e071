/** Starts the service, tells the operator what to do next, and stops it without losing anything. */
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { findUnknown } from '../access/factor-policy/service.ts'
import { fulfilRequests } from '../access/links/requests.ts'
import { makeSetupLink } from '../access/setup/link.ts'
import { isOpen } from '../access/setup/service.ts'
import { type Config, ConfigError } from '../core/config.ts'
import { OperatorError } from '../core/errors.ts'
import { findUnfindable } from '../directory/users/unfindable.ts'
import { linksOf } from '../http/server/links.ts'
import { reachableAddress } from '../http/server/own-address.ts'
import { isPlausibleApiKey, makeApiKey } from '../lib/api-key.ts'
import { stampOf } from '../lib/instant.ts'
import { placeOf } from '../lib/postgres-url.ts'
import { openOwnPort } from '../operations/metrics/own-port.ts'
import { startMailDispatcher } from '../record/mails/sending/dispatch.ts'
import { loadTemplates } from '../record/mails/templates/templates.ts'
import { startDispatcher } from '../record/webhooks/dispatch.ts'
import { rulesOf, system } from '../store/context.ts'
import { oneFormOfDomains } from '../store/db/migrations/0047-one-domain-form.ts'
import { openStorage, type Switches } from '../store/storage/open.ts'
import type { Storage } from '../store/storage/storage.ts'
import { buildApp } from './app.ts'
import { handlers } from './handlers.ts'
import { startHousekeeping } from './housekeeping.ts'

export type Running = {
  /** The API's URL on this machine, with the prefix. */
  url: string
  /** Set if this start created the first administrator's key. */
  adminKey: { file: string; key: string } | undefined
  /** Whether no user is an active administrator yet. */
  lacksAdministrator(): Promise<boolean>
  /** A new link for the first administrator, which replaces earlier ones; undefined if there is an administrator. */
  makeSetupLink(): Promise<string | undefined>
  stop(reason: string): Promise<void>
}

const drainPollMs = 20

export async function serve(
  config: Config,
  log: Logger,
  onFault: (error: Error) => void,
  { beforeListening = () => {}, ...switches }: Switches & { beforeListening?: () => void } = {},
): Promise<Running> {
  if (config.adminKey?.startsWith('rb_') && !isPlausibleApiKey(config.adminKey)) {
    throw new ConfigError([
      'ROLLBOOK_ADMIN_KEY begins with rb_, but its checksum is wrong: the key is incomplete or mistyped.',
    ])
  }
  const directory = resolve(config.dataDir)
  // Before the storage is migrated: a start that fails changes nothing.
  const templates = loadTemplates(config.mailTemplates, config.mailLocale)
  const storage = await openStorage(handlers, config, log, onFault, switches)
  await reportUpgrade(storage, log)
  try {
    const adminKey = await ensureAdminKey(storage, config, directory)
    await storage.change('roles.announce', undefined, { actor: system, now: Date.now(), requestId: 'start' })
    const { fastify, lifecycle, authenticator, tokens, metrics, directorySync } = await buildApp({
      config,
      storage,
      log,
      templates,
      cores: availableParallelism(),
    })
    beforeListening()
    await fastify.listen({ host: config.host, port: config.port }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error
      throw new OperatorError(`${error.message}. Choose another port with ROLLBOOK_PORT.`, { cause: error })
    })
    const { port } = fastify.server.address() as AddressInfo
    const { metricsHost, metricsPort } = config
    const ownPort =
      metricsPort === undefined ? undefined : await openOwnPort(metrics, { host: metricsHost, port: metricsPort }, log)
    const housekeeping = startHousekeeping({
      storage,
      authenticator,
      tokens,
      log,
      idempotencyHours: config.idempotencyHours,
      eventsDays: config.eventsDays,
      auditDays: config.auditDays,
      directorySync,
      confirmedDate: config.confirmDate,
    })
    const dispatchers = [startDispatcher({ storage, config, source: linksOf(config, fastify).issuer, log })]
    if (config.smtpUrl !== undefined)
      dispatchers.push(
        startMailDispatcher({ storage, config, templates, log, before: () => fulfilRequests(storage, Date.now()) }),
      )
    const url = `${reachableAddress(config.host, port)}${config.basePath}`
    log.info({ url, ...placeOfData(config) }, 'listening')
    if (ownPort !== undefined) log.info({ url: ownPort.url }, 'listening for Prometheus')
    if (config.databaseUrl !== undefined && config.publicUrl === undefined) {
      log.warn('without ROLLBOOK_PUBLIC_URL, other nodes refuse the access tokens of this node')
    }
    const { secondFactor: policy, roles } = rulesOf(config)
    const unknown = await findUnknown(storage.db, { policy, roles })
    if (unknown.length > 0) {
      log.warn(
        { unknown },
        'ROLLBOOK_SECOND_FACTOR names roles or groups that do not exist, so it requires a factor of no user through them',
      )
    }

    let stopping: Promise<void> | undefined
    async function drain(reason: string): Promise<void> {
      log.info({ reason }, 'stopping: accepting no new requests, finishing running ones')
      lifecycle.stage = 'leaving'
      if (config.leaveSeconds > 0) await setTimeout(config.leaveSeconds * 1000)
      lifecycle.stage = 'draining'
      const dispatched = Promise.all(dispatchers.map((one) => one.stop()))
      const deadline = Date.now() + config.shutdownSeconds * 1000
      // The listener stays open meanwhile, so that a load balancer sees `ready` turn false.
      for (let round = 0; Date.now() < deadline; round++) {
        // Not at every check: a connection whose first request is still on its way is idle too.
        if (round % 50 === 0) fastify.server.closeIdleConnections()
        if ((await countConnections(fastify.server)) === 0) break
        await setTimeout(drainPollMs)
      }
      const closed = fastify.close()
      fastify.server.closeAllConnections()
      await closed
      await dispatched
      await housekeeping.stop()
      await ownPort?.close()
      await storage.close()
      log.info('stopped')
      await new Promise((done) => log.flush(done))
    }
    const rules = rulesOf(config)
    return {
      url,
      adminKey,
      lacksAdministrator: () => isOpen({ db: storage.db, rules }),
      makeSetupLink: () =>
        makeSetupLink(storage, config.publicUrl ?? url, { actor: system, now: Date.now(), requestId: 'start' }),
      stop: (
        reason, // A second signal waits for the same end.
      ) => (stopping ??= drain(reason)),
    }
  } catch (error) {
    await storage.close()
    throw error
  }
}

async function reportUpgrade({ db, migrated }: Storage, log: Logger): Promise<void> {
  if (migrated.length === 0) return
  log.info({ migrations: migrated }, 'storage migrated')
  if (!migrated.includes(oneFormOfDomains.name)) return
  const { count } = await findUnfindable(db, 0)
  if (count > 0) log.warn({ count }, 'users share a name with another user: rollbook doctor --only storage lists them')
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

/**
 * Ensures an administrator's key: the configured one, or one that the first start creates. The file is complete on
 * the disk before the key is accepted, so a crash in between never leaves a key whose secret is lost.
 */
async function ensureAdminKey(storage: Storage, config: Config, directory: string): Promise<Running['adminKey']> {
  const request = { actor: system, now: Date.now(), requestId: 'start' }
  if (config.adminKey !== undefined) {
    await storage.change('keys.bootstrap', { key: config.adminKey, managed: true }, request)
    return undefined
  }
  const key = makeApiKey()
  const { result } = await storage.change('keys.bootstrap', { key, managed: false }, { ...request, dryRun: true })
  if (!result.added) {
    await storage.change('keys.bootstrap', { key, managed: false }, request)
    return undefined
  }
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const file = join(directory, 'admin-key')
  // Under a temporary name until the key is accepted: nodes that start at once may share the directory.
  const draft = `${file}.${randomUUID()}`
  writeSecret(draft, `${key}\n`)
  const { result: made } = await storage.change('keys.bootstrap', { key, managed: false }, request)
  if (!made.added) {
    // Another node that started at the same time was faster and has the key.
    rmSync(draft)
    return undefined
  }
  // The key of an earlier store may be the only copy of it.
  if (existsSync(file)) renameSync(file, `${file}.before-${stampOf(new Date())}`)
  renameSync(draft, file)
  return { file, key }
}

function writeSecret(file: string, text: string): void {
  const draft = `${file}.new`
  const handle = openSync(draft, 'w', 0o600)
  writeSync(handle, text)
  fsyncSync(handle)
  closeSync(handle)
  renameSync(draft, file)
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
