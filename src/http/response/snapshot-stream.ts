import { getDefaultHighWaterMark, Readable } from 'node:stream'
import type { Snapshot } from '../../store/storage/storage.ts'

/** The average speed a reader must reach: a bad mobile connection does, a reader that stalls on purpose does not. */
const minBytesPerMs = 8

/**
 * A snapshot as a stream with back-pressure. If the snapshot gets too old or the reader falls behind, the stream fails and
 * cuts the connection: an incomplete list must never look complete.
 *
 * A reader may keep us waiting for `stallMs`. Each chunk it reads earns back the time that the chunk needs at 8 kB/s, up to
 * `stallMs` in total, so reading fast at first does not allow a long stall later.
 */
export function snapshotStream(snapshot: Snapshot, limits: { ageMs: number; stallMs: number }): Readable {
  let stall: NodeJS.Timeout | undefined
  let patienceMs = limits.stallMs
  let offeredAt = 0
  let sent: Uint8Array | undefined
  let latest: Uint8Array | undefined
  const age = setTimeout(() => stream.destroy(new Error('The snapshot became too old.')), limits.ageMs)
  const stream = new Readable({
    highWaterMark: 1, // One chunk of some 150 to 350 kB; the snapshot reads ahead of it.
    async read() {
      clearTimeout(stall)
      // The previous chunk has left completely when the next one is requested.
      release(sent)
      if (latest) patienceMs -= performance.now() - offeredAt - latest.byteLength / minBytesPerMs
      patienceMs = Math.min(patienceMs, limits.stallMs)
      sent = latest
      try {
        const bytes = await snapshot.next()
        if (stream.destroyed) return // The reader left in the meantime.
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

/** A chunk of this size fills the stream behind it, so the next one is requested only when this one has left. */
const fillingBytes = 2 * getDefaultHighWaterMark(false)

/**
 * Frees a chunk's memory at once. Leaving it to the garbage collector took a quarter of the main thread's time, because
 * the collector runs according to the memory outside its heap.
 */
function release(piece: Uint8Array | undefined): void {
  const buffer = piece?.buffer
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength < fillingBytes) return
  if (buffer.byteLength === piece?.byteLength) buffer.transfer(0)
}
