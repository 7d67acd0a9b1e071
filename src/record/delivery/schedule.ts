/** When messages are retried, and when a receiver that fails is left alone. Pure functions: time and randomness are arguments. */

const [second, minute] = [1000, 60_000]

/** Spreads retries: messages that failed together are not retried together. */
export const jitter = 0.2
/** After this many failed attempts in a row the receiver as a whole counts as failing. */
export const failuresUntilFailing = 5
const [shortestPauseMs, longestPauseMs] = [5 * second, 5 * minute]

/**
 * Returns the delay after failed attempt number `attempt` (from 1); undefined if there is no further try. `spread` is from 0
 * to 1.
 */
export function delayAfter(delaysMs: readonly number[], attempt: number, spread: number): number | undefined {
  const delay = delaysMs[attempt - 1]
  return delay === undefined ? undefined : Math.round(delay * (1 + jitter * spread))
}

/** Returns how long a failing receiver is left alone: the longer it fails, the longer, but short enough to notice its recovery. */
export function pauseMs(failingForMs: number): number {
  return Math.min(longestPauseMs, Math.max(shortestPauseMs, failingForMs / 4))
}
