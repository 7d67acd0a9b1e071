/**
 * A sign-in through a connection: sends the browser to the provider, and turns what comes back into a session. What waits
 * between the two is a row, so it may end on another node; its secrets are derived from a cookie, so only the browser that
 * started it can finish it, and the row alone is of no use.
 */
import { createHmac } from 'node:crypto'
import type { Config } from '../../core/config.ts'
import { AppError } from '../../core/errors.ts'
import { timestamp } from '../../lib/instant.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { browserHash } from '../challenges/service.ts'
import { explainClaims, personOf, type RefusalReason } from '../connections/decide.ts'
import * as connections from '../connections/service.ts'
import { sessionTokenHash } from '../sessions/service.ts'
import { newToken, requestAt, type Visit, type When } from '../sign-in/proof.ts'
import type { Finished, Finishing } from './changes.ts'
import * as store from './pending-store.ts'
import type { Asking, Provider, ProviderReason } from './provider.ts'

/** As long as it takes to sign in at a provider, with a second factor. */
export const pendingSeconds = 600

export type Reason = RefusalReason | ProviderReason | 'expired' | 'other_browser' | 'inactive' | 'interrupted'

export type CompanySignIn = {
  /** Where to send the browser. @throws SignInRefused */
  start(starting: Starting, when: When): Promise<{ url: URL; cookie: string }>
  /** @throws SignInRefused */
  finish(finishing: Returning, when: When): Promise<Returned>
  close(): Promise<void>
}

type Starting = {
  connection_id: string
  returnTo: string | undefined
  redirectUri: string
  /** The browser's cookie, if it has one: sign-ins in several tabs share it. */
  cookie: string | undefined
  loginHint?: string
  isFresh: boolean
  /** The signed-in user who links the connection. */
  linkTo?: string
}

type Returning = {
  connection_id: string
  query: string
  redirectUri: string
  cookie: string | undefined
  visit: Visit
  /** Users who have signed in in this browser before. */
  knownUsers: readonly string[]
  /** The user who is signed in here now. */
  user_id: string | undefined
}

export type Returned = {
  finished: Exclude<Finished, { outcome: 'refused' }>
  returnTo: string | undefined
  token: string
  challenge: string
}

/** A sign-in that did not succeed. The page says what the user can do. */
export class SignInRefused extends Error {
  readonly reason: Reason
  readonly connection: Pick<connections.ConnectionRow, 'connection_id' | 'name'> | undefined
  readonly returnTo: string | undefined

  constructor(reason: Reason, connection?: SignInRefused['connection'], returnTo?: string) {
    super(reason)
    this.reason = reason
    this.connection = connection
    this.returnTo = returnTo
  }
}

type Parts = { storage: Storage; config: Pick<Config, 'keyEncryptionSecret' | 'idpAllowedNetworks'>; clock(): number }

export function createCompanySignIn({ storage, config, clock }: Parts): CompanySignIn {
  let loading: Promise<Provider> | undefined
  const provider = () => {
    loading ??= import('./provider.ts').then(({ createProvider }) => createProvider({ ...config, clock }))
    return loading
  }

  async function fail(
    failing: {
      connection_id: string
      reason: string
      detail: string
      claims: connections.Failure['claims']
      visit?: Visit
    },
    when: When,
  ): Promise<void> {
    const { visit, ...failure } = failing
    const request = { ...requestAt(when), ...(visit && { origin: originOf(visit) }) }
    await storage.change('company_sign_ins.keep_failure', failure, request)
  }

  async function start(starting: Starting, when: When): Promise<{ url: URL; cookie: string }> {
    const { connection_id, returnTo, redirectUri, loginHint, isFresh, linkTo = null } = starting
    const connection = await activeConnection(storage, connection_id)
    const cookie = /^[\w-]{43}$/.test(starting.cookie ?? '') ? (starting.cookie ?? '') : newToken()
    const state = newToken()
    const asking = { ...secretsOf(cookie, state), redirectUri, isFresh, ...(loginHint !== undefined && { loginHint }) }
    let url: URL
    try {
      url = await (await provider()).authorizationUrl(connection, asking)
    } catch (error) {
      const failure = await providerFailure(error)
      await fail({ connection_id, ...failure, claims: [] }, when)
      throw new SignInRefused(failure.reason, connection, returnTo)
    }
    const row = {
      ...{ state_hash: browserHash(state), connection_id, browser_hash: browserHash(cookie) },
      ...{ return_to: returnTo ?? null, user_id: linkTo, fresh: Number(isFresh) },
      expires_at: timestamp(when.now + pendingSeconds * 1000),
    }
    await storage.change('company_sign_ins.begin', row, requestAt(when))
    return { url, cookie }
  }

  async function finish(returning: Returning, when: When): Promise<Returned> {
    const { connection_id, query, redirectUri, cookie = '', visit, knownUsers, user_id } = returning
    const state = new URLSearchParams(query).get('state') ?? ''
    const state_hash = browserHash(state)
    const pending = await store.findPending(storage.db, state_hash)
    if (pending === undefined || pending.expires_at <= timestamp(when.now)) throw new SignInRefused('expired')
    // Mix-up (RFC 9700 §4.4): each connection has its own redirect URI. A stranger's request leaves the row alone.
    if (pending.connection_id !== connection_id) throw new SignInRefused('expired')
    if (pending.browser_hash !== browserHash(cookie)) throw new SignInRefused('other_browser')
    const { result: isOurs } = await storage.change('company_sign_ins.take', { state_hash }, requestAt(when))
    if (!isOurs) throw new SignInRefused('expired')
    const returnTo = pending.return_to ?? undefined
    const connection = await activeConnection(storage, connection_id)
    if (pending.user_id !== null && pending.user_id !== user_id)
      throw new SignInRefused('interrupted', connection, returnTo)
    const asking = { ...secretsOf(cookie, state), redirectUri, isFresh: pending.fresh === 1 }
    const claims = await claimsOf({ connection, query, asking, visit, returnTo }, when)
    const [token, challenge] = [newToken(), newToken()]
    const input: Finishing = {
      connection: { connection_id, version: connection.version },
      person: personOf(connection, claims),
      claims: explainClaims(connection, claims),
      linkTo: pending.user_id,
      begin: {
        token_hash: sessionTokenHash(token),
        address: visit.address,
        user_agent: visit.userAgent,
        ...(visit.replaces !== undefined && { replaces: visit.replaces }),
      },
      knownUsers,
      challengeHash: browserHash(challenge),
    }
    const finished = await commit(input, { connection, visit, returnTo }, when)
    return { finished, returnTo, token, challenge }
  }

  type Fetching = {
    connection: connections.ConnectionRow
    query: string
    asking: Asking
    visit: Visit
    returnTo: string | undefined
  }

  async function claimsOf({ connection, query, asking, visit, returnTo }: Fetching, when: When) {
    try {
      return await (await provider()).claimsFor(connection, query, asking)
    } catch (error) {
      const failure = await providerFailure(error)
      await fail({ connection_id: connection.connection_id, ...failure, claims: [], visit }, when)
      throw new SignInRefused(failure.reason, connection, returnTo)
    }
  }

  type Committing = { connection: connections.ConnectionRow; visit: Visit; returnTo: string | undefined }

  async function commit(
    input: Finishing,
    { connection, visit, returnTo }: Committing,
    when: When,
  ): Promise<Returned['finished']> {
    const request = { ...requestAt(when), origin: originOf(visit) }
    try {
      const { result } = await storage.change('company_sign_ins.finish', input, request)
      if (result.outcome === 'refused') throw new SignInRefused(result.reason, connection, returnTo)
      return result
    } catch (error) {
      // What the rules of users refuse, such as the loss of the last administrator. Trouble of the store is none of it.
      if (!(error instanceof AppError) || error.status >= 500) throw error
      const { connection_id } = connection
      await fail({ connection_id, reason: error.code, detail: error.message, claims: input.claims, visit }, when)
      throw new SignInRefused('interrupted', connection, returnTo)
    }
  }

  return {
    start,
    finish,
    async close() {
      if (loading !== undefined) (await loading).close()
    },
  }
}

async function activeConnection({ db }: Storage, connectionId: string): Promise<connections.ConnectionRow> {
  const found = await connections.getRow(db, connectionId.toLowerCase())
  if (found.active !== 1) throw new SignInRefused('inactive')
  return found
}

/** Anything else is a fault of ours. */
async function providerFailure(error: unknown): Promise<{ reason: ProviderReason; detail: string }> {
  const { ProviderFailure } = await import('./provider.ts')
  if (error instanceof ProviderFailure) return { reason: error.reason, detail: error.message }
  throw error
}

/** Each purpose has a label, so that none of the values tells another one. */
function secretsOf(cookie: string, state: string): { state: string; nonce: string; verifier: string } {
  const derived = (purpose: string) =>
    createHmac('sha256', cookie).update(`rollbook ${purpose} 1\n${state}`).digest('base64url')
  return { state, nonce: derived('nonce'), verifier: derived('pkce') }
}

function originOf({ address, userAgent }: Visit) {
  return { address, user_agent: userAgent }
}
