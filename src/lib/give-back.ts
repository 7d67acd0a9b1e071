/** Releases memory that only the start needed. */
const soonMs = 1500
/** The share of the time that a thread may work and still count as idle. */
const idleShare = 0.2
/** After this much work, V8 has collected the garbage of the start by itself. */
const attempts = 40

/**
 * Collects the garbage of the start in this thread's heap, a moment after the start, including compiled code that runs
 * only once. V8 itself would do so only when memory becomes scarce, which never happens on an idle server
 * (docs/decisions/speed.md, 0084). It waits for a moment with little work: the collection stops the thread
 * for some 0.1 s, and drops the optimized code of running functions.
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

/** Node has this function under the flag `--expose-gc`, which all our commands pass; without it, the memory stays. */
function collectAll(): void {
  void globalThis.gc?.({ type: 'major', execution: 'async', flavor: 'last-resort' })
}
