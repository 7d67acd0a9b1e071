import assert from 'node:assert/strict'

/** Returns how much of this thread's processor time `work` takes, which other processes change little. */
export function processorMillis(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

export function assertCheap(limitMs: number, work: () => void): void {
  const spentMs = processorMillis(work)
  assert.ok(spentMs < limitMs, `${Math.round(spentMs)} ms of processor time instead of less than ${limitMs}`)
}
