/** A password that a connection checks with its directory: to sign in, to link or test it, or to confirm. The caller counts attempts. */
import {
  decideSignIn,
  explainClaims,
  ProtocolFailure,
  personOf,
  reasonTexts,
} from '../../providers/connections/service.ts'
import { newToken, type When } from '../sign-in/service.ts'
import { keepFailure } from './failures.ts'
import { type Entered, judge, type Visiting } from './judge.ts'
import type { Purpose } from './pending-store.ts'
import { activeConnection, SignInRefused } from './refused.ts'
import { type CompanyParts, connectionFor, withProtocol } from './run-protocol.ts'
import { endTest } from './test-steps.ts'

const wrongPassword = 'The username or the password is wrong.'

export type Entering = Visiting & {
  connection_id: string
  username: string
  password: string
  purpose: Purpose
  returnTo: string | undefined
}

export type Confirming = Pick<Entering, 'connection_id' | 'username' | 'password' | 'visit'> & { user_id: string }

/** The account with which a user confirmed, as the connection was then. */
export type Confirmed = { connection_id: string; version: number; subject: string; amr: string[] }

export async function enter(parts: CompanyParts, entering: Entering, when: When): Promise<Entered> {
  const { connection_id, username, password, purpose, returnTo, visit, user_id } = entering
  const tester = purpose === 'test' ? entering.tester : undefined
  const connection = await connectionFor(parts, { connection_id, purpose, tester }, when)
  const vouched = await withProtocol(parts, { connection, returnTo, visit, tester }, when, async (protocol) => {
    if (protocol.check === undefined) throw new SignInRefused('inactive', connection, returnTo)
    return protocol.check(parts.protocols.open(connection), { username, password })
  })
  if (vouched === undefined) {
    const detail = wrongPassword
    if (tester !== undefined)
      return endTest(
        parts.storage,
        { connection, tester },
        { reason: 'wrong_password', detail, isWrongPassword: true },
        when,
      )
    await keepFailure(parts.storage, { connection, reason: 'wrong_password', detail, visit }, when)
    throw new SignInRefused('wrong_password', connection, returnTo)
  }
  if (purpose === 'test') return endTest(parts.storage, { connection, tester }, vouched, when)
  const wanted_user_id = purpose === 'sign_in' ? null : (user_id ?? null)
  return judge(
    parts,
    { connection, purpose, wanted_user_id, startedMs: when.now, returnTo, visiting: entering },
    vouched,
    when,
  )
}

export async function askForNobody(
  parts: CompanyParts,
  entering: Pick<Entering, 'connection_id' | 'returnTo' | 'visit'>,
  when: When,
): Promise<void> {
  const { connection_id, returnTo, visit } = entering
  const connection = await activeConnection(parts.storage, connection_id)
  await withProtocol(parts, { connection, returnTo, visit }, when, async (protocol) => {
    const unknownPerson = { username: newToken(), password: newToken() }
    try {
      await protocol.check?.(parts.protocols.open(connection), unknownPerson)
    } catch (error) {
      // As expected, and no failure of a user.
      if (!(error instanceof ProtocolFailure && error.reason === 'wrong_password')) throw error
    }
  })
}

export async function confirm(parts: CompanyParts, input: Confirming, when: When): Promise<Confirmed> {
  const { connection_id, username, password, visit, user_id } = input
  const connection = await activeConnection(parts.storage, connection_id)
  const vouched = await withProtocol(parts, { connection, returnTo: undefined, visit }, when, async (protocol) => {
    if (protocol.check === undefined) throw new SignInRefused('inactive', connection)
    return protocol.check(parts.protocols.open(connection), { username, password })
  })
  if (vouched === undefined) {
    await keepFailure(parts.storage, { connection, reason: 'wrong_password', detail: wrongPassword, visit }, when)
    throw new SignInRefused('wrong_password', connection)
  }
  const person = personOf(connection, vouched.claims)
  const decision = await decideSignIn({ db: parts.storage.db, rules: parts.rules, now: when.now }, connection, person, {
    purpose: 'confirm',
    user_id,
  })
  if (decision.outcome === 'refused') {
    const { reason } = decision
    const claims = explainClaims(connection, vouched.claims)
    await keepFailure(parts.storage, { connection, reason, detail: reasonTexts[reason], claims, visit }, when)
    throw new SignInRefused(reason, connection)
  }
  const { subject, amr } = person
  return { connection_id: connection.connection_id, version: connection.version, subject, amr }
}
