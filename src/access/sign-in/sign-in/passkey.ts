/** The authenticator for passkeys: as the second step after a password, or alone, without a name. */
import { system } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import { accessState, findById, signInFailed, type UserRow } from '../../../directory/users/service.ts'
import { combineMethods } from '../../../lib/amr.ts'
import * as challenges from '../../credentials/challenges/service.ts'
import type { PasskeyAssertion } from '../../credentials/factors/schema.ts'
import { challengeIdOf, checkAssertion, findPasskey, secondFactorFailed } from '../../credentials/factors/service.ts'
import { refuseEarly, secondFactorAttempt, signInAttempt } from '../throttling/service.ts'
import {
  barredReasons,
  deviceOf,
  type Proved,
  provenBefore,
  requestAt,
  type SignInParts,
  type Tried,
  type Visit,
  type When,
} from './proof.ts'

export type ByPasskey = { challenge_id?: string; passkey: PasskeyAssertion }

/** @throws AppError `challenge_expired`, `sign_in_failed`, `second_factor_failed`, `too_many_attempts` */
export async function provePasskey(
  parts: SignInParts,
  { input: given, visit, tried }: { input: ByPasskey; visit: Visit; tried: Tried },
  when: When,
): Promise<Proved> {
  const { storage, secrets } = parts
  const { passkey } = given
  const finishes = {
    challenge_id: (given.challenge_id ?? challengeIdOf(passkey) ?? '').toLowerCase(),
    browser_hash: challenges.browserHash(visit.challenge ?? ''),
    purpose: 'sign_in' as const,
  }
  const challenge = await challenges.get({ db: storage.db, now: when.now }, finishes)
  const isAlone = challenge.user_id === null
  const row = await findPasskey(storage.db, passkey.id)
  const user = await findById(storage.db, scopeOf(system), challenge.user_id ?? row?.user_id ?? '')
  if (user !== undefined) tried.user = user
  const device = deviceOf(parts, visit, user, when.now)
  const attempt = attemptOf({ user, passkey, isAlone }, { device, visit, secret: secrets.device })
  await refuseEarly({ db: storage.db, now: when.now }, attempt)
  const { result: reservation } = await storage.change('sign_in.try_step', { finishes, attempt }, requestAt(when))
  const refuse = (reason: NonNullable<Tried['reason']>) => {
    tried.reason = reason
    const error = isAlone ? signInFailed() : secondFactorFailed()
    return reason === 'unknown_passkey' ? withUnknown(error, passkey, parts) : error
  }
  if (row === undefined) throw refuse('unknown_passkey')
  if (reservation.isShutOut) throw refuse('locked')
  if (user === undefined || row.user_id !== user.user_id) throw refuse('wrong_passkey')
  const found = await checkAssertion(passkey, {
    challenge: challenge.webauthn,
    origins: visit.origins ?? [],
    row,
    isAlone,
  })
  if (found === undefined) throw refuse('wrong_passkey')
  // Check this last: only the holder of the passkey could learn that the user is disabled, and even they do not.
  const state = accessState(user, { now: when.now, rules: storage.rules })
  if (state !== 'active') throw refuse(barredReasons[state])
  const { before, rest } = provenBefore(challenge)
  return {
    ...rest,
    proof: {
      ...before,
      user_id: user.user_id,
      amr: combineMethods(before.amr, found.methods),
      credentials_version: isAlone ? user.credentials_version : Number(challenge.credentials_version),
    },
    device,
    reservation,
    finishes,
    used: found.used,
  }
}

type Who = { user: UserRow | undefined; passkey: PasskeyAssertion; isAlone: boolean }
type Where = { device: ReturnType<typeof deviceOf>; visit: Visit; secret: Uint8Array }

/** Counted like a password attempt. An unknown passkey counts like an unknown username. */
function attemptOf({ user, passkey }: Who, { device, visit, secret }: Where) {
  const { address } = visit
  if (user === undefined) return signInAttempt({ name: passkey.id, user, device, address, secret })
  return secondFactorAttempt(signInAttempt({ name: user.username, user, device, address, secret }), user)
}

/** So that the page can tell the password manager to forget it (`PublicKeyCredential.signalUnknownCredential`). */
function withUnknown(error: AppError, { id }: PasskeyAssertion, { relyingParty }: SignInParts): AppError {
  const unknown_passkey = { rp_id: relyingParty.ids[0] ?? '', credential_id: id }
  return new AppError(error.code, error.message, { headers: error.headers, members: { unknown_passkey } })
}
