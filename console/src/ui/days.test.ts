import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dayOfFrom, dayOfUntil, fromDay, untilDay } from './days.ts'

describe('the days of a filter', () => {
  it("cover whole days in the viewer's time zone", () => {
    const day = new Date(2026, 10, 22)
    assert.equal(Date.parse(fromDay('2026-11-22') ?? ''), day.getTime() - 1)
    assert.equal(Date.parse(untilDay('2026-11-22') ?? ''), new Date(2026, 10, 23).getTime())
  })

  it('are read back', () => {
    for (const day of ['2026-11-22', '2024-02-29', '2026-03-29', '2026-10-25', '2026-12-31', '0099-01-01']) {
      assert.equal(dayOfFrom(fromDay(day) ?? ''), day)
      assert.equal(dayOfUntil(untilDay(day) ?? ''), day)
    }
  })

  it('exclude instants within a day, and invalid days', () => {
    assert.equal(dayOfFrom(new Date(2026, 10, 22, 9, 30).toISOString()), undefined)
    assert.equal(dayOfUntil(new Date(2026, 10, 22, 9, 30).toISOString()), undefined)
    assert.equal(fromDay('22.11.2026'), undefined)
    assert.equal(untilDay(''), undefined)
  })
})
