/** A password that a directory checks. Attempts are counted like those with our own passwords, against guessing. */
import { AppError } from '../../../core/errors.ts'
import type { Hasher } from '../../../directory/passwords/service.ts'
import { canUsePassword, domainIn, findByTypedName, signInFailed } from '../../../directory/users/service.ts'
import { trimEnds } from '../../../lib/typed-name.ts'
import { anonymous, type Recorder } from '../../../record/audit/service.ts'
import type { Db } from '../../../store/db/db.ts'
import type { Secrets } from '../../../store/secrets/service.ts'
import type { Storage } from '../../../store/storage/storage.ts'
import { type Button, listButtons } from '../../providers/connections/service.ts'
import { isPossiblePassword, requestAt, type When } from '../sign-in/service.ts'
import { type Attempt, callerOf, refuseEarly, signInAttempt } from '../throttling/service.ts'
import type { CompanySignIn } from './company-sign-in.ts'
import type { Confirmed, Confirming, Entering } from './directory-password.ts'
import { originOf } from './failures.ts'
import type { Entered } from './judge.ts'
import { SignInRefused } from './refused.ts'
import { TestFinished } from './test-sign-in.ts'

type Parts = { storage: Storage; secrets: Secrets; recorder: Recorder; companySignIn: CompanySignIn }

/** Length limits; longer input never reaches the directory. */
const [longestName, longestPassword] = [320, 1024]

const recordedCodes: readonly string[] = ['sign_in_failed', 'too_many_attempts']

type Given = Pick<Entering, 'connection_id' | 'username' | 'password' | 'visit'>

/** @throws AppError `sign_in_failed`, `too_many_attempts`; SignInRefused, TestFinished */
export async function enterWithPassword(parts: Parts, entering: Entering, when: When): Promise<Entered> {
  return recorded(parts, entering, when, async (tried) => {
    if (!isForDirectory(entering)) throw signInFailed()
    return counted(parts, entering, when, ({ isShutOut }) => {
      tried.isShutOut = isShutOut
      if (isShutOut) throw signInFailed()
      return parts.companySignIn.enter(entering, when)
    })
  })
}

/** @throws AppError `sign_in_failed`, `too_many_attempts`; SignInRefused */
export async function confirmWithPassword(parts: Parts, confirming: Confirming, when: When): Promise<Confirmed> {
  if (!isForDirectory(confirming)) throw signInFailed()
  return counted(parts, confirming, when, ({ isShutOut }) => {
    if (isShutOut) throw signInFailed()
    return parts.companySignIn.confirm(confirming, when)
  })
}

/**
 * The same from the form that asks for a name of any kind. No response may reveal whether it belongs to a user here or to one
 * of the directory, or exists at all, so every failure costs a hash and a question to the directory: see `askForNobody`.
 *
 * @throws AppError `sign_in_failed`, `too_many_attempts`, `overloaded`; SignInRefused
 */
export function enterFromForm(
  parts: Parts & { hasher: Pick<Hasher, 'verifyEvenly'> },
  entering: Entering,
  when: When,
): Promise<Entered> {
  const { companySignIn, hasher } = parts
  return recorded(parts, entering, when, (tried) =>
    counted(parts, entering, when, async ({ isShutOut, attempt }) => {
      tried.isShutOut = isShutOut
      await hasher.verifyEvenly(null, entering.password, callerOf(attempt, entering.visit.address))
      if (!isShutOut && isForDirectory(entering)) return companySignIn.enter(entering, when)
      await companySignIn.askForNobody(entering, when)
      throw signInFailed()
    }),
  )
}

/**
 * Returns the directory that the form asks about a name: the one for its domain, or the only one that is not for certain
 * domains. `isOfUser`: the name belongs to a user with a password here, so only that password counts.
 */
export async function directoryFor(
  db: Db,
  { username, password }: Pick<Given, 'username' | 'password'>,
): Promise<{ directory: Button | undefined; isOfUser: boolean }> {
  const name = trimEnds(username.normalize('NFKC'))
  const domain = domainIn(name)
  const buttons = await listButtons(db, { domain })
  const forDomain = buttons.filter(({ domains }) => domain !== undefined && domains.includes(domain))
  const others = buttons.filter(
    ({ domains, way, isForDomainsOnly }) =>
      // Otherwise an organization could have the passwords of everyone sent to its directory.
      !isForDomainsOnly && way === 'password' && (domain === undefined || domains.length === 0),
  )
  const [directory, ...more] = forDomain.length > 0 ? forDomain : others
  if (directory?.way !== 'password' || more.length > 0 || !isPossiblePassword(password)) {
    return { directory: undefined, isOfUser: false }
  }
  const user = await findByTypedName(db, name)
  return { directory, isOfUser: user !== undefined && (await canUsePassword(db, user)) }
}

/** Most servers take an empty password, or one that ends at NUL, for an anonymous bind and say yes. */
function isForDirectory({ username, password }: Given): boolean {
  const isShort = username.length <= longestName && password.length <= longestPassword
  return username !== '' && password !== '' && isShort && !/\p{Cc}/u.test(username) && !/\p{Cc}/u.test(password)
}

/** Records the refusals that no connection has recorded, as sign-in.ts does for passwords of ours. */
async function recorded<Result>(
  { recorder }: Parts,
  { connection_id, purpose, visit }: Entering,
  when: When,
  enter: (tried: { isShutOut: boolean }) => Promise<Result>,
): Promise<Result> {
  const tried = { isShutOut: false }
  try {
    return await enter(tried)
  } catch (error) {
    const isRefusal = error instanceof AppError && recordedCodes.includes(error.code)
    if (isRefusal && purpose === 'sign_in') {
      const details = { method: 'sso', connection_id, ...(tried.isShutOut && { reason: 'locked' }) }
      const entry = {
        action: 'session.created',
        outcome: 'failure' as const,
        code: error.code,
        actor: anonymous,
        details,
      }
      await recorder.record(error, { entry, origin: originOf(visit), ...when })
    }
    throw error
  }
}

/** Counts an attempt, unless its password was right or could not be checked. */
async function counted<Result>(
  { storage, secrets, recorder }: Parts,
  { connection_id, username, visit }: Given,
  when: When,
  check: (counting: { attempt: Attempt; isShutOut: boolean }) => Promise<Result>,
): Promise<Result> {
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
  try {
    const result = await check({ attempt, isShutOut: reservation.isShutOut })
    await storage.change('throttles.clear', reservation, requestAt(when))
    return result
  } catch (error) {
    if (error instanceof AppError && error.code === 'sign_in_failed') throw error
    if (error instanceof SignInRefused && error.reason === 'wrong_password') {
      const failed = signInFailed()
      recorder.skip(failed)
      throw failed
    }
    // The password was not wrong: a directory that is down must not lock its users out.
    const isEndedTest = error instanceof TestFinished && !error.isWrongPassword
    if (error instanceof SignInRefused || error instanceof AppError || isEndedTest) {
      await storage.change('throttles.give_back', reservation, requestAt(when))
    }
    throw error
  }
}
