/** When messages are retried. Pure functions: time and randomness are arguments. */
import { delayAfter } from '../../delivery/service.ts'

const [second, minute, hour] = [1000, 60_000, 3_600_000]

/** The delay after the first attempt, the second, …; the last one repeats. Greylisting (RFC 6647) accepts after some minutes. */
const delaysMs = [30 * second, 2 * minute, 5 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 4 * hour] as const

/** After this long without success, Rollbook gives up on a message (RFC 5321 §4.5.4.1 asks for at least four days between servers). */
export const givenUpAfterMs = 48 * hour

/** Returns the delay after failed attempt number `attempt` (from 1). `spread` is from 0 to 1. */
export function retryDelayMs(attempt: number, spread: number): number {
  return delayAfter(delaysMs, Math.min(attempt, delaysMs.length), spread) as number
}
