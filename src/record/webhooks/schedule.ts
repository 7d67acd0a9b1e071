/** When something is sent again. Pure: the time and the dice are arguments. */

const [second, minute, hour] = [1000, 60_000, 3_600_000]

/** After the first attempt, the second, …; after the last of these it is given up. */
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

/** Those that failed together do not come back together. */
const jitter = 0.2
/** A receiver that asks for more is asked again anyway: it may not know. */
export const longestRetryAfterMs = hour

/** So many failed attempts in a row, and the endpoint as a whole is held to be failing. */
export const failuresUntilFailing = 5
/** After so long without any success, nothing more is sent. */
export const failingUntilDisabledMs = 5 * 24 * hour
/** After so long without any attempt, an earlier failure says nothing: longer than two tries of one delivery are apart. */
export const quietMs = 36 * hour
const [shortestPauseMs, longestPauseMs] = [5 * second, 5 * minute]

/** No retry is planned for later than this from now, and no pause lasts longer. */
export const latestRetryMs = Math.max(...delaysMs) * (1 + jitter) + longestRetryAfterMs

/** How long after failed attempt number `attempt` (from 1); undefined: there is no other. `spread` is from 0 to 1. */
export function retryDelayMs(attempt: number, spread: number, retryAfterMs = 0): number | undefined {
  const delay = delaysMs[attempt - 1]
  if (delay === undefined) return undefined
  // Never sooner than planned: a receiver that says "in a second" would use up all attempts in ten.
  return Math.max(Math.round(delay * (1 + jitter * spread)), Math.min(retryAfterMs, longestRetryAfterMs))
}

/** How long a failing endpoint is left alone: the longer it has failed, the longer, but its return is noticed soon. */
export function pauseMs(failingForMs: number): number {
  return Math.min(longestPauseMs, Math.max(shortestPauseMs, failingForMs / 4))
}

/** RFC 9110 §10.2.3: seconds, or a date. Undefined when it is neither. */
export function readRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * second
  const date = /GMT$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
