/**
 * Signs a user in, step by step: an authenticator proves something, and the commit decides whether that is enough for a session.
 * Leaves the proof to password.ts, email-code.ts, second-factor.ts and passkey.ts, and what follows from it to finish.ts.
 */

import type { Duty } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import { userTarget } from '../../../directory/users/service.ts'
import { isMultiFactor } from '../../../lib/amr.ts'
import { anonymous } from '../../../record/audit/service.ts'
import { browserHash } from '../../credentials/challenges/service.ts'
import type { PasskeyRequestOptions } from '../../credentials/factors/schema.ts'
import * as factors from '../../credentials/factors/service.ts'
import { newCeremony, optionsFor } from '../../credentials/factors/service.ts'
import type { Session } from '../../credentials/sessions/schema.ts'
import { sessionTokenHash, trustHash, trustHashesIn, withTrust } from '../../credentials/sessions/service.ts'
import { type ByEmailCode, proveEmailCode } from './email-code.ts'
import type { Finished, Finishing } from './finish.ts'
import { type ByPasskey, provePasskey } from './passkey.ts'
import { type ByPassword, provePassword } from './password.ts'
import { newToken, type Proved, requestAt, type SignInParts, type Tried, type Visit, type When } from './proof.ts'
import { type ByCode, proveCode } from './second-factor.ts'

export type Given = ByPassword | ByEmailCode | ByCode | ByPasskey

export type SignedInNow = {
  session: Session
  /** The session's secret, for its cookie: returned here and never again. */
  token: string
  /** The new value of the cookie of trusted browsers, if the user trusts this one from now on. */
  trust: string | undefined
  /** What the user must do first. */
  duty: Duty | undefined
}

/** The sign-in continues with one of these methods, in the browser that receives this cookie. */
export type NextStep = {
  challenge_id: string
  expires_at: string
  methods: string[]
  /** For a passkey, if the user has one. */
  options?: PasskeyRequestOptions
  /** The secret that binds the challenge to the browser: returned here and never again. */
  cookie: string
}

/** `user_id`: who has taken the first step. */
export type SignInOutcome = { signedIn: SignedInNow } | { next: NextStep; user_id: string }

const recorded: readonly string[] = ['sign_in_failed', 'second_factor_failed', 'too_many_attempts']

/**
 * A failure is recorded before the response.
 *
 * @throws AppError `sign_in_failed`, `second_factor_failed`, `challenge_expired`, `too_many_attempts`, `overloaded`
 */
export async function signIn(
  parts: SignInParts,
  { input: given, visit }: { input: Given; visit: Visit },
  when: When,
): Promise<SignInOutcome> {
  const tried: Tried = { method: methodOf(given) }
  try {
    const proved = await prove(parts, { input: given, visit, tried }, when)
    return await finish(parts, { proved, input: given, visit }, when)
  } catch (error) {
    if (error instanceof AppError && recorded.includes(error.code)) {
      await parts.recorder.record(error, { entry: failedSignIn(error, tried), origin: originOf(visit), ...when })
    }
    throw error
  }
}

export function methodOf(input: Given): Tried['method'] {
  if ('password' in input) return 'password'
  if ('passkey' in input) return 'passkey'
  if ('email_code' in input) return 'email_code'
  return 'code' in input ? 'totp' : 'recovery_code'
}

function prove(parts: SignInParts, step: { input: Given; visit: Visit; tried: Tried }, when: When): Promise<Proved> {
  const { input: given, ...rest } = step
  if ('password' in given) return provePassword(parts, { input: given, ...rest }, when)
  if ('email_code' in given) return proveEmailCode(parts, { input: given, ...rest }, when)
  if ('passkey' in given) return provePasskey(parts, { input: given, ...rest }, when)
  return proveCode(parts, { input: given, ...rest }, when)
}

/** Ends the step: the session starts, or the next step is asked for. */
async function finish(
  parts: SignInParts,
  { proved, input: given, visit }: { proved: Proved; input: Given; visit: Visit },
  when: When,
): Promise<SignInOutcome> {
  const { storage, config } = parts
  const { device, ...rest } = proved
  const { user_id, amr } = proved.proof
  const trusts = 'trust_browser' in given && given.trust_browser === true && config.trustBrowserDays > 0
  // A recovery code is for once, a company decides itself whom it asks again, and after a code by email no browser stands in (decide.ts).
  const isByPassword = rest.company === undefined && proved.proof.email_key === undefined
  const isForLong = !('recovery_code' in given) && isByPassword
  const trust = trusts && isMultiFactor(amr) && isForLong ? newToken() : undefined
  const knownUsers = device === undefined ? [] : [user_id]
  return endSignIn(parts, { visit, knownUsers, trust }, when, async (entering) => {
    const request = { ...requestAt(when), origin: originOf(visit) }
    return (await storage.change('sign_in.finish', { ...rest, ...entering }, request)).result
  })
}

/** The browser that the user enters, for the commit that ends a step. */
export type Entering = Pick<Finishing, 'browser' | 'challenge'>

/** Ends a step with the commit that `commit` makes. */
export async function endSignIn(
  { storage, relyingParty }: Pick<SignInParts, 'storage' | 'relyingParty'>,
  { visit, knownUsers, trust }: { visit: Visit; knownUsers: readonly string[]; trust?: string | undefined },
  when: When,
  commit: (entering: Entering) => Promise<Finished>,
): Promise<SignInOutcome> {
  const [token, cookie, ceremony] = [newToken(), newToken(), newCeremony(when.now)]
  const result = await commit({
    browser: {
      token_hash: sessionTokenHash(token),
      address: visit.address,
      user_agent: visit.userAgent,
      ...(visit.replaces !== undefined && { replaces: visit.replaces }),
      ...(trust !== undefined && { trusts: trustHash(trust) }),
      trustHashes: trustHashesIn(visit.trust),
      knownUsers,
    },
    challenge: { ...ceremony, browser_hash: browserHash(cookie) },
  })
  if (result.outcome === 'signed_in') {
    const { session, duty } = result
    return { signedIn: { session, duty, token, trust: trust && withTrust(visit.trust, trust) } }
  }
  const { user_id, challenge_id, expires_at, methods } = result
  const rows = methods.includes('passkey') ? await factors.listFactors(storage.db, user_id) : []
  const options = optionsFor(relyingParty, rows, ceremony.webauthn)
  return { next: { challenge_id, expires_at, methods, ...(options && { options }), cookie }, user_id }
}

/** Without the entered name if no user has it: people sometimes enter their password there. */
function failedSignIn({ code }: AppError, { user, method, reason }: Tried) {
  return {
    action: 'session.created',
    outcome: 'failure' as const,
    code,
    actor: anonymous,
    ...(user && { target: userTarget(user) }),
    ...((reason || method !== 'password') && {
      details: { ...(reason && { reason }), ...(method !== 'password' && { method }) },
    }),
  }
}

function originOf({ address, userAgent }: Visit) {
  return { address, user_agent: userAgent }
}
