import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { sameTurn } from './same-turn.ts'

const inTurn = { waitsItself: false }

describe('reads of one turn', () => {
  it('that ask for the same share one read, which begins after all of them', async () => {
    const share = sameTurn(inTurn)
    let now = 0
    const read = async () => ++now
    const [first, second, other] = [share('page', read), share('page', read), share('version', async () => ++now * 10)]
    assert.equal(now, 0)
    assert.deepEqual(await Promise.all([first, second, other]), [1, 1, 20])
    assert.equal(await share('page', read), 3)
  })

  it('never get the result of a read that began before they asked', async () => {
    const share = sameTurn(inTurn)
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
    const share = sameTurn(inTurn)
    const failing = [1, 2].map(() => share('page', () => Promise.reject(new Error('down'))))
    for (const one of failing) await assert.rejects(one, /down/)
    assert.equal(await share('page', async () => 'up'), 'up')
  })

  it('that wait for its end themselves begin no later, and show what was stored before it', async () => {
    const share = sameTurn({ waitsItself: true })
    let [stored, reads] = ['old', 0]
    const read = async () => {
      reads++
      await turn()
      return stored
    }
    const first = share('page', read)
    stored = 'new'
    const second = share('page', read)
    assert.deepEqual(await Promise.all([first, second]), ['new', 'new'])
    assert.equal(reads, 1)
    stored = 'newest'
    assert.equal(await share('page', read), 'newest')
  })
})
