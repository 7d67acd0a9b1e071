import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changeOf, type Day, figuresOf, formatDay, labelledDays, statisticsSearch } from './figures.ts'

const day = (date: string, sign_ins: number | null, complete = true): Day => ({
  date,
  sign_ups: 0,
  sign_ins,
  failed_sign_ins: null,
  active_users: null,
  complete,
})

describe('the figures of some days', () => {
  const days = [
    day('2026-11-19', null),
    day('2026-11-20', 4),
    day('2026-11-21', 9),
    day('2026-11-22', 9),
    day('2026-11-23', 1, false),
  ]

  it('count today, but exclude it from the mean', () => {
    const { total, mean } = figuresOf(days, 'sign_ins')
    assert.deepEqual([total, mean], [23, 7])
  })

  it('name the latest of the best days, and none if nothing happened', () => {
    assert.deepEqual(figuresOf(days, 'sign_ins').peak, { date: '2026-11-22', count: 9 })
    assert.equal(figuresOf(days, 'sign_ups').peak, undefined)
  })

  it('name the first counted day if it is not the first of these days', () => {
    assert.equal(figuresOf(days, 'sign_ins').countedFrom, '2026-11-20')
    assert.equal(figuresOf(days, 'sign_ups').countedFrom, undefined)
    assert.equal(figuresOf(days, 'active_users').countedFrom, null)
    assert.equal(figuresOf(days, 'active_users').mean, undefined)
  })
})

describe('the change against the days before', () => {
  const two = (first: number | null, second: number | null, complete = true) => [
    day('2026-11-01', first),
    day('2026-11-02', second, complete),
  ]

  it('is the difference, and its share of what was before', () => {
    assert.deepEqual(changeOf(two(40, 60), two(50, 75), 'sign_ins', 'total'), { by: 25, share: 0.25 })
    assert.deepEqual(changeOf(two(40, 60), two(10, 65), 'sign_ins', 'total'), { by: -25, share: -0.25 })
    assert.deepEqual(changeOf(two(1, 2), two(2, 1), 'sign_ins', 'total'), { by: 0, share: 0 })
  })

  it('of a mean leaves today out', () => {
    assert.deepEqual(changeOf(two(40, 40), two(50, 3, false), 'sign_ins', 'mean'), { by: 10, share: 0.25 })
  })

  it('is nothing if the days before have no data, or if one of the days was not counted', () => {
    assert.equal(changeOf(two(0, 0), two(5, 5), 'sign_ins', 'total'), undefined)
    assert.equal(changeOf(two(null, 9), two(5, 5), 'sign_ins', 'total'), undefined)
    assert.equal(changeOf(two(null, null), two(null, 5), 'sign_ins', 'total'), undefined)
    assert.equal(changeOf(two(5, 5), two(3, 3, false).slice(1), 'sign_ins', 'mean'), undefined)
  })
})

describe('the labels below a chart', () => {
  it('are evenly spaced, end with the last day, and always fit', () => {
    assert.deepEqual(labelledDays(7, 7), [0, 1, 2, 3, 4, 5, 6])
    assert.deepEqual(labelledDays(30, 6), [4, 9, 14, 19, 24, 29])
    for (const [count, room] of [
      [365, 8],
      [90, 4],
      [1, 5],
      [30, 0],
    ] as const) {
      const labels = labelledDays(count, room)
      assert.equal(labels.at(-1), count - 1)
      assert.ok(labels.length <= Math.max(1, room), `${labels.length} for ${room}`)
    }
    assert.deepEqual(labelledDays(0, 5), [])
  })

  it('are days in UTC in every time zone', () => {
    assert.equal(formatDay('2026-11-01', 'en-GB', 'short'), '1 Nov')
    assert.equal(formatDay('2026-11-01', 'de'), '1. November 2026')
  })
})

describe('the address of the statistics', () => {
  it('has four ranges, and leaves out the default', () => {
    assert.deepEqual(statisticsSearch({ days: 7 }), { days: 7 })
    assert.deepEqual(statisticsSearch({ days: '365' }), { days: 365 })
    for (const days of [30, 31, 'x', undefined, null]) assert.deepEqual(statisticsSearch({ days }), {})
  })
})
