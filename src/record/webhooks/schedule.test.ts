import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { pauseMs } from '../delivery/schedule.ts'
import { readRetryAfter, retryDelayMs } from './schedule.ts'

const [second, minute, hour] = [1000, 60_000, 3_600_000]

describe('the schedule of webhooks', () => {
  it('tries ten times within about three days, and then gives up', () => {
    const delays = Array.from({ length: 10 }, (_, i) => retryDelayMs(i + 1, 0))
    const planned = [5 * second, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour)]
    assert.deepEqual(delays, [...planned, undefined])
  })

  it('spreads retries that failed together, and never retries sooner than planned', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(10 * hour),
        (attempt, spread, retryAfter) => {
          const [least, waits] = [retryDelayMs(attempt, 0) ?? 0, retryDelayMs(attempt, spread, retryAfter) ?? 0]
          assert.ok(waits >= least)
          assert.ok(waits >= Math.min(retryAfter, hour))
          assert.ok(waits <= Math.max(1.2 * least + 1, hour))
        },
      ),
    )
    assert.notEqual(retryDelayMs(3, 0.2), retryDelayMs(3, 0.8))
  })

  it('leaves a failing endpoint alone for 5 seconds at first, and for at most 5 minutes', () => {
    const cases = [
      [0, 5 * second],
      [minute, 15 * second],
      [10 * minute, 2.5 * minute],
      [hour, 5 * minute],
      [100 * hour, 5 * minute],
    ] as const
    for (const [failingFor, pause] of cases) assert.equal(pauseMs(failingFor), pause)
  })

  it('reads Retry-After as defined in RFC 9110, and nothing else', () => {
    const now = Date.UTC(2026, 10, 20)
    const cases: [string | undefined, number | undefined][] = [
      ['120', 120_000],
      ['0', 0],
      ['Fri, 20 Nov 2026 00:01:00 GMT', 60_000],
      ['Thu, 19 Nov 2026 00:00:00 GMT', 0],
      [undefined, undefined],
      ['', undefined],
      ['-1', undefined],
      ['1.5', undefined],
      ['1e9', undefined],
      ['99999999999999999999', undefined],
      ['soon', undefined],
      ['2026-11-21', undefined],
    ]
    for (const [text, ms] of cases) assert.equal(readRetryAfter(text, now), ms, String(text))
  })
})
