/** Counters of one application. All other figures are read on demand. */
import { AppError } from '../../core/errors.ts'
import { type RequestTimes, requestTimes } from './request-times.ts'

/** `failed`: wrong name or password; `throttled`: not checked; `refused`: not the user's fault. */
export const signInOutcomes = ['succeeded', 'failed', 'throttled', 'refused'] as const
type SignInOutcome = (typeof signInOutcomes)[number]

export type Counts = {
  readonly requests: RequestTimes
  readonly signIns: Record<SignInOutcome, number>
  /** Counts the outcome of a sign-in and passes it on. */
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
