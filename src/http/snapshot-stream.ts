import { Readable } from 'node:stream'
import type { Snapshot } from '../store.ts'

/**
 * A snapshot as a stream with back-pressure. It ends in an error, which cuts the connection, when the snapshot grows
 * too old or the reader takes nothing for too long: a list that is not whole must never look whole.
 */
export function snapshotStream(snapshot: Snapshot, limits: { ageMs: number; stallMs: number }): Readable {
  let stall: NodeJS.Timeout | undefined
  const age = setTimeout(() => stream.destroy(new Error('The snapshot grew too old.')), limits.ageMs)
  const stream = new Readable({
    highWaterMark: 1, // One piece ahead: pieces are some 200 kB.
    async read() {
      clearTimeout(stall)
      try {
        const bytes = await snapshot.next()
        if (stream.destroyed) return // The reader left meanwhile.
        stall = setTimeout(() => stream.destroy(new Error('The reader stalled.')), limits.stallMs)
        stream.push(bytes ?? null)
      } catch (error) {
        stream.destroy(error as Error)
      }
    },
    destroy(error, done) {
      clearTimeout(stall)
      clearTimeout(age)
      snapshot.close()
      done(error)
    },
  })
  return stream
}
