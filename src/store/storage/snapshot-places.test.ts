import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { snapshotPlaces } from './snapshot-places.ts'

describe('the places for snapshots', () => {
  it('give one caller half of them, and the rest to others', async () => {
    const { acquire: place } = snapshotPlaces(4)
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

  it('report how many are taken, and count refused callers', async () => {
    const { acquire, load } = snapshotPlaces(2)
    const release = await acquire('a')
    const refused = assert.rejects(acquire('a'), { code: 'too_many_snapshots' })
    assert.deepEqual(load(), { open: 1, waiting: 1, places: 2, refused: 0 })
    await refused
    release()
    assert.deepEqual(load(), { open: 0, waiting: 0, places: 2, refused: 1 })
  })

  it('let a caller wait for a free place in turn', async () => {
    const { acquire: place } = snapshotPlaces(2)
    const release = await place('a')
    await place('b')
    const order: string[] = []
    const c = place('c').then((leaveAgain) => {
      order.push('c')
      leaveAgain()
    })
    const d = place('d').then(() => order.push('d'))
    release()
    await Promise.all([c, d])
    assert.deepEqual(order, ['c', 'd'])
  })
})
