/** A password that a directory checks. Attempts are counted like those with our own passwords, against guessing. */
import { AppError } from '../../core/errors.ts'
import { signInFailed } from '../../directory/users/service.ts'
import type { Secrets } from '../../store/secrets/service.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { signInAttempt } from '../sign-in/attempt.ts'
import { requestAt, type When } from '../sign-in/proof.ts'
import { refuseEarly } from '../sign-in/throttle-service.ts'
import type { Entered } from './judge.ts'
import { SignInRefused } from './refused.ts'
import type { CompanySignIn, Confirmed, Confirming, Entering } from './service.ts'
import { TestFinished } from './test-sign-in.ts'

type Parts = { storage: Storage; secrets: Secrets; companySignIn: CompanySignIn }

/** Length limits; longer input never reaches the directory. */
const [longestName, longestPassword] = [320, 1024]

type Given = Pick<Entering, 'connection_id' | 'username' | 'password' | 'visit'>

/** @throws AppError `sign_in_failed`, `too_many_attempts`; SignInRefused, TestFinished */
export function enterWithPassword(parts: Parts, entering: Entering, when: When): Promise<Entered> {
  return counted(parts, entering, when, () => parts.companySignIn.enter(entering, when))
}

/** @throws AppError `sign_in_failed`, `too_many_attempts`; SignInRefused */
export function confirmWithPassword(parts: Parts, confirming: Confirming, when: When): Promise<Confirmed> {
  return counted(parts, confirming, when, () => parts.companySignIn.confirm(confirming, when))
}

/** Counts an attempt, unless its password was right or could not be checked. */
async function counted<Result>(
  { storage, secrets }: Parts,
  { connection_id, username, password, visit }: Given,
  when: When,
  check: () => Promise<Result>,
): Promise<Result> {
  if (username === '' || username.length > longestName || password === '' || password.length > longestPassword) {
    throw signInFailed()
  }
  // Most servers take an empty password, or one that ends at NUL, for an anonymous bind and say yes.
  if (/\p{Cc}/u.test(username) || /\p{Cc}/u.test(password)) throw signInFailed()
  const name = `${connection_id} ${username.normalize('NFKC')}`
  const attempt = signInAttempt({
    name,
    user: undefined,
    device: undefined,
    address: visit.address,
    secret: secrets.device,
  })
  await refuseEarly({ db: storage.db, now: when.now }, attempt)
  const { result: reservation } = await storage.change('throttles.reserve', attempt, requestAt(when))
  if (reservation.isShutOut) throw signInFailed()
  try {
    const result = await check()
    await storage.change('throttles.clear', reservation, requestAt(when))
    return result
  } catch (error) {
    if (error instanceof SignInRefused && error.reason === 'wrong_password') throw signInFailed()
    // The password was not wrong: a directory that is down must not lock its users out.
    const isEndedTest = error instanceof TestFinished && !error.isWrongPassword
    if (error instanceof SignInRefused || error instanceof AppError || isEndedTest) {
      await storage.change('throttles.give_back', reservation, requestAt(when))
    }
    throw error
  }
}
