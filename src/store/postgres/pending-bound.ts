/**
 * Tracks the id from which journal entries may still be pending. While any transaction of the database stays open,
 * PostgreSQL cannot remove taken entries, and each read would walk through all of them.
 */
export type PendingBound = {
  /** The greatest id assigned by now. */
  note(id: number): void
  /** Every entry up to this id has been taken; briefly 0 once a minute, as a safeguard. */
  get(): number
}

/** Many times the longest time between a change's entry and its commit. */
const latestMs = 120_000
const [noteEveryMs, wholeEveryMs, wholeMs] = [10_000, 60_000, 1500]

export function pendingBound(clock: () => number = () => performance.now()): PendingBound {
  let notes: { id: number; at: number }[] = []
  let bound = 0

  return {
    note(id) {
      const now = clock()
      const last = notes.at(-1)
      // Another server, restored from a backup, may count from a smaller number.
      if (last !== undefined && id < last.id) [notes, bound] = [[], 0]
      if (last === undefined || id < last.id || now - last.at >= noteEveryMs) notes.push({ id, at: now })
      while (notes[0] !== undefined && now - notes[0].at >= latestMs) bound = (notes.shift() as { id: number }).id
    },
    get() {
      // Long enough for the finder of an entry to take it.
      return clock() % wholeEveryMs < wholeMs ? 0 : bound
    },
  }
}
