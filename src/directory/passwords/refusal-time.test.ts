// Takes long for its size. It compares times, so fewer tests run beside it.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readForeignHash } from './foreign.ts'
import { createHasher, type Hasher } from './hash.ts'
import { createRefusalTime } from './refusal-time.ts'

const day = 24 * 3_600_000

describe('the time a refusal takes', () => {
  it('is not prolonged if all hashes are our own', () => {
    const time = createRefusalTime(() => 0)
    assert.equal(time.millis(1), 0)
    time.tookOwn(20)
    assert.equal(time.millis(1), 0)
  })

  it('is that of the slowest kind of hash, and a little more', () => {
    const time = createRefusalTime(() => 0)
    time.tookForeign('bcrypt 10', 60, 20)
    time.tookForeign('bcrypt 12', 240, 20)
    time.tookForeign('SSHA', 0.01, 20)
    assert.equal(Math.round(time.millis(1)), Math.round((20 + 240) * 1.2))
    assert.equal(Math.round(time.millis(2)), Math.round(2 * (20 + 240) * 1.2))
  })

  it('grows and shrinks with the load of the machine', () => {
    const time = createRefusalTime(() => 0)
    time.tookForeign('bcrypt 12', 240, 20)
    for (let count = 0; count < 60; count++) time.tookOwn(40)
    assert.ok(Math.abs(time.millis(1) - (40 + 480) * 1.2) < 5)
  })

  it('hardly changes after one that was delayed by chance', () => {
    const time = createRefusalTime(() => 0)
    for (let count = 0; count < 20; count++) time.tookForeign('bcrypt 12', 240, 20)
    const before = time.millis(1)
    time.tookForeign('bcrypt 12', 60_000, 20)
    assert.ok(time.millis(1) < 1.2 * before)
  })

  it('is at most a second for each measurement, whatever a kind takes', () => {
    const time = createRefusalTime(() => 0)
    time.tookForeign('the dearest', 6000, 20)
    assert.deepEqual([time.millis(1), time.millis(2)], [1000, 2000])
  })

  it('forgets a kind that was not used for a day', () => {
    let now = 0
    const time = createRefusalTime(() => now)
    time.tookForeign('bcrypt 12', 240, 20)
    now = day - 1
    assert.ok(time.millis(1) > 0)
    now = day + 1
    assert.equal(time.millis(1), 0)
  })

  it('remembers only a few kinds, however many are invented', () => {
    let now = 0
    const time = createRefusalTime(() => now++)
    time.tookForeign('the slowest', 1000, 20)
    for (let count = 0; count < 50; count++) time.tookForeign(`made up ${count}`, 20, 20)
    assert.ok(time.millis(1) < 100)
  })
})

describe('the time of a refusal', () => {
  const slow = phcOf(`$2b$10$${'a'.repeat(52)}u`)
  const quick = phcOf('{SSHA}SfkyapdwAnzkVP/8niSb3zCFXDLqfS9l')

  it('is as long without a hash as with a slow foreign one, once one was seen', async () => {
    const tries: string[] = []
    // Other work on the machine can hold up one of the two measurements; it is no excuse three times.
    while (tries.length < 3) {
      const hasher = createHasher({ concurrency: 1, queueLimit: 10 })
      const ours = await hasher.hash('nine zebras juggle oak hats')
      const [alone = 0] = await mediansOf([null], hasher)
      await hasher.verifyEvenly(slow, 'wrong')
      const times = await mediansOf([null, ours, slow, quick], hasher)
      if (Math.min(...times) > 1.5 * alone && Math.max(...times) < 1.5 * Math.min(...times)) return
      tries.push(`${alone} ms, and then ${times.join(', ')} ms`)
    }
    assert.fail(tries.join('; '))
  })

  it('is at least that of our own hash if the stored hash took one round', async () => {
    const hasher = createHasher({ concurrency: 1, queueLimit: 10 })
    const [absent = 0, refused = 0] = await mediansOf([null, quick], hasher)
    assert.ok(refused > 0.6 * absent, `${refused} ms, and ${absent} ms without a hash`)
  })

  it('does not grow for others while several try an expensive hash', async () => {
    const hasher = createHasher({ concurrency: 2, queueLimit: 10 })
    const dear = phcOf(`$2b$13$${'a'.repeat(52)}u`)
    const order: string[] = []
    const tries = [1, 2, 3].map(() => hasher.verify(dear, 'wrong').then(() => order.push('dear')))
    await hasher.hash('nine zebras juggle oak hats').then(() => order.push('one of ours'))
    await Promise.all(tries)
    assert.deepEqual(order, ['one of ours', 'dear', 'dear', 'dear'])
  })

  it('does not delay the next task in the queue', async () => {
    const hasher = createHasher({ concurrency: 1, queueLimit: 10 })
    await hasher.verifyEvenly(slow, 'wrong')
    // Where other work holds up the refusal's own hash, nothing is left to wait for: no excuse three times.
    const orders: string[][] = []
    while (orders.length < 3 && orders.at(-1)?.[0] !== 'next') {
      const order: string[] = []
      await Promise.all([
        hasher.verifyEvenly(null, 'wrong').then(() => order.push('refused')),
        hasher.hash('nine zebras juggle oak hats').then(() => order.push('next')),
      ])
      orders.push(order)
    }
    assert.deepEqual(orders.at(-1), ['next', 'refused'])
  })
})

function phcOf(text: string): string {
  const read = readForeignHash(text)
  return 'phc' in read ? read.phc : assert.fail(read.fault)
}

/** One after the other in each round, so that all of them meet the same load. */
async function mediansOf(hashes: readonly (string | null)[], hasher: Hasher): Promise<number[]> {
  const times = hashes.map(() => [] as number[])
  for (let round = 0; round < 7; round++) {
    for (const [n, hash] of hashes.entries()) {
      const startedAt = performance.now()
      assert.equal(await hasher.verifyEvenly(hash, 'wrong'), false)
      times[n]?.push(performance.now() - startedAt)
    }
  }
  return times.map((list) => Math.round(list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0))
}
