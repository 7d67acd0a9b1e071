import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { duration } from './duration.ts'

describe('durations', () => {
  it('are written in words and never rounded down', () => {
    for (const [seconds, words] of [
      [0, '1 second'],
      [1, '1 second'],
      [45, '45 seconds'],
      [90, '90 seconds'],
      [91, '2 minutes'],
      [900, '15 minutes'],
      [5400, '90 minutes'],
      [5401, '2 hours'],
      [86_400, '24 hours'],
    ] as const) {
      assert.equal(duration(seconds), words)
    }
  })
})
