/**
 * Signs a user in, step by step: an authenticator proves something, and this file decides whether that is enough for a
 * session, or which step is next. Leaves the proof to password.ts, second-factor.ts and passkey.ts, the session to sessions/.
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
import { findTrusted, sessionTokenHash, trustHash, withTrust } from '../../credentials/sessions/service.ts'
import { withDevice } from '../throttling/service.ts'
import { type ByPasskey, provePasskey } from './passkey.ts'
import { type ByPassword, provePassword } from './password.ts'
import {
  newDevice,
  newToken,
  type Proof,
  requestAt,
  type SignInParts,
  type Tried,
  type Visit,
  type When,
} from './proof.ts'
import { type ByCode, proveCode } from './second-factor.ts'

export type Given = ByPassword | ByCode | ByPasskey

export type SignedInNow = {
  session: Session
  /** The session's secret, for its cookie: returned here and never again. */
  token: string
  /** The new value of the device cookie, valid for `deviceSeconds`. */
  device: string
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

export type SignInOutcome = { signedIn: SignedInNow } | { next: NextStep }

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
    const proof = await prove(parts, { input: given, visit, tried }, when)
    if (isMultiFactor(proof.amr) || !(await factors.hasFactor(parts.storage.db, proof.user.user_id))) {
      return { signedIn: await startSession(parts, { proof, input: given, visit }, when) }
    }
    const trusted = await trustedBrowser(parts, proof, visit, when)
    return trusted === undefined
      ? { next: await askForMore(parts, proof, visit, when) }
      : { signedIn: await startSession(parts, { proof, input: given, visit, trusted }, when) }
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
  return 'code' in input ? 'totp' : 'recovery_code'
}

function prove(parts: SignInParts, step: { input: Given; visit: Visit; tried: Tried }, when: When): Promise<Proof> {
  const { input: given, ...rest } = step
  if ('password' in given) return provePassword(parts, { input: given, ...rest }, when)
  if ('passkey' in given) return provePasskey(parts, { input: given, ...rest }, when)
  return proveCode(parts, { input: given, ...rest }, when)
}

/** The id under which the user trusts this browser. */
function trustedBrowser({ storage, config }: SignInParts, { user }: Proof, { trust }: Visit, { now }: When) {
  return findTrusted({ db: storage.db, now, days: config.trustBrowserDays }, user.user_id, trust)
}

type Beginning = { proof: Proof; input: Given; visit: Visit; trusted?: string }

async function startSession(
  parts: SignInParts,
  { proof, input: given, visit, trusted }: Beginning,
  when: When,
): Promise<SignedInNow> {
  const { storage, secrets, config } = parts
  const { user, amr, device, reservation, credentials_version, verified_hash, password_hash, finishes, used } = proof
  const { connection_id, company } = proof
  const token = newToken()
  const trusts = 'trust_browser' in given && given.trust_browser === true && config.trustBrowserDays > 0
  // A recovery code is for once.
  const trust = trusts && isMultiFactor(amr) && !('recovery_code' in given) ? newToken() : undefined
  const session = {
    user_id: user.user_id,
    credentials_version,
    ...(verified_hash !== undefined && { verified_hash }),
    ...(password_hash !== undefined && { password_hash }),
    ...(connection_id !== undefined && { connection_id }),
    token_hash: sessionTokenHash(token),
    amr,
    address: visit.address,
    user_agent: visit.userAgent,
    ...(visit.replaces !== undefined && { replaces: visit.replaces }),
    ...(trusted !== undefined && { trusted }),
    ...(trust !== undefined && { trusts: trustHash(trust) }),
  }
  const success = {
    session,
    ...(company !== undefined && { company }),
    reservation,
    ...(finishes && { finishes }),
    ...(used && { used }),
    // Every browser is new at the very first sign-in.
    isNewBrowser: device === undefined && user.last_login_at !== null,
  }
  const request = { ...requestAt(when), origin: originOf(visit) }
  const { result } = await storage.change('sign_in.succeed', success, request)
  return {
    session: result.session,
    token,
    device: withDevice(secrets.device, visit.device, device ?? newDevice(user.user_id), when.now),
    trust: trust && withTrust(visit.trust, trust),
    duty: result.duty,
  }
}

async function askForMore(parts: SignInParts, proof: Proof, visit: Visit, when: When): Promise<NextStep> {
  const { user, amr, reservation, credentials_version, password_hash = null } = proof
  const cookie = newToken()
  const { challenge_id, webauthn } = newCeremony(when.now)
  const challenge = {
    challenge_id,
    webauthn,
    purpose: 'sign_in' as const,
    user_id: user.user_id,
    browser_hash: browserHash(cookie),
    amr: amr.join(' '),
    credentials_version,
    password_hash,
  }
  const request = { ...requestAt(when), origin: originOf(visit) }
  const { result } = await parts.storage.change(
    'sign_in.ask',
    { challenge, reservation, username: user.username },
    request,
  )
  const rows = result.methods.includes('passkey') ? await factors.listFactors(parts.storage.db, user.user_id) : []
  const options = optionsFor(parts.relyingParty, rows, webauthn)
  return { ...result, ...(options && { options }), cookie }
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
