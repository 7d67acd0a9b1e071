/** One user at one server of a directory: finds the entry of a username, and binds as it to check the password. */
import { randomBytes } from 'node:crypto'
import type { MayCall } from '../../../http/outgoing/guard.ts'
import type { Resolve } from '../../../http/outgoing/lookup.ts'
import type { DirectoryServer, LdapSettings } from '../connections/service.ts'
import { type ClientParts, type DirectoryClient, type Entry, openClient } from './client.ts'
import { fillBindName, fillFilter, isPassword } from './escape.ts'
import { failureOfUserBind, isOfTheUser, LdapFailure, resultCodeOf } from './failure.ts'
import { groupsOf } from './groups.ts'
import { type DirectoryUser, personAttributes, personIn } from './person.ts'

export type Verified = DirectoryUser & { server: string; referrals: number }

export type EntryParts = {
  settings: LdapSettings
  /** The password of `bind_dn`. */
  password: string | null
  mayCall: MayCall
  resolve: Resolve
  clock(): number
  /** For each connection and each answer. */
  stepMs: number
}

/** @throws LdapFailure */
export async function verifyOn(
  parts: EntryParts,
  server: DirectoryServer,
  { username, password }: { username: string; password: string },
  signal: AbortSignal,
): Promise<Verified> {
  const expose = (error: unknown) => exposeServer(parts, { server, signal }, error)
  const { bind_dn, user_bind_name } = parts.settings
  return withClient(parts, server, { signal }, async (client) => {
    if (bind_dn !== null || user_bind_name === null) await bindToSearch(parts, client)
    else await bindAsUser(client, fillBindName(user_bind_name, username), password).catch(expose)
    const { entry, referrals } = await findEntry(parts, client, username).catch(async (error: unknown) => {
      if (isOfTheUser(error)) await bindAsUnknown(parts, server, signal)
      throw error
    })
    await bindAs(parts, server, { dn: entry.dn, password }, signal).catch(expose)
    return { ...(await read(parts, client, entry)), server: server.url, referrals }
  })
}

/** Without a password, by `bind_dn`. @throws LdapFailure */
export function lookUpOn(
  parts: EntryParts,
  server: DirectoryServer,
  { username, signal }: { username: string; signal: AbortSignal },
): Promise<Verified> {
  return withClient(parts, server, { signal }, async (client) => {
    await bindToSearch(parts, client)
    const { entry, referrals } = await findEntry(parts, client, username)
    return { ...(await read(parts, client, entry)), server: server.url, referrals }
  })
}

/** Binds as `bind_dn` and reads the base of the users. Returns the server. @throws LdapFailure */
export function checkOn(parts: EntryParts, server: DirectoryServer, signal: AbortSignal): Promise<string> {
  return withClient(parts, server, { signal }, async (client) => {
    await bindToSearch(parts, client)
    await client.search({
      base: parts.settings.user_base,
      scope: 'base',
      filter: '(objectClass=*)',
      attributes: ['1.1'],
    })
    return server.url
  })
}

export async function withClient<T>(
  { settings, mayCall, resolve, stepMs }: EntryParts,
  server: DirectoryServer,
  { signal, ...more }: Pick<ClientParts, 'signal' | 'largestBytes'>,
  work: (client: DirectoryClient) => Promise<T>,
): Promise<T> {
  const ca = settings.ca_certificate ?? undefined
  const client = await openClient(server, { mayCall, resolve, timeoutMs: stepMs, ca, signal, ...more })
  try {
    return await work(client)
  } finally {
    await client.close().catch(() => undefined) // The answer is there; a connection that ends badly has ended.
  }
}

/** Before the search, unless the user binds: as the bind user, or not at all. */
export async function bindToSearch({ settings, password }: EntryParts, client: DirectoryClient): Promise<void> {
  const { bind_dn } = settings
  if (bind_dn === null) return
  if (!isPassword(password)) throw new LdapFailure('settings_invalid', 'The password of bind_dn is missing.')
  await client.bind(bind_dn, password).catch(refusedService)
}

async function findEntry(
  { settings }: EntryParts,
  client: DirectoryClient,
  username: string,
): Promise<{ entry: Entry; referrals: number }> {
  const { entries, referrals } = await client.search({
    base: settings.user_base,
    filter: fillFilter(settings.user_filter, username),
    attributes: personAttributes(settings),
    sizeLimit: 2,
  })
  const [entry, another] = entries
  if (another !== undefined) {
    throw new LdapFailure('several_users', 'Several entries match this username. Narrow user_filter or user_base.')
  }
  if (entry === undefined) throw new LdapFailure('unknown_user', 'No entry matches this username.')
  return { entry, referrals }
}

/** On a fresh connection: one that is bound already could keep its rights. */
function bindAs(
  parts: EntryParts,
  server: DirectoryServer,
  { dn, password }: { dn: string; password: string },
  signal: AbortSignal,
): Promise<void> {
  return withClient(parts, server, { signal }, (client) => bindAsUser(client, dn, password))
}

/**
 * The response must not reveal which users exist, so a bind that fails for another reason than the password is tried with
 * an unknown name: it is a failure of the server only if that fails too.
 */
async function exposeServer(
  parts: EntryParts,
  { server, signal }: { server: DirectoryServer; signal: AbortSignal },
  error: unknown,
): Promise<never> {
  if (isOfTheUser(error)) throw error
  await bindAsUnknown(parts, server, signal)
  const detail = `The directory cannot check the password of this user, although it checks others. ${detailOf(error)}`
  throw new LdapFailure('sign_in_not_permitted', detail, error)
}

/**
 * Takes as long as the bind of a user, by a name that no entry has.
 *
 * @throws whatever a bind throws that is not about the user
 */
async function bindAsUnknown(parts: EntryParts, server: DirectoryServer, signal: AbortSignal): Promise<void> {
  const dn = `cn=${randomBytes(12).toString('hex')},${parts.settings.user_base}`
  const password = randomBytes(12).toString('hex')
  await bindAs(parts, server, { dn, password }, signal).catch((error: unknown) => {
    if (!isOfTheUser(error)) throw error
  })
}

async function read({ settings, clock }: EntryParts, client: DirectoryClient, entry: Entry): Promise<DirectoryUser> {
  const user = personIn(entry, await groupsOf(client, entry, settings), { settings, now: clock() })
  if (user.endState === undefined) return user
  throw new LdapFailure(`account_${user.endState}`, endedTexts[user.endState])
}

const endedTexts = {
  disabled: 'The account is disabled in the directory.',
  expired: 'The account has expired in the directory.',
} as const

function bindAsUser(client: DirectoryClient, name: string, password: string): Promise<void> {
  return client.bind(name, password).catch((error: unknown) => {
    throw failureOfUserBind(error)
  })
}

function detailOf(error: unknown): string {
  const code = resultCodeOf(error)
  return code === undefined ? (error as Error).message : `It responds with the result code ${code}.`
}

function refusedService(error: unknown): never {
  const code = resultCodeOf(error)
  if (code === undefined) throw error
  const detail = `The directory refuses bind_dn or its password (${code}).`
  throw new LdapFailure('service_refused', detail, error)
}
