import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { start as startApp } from '../../../test/harness.ts'
import { skip } from '../../../test/nodes/nodes.ts'
import { watchJournal } from './journal-watch.ts'
import { pendingBound } from './pending-bound.ts'

describe('the bound from which journal entries may be pending', () => {
  function start() {
    const clock = { now: 0 }
    return { clock, bound: pendingBound(() => clock.now) }
  }

  it('is where they were two minutes ago: a change that started before has ended', () => {
    const { clock, bound } = start()
    for (; clock.now < 119_000; clock.now += 250) bound.note(clock.now)
    assert.equal(bound.get(), 0)
    for (; clock.now < 150_000; clock.now += 250) bound.note(clock.now)
    const known = bound.get()
    assert.ok(known > 0 && known <= 30_000, String(known))
  })

  it('is the beginning once a minute, so that nothing waits forever', () => {
    const { clock, bound } = start()
    for (; clock.now < 300_000; clock.now += 250) bound.note(clock.now)
    const found: number[] = []
    for (let looks = 0; looks < 480; looks++) {
      clock.now += 250
      bound.note(clock.now)
      found.push(bound.get())
    }
    assert.equal(found.filter((one) => one === 0).length, 12)
  })

  it('is the beginning when the numbers went back', () => {
    const { clock, bound } = start()
    for (; clock.now < 230_000; clock.now += 250) bound.note(clock.now)
    assert.ok(bound.get() > 0)
    bound.note(5)
    assert.equal(bound.get(), 0)
  })

  it('does not count the first id of a new sequence before a change has it', { skip }, async (t) => {
    const app = await startApp(t, { name: 'PostgreSQL' })
    const givenTo = async (restart: string) => {
      await app.runSql(restart)
      return new Promise<number>((note, onFault) => {
        const pending = { note, get: () => 0 }
        const read: Parameters<typeof watchJournal>[0]['read'] = (work) => work(app.storage.db)
        watchJournal({ read, pending, onPending() {}, onMoved() {}, onFault }).look()
      })
    }
    assert.equal(await givenTo("SELECT setval('journal_pending_id_seq', 1, false)"), 0)
    assert.equal(await givenTo("SELECT setval('journal_pending_id_seq', 1, true)"), 1)
  })
})
