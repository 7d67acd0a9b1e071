/**
 * From where on entries of the journal may still wait. While some transaction of the database stays open, PostgreSQL
 * cannot clear away the entries that were taken, and each look would walk through all of them.
 */
export type PendingBound = {
  /** The greatest id that was given by now. */
  note(id: number): void
  /** Every entry with this id, or a smaller one, has been taken; for a moment of each minute 0, in case that was not true. */
  get(): number
}

/** Many times as long as a change can take between its entry and its commit. */
const latestMs = 120_000
const [noteEveryMs, wholeEveryMs, wholeMs] = [10_000, 60_000, 1500]

export function pendingBound(clock: () => number = () => performance.now()): PendingBound {
  let notes: { id: number; at: number }[] = []
  let bound = 0

  return {
    note(id) {
      const now = clock()
      const last = notes.at(-1)
      // Another server, restored from elsewhere, may count anew.
      if (last !== undefined && id < last.id) [notes, bound] = [[], 0]
      if (last === undefined || id < last.id || now - last.at >= noteEveryMs) notes.push({ id, at: now })
      while (notes[0] !== undefined && now - notes[0].at >= latestMs) bound = (notes.shift() as { id: number }).id
    },
    get() {
      // Long enough for who finds one to take it.
      return clock() % wholeEveryMs < wholeMs ? 0 : bound
    },
  }
}
