import { getDefaultHighWaterMark, Readable } from 'node:stream'
import type { Snapshot } from '../store.ts'

/**
 * A snapshot as a stream with back-pressure. It ends in an error, which cuts the connection, when the snapshot grows
 * too old or the reader takes nothing for too long: a list that is not whole must never look whole.
 */
export function snapshotStream(snapshot: Snapshot, limits: { ageMs: number; stallMs: number }): Readable {
  let stall: NodeJS.Timeout | undefined
  let sent: Uint8Array | undefined
  let latest: Uint8Array | undefined
  const age = setTimeout(() => stream.destroy(new Error('The snapshot grew too old.')), limits.ageMs)
  const stream = new Readable({
    highWaterMark: 1, // One piece ahead: pieces are some 200 kB.
    async read() {
      clearTimeout(stall)
      // The latest piece was taken from here only when the one before it had left for good.
      release(sent)
      sent = latest
      try {
        const bytes = await snapshot.next()
        if (stream.destroyed) return // The reader left meanwhile.
        stall = setTimeout(() => stream.destroy(new Error('The reader stalled.')), limits.stallMs)
        latest = bytes
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

/** A piece of this size fills the stream behind it, which therefore takes the next one only when this one has left. */
const fillingBytes = 2 * getDefaultHighWaterMark(false)

/**
 * Gives the memory of a piece back at once. Waiting for the garbage collector took a quarter of the main thread's time,
 * because it is called by the amount of memory outside its heap.
 */
function release(piece: Uint8Array | undefined): void {
  const buffer = piece?.buffer
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength < fillingBytes) return
  if (buffer.byteLength === piece?.byteLength) buffer.transfer(0)
}
