import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chunkOf, chunkSize, farthestChunks, findOverlap } from './chunks.ts'

const usersOf = (...ids: string[]) => ({ users: ids.map((user_id) => ({ user_id })) })

describe('the chunks of the list', () => {
  it('finds the chunk of a row', () => {
    assert.deepEqual([0, chunkSize - 1, chunkSize, 999_999].map(chunkOf), [0, 0, 1, 19_999])
  })

  it('drops the farthest chunks first, and only the surplus', () => {
    const unused = [3, 900, 1, Number.POSITIVE_INFINITY].map((distance) => ({ distance }))
    assert.deepEqual(
      farthestChunks(unused, 2).map(({ distance }) => distance),
      [Number.POSITIVE_INFINITY, 900],
    )
    assert.deepEqual(farthestChunks(unused, -1), [])
    assert.equal(farthestChunks(unused, 10).length, 4)
  })

  it('finds the older of two neighbours that hold the same user', () => {
    const chunks = new Map([
      [4, usersOf('a', 'b')],
      [5, usersOf('b', 'c')],
      [9, usersOf('a', 'x')],
    ])
    assert.equal(
      findOverlap(chunks, (chunk) => chunk),
      4,
    )
    assert.equal(
      findOverlap(chunks, (chunk) => -chunk),
      5,
    )
  })

  it('finds none if the neighbours do not overlap', () => {
    const chunks = new Map([
      [4, usersOf('a', 'b')],
      [5, usersOf('c', 'd')],
      [7, usersOf('a')],
    ])
    assert.equal(
      findOverlap(chunks, () => 0),
      undefined,
    )
  })
})
