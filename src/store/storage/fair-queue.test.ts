import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createFairQueue } from './fair-queue.ts'

type Job = { caller: string }
const job = (caller: string): Job => ({ caller })

describe('the fair queue', () => {
  it('gives each caller a turn before any caller has a second one, and keeps the order of each', () => {
    const queue = createFairQueue<Job>(64)
    const [a1, a2, a3, b1, b2, c1] = ['a', 'a', 'a', 'b', 'b', 'c'].map(job) as Job[]
    for (const each of [a1, a2, a3, b1, b2, c1]) queue.add(each as Job)
    const taken = Array.from({ length: 6 }, () => queue.next())
    assert.deepEqual(
      taken.map((each) => [a1, a2, a3, b1, b2, c1].indexOf(each)),
      [0, 3, 5, 1, 4, 2],
    )
    assert.deepEqual([queue.next(), queue.length], [undefined, 0])
  })

  it('has half of its places for one caller, and its limit for all', () => {
    const queue = createFairQueue<Job>(4)
    for (const caller of ['a', 'a', 'b']) queue.add(job(caller))
    assert.throws(() => queue.add(job('a')), { code: 'overloaded' })
    queue.add(job('b'))
    assert.throws(() => queue.add(job('c')), { code: 'overloaded' })
    queue.next()
    queue.add(job('c'))
  })

  it('first takes what was put back, and not what was removed', () => {
    const queue = createFairQueue<Job>(4)
    const [first, second] = [job('a'), job('a')]
    queue.add(first)
    queue.add(second)
    assert.equal(queue.next(), first)
    queue.putBack(first)
    assert.equal(queue.next(), first)
    assert.deepEqual([queue.remove(second), queue.remove(second), queue.next()], [true, false, undefined])
  })
})
