/** How long the store must be quiet before rows go into the search index. */
export const quietMs = 50
/** The longest time that rows wait for a quiet moment. */
export const patienceMs = 10_000
/** From this many on, indexing waits for nothing: searches read the waiting rows one by one. */
export const waitingLimit = 100_000
/** The longest pause after failed steps, as on a full disk. */
export const longestPauseMs = 60_000

export type IndexSchedule = {
  /** Changes happened at `now`; `waiting` rows are not indexed. */
  changed(now: number, waiting: number): void
  /** A step ran; `waiting` rows are not indexed. `isMerging`: a part of the index still has to be rewritten. */
  stepped(waiting: number, isMerging: boolean): void
  failed(now: number): void
  /** When the next step is due if nothing happens until then; undefined if there is nothing to do. */
  quietAt(): number | undefined
  /** Whether a step is due immediately, despite traffic. */
  isOverdue(now: number): boolean
  /** Whether the last step failed, so that the next one has to wait. */
  isPaused(now: number): boolean
}

/** Decides when waiting rows go into the search index. Times are milliseconds of one clock. */
export function indexSchedule(): IndexSchedule {
  let waiting = 0
  let isMerging = false
  let lastChange = 0
  let waitingSince: number | undefined
  let pauseMs = 0
  let pausedUntil = 0

  return {
    changed(now, rows) {
      waiting = rows
      lastChange = now
      waitingSince = rows === 0 ? undefined : (waitingSince ?? now)
    },
    stepped(rows, merging) {
      waiting = rows
      isMerging = merging
      if (rows === 0) waitingSince = undefined
      pauseMs = 0
      pausedUntil = 0
    },
    failed(now) {
      pauseMs = Math.min(Math.max(2 * pauseMs, quietMs), longestPauseMs)
      pausedUntil = now + pauseMs
    },
    quietAt() {
      if (waitingSince === undefined && !isMerging) return undefined
      const patientUntil = waitingSince === undefined ? Number.POSITIVE_INFINITY : waitingSince + patienceMs
      return Math.max(Math.min(lastChange + quietMs, patientUntil), pausedUntil)
    },
    isOverdue(now) {
      if (waitingSince === undefined || now < pausedUntil) return false
      return waiting > waitingLimit || now >= waitingSince + patienceMs
    },
    isPaused: (now) => now < pausedUntil,
  }
}
