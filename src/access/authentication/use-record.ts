/** When something was last used on this node, until that has been written down for all. */
export type UseRecord = {
  note(id: string, now: number): void
  /** In epoch milliseconds. */
  lastOf(id: string): number | undefined
  /** What was used since the last call. */
  take(): [id: string, ms: number][]
}

export function useRecord(): UseRecord {
  let uses = new Map<string, number>()
  // Kept for one more round: writing them down takes a moment.
  let taken = new Map<string, number>()

  return {
    note(id, now) {
      // A request whose body took long counts from when it came.
      if (now > (uses.get(id) ?? 0)) uses.set(id, now)
    },
    lastOf: (id) => uses.get(id) ?? taken.get(id),
    take() {
      taken = uses
      uses = new Map()
      return [...taken]
    },
  }
}
