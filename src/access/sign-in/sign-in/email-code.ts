/**
 * The authenticator for codes by email. Every refusal is the same, in words and in work, whether or not a code was sent. Leaves
 * asking for a code to email-code/.
 */
import { timingSafeEqual } from 'node:crypto'
import { AppError } from '../../../core/errors.ts'
import { findByTypedName } from '../../../directory/users/service.ts'
import { codeOf } from '../../../record/mails/service.ts'
import * as challenges from '../../credentials/challenges/service.ts'
import { signInAttempt } from '../throttling/service.ts'
import { deviceOf, type Proved, type SignInParts, type Tried, type Visit, type When } from './proof.ts'
import { reserveStep } from './second-factor.ts'

export type ByEmailCode = { challenge_id: string; email_code: string }

/** What a request for a code said. */
export type CodeRequest = {
  name: string
  device: string
  address: string
  /** Users who have signed in in that browser before. */
  knownUsers: readonly string[]
}

/** @throws AppError `challenge_expired`, `sign_in_failed`, `too_many_attempts` */
export async function proveEmailCode(
  parts: SignInParts,
  { input, visit, tried }: { input: ByEmailCode; visit: Visit; tried: Tried },
  when: When,
): Promise<Proved> {
  const { storage, secrets } = parts
  const { address } = visit
  const finishes = {
    challenge_id: input.challenge_id.toLowerCase(),
    browser_hash: challenges.browserHash(visit.challenge ?? ''),
    purpose: 'email_code' as const,
  }
  const challenge = await challenges.get({ db: storage.db, now: when.now }, finishes)
  const { name } = JSON.parse(challenge.code_request ?? '{}') as CodeRequest
  const user = await findByTypedName(storage.db, name)
  if (user !== undefined) tried.user = user
  const device = deviceOf(parts, visit, user, when.now)
  const attempt = signInAttempt({ name, user, device, address, secret: secrets.device })
  const reservation = await reserveStep(parts, { finishes, attempt }, when)
  const isRight = isSame(plainDigits(input.email_code), codeOf(secrets.device, finishes.challenge_id))
  // No user, or another one than the one who got the code: the name has changed hands.
  const isSent = user !== undefined && challenge.user_id === user.user_id && challenge.email_key
  if (reservation.isShutOut || !isRight || !isSent) {
    tried.reason = reservation.isShutOut ? 'locked' : user === undefined ? 'unknown_user' : 'wrong_code'
    throw new AppError('sign_in_failed', 'The code is wrong, or this user may not sign in with a code.')
  }
  return {
    proof: {
      user_id: user.user_id,
      amr: ['otp'],
      credentials_version: Number(challenge.credentials_version),
      email_key: isSent,
    },
    device,
    reservation,
    finishes,
  }
}

/** As people type and paste them: `123 456`, and with the digits of an Arabic or Persian keyboard. */
function plainDigits(typed: string): string {
  return typed
    .replaceAll(/[\s\u200e\u200f-]/g, '')
    .replaceAll(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) % 16))
}

function isSame(typed: string, code: string): boolean {
  return /^\d{6}$/.test(typed) && timingSafeEqual(Buffer.from(typed), Buffer.from(code))
}
