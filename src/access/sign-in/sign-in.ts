/**
 * Verifies a user by password. Every refusal is the same, in words and in work: unknown, disabled, without a password,
 * locked, or wrong. Leaves the session itself to sessions/, the counting to throttle-service.ts.
 */
import { randomBytes } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import type { Caller, Hasher } from '../../directory/passwords/hash.ts'
import { findById, findForSignIn, signInFailed, type UserRow } from '../../directory/users/service.ts'
import { anonymous, type Recorder } from '../../record/audit/recorder.ts'
import { type Actor, type SignedIn, system } from '../../store/context.ts'
import type { Secrets } from '../../store/secrets/service.ts'
import type { Storage } from '../../store/storage/storage.ts'
import type { Session } from '../sessions/schema.ts'
import { sessionTokenHash } from '../sessions/service.ts'
import { callerOf, ownPasswordAttempt, signInAttempt } from './attempt.ts'
import { type Device, newDeviceId, readDevices, withDevice } from './device.ts'
import type { Attempt, Reservation } from './throttle.ts'
import { refuseEarly } from './throttle-service.ts'

export type SignInParts = { storage: Storage; hasher: Hasher; secrets: Secrets; recorder: Recorder }
type When = { now: number; requestId: string }

export type SignIn = {
  /** The username or the email address. */
  username: string
  password: string
  address: string
  userAgent: string
  /** The cookie of a browser in which a user has signed in before. */
  device?: string | undefined
  /** The browser's previous session. */
  replaces?: string | undefined
}

export type SignedInNow = {
  session: Session
  /** The session's secret, for its cookie: returned here and never again. */
  token: string
  /** The new value of the device cookie, valid for `deviceSeconds`. */
  device: string
  mustChangePassword: boolean
}

/** Length limits; longer input is rejected before any hashing. */
const [longestName, longestPassword] = [320, 4096]

/** What the audit record says about a failed sign-in, and the response does not. */
type Tried = {
  user?: UserRow
  reason?: 'unknown_user' | 'user_inactive' | 'no_password' | 'locked' | 'wrong_password'
}

/**
 * A failure is recorded before the response.
 *
 * @throws AppError `sign_in_failed`, `too_many_attempts`, `overloaded`
 */
export async function signIn(parts: SignInParts, given: SignIn, when: When): Promise<SignedInNow> {
  const tried: Tried = {}
  try {
    return await prove(parts, given, when, tried)
  } catch (error) {
    if (error instanceof AppError && (error.code === 'sign_in_failed' || error.code === 'too_many_attempts')) {
      await parts.recorder.record(error, { entry: failedSignIn(error, tried), origin: originOf(given), ...when })
    }
    throw error
  }
}

async function prove(parts: SignInParts, given: SignIn, when: When, tried: Tried): Promise<SignedInNow> {
  const { storage, hasher, secrets } = parts
  const { password, address } = given
  if (given.username.length > longestName || !isPossible(password)) throw signInFailed()
  // Names that look the same are the same here, whether or not a user has one.
  const name = given.username.normalize('NFKC')
  const user = await findForSignIn(storage.db, name)
  if (user !== undefined) tried.user = user
  const device = readDevices(secrets.device, given.device, when.now).find((one) => one.user_id === user?.user_id)
  const attempt = signInAttempt({ name, user, device, address, secret: secrets.device })
  const hash = user?.active === 1 ? user.password_hash : null
  const caller = callerOf(attempt, address)
  const { reservation, isRight } = await tryPassword(parts, { attempt, hash, password, caller }, when)
  if (user === undefined || hash === null || !isRight) {
    tried.reason = reasonOf(user, reservation)
    throw signInFailed()
  }

  const token = randomBytes(32).toString('base64url')
  const begin = {
    user_id: user.user_id,
    verified_hash: hash,
    credentials_version: user.credentials_version,
    ...(hasher.needsRehash(hash) && (await hashOfOurs(parts, password, caller))),
    token_hash: sessionTokenHash(token),
    address,
    user_agent: given.userAgent,
    ...(given.replaces !== undefined && { replaces: given.replaces }),
  }
  const request = { ...requestAt(when), origin: originOf(given) }
  const { result } = await storage.change('sign_in.succeed', { begin, reservation }, request)
  return {
    session: result.session,
    token,
    device: withDevice(secrets.device, given.device, device ?? newDevice(user.user_id), when.now),
    mustChangePassword: result.must_change_password,
  }
}

function reasonOf(user: UserRow | undefined, { isShutOut }: Reservation): NonNullable<Tried['reason']> {
  if (user === undefined) return 'unknown_user'
  if (user.active !== 1) return 'user_inactive'
  if (user.password_hash === null) return 'no_password'
  return isShutOut ? 'locked' : 'wrong_password'
}

/** Without the entered name if no user has it: people sometimes enter their password there. */
function failedSignIn({ code }: AppError, { user, reason }: Tried) {
  return {
    action: 'session.created',
    outcome: 'failure' as const,
    code,
    actor: anonymous,
    ...(user && { target: { kind: 'user', id: user.user_id, name: user.username } }),
    ...(reason && { details: { reason } }),
  }
}

function originOf({ address, userAgent }: SignIn) {
  return { address, user_agent: userAgent }
}

/**
 * Lets a signed-in user confirm their password. Returns the hash that it matches.
 *
 * @throws AppError `current_password_wrong`, `too_many_attempts`, `overloaded`
 */
export async function verifyOwnPassword(
  parts: SignInParts,
  { actor, password }: { actor: Actor & { signedIn?: SignedIn }; password: string },
  when: When,
): Promise<string> {
  const { storage } = parts
  const { signedIn } = actor
  if (signedIn === undefined) throw new AppError('user_required', 'Only a signed-in user can confirm with a password.')
  if (!isPossible(password)) throw currentPasswordWrong()
  const user = await findById(storage.db, signedIn.user_id)
  const hash = user?.active === 1 ? user.password_hash : null
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
  { storage, hasher }: SignInParts,
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

function isPossible(password: string): boolean {
  return password.length <= longestPassword && password.isWellFormed()
}

function newDevice(user_id: string): Device {
  return { user_id, device_id: newDeviceId() }
}

function requestAt({ now, requestId }: When) {
  return { actor: system, now, requestId }
}

function locked(): AppError {
  const detail = 'This user is locked after too many failed attempts. Ask an administrator to unlock it.'
  return new AppError('too_many_attempts', detail, { retryAfterSeconds: 900 })
}

function currentPasswordWrong(): AppError {
  return new AppError('current_password_wrong', 'The current password is incorrect.')
}
