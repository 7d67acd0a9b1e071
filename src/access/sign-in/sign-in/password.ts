/**
 * The authenticator for passwords. Every refusal is the same, in words and in work: unknown, disabled, without a
 * password, refused by a connection, locked, or wrong. Leaves the counting to throttling/reservations.ts.
 */

import type { Actor, SignedIn } from '../../../core/actor.ts'
import { system } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import type { Caller } from '../../../directory/passwords/service.ts'
import {
  accessState,
  findById,
  findByTypedName,
  hasAccess,
  isPasswordRefused,
  signInFailed,
  type UserRow,
} from '../../../directory/users/service.ts'
import { trimEnds } from '../../../lib/typed-name.ts'
import {
  type Attempt,
  callerOf,
  ownPasswordAttempt,
  type Reservation,
  refuseEarly,
  signInAttempt,
} from '../throttling/service.ts'
import {
  barredReasons,
  deviceOf,
  type Proved,
  requestAt,
  type SignInParts,
  type Tried,
  type Visit,
  type When,
} from './proof.ts'

/** The username or the email address, and the password. */
export type ByPassword = { username: string; password: string }

/** Length limits; longer input is rejected before any hashing. */
const [longestName, longestPassword] = [320, 4096]

/** @throws AppError `sign_in_failed`, `too_many_attempts`, `overloaded` */
export async function provePassword(
  parts: SignInParts,
  { input: given, visit, tried }: { input: ByPassword; visit: Visit; tried: Tried },
  when: When,
): Promise<Proved> {
  const { storage, hasher, secrets } = parts
  const { password } = given
  const { address } = visit
  if (given.username.length > longestName || !isPossiblePassword(password)) throw signInFailed()
  // Names that look the same are the same here, whether or not a user has one.
  const name = trimEnds(given.username.normalize('NFKC'))
  const user = await findByTypedName(storage.db, name)
  if (user !== undefined) tried.user = user
  const device = deviceOf(parts, visit, user, when.now)
  const attempt = signInAttempt({ name, user, device, address, secret: secrets.device })
  const isRefused = await isPasswordRefused(storage.db, user ?? { user_id: '', username: name, email: null })
  const at = { now: when.now, rules: storage.rules }
  const hash = user !== undefined && hasAccess(user, at) && !isRefused ? user.password_hash : null
  const caller = callerOf(attempt, address)
  const { reservation, isRight } = await tryPassword(parts, { attempt, hash, password, caller }, when)
  if (user === undefined || hash === null || !isRight) {
    tried.reason = reasonOf(user, { ...reservation, isRefused }, at)
    throw signInFailed()
  }
  return {
    proof: {
      user_id: user.user_id,
      amr: ['pwd'],
      credentials_version: user.credentials_version,
      verified_hash: hash,
    },
    device,
    reservation,
    ...(hasher.needsRehash(hash) && (await hashOfOurs(parts, password, caller))),
  }
}

function reasonOf(
  user: UserRow | undefined,
  { isShutOut, isRefused }: Reservation & { isRefused: boolean },
  at: Parameters<typeof accessState>[1],
): NonNullable<Tried['reason']> {
  if (user === undefined) return 'unknown_user'
  const state = accessState(user, at)
  if (state !== 'active') return barredReasons[state]
  if (user.password_hash === null) return 'no_password'
  if (isRefused) return 'password_refused'
  return isShutOut ? 'locked' : 'wrong_password'
}

/**
 * Lets a signed-in user confirm their password. Returns the hash that it matches.
 *
 * @throws AppError `current_password_wrong`, `password_refused`, `too_many_attempts`, `overloaded`
 */
export async function verifyOwnPassword(
  parts: Pick<SignInParts, 'storage' | 'hasher'>,
  { actor, password }: { actor: Actor & { signedIn?: SignedIn }; password: string },
  when: When,
): Promise<string> {
  const { storage } = parts
  const { signedIn } = actor
  if (signedIn === undefined) throw new AppError('user_required', 'Only a signed-in user can confirm with a password.')
  if (!isPossiblePassword(password)) throw currentPasswordWrong()
  const user = await findById(storage.db, scopeOf(system), signedIn.user_id)
  if (user !== undefined && (await isPasswordRefused(storage.db, user))) throw ownPasswordRefused()
  const isThere = user !== undefined && hasAccess(user, { now: when.now, rules: storage.rules })
  const hash = isThere ? user.password_hash : null
  const attempt = ownPasswordAttempt(signedIn)
  const { reservation, isRight } = await tryPassword(
    parts,
    { attempt, hash, password, caller: { from: attempt.lane } },
    when,
  )
  // No secret to a signed-in user, and "wrong" would not be true.
  if (reservation.isShutOut) throw locked()
  if (hash === null || !isRight) throw currentPasswordWrong()
  await storage.change('throttles.clear', reservation, requestAt(when))
  return hash
}

/** Counts the attempt, then checks the password. Returns the reservation, and whether the password is right. */
async function tryPassword(
  { storage, hasher }: Pick<SignInParts, 'storage' | 'hasher'>,
  { attempt, hash, password, caller }: { attempt: Attempt; hash: string | null; password: string; caller: Caller },
  when: When,
): Promise<{ reservation: Reservation; isRight: boolean }> {
  await refuseEarly({ db: storage.db, now: when.now }, attempt)
  const { result: reservation } = await storage.change('throttles.reserve', attempt, requestAt(when))
  try {
    // As slow as with a password; otherwise the response time would reveal which users exist.
    const isRight = await hasher.verifyEvenly(reservation.isShutOut ? null : hash, password, caller)
    return { reservation, isRight }
  } catch (error) {
    if (error instanceof AppError && error.code === 'overloaded') {
      await storage.change('throttles.give_back', reservation, requestAt(when))
    }
    throw error
  }
}

/** A foreign hash can also be replaced at the next sign-in, so a full queue does not refuse the user. */
async function hashOfOurs(
  { hasher }: SignInParts,
  password: string,
  caller: Caller,
): Promise<{ password_hash?: string }> {
  try {
    return { password_hash: await hasher.hash(password, caller) }
  } catch (error) {
    if (error instanceof AppError && error.code === 'overloaded') return {}
    throw error
  }
}

/** Others are refused before anything is counted or hashed. */
export function isPossiblePassword(password: string): boolean {
  return password.length <= longestPassword && password.isWellFormed()
}

export function locked(): AppError {
  const detail = 'This user is locked after too many failed attempts. Ask an administrator to unlock it.'
  return new AppError('too_many_attempts', detail, { retryAfterSeconds: 900, limit: 'attempts' })
}

/** No secret to a signed-in user, and "wrong" would not be true. */
export function ownPasswordRefused(): AppError {
  const detail =
    'You sign in with your company, not with a password. To confirm that it is you, open the page `confirm`, or sign in there again.'
  return new AppError('password_refused', detail)
}

export function currentPasswordWrong(): AppError {
  return new AppError('current_password_wrong', 'The current password is incorrect.')
}
