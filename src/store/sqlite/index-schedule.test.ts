import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { indexSchedule, longestPauseMs, patienceMs, quietMs, waitingLimit } from './index-schedule.ts'

describe('the schedule of the search index', () => {
  it('waits for a quiet moment, which every change puts off', () => {
    const schedule = indexSchedule()
    assert.equal(schedule.quietAt(), undefined)
    for (const now of [1000, 1040, 1080]) {
      schedule.changed(now, 1)
      assert.deepEqual([schedule.quietAt(), schedule.isOverdue(now)], [now + quietMs, false])
    }
  })

  it('does not wait forever: after its patience it is due, until no row waits', () => {
    const schedule = indexSchedule()
    for (let now = 0; now < patienceMs; now += 40) schedule.changed(now, 1 + now)
    assert.equal(schedule.quietAt(), patienceMs)
    assert.deepEqual([schedule.isOverdue(patienceMs - 1), schedule.isOverdue(patienceMs)], [false, true])
    schedule.changed(patienceMs + 10, 500)
    assert.equal(schedule.isOverdue(patienceMs + 10), true)
    schedule.stepped(0, false)
    schedule.changed(patienceMs + 30, 1)
    assert.equal(schedule.isOverdue(patienceMs + 30), false)
  })

  it('continues while it is quiet, without another wait after each step, until all is indexed and rewritten', () => {
    const schedule = indexSchedule()
    schedule.changed(1000, 200)
    schedule.stepped(136, true)
    assert.equal(schedule.quietAt(), 1000 + quietMs)
    schedule.stepped(0, true)
    assert.deepEqual([schedule.quietAt(), schedule.isOverdue(1000 + patienceMs)], [1000 + quietMs, false])
    schedule.stepped(0, false)
    assert.equal(schedule.quietAt(), undefined)
  })

  it('is due at once when too many rows wait', () => {
    const schedule = indexSchedule()
    schedule.changed(0, waitingLimit + 1)
    assert.equal(schedule.isOverdue(0), true)
  })

  it('pauses twice as long after each failed step, up to a minute, and no longer after a successful one', () => {
    const schedule = indexSchedule()
    schedule.changed(0, waitingLimit + 1)
    const pauses: number[] = []
    let now = 0
    for (let i = 0; i < 14; i++) {
      schedule.failed(now)
      const next = schedule.quietAt() as number
      assert.deepEqual([schedule.isOverdue(next - 1), schedule.isOverdue(next)], [false, true])
      pauses.push(next - now)
      now = next
      // Changes during the pause do not shorten it.
      schedule.changed(now - 1, waitingLimit + 1)
    }
    assert.deepEqual(pauses.slice(0, 4), [quietMs, 2 * quietMs, 4 * quietMs, 8 * quietMs])
    assert.equal(pauses.at(-1), longestPauseMs)
    schedule.stepped(waitingLimit + 1, false)
    assert.equal(schedule.isOverdue(now), true)
    schedule.failed(now)
    assert.equal(schedule.quietAt(), now + quietMs)
  })
})
