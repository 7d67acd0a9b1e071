import assert from 'node:assert/strict'
import { it } from 'node:test'
import { formatAgo, formatAt, formatUntil } from './instants.ts'

const now = Date.parse('2026-11-23T00:00:00Z')
const at = (seconds: number) => new Date(now + seconds * 1000).toISOString()

it('says when something is to come, and never too early', () => {
  const words = [-5, 0, 1, 10, 11, 45, 55, 60, 61, 119, 3600, 5400].map((s) => formatUntil(at(s), 'en', now))
  assert.deepEqual(words, [
    ...['now', 'now', 'in 10 seconds', 'in 10 seconds', 'in 20 seconds', 'in 50 seconds', 'in 1 minute'],
    ...['in 1 minute', 'in 2 minutes', 'in 2 minutes', 'in 1 hour', 'in 2 hours'],
  ])
})

it('calls now what has happened by a clock that is a little ahead', () => {
  assert.deepEqual(
    [3, -9, -25, -150].map((s) => formatAgo(at(s), 'en', now)),
    ['now', 'now', '20 seconds ago', '2 minutes ago'],
  )
})

it('shows the time of day to the minute, and never too early', () => {
  const noon = new Date(2026, 10, 23, 12).getTime()
  const words = (seconds: number, up = false) =>
    formatAt(new Date(noon + seconds * 1000).toISOString(), 'en-GB', { up, now: noon })
  assert.deepEqual([words(-59), words(30.5, true), words(601, true)], ['11:59', '12:01', '12:11'])
  assert.match(words(-86_400), /^22 Nov 2026/)
  assert.match(words(86_400, true), /^24 Nov 2026/)
})
