/** Memory that only the start needed. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const soonMs = 1500

/**
 * Collects, a moment after the start, what the start left in the heap of this thread, with the compiled code of what runs once. V8 does it
 * when memory gets scarce, which an idle server never lets happen (docs/decisions/0084-memory-of-the-start.md).
 */
export function giveBackAfterStart(): void {
  setTimeout(() => {
    // The way to a collection that Node documents needs a flag of the command line, and not all start it with ours.
    // It is never taken back: flags are of the process, and another thread may be about to use it.
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('globalThis.gc') as NodeJS.GCFunction | undefined
    void collect?.({ type: 'major', execution: 'async', flavor: 'last-resort' })
  }, soonMs).unref()
}
