import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { snapshotPlaces } from './snapshot-places.ts'

describe('the places for snapshots', () => {
  it('gives one caller half of them, and the rest to others', async () => {
    const place = snapshotPlaces(4)
    await place('a')
    await place('a')
    const third = place('a').then(
      () => 'taken',
      (error) => error.code,
    )
    await place('b')
    await place('b')
    assert.equal(await third, 'too_many_snapshots')
  })

  it('lets who finds none free wait for one in turn', async () => {
    const place = snapshotPlaces(2)
    const leave = await place('a')
    await place('b')
    const order: string[] = []
    const c = place('c').then((leaveAgain) => {
      order.push('c')
      leaveAgain()
    })
    const d = place('d').then(() => order.push('d'))
    leave()
    await Promise.all([c, d])
    assert.deepEqual(order, ['c', 'd'])
  })
})
