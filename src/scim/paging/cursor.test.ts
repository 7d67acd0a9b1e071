import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { profiles } from '../protocol/profiles.ts'
import { readScimCursor, writeScimCursor } from './cursor.ts'
import { readListQuery } from './list-request.ts'

const limits = { defaultPageSize: 100, maxPageSize: 1000 }
const at = (seconds: number) => new Date(Date.UTC(2026, 10, 23) + seconds * 1000)
const context = (query: Record<string, string> = {}, endpoint = '/Users', seconds = 0) => ({
  endpoint,
  request: readListQuery(query, limits, profiles.strict),
  now: at(seconds),
})

describe('cursors', () => {
  it('hold a position, in characters that a query may have', () => {
    const cursor = writeScimCursor(['ä', 5, null], context({ filter: 'title pr' }))
    assert.match(cursor, /^[\w.~-]+$/)
    assert.deepEqual(readListQuery({ cursor }, limits, profiles.strict).page, { by: 'cursor', cursor, count: 100 })
    assert.deepEqual(readScimCursor(cursor, context({ filter: 'title  PR', count: '5' }), 60), ['ä', 5, null])
  })

  it('belong to one query', () => {
    const cursor = writeScimCursor(['a'], context({ filter: 'title pr', sortBy: 'userName' }))
    for (const other of [
      context({ filter: 'title pr', sortBy: 'userName' }, '/Groups'),
      context({ filter: 'locale pr', sortBy: 'userName' }),
      context({ filter: 'title pr', sortBy: 'userName', sortOrder: 'descending' }),
      context({ filter: 'title pr', sortBy: 'title' }),
      context({ filter: 'title pr' }),
      context({ sortBy: 'userName' }),
    ]) {
      assert.throws(() => readScimCursor(cursor, other, 60), { scimType: 'invalidCursor', status: 400 })
    }
    assert.deepEqual(readScimCursor(cursor, context({ filter: 'title pr', sortBy: 'USERNAME' }), 60), ['a'])
  })

  it('expire', () => {
    const cursor = writeScimCursor(['a'], context())
    assert.deepEqual(readScimCursor(cursor, context({}, '/Users', 60), 60), ['a'])
    assert.throws(() => readScimCursor(cursor, context({}, '/Users', 61), 60), {
      scimType: 'expiredCursor',
      status: 400,
    })
  })

  it('are refused when they are malformed', () => {
    for (const text of ['x', 'e30', 'W10', Buffer.from('["a","b"]').toString('base64url'), 'x'.repeat(10_000)]) {
      assert.throws(() => readScimCursor(text, context(), 60), { scimType: 'invalidCursor' })
    }
  })
})
