/** What is counted while it happens, one for each application. Everything else is asked for when somebody looks. */
import { AppError } from '../../core/errors.ts'
import { type RequestTimes, requestTimes } from './request-times.ts'

/** `failed`: not this name with this password; `throttled`: nobody looked; `refused`: no fault of who signs in. */
export const signInOutcomes = ['succeeded', 'failed', 'throttled', 'refused'] as const
type SignInOutcome = (typeof signInOutcomes)[number]

export type Counts = {
  readonly requests: RequestTimes
  readonly signIns: Record<SignInOutcome, number>
  /** Counts how a sign-in ends, and hands that on. */
  signIn<T>(signingIn: Promise<T>): Promise<T>
}

export function createCounts(): Counts {
  const signIns = { succeeded: 0, failed: 0, throttled: 0, refused: 0 }
  return {
    requests: requestTimes(),
    signIns,
    async signIn(signingIn) {
      try {
        const signedIn = await signingIn
        signIns.succeeded++
        return signedIn
      } catch (error) {
        signIns[outcomeOf(error)]++
        throw error
      }
    },
  }
}

function outcomeOf(error: unknown): SignInOutcome {
  const code = error instanceof AppError ? error.code : undefined
  if (code === 'sign_in_failed') return 'failed'
  return code === 'too_many_attempts' ? 'throttled' : 'refused'
}
