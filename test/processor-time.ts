import assert from 'node:assert/strict'

/** Asserts that `work` takes less than `limitMs` of this thread's processor time, which other processes change little. */
export function assertCheap(limitMs: number, work: () => void): void {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  const spentMs = (user + system) / 1000
  assert.ok(spentMs < limitMs, `${Math.round(spentMs)} ms of processor time instead of less than ${limitMs}`)
}
