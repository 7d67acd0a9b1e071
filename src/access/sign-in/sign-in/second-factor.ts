/** The authenticators for the second step: a one-time code, or a recovery code. */
import { system } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import { findById, hasAccess } from '../../../directory/users/service.ts'
import { combineMethods } from '../../../lib/amr.ts'
import type { ChangeContext } from '../../../store/context.ts'
import { encryptionSecrets } from '../../../store/secrets/encryption.ts'
import * as challenges from '../../credentials/challenges/service.ts'
import {
  findRecoveryCode,
  listFactors,
  openSecret,
  secondFactorFailed,
  stepOfCode,
  type Use,
} from '../../credentials/factors/service.ts'
import {
  type Attempt,
  type Reservation,
  refuseEarly,
  reserveAttempt,
  secondFactorAttempt,
  signInAttempt,
} from '../throttling/service.ts'
import {
  deviceOf,
  type Proved,
  provenBefore,
  requestAt,
  type SignInParts,
  type Tried,
  type Visit,
  type When,
} from './proof.ts'

export type ByCode = ({ code: string } | { recovery_code: string }) & {
  challenge_id: string
  /** Do not ask in this browser for some days. */
  trust_browser?: boolean
}

/** @throws AppError `challenge_expired`, `second_factor_failed`, `too_many_attempts` */
export async function proveCode(
  parts: SignInParts,
  { input: given, visit, tried }: { input: ByCode; visit: Visit; tried: Tried },
  when: When,
): Promise<Proved> {
  const { proof, ...step } = await startStep(parts, { challenge_id: given.challenge_id, visit, tried }, when)
  const { isShutOut } = step.reservation
  const used = isShutOut ? undefined : await checkCode(parts, proof.user_id, given, when.now)
  if (used === undefined) {
    tried.reason = isShutOut ? 'locked' : 'wrong_code'
    throw secondFactorFailed()
  }
  return { ...step, proof: { ...proof, amr: combineMethods(proof.amr, ['otp']) }, used }
}

/** A step whose code is not checked yet. */
type Step = Proved & { reservation: Reservation }

/** Finds the challenge that a step is to meet, and counts the attempt before anything is checked. */
async function startStep(
  parts: SignInParts,
  { challenge_id, visit, tried }: { challenge_id: string; visit: Visit; tried: Tried },
  when: When,
): Promise<Step> {
  const { storage, secrets } = parts
  const finishes = {
    challenge_id: challenge_id.toLowerCase(),
    browser_hash: challenges.browserHash(visit.challenge ?? ''),
    purpose: 'sign_in' as const,
  }
  const challenge = await challenges.get({ db: storage.db, now: when.now }, finishes)
  const user = await findById(storage.db, scopeOf(system), challenge.user_id ?? '')
  if (user === undefined || !hasAccess(user, { now: when.now, rules: storage.rules })) throw secondFactorFailed()
  tried.user = user
  const device = deviceOf(parts, visit, user, when.now)
  const name = user.username
  const attempt = secondFactorAttempt(
    signInAttempt({ name, user, device, address: visit.address, secret: secrets.device }),
    user,
  )
  const reservation = await reserveStep(parts, { finishes, attempt }, when)
  const { before, rest } = provenBefore(challenge)
  return {
    ...rest,
    proof: { user_id: user.user_id, ...before, credentials_version: Number(challenge.credentials_version) },
    device,
    reservation,
    finishes,
  }
}

type Reserving = { finishes: challenges.Presented; attempt: Attempt }

export async function reserveStep({ storage }: SignInParts, reserving: Reserving, when: When): Promise<Reservation> {
  await refuseEarly({ db: storage.db, now: when.now }, reserving.attempt)
  return (await storage.change('sign_in.try_step', reserving, requestAt(when))).result
}

/** Counts an attempt under its challenge, the user and the networks, in one transaction before the check. */
export async function tryStep(ctx: ChangeContext, { finishes, attempt }: Reserving): Promise<Reservation> {
  await challenges.countAttempt(ctx, finishes)
  return reserveAttempt(ctx, attempt)
}

type Code = { code: string } | { recovery_code: string }

/** Returns what the code would use up; undefined if it is wrong. @throws AppError `secret_unreadable` */
export async function checkCode(
  { storage, config }: Pick<SignInParts, 'storage' | 'config'>,
  userId: string,
  input: Code,
  now: number,
): Promise<Use | undefined> {
  if ('recovery_code' in input) {
    const code_hash = await findRecoveryCode(storage.db, userId, input.recovery_code)
    return code_hash === undefined ? undefined : { kind: 'recovery_code', code_hash }
  }
  let unreadable: AppError | undefined
  for (const row of await listFactors(storage.db, userId)) {
    if (row.kind !== 'totp') continue
    try {
      const step = await stepOfCode(openSecret(row, encryptionSecrets(config)), input.code, now)
      if (step !== undefined) return { kind: 'totp', factor_id: row.factor_id, step }
    } catch (error) {
      // The code may be that of another factor.
      if (!(error instanceof AppError)) throw error
      unreadable = error
    }
  }
  if (unreadable !== undefined) throw unreadable
  return undefined
}
