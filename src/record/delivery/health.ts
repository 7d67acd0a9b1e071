/** The state of a receiver as a whole: one that fails several times in a row is probed by one message at a time. */
import { timestamp } from '../../lib/instant.ts'
import { failuresUntilFailing, pauseMs } from './schedule.ts'

export type Health = {
  /** Failed attempts since the last success. */
  failure_count: number
  failing_since: string | null
  /** Until then nothing is sent, except to probe. */
  paused_until: string | null
}

/** The outcome of one step. */
export type Learned = {
  hasSucceeded: boolean
  failures: number
  /** How long the receiver asks to be left alone. */
  askedMs: number
  /** Another probe may be sent at once: one was released unsent, or a test shows that the receiver responds. */
  isProbeWanted: boolean
}

/** Returns how to treat the receiver from now on; undefined if nothing changes. */
export function healthAfter(before: Health, learned: Learned, now: number): Health | undefined {
  const { hasSucceeded, failures, askedMs, isProbeWanted } = learned
  const pauseFor = (ms: number) => (ms > 0 ? timestamp(now + ms) : null)
  if (hasSucceeded) {
    if (before.failure_count === 0 && before.failing_since === null && askedMs === 0) return undefined
    const pausedUntil = before.failing_since === null ? before.paused_until : null
    return { failure_count: 0, failing_since: null, paused_until: pauseFor(askedMs) ?? pausedUntil }
  }
  if (failures === 0) {
    const { failure_count, failing_since } = before
    return failing_since !== null && isProbeWanted ? { failure_count, failing_since, paused_until: null } : undefined
  }
  const failure_count = before.failure_count + failures
  const isFailing = before.failing_since !== null || failure_count >= failuresUntilFailing
  const failing_since = isFailing ? (before.failing_since ?? timestamp(now)) : null
  const pause = failing_since === null ? 0 : pauseMs(now - Date.parse(failing_since))
  return { failure_count, failing_since, paused_until: pauseFor(Math.max(pause, askedMs)) ?? before.paused_until }
}
