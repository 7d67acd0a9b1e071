import { AppError } from '../../../core/errors.ts'
import { counter, each, type Family } from '../../../core/metric-family.ts'
import type { Method } from '../../../lib/amr.ts'
import type { Session } from '../../credentials/sessions/schema.ts'

/** `challenged`: a second factor is next; `failed`: wrong name, password or code; `throttled`: not checked; `refused`: not the user's fault. */
type Outcome = 'succeeded' | 'challenged' | 'failed' | 'throttled' | 'refused'

/** Thrown where a flow looks like a sign-in but is not one, such as a test. */
export class NoSignIn extends Error {}

export type SignInCounts = {
  /** Counts the outcome of a sign-in and passes it on. `step`: what was shown, for second steps that fail. */
  count<T>(signingIn: Promise<T>, step?: string): Promise<T>
  families: Family[]
}

export function createSignInCounts(): SignInCounts {
  const outcomes: Record<Outcome, number> = { succeeded: 0, challenged: 0, failed: 0, throttled: 0, refused: 0 }
  const methods: Record<Method, number> = { pwd: 0, otp: 0, pop: 0, user: 0, mfa: 0, sso: 0 }
  const failedSteps: Record<Step, number> = { totp: 0, recovery_code: 0, passkey: 0 }
  const isStep = (step: string | undefined): step is Step => step !== undefined && Object.hasOwn(failedSteps, step)
  return {
    async count(signingIn, step) {
      try {
        const signedIn = await signingIn
        outcomes[isChallenge(signedIn) ? 'challenged' : 'succeeded']++
        for (const method of methodsOf(signedIn)) methods[method]++
        return signedIn
      } catch (error) {
        if (error instanceof NoSignIn) throw error
        outcomes[outcomeOf(error)]++
        if (isFailedStep(error) && isStep(step)) failedSteps[step]++
        throw error
      }
    },
    families: [
      counter('rollbook_sign_ins_total', 'Sign-in attempts by outcome.', () => each('outcome', outcomes), ['outcome']),
      counter(
        'rollbook_sign_ins_by_method_total',
        'Sign-ins that started a session, by each of their methods (amr).',
        () => each('method', methods),
        ['method'],
      ),
      counter(
        'rollbook_second_factor_failures_total',
        'Second steps of a sign-in that failed, by what was shown.',
        () => each('kind', failedSteps),
        ['kind'],
      ),
    ],
  }
}

type Step = 'totp' | 'recovery_code' | 'passkey'

/** A password's sign-in holds the session in `signedIn`, a company's in `finished`. */
type Started = {
  signedIn?: { session?: Pick<Session, 'amr'> }
  finished?: { session?: Pick<Session, 'amr'>; outcome?: string }
}

function methodsOf(outcome: unknown): Method[] {
  const { signedIn, finished } = (typeof outcome === 'object' && outcome !== null ? outcome : {}) as Started
  return ((signedIn ?? finished)?.session?.amr ?? []) as Method[]
}

function isFailedStep(error: unknown): boolean {
  return error instanceof AppError && error.code === 'second_factor_failed'
}

function isChallenge(outcome: unknown): boolean {
  if (typeof outcome !== 'object' || outcome === null) return false
  return 'next' in outcome || (outcome as Started).finished?.outcome === 'next'
}

function outcomeOf(error: unknown): Outcome {
  const code = error instanceof AppError ? error.code : undefined
  if (code === 'sign_in_failed' || code === 'second_factor_failed') return 'failed'
  return code === 'too_many_attempts' ? 'throttled' : 'refused'
}
