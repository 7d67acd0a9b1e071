import { getDefaultHighWaterMark, Readable } from 'node:stream'
import type { Snapshot } from '../../store/storage/storage.ts'

/** Readers must be this fast on average: a bad mobile link is, and who dawdles to keep a place is not. */
const minBytesPerMs = 8

/**
 * A snapshot as a stream with back-pressure. It ends in an error, which cuts the connection, when the snapshot grows
 * too old or the reader falls behind: a list that is not whole must never look whole.
 *
 * A reader may keep us waiting for `stallMs`. Each piece it takes gives it back the time that the piece needs at 8 kB/s,
 * but never more than `stallMs` in all, so that what it took quickly before does not allow it to stop later.
 */
export function snapshotStream(snapshot: Snapshot, limits: { ageMs: number; stallMs: number }): Readable {
  let stall: NodeJS.Timeout | undefined
  let patienceMs = limits.stallMs
  let offeredAt = 0
  let sent: Uint8Array | undefined
  let latest: Uint8Array | undefined
  const age = setTimeout(() => stream.destroy(new Error('The snapshot became too old.')), limits.ageMs)
  const stream = new Readable({
    highWaterMark: 1, // One piece, of some 150 to 350 kB; the snapshot reads on ahead of it.
    async read() {
      clearTimeout(stall)
      // The latest piece was taken from here only when the one before it had left for good.
      release(sent)
      if (latest) patienceMs -= performance.now() - offeredAt - latest.byteLength / minBytesPerMs
      patienceMs = Math.min(patienceMs, limits.stallMs)
      sent = latest
      try {
        const bytes = await snapshot.next()
        if (stream.destroyed) return // The reader left meanwhile.
        stall = setTimeout(() => stream.destroy(new Error('The client stopped reading.')), patienceMs)
        offeredAt = performance.now()
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
