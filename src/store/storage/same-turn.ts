/**
 * Returns a function that runs a read once for all callers of one turn of the event loop that request the same. It
 * runs at the end of the turn, so the result is newer than each request.
 */
export function sameTurn({ waitsItself }: { waitsItself: boolean }) {
  let reads = new Map<string, Promise<unknown>>()
  return <Found>(key: string, read: () => Promise<Found>): Promise<Found> => {
    if (reads.size === 0) {
      setImmediate(() => {
        reads = new Map()
      })
    }
    const known = reads.get(key) as Promise<Found> | undefined
    if (known !== undefined) return known
    const result = waitsItself ? read() : new Promise((resolve) => setImmediate(resolve)).then(read)
    reads.set(key, result)
    return result
  }
}
