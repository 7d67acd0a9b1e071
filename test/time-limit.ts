import assert from 'node:assert/strict'

/** How long a busy machine may stop a test, or the process that it waits for. */
export const stallMs = 5000

/** Asserts that what began at `begun`, a time of `performance.now()`, has taken less than `limitMs`, a stall aside. */
export function assertWithin(limitMs: number, begun: number, what = 'It'): void {
  const tookMs = Math.round(performance.now() - begun)
  assert.ok(tookMs < limitMs + stallMs, `${what} took ${tookMs} ms instead of less than ${limitMs}.`)
}
