/** The service without a listener: the storage, the application on it, and the work between requests. */
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import { fulfilEntered } from '../access/sign-in/access-requests/service.ts'
import { fulfilCodes } from '../access/sign-in/email-code/service.ts'
import { findUnknown } from '../access/sign-in/factor-policy/service.ts'
import { fulfilRequests } from '../access/sign-in/links/service.ts'
import { system } from '../core/actor.ts'
import type { Config } from '../core/config.ts'
import { findUnfindable } from '../directory/search/service.ts'
import { makeApiKey } from '../lib/api-key.ts'
import { stampOf } from '../lib/instant.ts'
import { applyAtStart } from '../operations/configuration/service.ts'
import { loadTemplates, startMailDispatcher, type Templates } from '../record/mails/service.ts'
import { startDispatcher } from '../record/webhooks/service.ts'
import { oneFormOfDomains } from '../store/db/migrations/0047-one-domain-form.ts'
import { openStorage, type Switches } from '../store/engines/open.ts'
import type { Storage } from '../store/storage/storage.ts'
import { isTrial } from '../store/trial.ts'
import { type App, buildApp } from './app.ts'
import { handlers } from './handlers.ts'
import { startHousekeeping } from './housekeeping.ts'

export type Service = {
  app: App
  storage: Storage
  adminKey: AdminKey | undefined
  /** Starts what happens between requests: housekeeping, webhooks, messages. */
  startWork(): Promise<void>
  /** Lets running requests finish, then ends those that are left and the work between requests. */
  drain(reason: string, connections: Connections): Promise<void>
  /** Closes the storage; the last step. */
  close(): Promise<void>
}

/** The admin key that this start created, and its file. */
export type AdminKey = { file: string; key: string }

/** The connections, or requests, that a drain waits for. */
export type Connections = {
  count(): number | Promise<number>
  closeIdle?(): void
  closeAll(): void
}

export type ServiceOptions = Switches & {
  /** The server belongs to another program, so every path outside the base path does too. */
  isEmbedded?: boolean
}

const drainPollMs = 20

/** Opens the storage, migrates it, and builds the application. Nothing is left open if it fails. */
export async function openService(
  configured: Config,
  log: Logger,
  onFault: (error: Error) => void,
  { isEmbedded = false, ...switches }: ServiceOptions = {},
): Promise<Service> {
  // Before the storage is migrated: a start that fails changes nothing.
  const templates = loadTemplates(configured.mailTemplates, configured.mailLocale)
  const { storage, config, isInTrial } = await openStore(configured, log, onFault, switches)
  try {
    await reportUpgrade(storage, log)
    const adminKey = await ensureAdminKey(storage, config, resolve(config.dataDir))
    await storage.change('roles.announce', undefined, { actor: system, now: Date.now(), requestId: 'start' })
    const app = await buildApp({
      config,
      storage,
      log,
      templates,
      cores: availableParallelism(),
      isEmbedded,
      isInTrial,
    })
    const applying = { configurator: app.configurator, storage, config, log, now: Date.now() }
    if (!isInTrial) {
      await applyAtStart(applying).catch(async (error: unknown) => {
        await app.fastify.close()
        throw error
      })
    }
    return { app, storage, adminKey, ...lifeOf({ app, config, storage, log, templates, isInTrial }), close }
  } catch (error) {
    await storage.close()
    throw error
  }

  async function close(): Promise<void> {
    await storage.close()
    log.info('stopped')
    await new Promise((done) => log.flush(done))
  }
}

type Parts = { app: App; config: Config; storage: Storage; log: Logger; templates: Templates; isInTrial: boolean }

type Opened = { storage: Storage; config: Config; isInTrial: boolean }

/** Opens the storage. The trial of a backup gets a configuration with which nothing leaves the node. */
async function openStore(
  config: Config,
  log: Logger,
  onFault: (error: Error) => void,
  switches: Switches,
): Promise<Opened> {
  const storage = await openStorage(handlers, config, log, onFault, switches)
  const isInTrial = await isTrial(storage.db).catch(async (error: unknown) => {
    await storage.close()
    throw error
  })
  if (!isInTrial) return { storage, config, isInTrial }
  await storage.close()
  log.warn('this store is a trial of a backup: nothing is sent, and nothing outside is called; see docs/backup.md')
  const quiet = silenced(config)
  // Its rules depend on whether messages are sent.
  return { storage: await openStorage(handlers, quiet, log, onFault, switches), config: quiet, isInTrial }
}

/** Without everything that leads outside. Webhooks and connections, which are in the store, are left out where they are used. */
function silenced(config: Config): Config {
  return { ...config, smtpUrl: undefined, emailCode: 'off', trustedIssuers: [], upstream: undefined }
}

function lifeOf({ app, config, storage, log, templates, isInTrial }: Parts): Pick<Service, 'startWork' | 'drain'> {
  const { fastify, lifecycle, authenticator, tokens, directorySync, links, outages, secrets, branding } = app
  let housekeeping: { stop(): Promise<void> } | undefined
  const dispatchers: { stop(): Promise<void> }[] = []

  return {
    async startWork() {
      const { secondFactor: policy, configuredSecondFactor, roles } = storage.rules
      const where = configuredSecondFactor === undefined ? 'the second-factor policy' : 'ROLLBOOK_SECOND_FACTOR'
      const unknown = await findUnknown(storage.db, { policy, roles })
      if (unknown.length > 0) {
        log.warn(
          { unknown },
          `${where} names roles or groups that do not exist, so it requires a factor of no user through them`,
        )
      }
      const named = Object.values(storage.rules.rolesOfIssuers).flat()
      const missing = [...new Set(named)].filter((role) => !Object.hasOwn(roles, role))
      if (missing.length > 0) {
        log.warn({ roles: missing }, 'ROLLBOOK_TRUSTED_ISSUERS names roles that do not exist, which permit nothing')
      }
      housekeeping = startHousekeeping({
        storage,
        authenticator,
        tokens,
        log,
        config,
        directorySync,
        confirmedDate: config.confirmDate,
      })
      if (isInTrial) return
      dispatchers.push(startDispatcher({ storage, config, source: links.issuer, log, outages }))
      if (config.smtpUrl !== undefined) {
        const before = async () => {
          await fulfilRequests(storage, Date.now())
          await fulfilEntered(storage, Date.now())
          if (config.emailCode === 'on') await fulfilCodes(storage, Date.now())
        }
        const graceMs = config.shutdownSeconds * 1000
        dispatchers.push(
          startMailDispatcher({
            storage,
            config,
            templates,
            branding,
            log,
            outages,
            graceMs,
            codeSecret: secrets.device,
            before,
          }),
        )
      }
    },
    async drain(reason, connections) {
      log.info({ reason }, 'stopping: accepting no new requests, finishing running ones')
      lifecycle.stage = 'leaving'
      if (config.leaveSeconds > 0) await setTimeout(config.leaveSeconds * 1000)
      lifecycle.stage = 'draining'
      const dispatched = Promise.all(dispatchers.map((one) => one.stop()))
      const deadline = Date.now() + config.shutdownSeconds * 1000
      // The listener stays open until then, so that a load balancer sees `ready` turn false.
      for (let round = 0; Date.now() < deadline; round++) {
        // Not at every check: a connection whose first request is still on its way is idle too.
        if (round % 50 === 0) connections.closeIdle?.()
        if ((await connections.count()) === 0) break
        await setTimeout(drainPollMs)
      }
      const closed = fastify.close()
      connections.closeAll()
      await closed
      await dispatched
      await housekeeping?.stop()
    },
  }
}

async function reportUpgrade({ db, migrated }: Storage, log: Logger): Promise<void> {
  if (migrated.length === 0) return
  log.info({ migrations: migrated }, 'storage migrated')
  if (!migrated.includes(oneFormOfDomains.name)) return
  const { count } = await findUnfindable(db, 0)
  if (count > 0) log.warn({ count }, 'users share a name with another user: rollbook doctor --only storage lists them')
}

/**
 * Ensures an administrator's key: the configured one, or one that the first start creates. The file is complete on
 * the disk before the key is accepted, so a crash in between never leaves a key whose secret is lost.
 */
async function ensureAdminKey(storage: Storage, config: Config, directory: string): Promise<AdminKey | undefined> {
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
  const { result: bootstrapKey } = await storage.change('keys.bootstrap', { key, managed: false }, request)
  if (!bootstrapKey.added) {
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
