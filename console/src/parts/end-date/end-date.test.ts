import assert from 'node:assert/strict'
import { it } from 'node:test'
import { dayIn, dayOfEnd, endOfDay, endState, formatEnd } from './end-date.ts'

const now = Date.UTC(2026, 11, 1, 22, 0)

it('an end date is the end of a day in UTC, says its zone, and shows when it is near or over', () => {
  assert.equal(endOfDay(dayIn(30, now)), '2026-12-31T23:59:59.999Z')
  assert.equal(dayOfEnd('2028-02-29T23:59:59.999Z'), '2028-02-29')
  assert.match(formatEnd('2026-12-31T23:59:59.999Z', 'en'), /Dec 31, 2026.*11:59.*UTC$/)
  assert.equal(endState(undefined, now), undefined)
  assert.equal(endState('2027-01-31T00:00:00.000Z', now), undefined)
  assert.deepEqual(endState('2026-12-05T00:00:00.000Z', now), { state: 'soon', days: 3 })
  assert.deepEqual(endState('2026-12-01T23:59:59.999Z', now), { state: 'soon', days: 0 })
  assert.deepEqual(endState('2026-12-01T22:00:00.000Z', now), { state: 'over' })
})
