import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { takeTurns } from './turns.ts'

/** Work that ends on request, and which of it is running. */
function workshop() {
  const running: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => async () => {
    running.push(name)
    await new Promise<void>((resolve) => ends.set(name, resolve))
    running.splice(running.indexOf(name), 1)
    return name
  }
  return { running, work, end: (name: string) => ends.get(name)?.() }
}

describe('turns', () => {
  it('let a limited number run at once, even if one arrives at the moment another leaves', async () => {
    const inTurn = takeTurns(2, 100)
    let running = 0
    let done = 0
    const pieces = Array.from({ length: 50 }, (_, i) => async () => {
      // Some of them come after one, two, three … steps of those that leave.
      for (let step = 0; step < i; step++) await undefined
      await inTurn({ caller: `caller ${i}` }, async () => {
        running++
        assert.ok(running <= 2, `${running} at once`)
        for (let step = 0; step < 3; step++) await undefined
        running--
        done++
      })
    })
    await Promise.all(pieces.map((piece) => piece()))
    assert.equal(done, 50)
  })

  it('go round among the callers', async () => {
    const inTurn = takeTurns(1, 100)
    const order: string[] = []
    const request = (caller: string, name: string) =>
      inTurn({ caller }, async () => {
        order.push(name)
        await sleep(1)
      })
    await Promise.all([
      request('a', 'a1'),
      request('a', 'a2'),
      request('a', 'a3'),
      request('b', 'b1'),
      request('b', 'b2'),
    ])
    assert.deepEqual(order, ['a1', 'a2', 'b1', 'a3', 'b2'])
  })

  it('are limited to a share for one caller, so that a place is free for the next', async () => {
    const inTurn = takeTurns(2, 100, 1)
    const { work, end, running } = workshop()
    const first = inTurn({ caller: 'a' }, work('a1'))
    const second = inTurn({ caller: 'a' }, work('a2'))
    const other = inTurn({ caller: 'b' }, work('b1'))
    await sleep(1)
    assert.deepEqual(running, ['a1', 'b1'])
    end('b1')
    await other
    await sleep(1)
    assert.deepEqual(running, ['a1'], 'the place stays free')
    end('a1')
    await first
    await sleep(1)
    assert.deepEqual(running, ['a2'])
    end('a2')
    await second
  })

  it('are released when their reader has gone, and when their work fails', async () => {
    const inTurn = takeTurns(1, 100)
    const { work, end, running } = workshop()
    const first = inTurn({ caller: 'a' }, work('first'))
    const left = new AbortController()
    const abandoned = inTurn({ caller: 'a', signal: left.signal }, work('gone'))
    const failing = inTurn({ caller: 'b' }, async () => {
      throw new Error('failed')
    })
    const last = inTurn({ caller: 'c' }, work('last'))
    left.abort()
    await assert.rejects(abandoned)
    end('first')
    await first
    await assert.rejects(failing, /failed/)
    await sleep(1)
    assert.deepEqual(running, ['last'])
    end('last')
    await last
  })

  it('are not waited for by a caller who has already left', async () => {
    const inTurn = takeTurns(1, 100)
    const { work, end } = workshop()
    const first = inTurn({ caller: 'a' }, work('first'))
    await assert.rejects(inTurn({ caller: 'a', signal: AbortSignal.abort() }, work('gone')))
    end('first')
    await first
  })

  it('are refused when too many wait', async () => {
    const inTurn = takeTurns(1, 2)
    const { work, end } = workshop()
    const first = inTurn({ caller: 'a' }, work('first'))
    const second = inTurn({ caller: 'a' }, work('second'))
    await assert.rejects(inTurn({ caller: 'a' }, work('third')), { code: 'overloaded' })
    end('first')
    await first
    await sleep(1)
    end('second')
    await second
  })
})
