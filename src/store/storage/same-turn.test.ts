import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { sameTurn } from './same-turn.ts'

describe('reads of one turn', () => {
  it('that ask for the same share one read, which begins after all of them', async () => {
    const share = sameTurn()
    let now = 0
    const read = async () => ++now
    const [first, second, other] = [share('page', read), share('page', read), share('version', async () => ++now * 10)]
    assert.equal(now, 0)
    assert.deepEqual(await Promise.all([first, second, other]), [1, 1, 20])
    assert.equal(await share('page', read), 3)
  })

  it('never get the result of a read that began before they asked', async () => {
    const share = sameTurn()
    let stored = 'old'
    const slow = share('page', async () => {
      const found = stored
      await turn()
      return found
    })
    await turn()
    await turn()
    stored = 'new'
    const later = share('page', async () => stored)
    assert.deepEqual(await Promise.all([slow, later]), ['old', 'new'])
  })

  it('fail together, and the next one reads again', async () => {
    const share = sameTurn()
    const failing = [1, 2].map(() => share('page', () => Promise.reject(new Error('down'))))
    for (const one of failing) await assert.rejects(one, /down/)
    assert.equal(await share('page', async () => 'up'), 'up')
  })
})
