import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createRate, timeLeft } from './rate.ts'

it('the rate is that of the last half minute, and unknown at first', () => {
  const rate = createRate()
  rate.note(0, 0)
  assert.equal(rate.perSecond(), undefined)
  rate.note(100, 1000)
  assert.equal(rate.perSecond(), 100)
  rate.note(100, 40_000)
  rate.note(600, 50_000)
  assert.equal(rate.perSecond(), 50)
})

it('nothing is said of the time left while the rate or the end is unknown', () => {
  assert.equal(timeLeft(50, 100, 10), 5)
  assert.equal(timeLeft(50, undefined, 10), undefined)
  assert.equal(timeLeft(50, 100, undefined), undefined)
  assert.equal(timeLeft(50, 100, 0), undefined)
  assert.equal(timeLeft(110, 100, 10), 0)
})
