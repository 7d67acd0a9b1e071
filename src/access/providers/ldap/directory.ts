/**
 * A directory that people sign in with: finds the entry of a username, binds as it on a connection of its own, and reads
 * what it says about the user. Loaded with the first use. Leaves what that means here to connections/decide.ts.
 */
import { randomBytes } from 'node:crypto'
import type { MayCall } from '../../../http/outgoing/guard.ts'
import type { Resolve } from '../../../http/outgoing/lookup.ts'
import { type DirectoryServer, type LdapSettings, readServer } from '../connections/service.ts'
import { createBreaker } from './breaker.ts'
import { type ClientParts, type DirectoryClient, type Entry, openClient } from './client.ts'
import { fillBindName, fillFilter, isPassword, isUsername } from './escape.ts'
import { failureOfUserBind, isOfTheUser, LdapFailure, resultCodeOf } from './failure.ts'
import { groupsOf } from './groups.ts'
import { type DirectoryUser, personAttributes, personIn } from './person.ts'

/** For each connection and each answer. */
const stepMs = 5000
/** For a sign-in, with every server that is tried. */
const signInMs = 12_000
/** Sign-ins that wait for one directory on one node. */
const atOnce = 32

type DirectoryParts = {
  settings: LdapSettings
  /** The password of `bind_dn`. */
  password: string | null
  mayCall: MayCall
  resolve: Resolve
  clock(): number
  /** Ends what is going on. */
  stopped: AbortSignal
  /** Called with the outcome of each request; `error` is undefined if it succeeded. */
  onOutcome?(outcome: { server: string; part: 'sign_in' | 'listing'; error?: unknown }): void
  /** Other limits, for tests. */
  limits?: { stepMs?: number; signInMs?: number; atOnce?: number }
}

export type Verified = DirectoryUser & { server: string; referrals: number }

export type Directory = {
  /** @throws LdapFailure */
  verify(username: string, password: string): Promise<Verified>
  /** Without a password, by `bind_dn`. @throws LdapFailure */
  lookUp(username: string): Promise<Verified>
  /** Binds as `bind_dn`. Returns the server that answered. @throws LdapFailure */
  check(): Promise<string>
  /** Every user, in pages; groups are read for each. @throws LdapFailure, also if the server ends the listing */
  users(): AsyncIterable<{ users: DirectoryUser[]; skipped: { dn: string; detail: string }[]; isComplete: boolean }>
}

export function createDirectory(parts: DirectoryParts): Directory {
  const { settings, password: bindPassword, stopped, clock, onOutcome = () => undefined } = parts
  const limits = { stepMs, signInMs, atOnce, ...parts.limits }
  const servers = new Map(settings.servers.map((text) => [text, serverOf(text, settings.start_tls)]))
  const breaker = createBreaker([...servers.keys()], clock)
  let waiting = 0

  async function inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (waiting >= limits.atOnce) {
      throw new LdapFailure('directory_busy', 'Too many sign-ins are waiting for this directory.')
    }
    waiting++
    try {
      return await work(AbortSignal.any([AbortSignal.timeout(limits.signInMs), stopped]))
    } finally {
      waiting--
    }
  }

  async function withClient<T>(
    server: DirectoryServer,
    { signal, ...more }: Pick<ClientParts, 'signal' | 'largestBytes'>,
    work: (client: DirectoryClient) => Promise<T>,
  ): Promise<T> {
    const { mayCall, resolve } = parts
    const ca = settings.ca_certificate ?? undefined
    const client = await openClient(server, { mayCall, resolve, timeoutMs: limits.stepMs, ca, signal, ...more })
    try {
      return await work(client)
    } finally {
      await client.close().catch(() => undefined) // The answer is there; a connection that ends badly has ended.
    }
  }

  function onFirst<T>(signal: AbortSignal, work: (server: DirectoryServer) => Promise<T>): Promise<T> {
    const part = 'sign_in'
    return breaker.first(async (url) => {
      try {
        const result = await work(servers.get(url) as DirectoryServer)
        onOutcome({ server: url, part })
        return result
      } catch (error) {
        onOutcome({ server: url, part, error })
        throw error
      }
    }, signal)
  }

  /** Only a listing that is complete succeeds. */
  function listingFailed(server: string, error: unknown): never {
    onOutcome({ server, part: 'listing', error })
    throw error
  }

  /** Before the search, unless the user binds: as the bind user, or not at all. */
  async function bindToSearch(client: DirectoryClient): Promise<void> {
    const { bind_dn } = settings
    if (bind_dn === null) return
    if (!isPassword(bindPassword)) throw new LdapFailure('settings_invalid', 'The password of bind_dn is missing.')
    await client.bind(bind_dn, bindPassword).catch(refusedService)
  }

  async function findEntry(client: DirectoryClient, username: string): Promise<{ entry: Entry; referrals: number }> {
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
  function bindAs(server: DirectoryServer, dn: string, password: string, signal: AbortSignal): Promise<void> {
    return withClient(server, { signal }, (client) => bindAsUser(client, dn, password))
  }

  /**
   * The response must not reveal which users exist, so a bind that fails for another reason than the password is tried with
   * an unknown name: it is a failure of the server only if that fails too.
   */
  async function exposeServer(server: DirectoryServer, signal: AbortSignal, error: unknown): Promise<never> {
    if (isOfTheUser(error)) throw error
    await bindAsUnknown(server, signal)
    const detail = `The directory cannot check the password of this user, although it checks others. ${detailOf(error)}`
    throw new LdapFailure('sign_in_not_permitted', detail, error)
  }

  async function verifyOn(
    server: DirectoryServer,
    { username, password }: { username: string; password: string },
    signal: AbortSignal,
  ): Promise<Verified> {
    const expose = (error: unknown) => exposeServer(server, signal, error)
    const { bind_dn, user_bind_name } = settings
    return withClient(server, { signal }, async (client) => {
      if (bind_dn !== null || user_bind_name === null) await bindToSearch(client)
      else await bindAsUser(client, fillBindName(user_bind_name, username), password).catch(expose)
      const { entry, referrals } = await findEntry(client, username).catch(async (error: unknown) => {
        if (isOfTheUser(error)) await bindAsUnknown(server, signal)
        throw error
      })
      await bindAs(server, entry.dn, password, signal).catch(expose)
      return { ...(await read(client, entry)), server: server.url, referrals }
    })
  }

  /**
   * Takes as long as the bind of a user, by a name that no entry has.
   *
   * @throws whatever a bind throws that is not about the user
   */
  async function bindAsUnknown(server: DirectoryServer, signal: AbortSignal): Promise<void> {
    const unknown = `cn=${randomBytes(12).toString('hex')},${settings.user_base}`
    await bindAs(server, unknown, randomBytes(12).toString('hex'), signal).catch((error: unknown) => {
      if (!isOfTheUser(error)) throw error
    })
  }

  async function read(client: DirectoryClient, entry: Entry): Promise<DirectoryUser> {
    const user = personIn(entry, await groupsOf(client, entry, settings), { settings, now: clock() })
    if (user.endState === undefined) return user
    throw new LdapFailure(`account_${user.endState}`, endedTexts[user.endState])
  }

  return {
    async verify(username, password) {
      if (!isUsername(username)) throw new LdapFailure('username_invalid', 'The username has control characters.')
      if (!isPassword(password)) throw new LdapFailure('password_invalid', 'The password is empty, or not text.')
      return inTime((signal) =>
        onFirst(signal, (server) => verifyOn(server, { username, password }, signal)).catch(asSettings),
      )
    },

    async lookUp(username) {
      if (!isUsername(username)) throw new LdapFailure('username_invalid', 'The username has control characters.')
      return inTime((signal) =>
        onFirst(signal, (server) =>
          withClient(server, { signal }, async (client) => {
            await bindToSearch(client)
            const { entry, referrals } = await findEntry(client, username)
            return { ...(await read(client, entry)), server: server.url, referrals }
          }),
        ).catch(asSettings),
      )
    },

    check: () =>
      inTime((signal) =>
        onFirst(signal, (server) =>
          withClient(server, { signal }, async (client) => {
            await bindToSearch(client)
            await client.search({
              base: settings.user_base,
              scope: 'base',
              filter: '(objectClass=*)',
              attributes: ['1.1'],
            })
            return server.url
          }),
        ).catch(asSettings),
      ),

    async *users() {
      const signal = stopped
      const url = await breaker.first(async (one) => {
        await withClient(servers.get(one) as DirectoryServer, { signal }, bindToSearch).catch((error: unknown) =>
          listingFailed(one, error),
        )
        return one
      }, signal)
      const server = servers.get(url) as DirectoryServer
      const { mayCall, resolve } = parts
      const ca = settings.ca_certificate ?? undefined
      const open = { mayCall, resolve, timeoutMs: 3 * limits.stepMs, ca, signal, largestBytes: 1 << 30 }
      // Groups are read on a second connection, while the first one waits with its page.
      const opened: DirectoryClient[] = []
      try {
        const [client, second] = [await openClient(server, open), await openClient(server, open)]
        opened.push(client, second)
        await bindToSearch(client)
        await bindToSearch(second)
        const search = {
          base: settings.user_base,
          filter: settings.user_filter.replaceAll('{username}', '*'),
          attributes: personAttributes(settings),
        }
        let pages = 0
        for await (const { entries } of client.pages(search)) {
          pages++
          const users: DirectoryUser[] = []
          const skipped: { dn: string; detail: string }[] = []
          for (const entry of entries) {
            try {
              users.push(personIn(entry, await groupsOf(second, entry, settings), { settings, now: clock() }))
            } catch (error) {
              if (!(error instanceof LdapFailure) || error.reason === 'directory_unreachable') throw error
              skipped.push({ dn: entry.dn, detail: error.message })
            }
          }
          // The library takes an empty page for the last one, which it need not be.
          yield { users, skipped, isComplete: pages === 1 || entries.length > 0 }
        }
        onOutcome({ server: url, part: 'listing' })
      } catch (error) {
        listingFailed(url, error)
      } finally {
        await Promise.allSettled(opened.map((one) => one.close()))
      }
    },
  }
}

function serverOf(text: string, startTls: boolean): DirectoryServer {
  const server = readServer(text, startTls)
  if ('code' in server) throw new LdapFailure('settings_invalid', server.detail)
  return server
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

/** A code that no step expects. */
function asSettings(error: unknown): never {
  const code = resultCodeOf(error)
  if (code === undefined || error instanceof LdapFailure) throw error
  throw new LdapFailure('search_refused', `The directory refuses the sign-in (${code}).`, error)
}
