/** Confirms that the user of a session is still there. Leaves the proofs to sign-in/ and what needs one to the routes. */
import { AppError, memberFault, validationFailed } from '../../core/errors.ts'
import type { ChangeContext, SignedIn } from '../../store/context.ts'
import * as challenges from '../challenges/service.ts'
import type { PasskeyAssertion } from '../factors/passkey-schema.ts'
import { challengeIdOf, checkAssertion } from '../factors/passkeys.ts'
import * as factors from '../factors/service.ts'
import { personOf } from '../sessions/person.ts'
import * as sessions from '../sessions/service.ts'
import { ownPasswordAttempt, secondFactorAttempt } from '../sign-in/attempt.ts'
import { locked, verifyOwnPassword } from '../sign-in/password.ts'
import { requestAt, type SignInParts, type When } from '../sign-in/proof.ts'
import { checkCode } from '../sign-in/second-factor.ts'
import type { Reservation } from '../sign-in/throttle.ts'
import { clearFailures, refuseEarly } from '../sign-in/throttle-service.ts'
import type { Reauthenticate, Reauthenticated } from './schema.ts'

/** The proven methods, and the challenge or code that granting it uses up. */
export type Confirmation = {
  methods: string[]
  used?: factors.Use
  reservation?: Reservation
  finishes?: challenges.Presented
}

/**
 * Checks the proof. The caller makes the change `sessions.renew`.
 *
 * @throws AppError `confirmation_failed`, `current_password_wrong`, `too_many_attempts`, `validation_failed`
 */
export async function check(
  parts: Pick<SignInParts, 'storage' | 'hasher' | 'config'>,
  { person, given, origins }: { person: SignedIn; given: Reauthenticate; origins: readonly string[] },
  when: When,
): Promise<Confirmation> {
  const { password, code, recovery_code, passkey } = given
  if ([password, code, recovery_code, passkey].filter((proof) => proof !== undefined).length !== 1) {
    throw validationFailed([
      memberFault('password', 'one_of', 'Send one of password, code, recovery_code and passkey.'),
    ])
  }
  if (passkey !== undefined) return byPasskey(parts, { person, passkey, origins }, when)
  if (password !== undefined) return byPassword(parts, person, password, when)
  return byCode(parts, person, code === undefined ? { recovery_code: recovery_code ?? '' } : { code }, when)
}

async function byPassword(
  parts: Pick<SignInParts, 'storage' | 'hasher'>,
  person: SignedIn,
  password: string,
  when: When,
): Promise<Confirmation> {
  const methods = await factors.methodsOf(parts.storage.db, person.user_id)
  // Or a stolen session and a stolen password together would be enough.
  if (methods.length > 0)
    throw confirmationFailed('Confirm with your second factor; the password is not enough.', methods)
  const actor = { kind: 'user' as const, id: person.user_id, name: person.username, permissions: [], signedIn: person }
  await verifyOwnPassword(parts, { actor, password }, when)
  return { methods: ['pwd'] }
}

async function byCode(
  parts: Pick<SignInParts, 'storage' | 'config'>,
  person: SignedIn,
  given: { code: string } | { recovery_code: string },
  when: When,
): Promise<Confirmation> {
  const { storage } = parts
  const attempt = secondFactorAttempt(ownPasswordAttempt(person), person)
  await refuseEarly({ db: storage.db, now: when.now }, attempt)
  const { result: reservation } = await storage.change('throttles.reserve', attempt, requestAt(when))
  // No secret to a signed-in user, and "wrong" would not be true.
  if (reservation.isShutOut) throw locked()
  const used = await checkCode(parts, person.user_id, given, when.now)
  if (used === undefined) throw confirmationFailed('The code is wrong, was used before, or has expired.')
  return { methods: ['otp'], used, reservation }
}

/** Begins a confirmation with a passkey, in this session. */
export async function beginPasskey(
  ctx: ChangeContext,
  { challenge_id, webauthn }: { challenge_id: string; webauthn: string },
): Promise<{ challenge_id: string; expires_at: string; webauthn: string }> {
  const { session_id, user_id } = personOf(ctx)
  const browser_hash = challenges.browserHash(session_id)
  await sessions.refuseEnded(ctx)
  return {
    ...(await challenges.begin(ctx, { challenge_id, purpose: 'confirm', user_id, browser_hash, webauthn })),
    webauthn,
  }
}

async function byPasskey(
  { storage }: Pick<SignInParts, 'storage'>,
  { person, passkey, origins }: { person: SignedIn; passkey: PasskeyAssertion; origins: readonly string[] },
  when: When,
): Promise<Confirmation> {
  const { user_id, session_id } = person
  const finishes = {
    challenge_id: challengeIdOf(passkey) ?? '',
    browser_hash: challenges.browserHash(session_id),
    purpose: 'confirm' as const,
  }
  const { webauthn } = await challenges.get({ db: storage.db, now: when.now }, finishes).catch((error: AppError) => {
    // Not 401: the session is valid.
    throw error.code === 'challenge_expired'
      ? confirmationFailed('The options have expired or were used. Ask for new ones.')
      : error
  })
  const attempt = secondFactorAttempt(ownPasswordAttempt(person), person)
  await refuseEarly({ db: storage.db, now: when.now }, attempt)
  const { result: reservation } = await storage.change('sign_in.try_step', { finishes, attempt }, requestAt(when))
  if (reservation.isShutOut) throw locked()
  const row = await factors.findPasskey(storage.db, passkey.id)
  const fits = row?.user_id === user_id
  const found = fits ? await checkAssertion(passkey, { challenge: webauthn, origins, row, isAlone: false }) : undefined
  if (found === undefined) throw confirmationFailed('The passkey was not accepted.')
  return { ...found, reservation, finishes }
}

/** @throws AppError `confirmation_failed` if the code was used meanwhile, `credential_invalid` if the session ended */
export async function renew(
  ctx: ChangeContext,
  { methods, used, reservation, finishes }: Confirmation,
): Promise<Reauthenticated> {
  const { session_id, user_id, username } = personOf(ctx)
  const renewed = await sessions.renewAuthentication(ctx, { session_id, methods })
  if (finishes !== undefined) await challenges.finish(ctx, finishes)
  if (used !== undefined && !(await factors.tryUse(ctx, user_id, used))) {
    throw confirmationFailed('The code or passkey was used before.')
  }
  if (reservation !== undefined) await clearFailures(ctx, reservation)
  const target = { kind: 'user', id: user_id, name: username }
  const method = used?.kind ?? 'password'
  ctx.record({ action: 'session.reauthenticated', target, details: { session_id, method } })
  return { session_id, ...renewed }
}

function confirmationFailed(detail: string, methods?: readonly string[]): AppError {
  return new AppError('confirmation_failed', detail, methods && { members: { methods } })
}
