/** So long nothing must have happened before rows go into the search index. */
export const quietMs = 50
/** Rows wait no longer than so for a quiet moment. */
export const patienceMs = 10_000
/** From here on indexing waits for nothing: searches read the waiting rows one by one. */
export const waitingLimit = 100_000
/** The longest pause after steps that failed, as they do on a full disk. */
export const longestPauseMs = 60_000

export type IndexSchedule = {
  /** Something happened at `now`, after which `waiting` rows are not indexed. */
  happened(now: number, waiting: number): void
  failed(now: number): void
  succeeded(): void
  /** When the next step is to be made if nothing happens until then; undefined while no row waits. */
  quietAt(): number | undefined
  /** Whether a step is to be made at once, traffic or not. */
  isOverdue(now: number): boolean
}

/** When to put the rows that wait into the search index. Times are milliseconds of one clock. */
export function indexSchedule(): IndexSchedule {
  let waiting = 0
  let lastEvent = 0
  let waitingSince: number | undefined
  let pauseMs = 0
  let pausedUntil = 0

  return {
    happened(now, rows) {
      waiting = rows
      lastEvent = now
      waitingSince = rows === 0 ? undefined : (waitingSince ?? now)
    },
    failed(now) {
      pauseMs = Math.min(Math.max(2 * pauseMs, quietMs), longestPauseMs)
      pausedUntil = now + pauseMs
    },
    succeeded() {
      pauseMs = 0
      pausedUntil = 0
    },
    quietAt() {
      if (waitingSince === undefined) return undefined
      return Math.max(Math.min(lastEvent + quietMs, waitingSince + patienceMs), pausedUntil)
    },
    isOverdue(now) {
      if (waitingSince === undefined || now < pausedUntil) return false
      return waiting > waitingLimit || now >= waitingSince + patienceMs
    },
  }
}
