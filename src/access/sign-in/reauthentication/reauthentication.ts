/** Confirms that the user of a session is still there. Leaves the proofs to sign-in/ and what needs one to the routes. */

import type { SignedIn } from '../../../core/actor.ts'
import { AppError, memberFault, validationFailed } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import * as users from '../../../directory/users/service.ts'
import { personTarget } from '../../../directory/users/service.ts'
import type { ChangeContext } from '../../../store/context.ts'
import * as challenges from '../../credentials/challenges/service.ts'
import type { PasskeyAssertion } from '../../credentials/factors/schema.ts'
import * as factors from '../../credentials/factors/service.ts'
import { challengeIdOf, checkAssertion, tryUse, type Use } from '../../credentials/factors/service.ts'
import * as sessions from '../../credentials/sessions/service.ts'
import { personOf } from '../../credentials/sessions/service.ts'
import * as identities from '../../providers/connections/service.ts'
import * as connections from '../../providers/connections/service.ts'
import {
  checkCode,
  currentPasswordWrong,
  locked,
  ownPasswordRefused,
  requestAt,
  type SignInParts,
  verifyOwnPassword,
  type When,
} from '../sign-in/service.ts'
import {
  clearFailures,
  ownPasswordAttempt,
  type Reservation,
  refuseEarly,
  secondFactorAttempt,
} from '../throttling/service.ts'
import type { Reauthenticate, Reauthenticated } from './schema.ts'

/** The proven methods, and the challenge or code that granting it uses up. */
export type Confirmation = {
  methods: string[]
  used?: Use
  reservation?: Reservation
  finishes?: challenges.Presented
  /** The hash that the password matched. */
  verified_hash?: string
  /** The account of a company that the user proved. */
  account?: Account
}

type Account = { connection_id: string; version: number; subject: string }

/** Checks a password with a directory. @throws AppError */
export type AskDirectory = (
  input: { connection_id: string; username: string; password: string },
  user_id: string,
) => Promise<Account & { amr: string[] }>

/**
 * Checks the proof. The caller makes the change `sessions.renew`.
 *
 * @throws AppError `confirmation_failed`, `current_password_wrong`, `too_many_attempts`, `validation_failed`
 */
export async function check(
  parts: Pick<SignInParts, 'storage' | 'hasher' | 'config'> & { askDirectory?: AskDirectory },
  { person, proof, origins }: { person: SignedIn; proof: Reauthenticate; origins: readonly string[] },
  when: When,
): Promise<Confirmation> {
  const { password, code, recovery_code, passkey, connection_id, username } = proof
  if ([password, code, recovery_code, passkey].filter((proof) => proof !== undefined).length !== 1) {
    throw validationFailed([
      memberFault('password', 'one_of', 'Send one of password, code, recovery_code and passkey.'),
    ])
  }
  const company = { connection_id, username, password }
  if (isComplete(company)) return byDirectory(parts, person, company)
  if (connection_id !== undefined || username !== undefined) {
    throw validationFailed([
      memberFault('connection_id', 'all_of', 'For a directory, send connection_id, username and password.'),
    ])
  }
  if (passkey !== undefined) return byPasskey(parts, { person, passkey, origins }, when)
  if (password !== undefined) return byPassword(parts, person, password, when)
  return byCode(parts, person, code === undefined ? { recovery_code: recovery_code ?? '' } : { code }, when)
}

type Company = { connection_id: string; username: string; password: string }

function isComplete(input: Partial<Record<keyof Company, string | undefined>>): input is Company {
  return Object.values(input).every((value) => value !== undefined)
}

async function byDirectory(
  { storage, askDirectory }: Pick<SignInParts, 'storage'> & { askDirectory?: AskDirectory },
  { user_id }: SignedIn,
  company: Company,
): Promise<Confirmation> {
  await refuseWithFactors(storage, user_id)
  if (askDirectory === undefined) throw new Error('This way cannot confirm with a directory.')
  const { amr, ...account } = await askDirectory(company, user_id)
  return { methods: amr, account }
}

/** Otherwise a stolen session and a stolen password together would be enough. */
async function refuseWithFactors(
  { db }: Pick<ChangeContext, 'db'> | Pick<SignInParts['storage'], 'db'>,
  userId: string,
): Promise<void> {
  const methods = await factors.methodsOf(db, userId)
  if (methods.length > 0)
    throw confirmationFailed('Confirm with your second factor; the password is not enough.', methods)
}

async function byPassword(
  parts: Pick<SignInParts, 'storage' | 'hasher'>,
  person: SignedIn,
  password: string,
  when: When,
): Promise<Confirmation> {
  await refuseWithFactors(parts.storage, person.user_id)
  const actor = { kind: 'user' as const, id: person.user_id, name: person.username, permissions: [], signedIn: person }
  return { methods: ['pwd'], verified_hash: await verifyOwnPassword(parts, { actor, password }, when) }
}

async function byCode(
  parts: Pick<SignInParts, 'storage' | 'config'>,
  person: SignedIn,
  input: { code: string } | { recovery_code: string },
  when: When,
): Promise<Confirmation> {
  const { storage } = parts
  const attempt = secondFactorAttempt(ownPasswordAttempt(person), person)
  await refuseEarly({ db: storage.db, now: when.now }, attempt)
  const { result: reservation } = await storage.change('throttles.reserve', attempt, requestAt(when))
  // No secret to a signed-in user, and "wrong" would not be true.
  if (reservation.isShutOut) throw locked()
  const used = await checkCode(parts, person.user_id, input, when.now)
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
    ...(await challenges.startChallenge(ctx, { challenge_id, purpose: 'confirm', user_id, browser_hash, webauthn })),
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

/**
 * @throws AppError `confirmation_failed` if the code has been used since, `password_refused` or `current_password_wrong` if the password
 *   no longer counts, `credential_invalid` if the session ended
 */
export async function renew(
  ctx: ChangeContext,
  { methods, used, reservation, finishes, verified_hash, account }: Confirmation,
): Promise<Reauthenticated> {
  const person = personOf(ctx)
  const { session_id, user_id } = person
  if (verified_hash !== undefined) await refuseLostPassword(ctx, user_id, verified_hash)
  if (account !== undefined) await refuseLost(ctx, user_id, account)
  const renewed = await sessions.renewAuthentication(ctx, { session_id, methods })
  if (finishes !== undefined) await challenges.finish(ctx, finishes)
  if (used !== undefined && !(await tryUse(ctx, user_id, used))) {
    throw confirmationFailed('The code or passkey was used before.')
  }
  if (reservation !== undefined) await clearFailures(ctx, reservation)
  const target = personTarget(person)
  const method = used?.kind ?? (account === undefined ? 'password' : 'directory')
  ctx.record({ action: 'session.reauthenticated', target, details: { session_id, method } })
  return { session_id, ...renewed }
}

/** A connection may refuse the password since it was checked, or the user may have changed it or added a factor. */
async function refuseLostPassword(ctx: ChangeContext, userId: string, verifiedHash: string): Promise<void> {
  const user = await users.findRowForChange(ctx.db, scopeOf(ctx.actor), userId)
  if (user !== undefined && (await users.isPasswordRefused(ctx.db, user))) throw ownPasswordRefused()
  if (user?.password_hash !== verifiedHash) throw currentPasswordWrong()
  await refuseWithFactors(ctx, userId)
}

/** The connection may have been changed, or the account removed, while the directory was asked. */
async function refuseLost(
  ctx: ChangeContext,
  userId: string,
  { connection_id, version, subject }: Account,
): Promise<void> {
  const connection = await connections.findConnectionForShare(ctx.db, scopeOf(ctx.actor), connection_id)
  const accounts = await identities.findAccounts(ctx.db, { connection_id, subject, email: null })
  const isUsable = connection?.version === version && connections.isUsable(ctx, connection)
  if (isUsable && accounts.some((one) => one.user_id === userId)) return
  throw confirmationFailed('The connection was changed meanwhile. Try again.')
}

function confirmationFailed(detail: string, methods?: readonly string[]): AppError {
  return new AppError('confirmation_failed', detail, methods && { members: { methods } })
}
