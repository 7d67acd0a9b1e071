/** Last uses on this node that are not stored yet. */
type UseRecord = {
  note(id: string, now: number): void
  /** In epoch milliseconds. */
  lastOf(id: string): number | undefined
  /** Returns the uses since the last call. */
  drain(): [id: string, ms: number][]
}

export function useRecord(): UseRecord {
  let uses = new Map<string, number>()
  // Kept for one more round, because storing them takes a moment.
  let taken = new Map<string, number>()

  return {
    note(id, now) {
      // A request with a slow body counts from its arrival.
      if (now > (uses.get(id) ?? 0)) uses.set(id, now)
    },
    lastOf: (id) => uses.get(id) ?? taken.get(id),
    drain() {
      taken = uses
      uses = new Map()
      return [...taken]
    },
  }
}
