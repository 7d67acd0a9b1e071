/** Memory that only the start needed. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const soonMs = 1500
/** The share of the time that a thread may work and still count as idle. */
const idleShare = 0.2
/** A thread that works longer than this has made V8 collect what the start left. */
const attempts = 40

/**
 * Collects, a moment after the start, what the start left in the heap of this thread, with the compiled code of what runs once. V8 does it
 * when memory gets scarce, which an idle server never lets happen (docs/decisions/0084-memory-of-the-start.md). It waits for a moment
 * without much work: the collection stops the thread for some 0.1 s, and drops the optimized code of what runs just then.
 */
export function giveBackAfterStart(): void {
  let before = performance.eventLoopUtilization()
  let attempt = 0
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    const isIdle = utilization < idleShare
    if (isIdle || ++attempt === attempts) clearInterval(timer)
    if (isIdle) collectAll()
  }, soonMs).unref()
}

function collectAll(): void {
  // The way to a collection that Node documents needs a flag of the command line, and not all start it with ours.
  // It is never taken back: flags are of the process, and another thread may be about to use it.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('globalThis.gc') as NodeJS.GCFunction | undefined
  void collect?.({ type: 'major', execution: 'async', flavor: 'last-resort' })
}
