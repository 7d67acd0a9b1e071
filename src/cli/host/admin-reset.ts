/** The way back in for whoever has the host: works on the store itself, past all credentials, and is recorded. */
import { existsSync, statSync } from 'node:fs'
import { availableParallelism, hostname, userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { ApiKey } from '../../access/keys/schema.ts'
import { toApiKey } from '../../access/keys/service.ts'
import { listKeys } from '../../access/keys/store.ts'
import { handlers } from '../../app/handlers.ts'
import { createLog } from '../../app/log.ts'
import { type Config, loadConfig } from '../../core/config.ts'
import { AppError, OperatorError } from '../../core/errors.ts'
import { createHasher } from '../../directory/passwords/hash.ts'
import { checkUserInput } from '../../directory/users/input.ts'
import { passwordHashFor } from '../../directory/users/password.ts'
import { findForSignIn } from '../../directory/users/service.ts'
import { permissionsOfRole, system } from '../../store/context.ts'
import { openStorage } from '../../store/storage/open.ts'
import type { ChangeRequest, Storage } from '../../store/storage/storage.ts'
import { openForReading } from '../audit/read-store.ts'
import { openSecretFile } from '../terminal/secret-output.ts'

/** The configured store, or the SQLite store of another directory. */
export function configOfStore(dataDir: string | undefined): Config {
  const config = loadConfig(process.env)
  return dataDir === undefined ? config : { ...config, dataDir, databaseUrl: undefined }
}

export type Person = {
  /** Undefined when there is none of this name: they are to be made. */
  found: { user_id: string; username: string; email: string | null; role: string; active: boolean } | undefined
  username: string
  /** They hold less than everything, or are not there. */
  becomesAdministrator: boolean
}

/** Who goes by this username or e-mail address. The store is left as it is, and may be served meanwhile. */
export async function findPerson(config: Config, name: string): Promise<Person> {
  const store = await openForReading(config, storeDirectory(config))
  try {
    const found = await findForSignIn(store.db, name)
    if (found === undefined) return { found, username: name, becomesAdministrator: true }
    const { user_id, username, email, role, active } = found
    const becomesAdministrator = !permissionsOfRole(config.roles, role).includes('*')
    return { found: { user_id, username, email, role, active: active === 1 }, username, becomesAdministrator }
  } finally {
    await store.close()
  }
}

export type Reset = {
  person?: { who: Person; password: string; mustChange: boolean }
  /** Where the secret of a new key goes. */
  key?: { file: string } | 'shown'
  dryRun: boolean
}

export type Done = {
  migrated: readonly string[]
  user?: { user_id: string; username: string; role: string; created: boolean }
  /** `secret` only when it is to be shown. */
  key?: { key_id: string; prefix: string; file?: string; secret?: string }
  /** Other keys that hold everything. */
  otherKeys: ApiKey[]
}

/** On SQLite nobody may serve the store meanwhile; PostgreSQL tells the other nodes of what is revoked. */
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
    }
    if (key !== undefined) done.key = await makeKey(storage, key, { ...request, ...moment() })
    await storage.settle()
    done.otherKeys = (await listKeys(storage.db)).map(toApiKey).filter((one) => isOther(one, done.key?.key_id))
    return done
  } catch (error) {
    throw fault ?? refused(error)
  } finally {
    await storage.close()
  }
}

const moment = () => ({ now: Date.now(), requestId: crypto.randomUUID() })

/** For the audit: a host in place of a client. */
function originOf(): { address: string; user_agent: string } {
  return { address: hostname(), user_agent: `rollbook admin reset, by ${systemUser()}` }
}

export function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    // In a container a process can run under a number that has no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

/** The start of a service makes what is missing; here it would be another store than the one that is meant. */
export async function refuseAbsent(config: Config): Promise<void> {
  await (await openForReading(config, storeDirectory(config))).close()
}

function storeDirectory({ databaseUrl, dataDir }: Config): string | undefined {
  return databaseUrl === undefined ? dataDir : undefined
}

/** What root leaves in the directory of another user would keep the service from starting, or nobody could read the key. */
function refuseForeignDirectory(config: Config, key: Reset['key']): void {
  let directory = resolve(config.dataDir)
  const isKeyThere = typeof key === 'object' && dirname(key.file) === directory
  if (config.databaseUrl !== undefined && !isKeyThere) return
  // On PostgreSQL it need not be there yet.
  while (!existsSync(directory)) directory = dirname(directory)
  const owner = statSync(directory).uid
  if (process.getuid?.() !== 0 || owner === 0) return
  throw new OperatorError(
    `The data directory ${directory} belongs to the user ${owner}: run this as that user, for instance with ` +
      `sudo -u '#${owner}'. What root writes there the service could not read.`,
  )
}

type Input = { password_hash: string; must_change_password: number; active: true; role?: string }

/** Judged as any password, and hashed before the store is taken. */
async function inputOf(config: Config, { who, password, mustChange }: Required<Reset>['person'], dryRun: boolean) {
  const { found, username, becomesAdministrator } = who
  const hasher = createHasher({ concurrency: config.hashConcurrency || availableParallelism(), queueLimit: 1 })
  try {
    if (username.length > 128) throw new OperatorError('A username has at most 128 characters.')
    const fresh = found === undefined ? checkUserInput({ username }, config.roles) : {}
    const known = found ?? { username }
    const asked = { body: { password }, known, productName: config.productName, dryRun }
    const { password_hash = '' } = await passwordHashFor(hasher, asked)
    const role = becomesAdministrator ? { role: 'admin' } : {}
    return { ...fresh, password_hash, must_change_password: Number(mustChange), active: true, ...role } as Input
  } catch (error) {
    throw refused(error)
  }
}

async function setPerson(storage: Storage, { found }: Person, input: Input, request: ChangeRequest) {
  const { must_change_password, ...lasting } = input
  const { password_hash, ...others } = lasting
  // Somebody new cannot be made with an order to change the password: it comes afterwards, together with the password.
  const isTemporary = must_change_password === 1
  const made =
    found === undefined && (await storage.change('users.create', isTemporary ? others : lasting, request)).result
  const user_id = made ? made.user_id : (found?.user_id as string)
  const rest = made ? { password_hash, must_change_password } : input
  const isLeft = made === false || (isTemporary && request.dryRun !== true)
  const { document } = isLeft
    ? (await storage.change('users.update', { user_id, input: rest, expected: undefined }, { ...request, ...moment() }))
        .result
    : (made as { document: string })
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
      file.keep(secret)
    } catch (error) {
      // Nobody has it.
      await storage.change('keys.revoke', { key_id }, { ...request, ...moment() })
      throw error
    }
    return { key_id, prefix, file: file.path }
  } finally {
    file.close()
  }
}

function isOther({ key_id, permissions, expires_at }: ApiKey, made: string | undefined): boolean {
  const isOver = expires_at !== null && Date.parse(expires_at) <= Date.now()
  return key_id !== made && permissions.includes('*') && !isOver
}

/** What the rules refuse, in words for the operator. */
function refused(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  const details = error.errors?.map(({ detail }) => detail) ?? []
  return new OperatorError([error.message, ...details.filter((one) => one !== error.message)].join('\n'), {
    cause: error,
  })
}

/** Where the first start writes the key, and this machine's command line looks for it. */
export function adminKeyFile({ dataDir }: Config): string {
  return join(resolve(dataDir), 'admin-key')
}
