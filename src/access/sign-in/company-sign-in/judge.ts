/** Turns what is vouched for into a session, the next step of one, or a refusal. */
import { AppError } from '../../../core/errors.ts'
import { seal } from '../../../lib/sealing.ts'
import type { Storage } from '../../../store/storage/storage.ts'
import { browserHash } from '../../credentials/challenges/service.ts'
import type { PasskeyRequestOptions } from '../../credentials/factors/schema.ts'
import { listFactors, newCeremony, optionsFor, type RelyingParty } from '../../credentials/factors/service.ts'
import { sessionTokenHash } from '../../credentials/sessions/service.ts'
import type * as connections from '../../providers/connections/service.ts'
import { explainClaims, kindOf, personOf, type Vouched } from '../../providers/connections/service.ts'
import { newToken, requestAt, type Visit, type When } from '../sign-in/service.ts'
import { detailOf, keepFailure, originOf } from './failures.ts'
import { againIfOvertaken } from './overtaken.ts'
import type { Purpose } from './pending-store.ts'
import { SignInRefused } from './refused.ts'
import type { Finished, Finishing, Pending } from './steps.ts'
import type { Tester } from './test-sign-in.ts'

/** Most ID tokens have 1 to 2 kB. */
const longestHint = 8192
export const hintLabel = 'logout hint'
/** How far the clock of a provider may be off. */
const skewMs = 60_000

type Parts = { storage: Storage; relyingParty: RelyingParty }

export type Visiting = {
  visit: Visit
  /** Users who have signed in in this browser before. */
  knownUsers: readonly string[]
  /** The user who is signed in here now. */
  user_id: string | undefined
  /** The same user, if they may test connections. */
  tester?: Tester | undefined
}

/** A sign-in on its way: for whom, and what the browser asked for. */
export type Way = {
  connection: connections.ConnectionRow
  purpose: Exclude<Purpose, 'test'>
  wanted_user_id: string | null
  startedMs: number
  returnTo: string | undefined
  visiting: Visiting
  pending?: Pending
}

export type Entered = {
  connection_id: string
  finished: Exclude<Finished, { outcome: 'refused' }>
  /** For a passkey as the next step, if the user has one. */
  options: PasskeyRequestOptions | undefined
  returnTo: string | undefined
  token: string
  challenge: string
}

export async function judge(
  parts: Parts,
  way: Way,
  { claims, once = [], logoutHint = '', warning }: Vouched,
  when: When,
): Promise<Entered> {
  const { storage } = parts
  const { connection, purpose, wanted_user_id, startedMs, returnTo, visiting, pending } = way
  const { visit, knownUsers } = visiting
  const claimed = personOf(connection, claims)
  // A clock that is ahead, or a lie, must not count as recent for longer than now.
  const authTimeMs = claimed.authTimeMs === undefined ? undefined : Math.min(claimed.authTimeMs, when.now)
  const person = { ...claimed, authTimeMs }
  const explained = explainClaims(connection, claims)
  const isPassword = kindOf(connection.kind).way === 'password'
  if (purpose === 'confirm' && !isPassword && (person.authTimeMs ?? 0) < startedMs - skewMs) {
    const detail = 'The provider did not ask the user again: the time of the sign-in there is too old, or missing.'
    await keepFailure(storage, { connection, reason: 'not_recent', detail, claims: explained, visit }, when)
    throw new SignInRefused('not_recent', connection, returnTo)
  }
  const [token, challenge] = [newToken(), newToken()]
  const input: Finishing = {
    connection: { connection_id: connection.connection_id, version: connection.version },
    person,
    claims: explained,
    warning,
    pending,
    purpose,
    wanted_user_id,
    once: once.map(({ id, until }) => ({ id: `${connection.connection_id} ${id}`, until })),
    startSignIn: {
      token_hash: sessionTokenHash(token),
      address: visit.address,
      user_agent: visit.userAgent,
      ...(visit.replaces !== undefined && { replaces: visit.replaces }),
    },
    // Only the browser with the session can open it.
    hint: logoutHint === '' || logoutHint.length > longestHint ? null : seal(token, logoutHint, hintLabel),
    knownUsers,
    challengeHash: browserHash(challenge),
    ceremony: newCeremony(when.now),
  }
  const finished = await commit(storage, input, way, when)
  const options = await nextOptions(parts, finished, input.ceremony.webauthn)
  return { connection_id: connection.connection_id, finished, options, returnTo, token, challenge }
}

async function nextOptions({ storage, relyingParty }: Parts, finished: Entered['finished'], webauthn: string) {
  if (finished.outcome !== 'next' || !finished.methods.includes('passkey')) return undefined
  return optionsFor(relyingParty, await listFactors(storage.db, finished.user_id), webauthn)
}

async function commit(
  storage: Storage,
  input: Finishing,
  { connection, visiting, returnTo }: Way,
  when: When,
): Promise<Entered['finished']> {
  const { visit } = visiting
  const request = { ...requestAt(when), origin: originOf(visit) }
  try {
    const { result } = await againIfOvertaken(() => storage.change('company_sign_ins.finish', input, request))
    if (result.outcome === 'refused') throw new SignInRefused(result.reason, connection, returnTo)
    return result
  } catch (error) {
    // What the rules of users refuse, such as the loss of the last administrator. A failure of the store is not a refusal.
    if (!(error instanceof AppError) || error.status >= 500) throw error
    await keepFailure(
      storage,
      { connection, reason: error.code, detail: detailOf(error), claims: input.claims, visit },
      when,
    )
    throw new SignInRefused('interrupted', connection, returnTo)
  }
}
