/**
 * Returns what runs a read at the end of the turn of the event loop, once for all callers of the turn that ask for the same.
 * It is not older than any of them.
 */
export function sameTurn() {
  let reads = new Map<string, Promise<unknown>>()
  return <Found>(key: string, read: () => Promise<Found>): Promise<Found> => {
    if (reads.size === 0) {
      setImmediate(() => {
        reads = new Map()
      })
    }
    const known = reads.get(key) as Promise<Found> | undefined
    if (known !== undefined) return known
    const made = new Promise((resolve) => setImmediate(resolve)).then(read)
    reads.set(key, made)
    return made
  }
}
