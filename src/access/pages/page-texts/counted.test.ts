import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { durationIn, instantsIn, pluralsOf } from './counted.ts'

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
      assert.equal(durationIn('en-GB')(seconds), words)
    }
  })

  it('use the plurals of the language', () => {
    assert.deepEqual([1, 120, 300].map(durationIn('de')), ['1 Sekunde', '2 Minuten', '5 Minuten'])
    assert.deepEqual([120, 180, 900].map(durationIn('ar')), ['دقيقتان', '3 دقائق', '15 دقيقة'])
  })
})

describe('counts', () => {
  it('choose among the forms that the language has', () => {
    const forms = { zero: 'zero', one: 'one', two: 'two', few: 'few', many: 'many', other: 'other' }
    const inArabic = pluralsOf('ar')
    assert.deepEqual(
      [0, 1, 2, 3, 11, 100].map((count) => inArabic(count, forms)),
      ['zero', 'one', 'two', 'few', 'many', 'other'],
    )
    assert.equal(pluralsOf('de')(2, { one: 'ein', other: 'viele' }), 'viele')
  })
})

describe('moments', () => {
  it('name the day only if it is another one', () => {
    const { moment } = instantsIn('en-GB')
    const now = Date.parse('2026-03-05T10:00:00Z')
    assert.equal(moment('2026-03-05T09:07:00Z', now), '09:07 (UTC)')
    assert.equal(moment('2026-03-04T23:59:00Z', now), '4 March 2026 at 23:59 (UTC)')
  })
})
