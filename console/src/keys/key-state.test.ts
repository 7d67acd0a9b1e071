import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { expiryOf, holdsAll, remarksOn } from './key-state.ts'

const now = Date.parse('2026-11-22T14:00:00Z')
const key = {
  created_at: '2026-01-01T00:00:00Z',
  expires_at: null,
  last_used_at: '2026-11-22T13:59:00Z',
  permissions: ['users:read'],
}

describe('the remarks on a key', () => {
  it('are none on one that is used and has few rights', () => assert.deepEqual(remarksOn(key, now), []))

  it('name full access, and an end that is near', () => {
    const remarks = remarksOn({ ...key, permissions: ['*'], expires_at: '2026-12-01T00:00:00Z' }, now)
    assert.deepEqual(remarks, ['ends_soon', 'full_access'])
  })

  it('say of one that has ended nothing else', () => {
    assert.deepEqual(remarksOn({ ...key, permissions: ['*'], expires_at: '2026-11-22T14:00:00Z' }, now), ['ended'])
  })

  it('name one that nobody has used, but not in its first week', () => {
    assert.deepEqual(remarksOn({ ...key, last_used_at: null }, now), ['never_used'])
    assert.deepEqual(remarksOn({ ...key, last_used_at: null, created_at: '2026-11-20T00:00:00Z' }, now), [])
    assert.deepEqual(remarksOn({ ...key, last_used_at: '2026-08-01T00:00:00Z' }, now), ['long_unused'])
  })
})

describe('the end of a key', () => {
  it('is the beginning of a day in UTC, no sooner than so many days from now', () => {
    assert.equal(expiryOf('30', '', now), '2026-12-23T00:00:00.000Z')
    assert.equal(expiryOf('never', '', now), null)
  })

  it('is the end of the chosen day where the browser is, and not known before one is chosen', () => {
    assert.equal(expiryOf('date', '2026-12-31', now), new Date(2027, 0, 1).toISOString())
    assert.equal(expiryOf('date', '', now), undefined)
  })
})

describe('a key of others', () => {
  it('can be taken over by who may do as much', () => {
    assert.ok(holdsAll(['*'], ['*']))
    assert.ok(holdsAll(['users:read', 'keys:write'], ['users:read']))
    assert.ok(!holdsAll(['keys:write'], ['users:read']))
    assert.ok(!holdsAll(['users:read'], ['*']))
  })
})
