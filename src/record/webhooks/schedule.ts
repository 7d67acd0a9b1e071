/** When deliveries are retried. Pure functions: time and randomness are arguments. */

import { delayAfter, jitter } from '../delivery/service.ts'

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

/** A receiver that requests a longer pause is retried anyway: it may not know better. */
export const longestRetryAfterMs = hour

/** After this long without a success, nothing more is sent. */
export const failingUntilDisabledMs = 5 * 24 * hour
/** After this long without an attempt, an earlier failure is ignored: longer than the longest delay between two tries. */
export const quietMs = 36 * hour

/** The longest delay of a retry, and the longest pause. */
export const latestRetryMs = Math.max(...delaysMs) * (1 + jitter) + longestRetryAfterMs

/** Returns the delay after failed attempt number `attempt` (from 1); undefined if there is no further try. `spread` is from 0 to 1. */
export function retryDelayMs(attempt: number, spread: number, retryAfterMs = 0): number | undefined {
  const delay = delayAfter(delaysMs, attempt, spread)
  if (delay === undefined) return undefined
  // Never earlier than planned: a receiver that says "in a second" would use up all attempts in ten seconds.
  return Math.max(delay, Math.min(retryAfterMs, longestRetryAfterMs))
}

/** Parses Retry-After (RFC 9110 §10.2.3): seconds, or a date. Undefined if it is neither. */
export function readRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * second
  const date = /GMT$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
