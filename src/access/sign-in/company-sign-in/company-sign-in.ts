/**
 * A sign-in through a connection, whatever its protocol: sends the browser to the provider, or checks a password with a
 * directory. judge.ts decides about the result. Until the browser returns, the sign-in is a row, so it may end on another
 * node; its secrets are derived from a cookie, so only the browser that started it can finish it, and the row alone is
 * useless.
 */
import { createHmac } from 'node:crypto'
import { domainIn } from '../../../directory/users/service.ts'
import { networkOf } from '../../../lib/address.ts'
import { timestamp } from '../../../lib/instant.ts'
import type { Storage } from '../../../store/storage/storage.ts'
import { browserHash } from '../../credentials/challenges/service.ts'
import type { RelyingParty } from '../../credentials/factors/service.ts'
import * as connections from '../../providers/connections/service.ts'
import {
  type Departure,
  decide,
  explainClaims,
  type Judging,
  type Protocol,
  ProtocolFailure,
  personOf,
  type Returned,
  reasonTexts,
  type Vouched,
} from '../../providers/connections/service.ts'
import { newToken, requestAt, type Visit, type When } from '../sign-in/service.ts'
import { keepFailure, keepProviderFailure } from './failures.ts'
import { type Entered, judge, type Visiting, type Way } from './judge.ts'
import * as store from './pending-store.ts'
import type { Protocols } from './protocols.ts'
import { activeConnection, FinishedBefore, SignInRefused } from './refused.ts'
import type { Tester } from './test-sign-in.ts'
import { connectionToTest, endTest } from './test-steps.ts'

/** As long as it takes to sign in at a provider, with a second factor. */
export const pendingSeconds = 600
const wrongPassword = 'The username or the password is wrong.'

export type CompanySignIn = {
  /** Where to send the browser. @throws SignInRefused, TestFinished */
  start(starting: Starting, when: When): Promise<Started>
  /** @throws SignInRefused, TestFinished, FinishedBefore */
  finish(returning: Returning, when: When): Promise<Entered>
  /** Checks a password with the connection. The caller counts attempts. @throws SignInRefused, TestFinished */
  enter(entering: Entering, when: When): Promise<Entered>
  /** Asks as `enter` does about an unknown name, and takes as long. @throws SignInRefused if the directory fails */
  askForNobody(entering: Pick<Entering, 'connection_id' | 'returnTo' | 'visit'>, when: When): Promise<void>
  /** Checks a password of the user who is signed in, without a new session. The caller counts attempts. @throws SignInRefused */
  confirm(confirming: Confirming, when: When): Promise<Confirmed>
}

type Starting = {
  connection_id: string
  returnTo: string | undefined
  /** The address of the connection. */
  address: string
  /** The browser's cookie, if it has one: sign-ins in several tabs share it. */
  cookie: string | undefined
  /** The IP address of the browser. */
  clientAddress: string
  loginHint?: string
  /** The language that the user or the product chose. */
  language: string | undefined
  purpose: store.Purpose
  /** The signed-in user who links the connection, confirms or tests. */
  user_id?: string
  /** The administrator who tests. */
  tester?: Tester | undefined
}

export type Started = {
  departure: Departure
  cookie: string
  connection: connections.ConnectionRow
}

type Returning = Visiting & {
  connection_id: string
  returned: Returned
  address: string
  cookie: string | undefined
}

export type Entering = Visiting & {
  connection_id: string
  username: string
  password: string
  purpose: store.Purpose
  returnTo: string | undefined
}

export type Confirming = Pick<Entering, 'connection_id' | 'username' | 'password' | 'visit'> & { user_id: string }

/** The account with which a user confirmed, as the connection was then. */
export type Confirmed = { connection_id: string; version: number; subject: string; amr: string[] }

type Parts = { storage: Storage; protocols: Protocols; relyingParty: RelyingParty; rules: Judging['rules'] }

export function createCompanySignIn(parts: Parts): CompanySignIn {
  const { storage, protocols, rules } = parts
  async function start(starting: Starting, when: When): Promise<Started> {
    const {
      connection_id,
      returnTo,
      address,
      clientAddress,
      loginHint,
      language,
      purpose,
      user_id = null,
      tester,
    } = starting
    const connection = await connectionFor(purpose, connection_id, tester, when)
    const cookie = /^[\w-]{43}$/.test(starting.cookie ?? '') ? (starting.cookie ?? '') : newToken()
    const state = newToken()
    const asking = {
      ...secretsOf(cookie, state),
      returnUri: returnUriOf(address),
      isFresh: purpose === 'confirm',
      ...(loginHint !== undefined && { loginHint, ...hintedDomain(connection, loginHint) }),
      ...(language !== undefined && { language }),
    }
    const departure = await withProtocol({ connection, returnTo, tester }, when, async (protocol) => {
      if (protocol.depart === undefined) throw new SignInRefused('inactive', connection, returnTo)
      return protocol.depart(protocols.open(connection), asking)
    })
    const row = {
      state_hash: browserHash(state),
      connection_id: connection.connection_id,
      browser_hash: browserHash(cookie),
      return_to: returnTo ?? null,
      purpose,
      user_id,
      started_at: timestamp(when.now),
      expires_at: timestamp(when.now + pendingSeconds * 1000),
      network: networkOf(clientAddress),
    }
    await storage.change('company_sign_ins.begin', row, requestAt(when))
    return { departure, cookie, connection }
  }

  async function finish(returning: Returning, when: When): Promise<Entered> {
    const { connection_id, returned, address, cookie = '', visit, user_id } = returning
    const state = new URLSearchParams(returned.query).get('state') ?? returned.form?.RelayState ?? ''
    const state_hash = browserHash(state)
    const pending = await store.findPending(storage.db, state_hash)
    if (pending === undefined || pending.expires_at <= timestamp(when.now)) return finishUnasked(returning, when)
    // Mix-up (RFC 9700 §4.4): each connection has its own address to return to. A stranger's request leaves the row alone.
    if (pending.connection_id !== connection_id) throw new SignInRefused('expired')
    if (pending.browser_hash !== browserHash(cookie)) {
      // Without return_to, which is known to the browser that started it.
      throw new SignInRefused('other_browser', await connectionToTryAgain(connection_id))
    }
    const { purpose, network: _, ...row } = pending
    const returnTo = row.return_to ?? undefined
    if (purpose === 'finished') {
      if (user_id !== undefined) throw new FinishedBefore(returnTo)
      throw new SignInRefused('expired', await connectionToTryAgain(connection_id), returnTo)
    }
    const { result: isOurs } = await storage.change('company_sign_ins.take', { state_hash }, requestAt(when))
    if (!isOurs) throw new SignInRefused('expired', await connectionToTryAgain(connection_id), returnTo)
    const { user_id: wanted_user_id } = row
    const tester = purpose === 'test' ? returning.tester : undefined
    const connection = await connectionFor(purpose, connection_id, tester, when)
    if (wanted_user_id !== null && wanted_user_id !== user_id)
      throw new SignInRefused('interrupted', connection, returnTo)
    const asking = { ...secretsOf(cookie, state), returnUri: returnUriOf(address), isFresh: purpose === 'confirm' }
    const vouched = await withProtocol({ connection, returnTo, visit, tester }, when, async (protocol) => {
      if (protocol.arrive === undefined) throw new SignInRefused('inactive', connection, returnTo)
      return protocol.arrive(protocols.open(connection), returned, asking)
    })
    const startedMs = Date.parse(pending.started_at)
    if (purpose === 'test') return endTest(storage, { connection, tester }, vouched, when)
    return judge(
      parts,
      { connection, purpose, wanted_user_id, startedMs, returnTo, visiting: returning, pending: row },
      vouched,
      when,
    )
  }

  /** A sign-in that began at the provider, or whose row has expired. */
  async function finishUnasked(returning: Returning, when: When): Promise<Entered> {
    const { connection_id, returned, address, visit } = returning
    // Without the message of a provider there is nothing to explain to the administrator.
    if (!returned.form?.SAMLResponse) throw new SignInRefused('expired')
    const connection = await activeConnection(storage, connection_id)
    const vouched = await withProtocol({ connection, returnTo: undefined, visit }, when, async (protocol) => {
      if (protocol.arriveUnasked === undefined) throw new SignInRefused('expired')
      return protocol.arriveUnasked(protocols.open(connection), returned, { returnUri: returnUriOf(address) })
    })
    const way = {
      connection,
      purpose: 'sign_in',
      wanted_user_id: null,
      startedMs: when.now,
      returnTo: undefined,
    } as const
    return judge(parts, { ...way, visiting: returning }, vouched, when)
  }

  async function enter(entering: Entering, when: When): Promise<Entered> {
    const { connection_id, username, password, purpose, returnTo, visit, user_id } = entering
    const tester = purpose === 'test' ? entering.tester : undefined
    const connection = await connectionFor(purpose, connection_id, tester, when)
    const vouched = await withProtocol({ connection, returnTo, visit, tester }, when, async (protocol) => {
      if (protocol.check === undefined) throw new SignInRefused('inactive', connection, returnTo)
      return protocol.check(protocols.open(connection), { username, password })
    })
    if (vouched === undefined) {
      const detail = wrongPassword
      if (tester !== undefined)
        return endTest(
          storage,
          { connection, tester },
          { reason: 'wrong_password', detail, isWrongPassword: true },
          when,
        )
      await keepFailure(storage, { connection, reason: 'wrong_password', detail, visit }, when)
      throw new SignInRefused('wrong_password', connection, returnTo)
    }
    if (purpose === 'test') return endTest(storage, { connection, tester }, vouched, when)
    const wanted_user_id = purpose === 'sign_in' ? null : (user_id ?? null)
    return judge(
      parts,
      { connection, purpose, wanted_user_id, startedMs: when.now, returnTo, visiting: entering },
      vouched,
      when,
    )
  }

  async function askForNobody(...[entering, when]: Parameters<CompanySignIn['askForNobody']>): Promise<void> {
    const { connection_id, returnTo, visit } = entering
    const connection = await activeConnection(storage, connection_id)
    await withProtocol({ connection, returnTo, visit }, when, async (protocol) => {
      const nobody = { username: newToken(), password: newToken() }
      try {
        await protocol.check?.(protocols.open(connection), nobody)
      } catch (error) {
        // As expected, and no failure of a user.
        if (!(error instanceof ProtocolFailure && error.reason === 'wrong_password')) throw error
      }
    })
  }

  async function connectionToTryAgain(id: string): Promise<SignInRefused['connection']> {
    const found = await connections.findConnection(storage.db, id)
    return found?.active === 1 ? found : undefined
  }

  function connectionFor(purpose: store.Purpose, id: string, tester: Tester | undefined, when: When) {
    return purpose === 'test' ? connectionToTest(storage, id, tester, when) : activeConnection(storage, id)
  }

  async function confirm(input: Confirming, when: When): Promise<Confirmed> {
    const { connection_id, username, password, visit, user_id } = input
    const connection = await activeConnection(storage, connection_id)
    const vouched = await withProtocol({ connection, returnTo: undefined, visit }, when, async (protocol) => {
      if (protocol.check === undefined) throw new SignInRefused('inactive', connection)
      return protocol.check(protocols.open(connection), { username, password })
    })
    if (vouched === undefined) {
      await keepFailure(storage, { connection, reason: 'wrong_password', detail: wrongPassword, visit }, when)
      throw new SignInRefused('wrong_password', connection)
    }
    const person = personOf(connection, vouched.claims)
    const decision = await decide({ db: storage.db, rules }, connection, person, { purpose: 'confirm', user_id })
    if (decision.outcome === 'refused') {
      const { reason } = decision
      const claims = explainClaims(connection, vouched.claims)
      await keepFailure(storage, { connection, reason, detail: reasonTexts[reason], claims, visit }, when)
      throw new SignInRefused(reason, connection)
    }
    const { subject, amr } = person
    return { connection_id: connection.connection_id, version: connection.version, subject, amr }
  }

  /** Runs a step of the protocol. Failures are kept for the administrator. */
  async function withProtocol<Result>(
    {
      connection,
      returnTo,
      visit,
      tester,
    }: Pick<Way, 'connection' | 'returnTo'> & { visit?: Visit; tester?: Tester | undefined },
    when: When,
    step: (protocol: Protocol) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await step(await protocols.of(connection.kind))
    } catch (error) {
      if (!(error instanceof ProtocolFailure)) throw error
      const { reason, code, message: detail, claims } = error
      if (tester !== undefined) {
        const isWrongPassword = reason === 'wrong_password'
        return endTest(storage, { connection, tester }, { reason: code, detail, claims, isWrongPassword }, when)
      }
      const failing = { connection, failure: error, claims: explainFailed(connection, claims), visit }
      await keepProviderFailure(storage, failing, when)
      throw new SignInRefused(reason, connection, returnTo)
    }
  }

  return { start, finish, enter, askForNobody, confirm }
}

function returnUriOf(address: string): string {
  return `${address}/callback`
}

/** The domain of the hint, if the connection is for it. */
function hintedDomain(connection: connections.ConnectionRow, hint: string): { domainHint?: string } {
  const domain = domainIn(hint)
  return domain !== undefined && connections.settingsOf(connection).domains.includes(domain)
    ? { domainHint: domain }
    : {}
}

function explainFailed(connection: connections.ConnectionRow, claims: Vouched['claims']) {
  return Object.keys(claims).length === 0 ? [] : explainClaims(connection, claims)
}

/** Each purpose has a label, so that no value reveals another. */
function secretsOf(cookie: string, state: string): { state: string; nonce: string; verifier: string } {
  const derived = (purpose: string) =>
    createHmac('sha256', cookie).update(`rollbook ${purpose} 1\n${state}`).digest('base64url')
  return { state, nonce: derived('nonce'), verifier: derived('pkce') }
}
