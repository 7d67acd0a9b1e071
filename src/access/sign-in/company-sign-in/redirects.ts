/**
 * Sends the browser to a provider, and takes up the sign-in when it returns. Until then the sign-in is a row, so it may end on
 * another node; its secrets are derived from a cookie, so only the browser that started it can finish it, and the row alone is
 * useless. judge.ts decides about the result.
 */

import { createHmac } from 'node:crypto'
import { system } from '../../../core/actor.ts'
import { scopeOf } from '../../../core/scope.ts'
import { domainIn } from '../../../directory/users/service.ts'
import { networkOf } from '../../../lib/address.ts'
import { timestamp } from '../../../lib/instant.ts'
import { browserHash } from '../../credentials/challenges/service.ts'
import type { Departure, Returned } from '../../providers/connections/service.ts'
import * as connections from '../../providers/connections/service.ts'
import { newToken, requestAt, type When } from '../sign-in/service.ts'
import { type Entered, judge, type Visiting } from './judge.ts'
import * as store from './pending-store.ts'
import { activeConnection, FinishedBefore, SignInRefused } from './refused.ts'
import { type CompanyParts, connectionFor, withProtocol } from './run-protocol.ts'
import type { Tester } from './test-sign-in.ts'
import { endTest } from './test-steps.ts'

/** As long as it takes to sign in at a provider, with a second factor. */
export const pendingSeconds = 600

export type Starting = {
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

export type Returning = Visiting & {
  connection_id: string
  returned: Returned
  address: string
  cookie: string | undefined
}

export async function startSignIn(parts: CompanyParts, starting: Starting, when: When): Promise<Started> {
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
  const connection = await connectionFor(parts, { connection_id, purpose, tester }, when)
  const cookie = /^[\w-]{43}$/.test(starting.cookie ?? '') ? (starting.cookie ?? '') : newToken()
  const state = newToken()
  const asking = {
    ...secretsOf(cookie, state),
    returnUri: returnUriOf(address),
    isFresh: purpose === 'confirm',
    ...(loginHint !== undefined && { loginHint, ...hintedDomain(connection, loginHint) }),
    ...(language !== undefined && { language }),
  }
  const departure = await withProtocol(parts, { connection, returnTo, tester }, when, async (protocol) => {
    if (protocol.depart === undefined) throw new SignInRefused('inactive', connection, returnTo)
    return protocol.depart(parts.protocols.open(connection), asking)
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
  await parts.storage.change('company_sign_ins.begin', row, requestAt(when))
  return { departure, cookie, connection }
}

export async function finishReturn(parts: CompanyParts, returning: Returning, when: When): Promise<Entered> {
  const { connection_id, returned, address, cookie = '', visit, user_id } = returning
  const state = new URLSearchParams(returned.query).get('state') ?? returned.form?.RelayState ?? ''
  const state_hash = browserHash(state)
  const pending = await store.findPending(parts.storage.db, state_hash)
  if (pending === undefined || pending.expires_at <= timestamp(when.now)) return finishUnasked(parts, returning, when)
  // Mix-up (RFC 9700 §4.4): each connection has its own address to return to. A stranger's request leaves the row alone.
  if (pending.connection_id !== connection_id) throw new SignInRefused('expired')
  if (pending.browser_hash !== browserHash(cookie)) {
    // Without return_to, which is known to the browser that started it.
    throw new SignInRefused('other_browser', await connectionToTryAgain(parts, connection_id))
  }
  const { purpose, network: _, ...row } = pending
  const returnTo = row.return_to ?? undefined
  if (purpose === 'finished') {
    if (user_id !== undefined) throw new FinishedBefore(returnTo)
    throw new SignInRefused('expired', await connectionToTryAgain(parts, connection_id), returnTo)
  }
  const { result: isOurs } = await parts.storage.change('company_sign_ins.take', { state_hash }, requestAt(when))
  if (!isOurs) throw new SignInRefused('expired', await connectionToTryAgain(parts, connection_id), returnTo)
  const { user_id: wanted_user_id } = row
  const tester = purpose === 'test' ? returning.tester : undefined
  const connection = await connectionFor(parts, { connection_id, purpose, tester }, when)
  if (wanted_user_id !== null && wanted_user_id !== user_id)
    throw new SignInRefused('interrupted', connection, returnTo)
  const asking = { ...secretsOf(cookie, state), returnUri: returnUriOf(address), isFresh: purpose === 'confirm' }
  const vouched = await withProtocol(parts, { connection, returnTo, visit, tester }, when, async (protocol) => {
    if (protocol.arrive === undefined) throw new SignInRefused('inactive', connection, returnTo)
    return protocol.arrive(parts.protocols.open(connection), returned, asking)
  })
  const startedMs = Date.parse(pending.started_at)
  if (purpose === 'test') return endTest(parts.storage, { connection, tester }, vouched, when)
  return judge(
    parts,
    { connection, purpose, wanted_user_id, startedMs, returnTo, visiting: returning, pending: row },
    vouched,
    when,
  )
}

/** A sign-in that began at the provider, or whose row has expired. */
async function finishUnasked(parts: CompanyParts, returning: Returning, when: When): Promise<Entered> {
  const { connection_id, returned, address, visit } = returning
  // Without the message of a provider there is nothing to explain to the administrator.
  if (!returned.form?.SAMLResponse) throw new SignInRefused('expired')
  const connection = await activeConnection(parts.storage, connection_id)
  const vouched = await withProtocol(parts, { connection, returnTo: undefined, visit }, when, async (protocol) => {
    if (protocol.arriveUnasked === undefined) throw new SignInRefused('expired')
    return protocol.arriveUnasked(parts.protocols.open(connection), returned, { returnUri: returnUriOf(address) })
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

async function connectionToTryAgain({ storage }: CompanyParts, id: string): Promise<SignInRefused['connection']> {
  const found = await connections.findConnection(storage.db, scopeOf(system), id)
  return connections.isUsable(storage, found) ? found : undefined
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

/** Each purpose has a label, so that no value reveals another. */
function secretsOf(cookie: string, state: string): { state: string; nonce: string; verifier: string } {
  const derived = (purpose: string) =>
    createHmac('sha256', cookie).update(`rollbook ${purpose} 1\n${state}`).digest('base64url')
  return { state, nonce: derived('nonce'), verifier: derived('pkce') }
}
