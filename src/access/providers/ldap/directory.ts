/**
 * A directory that people sign in with: finds the entry of a username, binds as it on a connection of its own, and reads
 * what it says about the user. Loaded with the first use. Leaves what that means here to connections/decide.ts.
 */
import type { MayCall } from '../../../http/outgoing/guard.ts'
import type { Resolve } from '../../../http/outgoing/lookup.ts'
import { type DirectoryServer, type LdapSettings, readServer } from '../connections/service.ts'
import { createBreaker } from './breaker.ts'
import type { DirectoryClient } from './client.ts'
import { bindToSearch, checkOn, type EntryParts, lookUpOn, type Verified, verifyOn, withClient } from './entry.ts'
import { isPassword, isUsername } from './escape.ts'
import { LdapFailure, resultCodeOf } from './failure.ts'
import { listUsers, type UsersPage } from './listing.ts'

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

export type { Verified } from './entry.ts'

export type Directory = {
  /** @throws LdapFailure */
  verify(username: string, password: string): Promise<Verified>
  /** Without a password, by `bind_dn`. @throws LdapFailure */
  lookUp(username: string): Promise<Verified>
  /** Binds as `bind_dn`. Returns the server that answered. @throws LdapFailure */
  check(): Promise<string>
  /** Every user, in pages; groups are read for each. @throws LdapFailure, also if the server ends the listing */
  users(): AsyncIterable<UsersPage>
}

export function createDirectory(parts: DirectoryParts): Directory {
  const { settings, stopped, clock, onOutcome = () => undefined } = parts
  const limits = { stepMs, signInMs, atOnce, ...parts.limits }
  const servers = new Map(settings.servers.map((text) => [text, serverOf(text, settings.start_tls)]))
  const breaker = createBreaker([...servers.keys()], clock)
  const entryParts: EntryParts = { ...parts, stepMs: limits.stepMs }
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

  return {
    async verify(username, password) {
      if (!isUsername(username)) throw new LdapFailure('username_invalid', 'The username has control characters.')
      if (!isPassword(password)) throw new LdapFailure('password_invalid', 'The password is empty, or not text.')
      return inTime((signal) =>
        onFirst(signal, (server) => verifyOn(entryParts, server, { username, password }, signal)).catch(asSettings),
      )
    },

    async lookUp(username) {
      if (!isUsername(username)) throw new LdapFailure('username_invalid', 'The username has control characters.')
      return inTime((signal) =>
        onFirst(signal, (server) => lookUpOn(entryParts, server, { username, signal })).catch(asSettings),
      )
    },

    check: () => inTime((signal) => onFirst(signal, (server) => checkOn(entryParts, server, signal)).catch(asSettings)),

    async *users() {
      const signal = stopped
      const url = await breaker.first(async (one) => {
        const server = servers.get(one) as DirectoryServer
        const bind = (client: DirectoryClient) => bindToSearch(entryParts, client)
        await withClient(entryParts, server, { signal }, bind).catch((error: unknown) => listingFailed(one, error))
        return one
      }, signal)
      try {
        yield* listUsers(entryParts, servers.get(url) as DirectoryServer, signal)
        onOutcome({ server: url, part: 'listing' })
      } catch (error) {
        listingFailed(url, error)
      }
    },
  }
}

function serverOf(text: string, startTls: boolean): DirectoryServer {
  const server = readServer(text, startTls)
  if ('code' in server) throw new LdapFailure('settings_invalid', server.detail)
  return server
}

/** A code that no step expects. */
function asSettings(error: unknown): never {
  const code = resultCodeOf(error)
  if (code === undefined || error instanceof LdapFailure) throw error
  throw new LdapFailure('search_refused', `The directory refuses the sign-in (${code}).`, error)
}
