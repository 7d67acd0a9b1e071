import { AppError } from '../../core/errors.ts'
import { counter, each, type Family } from '../../core/metric-family.ts'

/** `challenged`: a second factor is next; `failed`: wrong name, password or code; `throttled`: not checked; `refused`: not the user's fault. */
type Outcome = 'succeeded' | 'challenged' | 'failed' | 'throttled' | 'refused'

export type SignInCounts = {
  /** Counts the outcome of a sign-in and passes it on. */
  count<T>(signingIn: Promise<T>): Promise<T>
  families: Family[]
}

export function createSignInCounts(): SignInCounts {
  const outcomes: Record<Outcome, number> = { succeeded: 0, challenged: 0, failed: 0, throttled: 0, refused: 0 }
  return {
    async count(signingIn) {
      try {
        const signedIn = await signingIn
        outcomes[isChallenge(signedIn) ? 'challenged' : 'succeeded']++
        return signedIn
      } catch (error) {
        outcomes[outcomeOf(error)]++
        throw error
      }
    },
    families: [
      counter('rollbook_sign_ins_total', 'Sign-in attempts by outcome.', () => each('outcome', outcomes), ['outcome']),
    ],
  }
}

function isChallenge(outcome: unknown): boolean {
  return typeof outcome === 'object' && outcome !== null && 'next' in outcome
}

function outcomeOf(error: unknown): Outcome {
  const code = error instanceof AppError ? error.code : undefined
  if (code === 'sign_in_failed' || code === 'second_factor_failed') return 'failed'
  return code === 'too_many_attempts' ? 'throttled' : 'refused'
}
