/** So long nothing must have happened before rows go into the search index. */
export const quietMs = 50
/** Rows wait no longer than so for a quiet moment. */
export const patienceMs = 10_000
/** From here on indexing waits for nothing: searches read the waiting rows one by one. */
export const waitingLimit = 100_000
/** The longest pause after steps that failed, as they do on a full disk. */
export const longestPauseMs = 60_000

export type IndexSchedule = {
  /** Changes were made at `now`, after which `waiting` rows are not indexed. */
  changed(now: number, waiting: number): void
  /** A step was made, after which `waiting` rows are not indexed; `isMerging`: the index is still to be rewritten in part. */
  stepped(waiting: number, isMerging: boolean): void
  failed(now: number): void
  /** When the next step is to be made if nothing happens until then; undefined while there is nothing to do. */
  quietAt(): number | undefined
  /** Whether a step is to be made at once, traffic or not. */
  isOverdue(now: number): boolean
  /** Whether the last step failed, and the next one is to wait. */
  isPaused(now: number): boolean
}

/** When to put the rows that wait into the search index. Times are milliseconds of one clock. */
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
