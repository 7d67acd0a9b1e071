/** Resets access from the host. Works on the store without credentials, and is recorded in the audit. */

import { existsSync, statSync } from 'node:fs'
import { availableParallelism, hostname, userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { hasFactor } from '../../access/credentials/factors/service.ts'
import type { ApiKey } from '../../access/credentials/keys/schema.ts'
import { listKeys, toApiKey } from '../../access/credentials/keys/service.ts'
import { handlers } from '../../app/handlers.ts'
import { createLog } from '../../app/log.ts'
import { system } from '../../core/actor.ts'
import { type Config, loadConfig } from '../../core/config.ts'
import { AppError, OperatorError } from '../../core/errors.ts'
import { permissionsOfUser, rulesOf } from '../../core/rules.ts'
import { scopeOf } from '../../core/scope.ts'
import { createHasher } from '../../directory/passwords/service.ts'
import { checkUserInput, findStanding, passwordHashFor } from '../../directory/users/service.ts'
import { hasTable } from '../../store/db/catalog.ts'
import type { Db } from '../../store/db/db.ts'
import { openStorage } from '../../store/engines/open.ts'
import { readStoredRules, rulesWith } from '../../store/rules/stored-rules.ts'
import type { ChangeRequest, Storage } from '../../store/storage/storage.ts'
import { openForReading } from '../audit/read-store.ts'
import { openSecretFile } from '../terminal/secret-output.ts'

/** Returns the configuration, with the SQLite store of `dataDir` if that is given. */
export function configOfStore(dataDir: string | undefined): Config {
  const config = loadConfig(process.env)
  return dataDir === undefined ? config : { ...config, dataDir, databaseUrl: undefined }
}

export type Person = {
  /** Undefined if there is no such user yet. */
  found: { user_id: string; username: string; email: string | null; role: string; active: boolean } | undefined
  username: string
  /** Whether the user lacks full access now. */
  becomesAdministrator: boolean
}

/** Finds a user by username or email address. Only reads the store; the service may be running. */
export async function findPerson(config: Config, name: string): Promise<Person> {
  const store = await openForReading(config, storeDirectory(config))
  try {
    const found = await findStanding(store.db, name)
    if (found === undefined) return { found, username: name, becomesAdministrator: true }
    const { user_id, username, email, role, active } = found
    const becomesAdministrator = !permissionsOfUser(await rolesIn(store.db, config), found).includes('*')
    return { found: { user_id, username, email, role, active: active === 1 }, username, becomesAdministrator }
  } finally {
    await store.close()
  }
}

/** The store may be one that an earlier release has left, without stored roles. */
async function rolesIn(db: Db, config: Config) {
  if (!(await hasTable(db, 'roles'))) return config.roles
  return rulesWith(rulesOf(config), await readStoredRules(db)).roles
}

export type Reset = {
  person?: { who: Person; password: string; mustChange: boolean }
  /** The file for a new key, or `shown` on the terminal. */
  key?: { file: string } | 'shown'
  dryRun: boolean
}

export type Done = {
  migrated: readonly string[]
  user?: { user_id: string; username: string; role: string; created: boolean }
  /** `secret` only if it should be shown. */
  key?: { key_id: string; prefix: string; file?: string; secret?: string }
  /** Other keys with full access. */
  otherKeys: ApiKey[]
}

/** Makes the changes. On SQLite the service must be stopped; on PostgreSQL the other nodes learn what is revoked. */
export async function reset(config: Config, { person, key, dryRun }: Reset): Promise<Done> {
  await refuseAbsent(config)
  refuseForeignDirectory(config, key)
  const input = person && (await inputOf(config, person, dryRun))
  let fault: Error | undefined
  const storage = await openStorage(handlers, config, createLog('silent'), (error) => {
    fault = error
  })
  try {
    const request = { actor: system, origin: originOf(), dryRun }
    const done: Done = { migrated: storage.migrated, otherKeys: [] }
    if (person !== undefined && input !== undefined) {
      done.user = await setPerson(storage, person.who, input, { ...request, ...moment() })
      const { user_id, created } = done.user
      // Without this, an administrator whose phone is lost would stay locked out.
      if (!created && (await hasFactor(storage.db, user_id)))
        await storage.change('factors.reset', { user_id }, { ...request, ...moment() })
    }
    if (key !== undefined) done.key = await makeKey(storage, key, { ...request, ...moment() })
    await storage.settleJournal()
    done.otherKeys = (await listKeys(storage.db, scopeOf(system)))
      .map(toApiKey)
      .filter((one) => isOther(one, done.key?.key_id))
    return done
  } catch (error) {
    throw fault ?? refused(error)
  } finally {
    await storage.close()
  }
}

const moment = () => ({ now: Date.now(), requestId: crypto.randomUUID() })

/** Returns the origin for the audit: the host in place of a client. */
function originOf(): { address: string; user_agent: string } {
  return { address: hostname(), user_agent: `rollbook admin reset, by ${systemUser()}` }
}

export function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    // In a container the user id may have no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

/** Refuses if there is no store. Creating one, as the service does, would hide a wrong data directory. */
export async function refuseAbsent(config: Config): Promise<void> {
  await (await openForReading(config, storeDirectory(config))).close()
}

function storeDirectory({ databaseUrl, dataDir }: Config): string | undefined {
  return databaseUrl === undefined ? dataDir : undefined
}

/** Refuses to run as root in another user's directory: the service could not open root's files. */
function refuseForeignDirectory(config: Config, key: Reset['key']): void {
  let directory = resolve(config.dataDir)
  const isKeyThere = typeof key === 'object' && dirname(key.file) === directory
  if (config.databaseUrl !== undefined && !isKeyThere) return
  // On PostgreSQL the directory may not exist yet.
  while (!existsSync(directory)) directory = dirname(directory)
  const owner = statSync(directory).uid
  if (process.getuid?.() !== 0 || owner === 0) return
  throw new OperatorError(
    `The data directory ${directory} belongs to the user ${owner}. Run this as that user, for example with ` +
      `sudo -u '#${owner}'. The service could not read files of root.`,
  )
}

type Input = { password_hash: string; must_change_password: number; active: true; expires_at?: null; role?: string }

/** Checks and hashes the password, before the store is opened for writing. */
async function inputOf(config: Config, { who, password, mustChange }: Required<Reset>['person'], dryRun: boolean) {
  const { found, username, becomesAdministrator } = who
  const hasher = createHasher({ concurrency: config.hashConcurrency || availableParallelism(), queueLimit: 1 })
  try {
    if (username.length > 128) throw new OperatorError('A username has at most 128 characters.')
    const fresh = found === undefined ? checkUserInput({ username }, config.roles) : {}
    const known = found ?? { username }
    const passwordCheck = { body: { password }, known, productName: config.productName, dryRun }
    const { password_hash = '' } = await passwordHashFor(hasher, passwordCheck)
    const role = becomesAdministrator ? { role: 'admin' } : {}
    const enabled = { active: true, ...(found !== undefined && { expires_at: null }) }
    return { ...fresh, password_hash, must_change_password: Number(mustChange), ...enabled, ...role } as Input
  } catch (error) {
    throw refused(error)
  }
}

async function setPerson(storage: Storage, { found }: Person, input: Input, request: ChangeRequest) {
  const { must_change_password, ...lasting } = input
  const { password_hash, ...others } = lasting
  // `create` cannot require a password change, so set that afterwards together with the password.
  const isTemporary = must_change_password === 1
  const created =
    found === undefined && (await storage.change('users.create', isTemporary ? others : lasting, request)).result
  const user_id = created ? created.user_id : (found?.user_id as string)
  const rest = created ? { password_hash, must_change_password } : input
  const isLeft = created === false || (isTemporary && request.dryRun !== true)
  const { document } = isLeft
    ? (await storage.change('users.update', { user_id, input: rest, expected: undefined }, { ...request, ...moment() }))
        .result
    : (created as { document: string })
  const { username, role } = JSON.parse(document) as { username: string; role: string }
  return { user_id, username, role, created: found === undefined }
}

async function makeKey(storage: Storage, where: Required<Reset>['key'], request: ChangeRequest) {
  const input = { name: 'admin (reset)', permissions: ['*'] }
  if (where === 'shown' || request.dryRun) {
    const { result } = await storage.change('keys.create', input, request)
    const { key_id, prefix, key: secret = '' } = result
    return { key_id, prefix, ...(where === 'shown' ? !request.dryRun && { secret } : { file: where.file }) }
  }
  const file = openSecretFile(where.file, { replace: true })
  try {
    const { result } = await storage.change('keys.create', input, request)
    const { key_id, prefix, key: secret = '' } = result
    try {
      file.save(secret)
    } catch (error) {
      // The key could not be saved, so it would be of no use.
      await storage.change('keys.revoke', { key_id }, { ...request, ...moment() })
      throw error
    }
    return { key_id, prefix, file: file.path }
  } finally {
    file.close()
  }
}

function isOther({ key_id, permissions, expires_at }: ApiKey, createdId: string | undefined): boolean {
  const isOver = expires_at !== null && Date.parse(expires_at) <= Date.now()
  return key_id !== createdId && permissions.includes('*') && !isOver
}

/** Turns a refusal into an error for the operator. */
function refused(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  const details = error.errors?.map(({ detail }) => detail) ?? []
  return new OperatorError([error.message, ...details.filter((one) => one !== error.message)].join('\n'), {
    cause: error,
  })
}

/** Returns the file to which the first start writes the key, and in which commands look for it. */
export function adminKeyFile({ dataDir }: Config): string {
  return join(resolve(dataDir), 'admin-key')
}
