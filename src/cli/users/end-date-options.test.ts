import assert from 'node:assert/strict'
import { it } from 'node:test'
import { endOfDay } from '../../lib/end-of-day.ts'
import { readEndDate, readTimeFromNow } from './end-date-options.ts'

it('a day without a time is the last millisecond of that day in UTC, and only if there is that day', () => {
  assert.equal(endOfDay('2026-12-31'), '2026-12-31T23:59:59.999Z')
  assert.equal(endOfDay(' 2028-02-29 '), '2028-02-29T23:59:59.999Z')
  for (const text of ['2027-02-29', '2026-13-01', '2026-12-31T00:00:00Z', '31.12.2026', '']) {
    assert.equal(endOfDay(text), undefined, text)
  }
})

it('the command line takes a day, a time, or hours, days and weeks from now', () => {
  assert.equal(readEndDate('2026-12-31'), '2026-12-31T23:59:59.999Z')
  assert.equal(readEndDate('2026-12-31T18:00:00+02:00'), '2026-12-31T16:00:00.000Z')
  for (const text of ['tomorrow', '2026-02-30', '2026-12-31T18:00']) assert.throws(() => readEndDate(text), text)
  const now = Date.UTC(2026, 1, 1)
  assert.equal(readTimeFromNow('30d', now), '2026-03-03T00:00:00.000Z')
  assert.equal(readTimeFromNow('12h', now), '2026-02-01T12:00:00.000Z')
  assert.equal(readTimeFromNow('2w', now), '2026-02-15T00:00:00.000Z')
  for (const text of ['30', '0d', '-1d', '30 d', '1y', '999999d']) assert.throws(() => readTimeFromNow(text, now), text)
})
