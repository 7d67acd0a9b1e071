/** When deliveries are retried. Pure functions: time and randomness are arguments. */

const [second, minute, hour] = [1000, 60_000, 3_600_000]

/** The delay after the first attempt, the second, …; after the last one the delivery is given up. */
const delaysMs = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const

/** Spreads retries: deliveries that failed together are not retried together. */
const jitter = 0.2
/** A receiver that requests a longer pause is retried anyway: it may not know better. */
export const longestRetryAfterMs = hour

/** After so many failed attempts in a row the endpoint as a whole counts as failing. */
export const failuresUntilFailing = 5
/** After so long without a success, nothing more is sent. */
export const failingUntilDisabledMs = 5 * 24 * hour
/** After so long without an attempt, an earlier failure is ignored: longer than the longest delay between two tries. */
export const quietMs = 36 * hour
const [shortestPauseMs, longestPauseMs] = [5 * second, 5 * minute]

/** The longest delay of a retry, and the longest pause. */
export const latestRetryMs = Math.max(...delaysMs) * (1 + jitter) + longestRetryAfterMs

/** Returns the delay after failed attempt number `attempt` (from 1); undefined if there is no further try. `spread` is from 0 to 1. */
export function retryDelayMs(attempt: number, spread: number, retryAfterMs = 0): number | undefined {
  const delay = delaysMs[attempt - 1]
  if (delay === undefined) return undefined
  // Never earlier than planned: a receiver that says "in a second" would use up all attempts in ten seconds.
  return Math.max(Math.round(delay * (1 + jitter * spread)), Math.min(retryAfterMs, longestRetryAfterMs))
}

/** Returns how long a failing endpoint is left alone: the longer it fails, the longer, but short enough to notice its recovery. */
export function pauseMs(failingForMs: number): number {
  return Math.min(longestPauseMs, Math.max(shortestPauseMs, failingForMs / 4))
}

/** Parses Retry-After (RFC 9110 §10.2.3): seconds, or a date. Undefined if it is neither. */
export function readRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * second
  const date = /GMT$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
