import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dayOfFrom, dayOfUntil, fromDay, untilDay } from './days.ts'

describe('the days of a filter', () => {
  it('begins and ends with the whole day, where the reader is', () => {
    const day = new Date(2026, 10, 22)
    assert.equal(Date.parse(fromDay('2026-11-22') ?? ''), day.getTime() - 1)
    assert.equal(Date.parse(untilDay('2026-11-22') ?? ''), new Date(2026, 10, 23).getTime())
  })

  it('reads back the day that was chosen', () => {
    for (const day of ['2026-11-22', '2024-02-29', '2026-03-29', '2026-10-25', '2026-12-31', '0099-01-01']) {
      assert.equal(dayOfFrom(fromDay(day) ?? ''), day)
      assert.equal(dayOfUntil(untilDay(day) ?? ''), day)
    }
  })

  it('knows an instant within a day, and what is no day', () => {
    assert.equal(dayOfFrom(new Date(2026, 10, 22, 9, 30).toISOString()), undefined)
    assert.equal(dayOfUntil(new Date(2026, 10, 22, 9, 30).toISOString()), undefined)
    assert.equal(fromDay('22.11.2026'), undefined)
    assert.equal(untilDay(''), undefined)
  })
})
