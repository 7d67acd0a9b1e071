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
  it('are empty for a used key with few permissions', () => assert.deepEqual(remarksOn(key, now), []))

  it('mention full access and an approaching expiry', () => {
    const remarks = remarksOn({ ...key, permissions: ['*'], expires_at: '2026-12-01T00:00:00Z' }, now)
    assert.deepEqual(remarks, ['ends_soon', 'full_access'])
  })

  it('mention only the expiry of an expired key', () => {
    assert.deepEqual(remarksOn({ ...key, permissions: ['*'], expires_at: '2026-11-22T14:00:00Z' }, now), ['ended'])
  })

  it('mention an unused key, but not in its first week', () => {
    assert.deepEqual(remarksOn({ ...key, last_used_at: null }, now), ['never_used'])
    assert.deepEqual(remarksOn({ ...key, last_used_at: null, created_at: '2026-11-20T00:00:00Z' }, now), [])
    assert.deepEqual(remarksOn({ ...key, last_used_at: '2026-08-01T00:00:00Z' }, now), ['long_unused'])
  })
})

describe('the end of a key', () => {
  it('is the start of a day in UTC, at least the given number of days from now', () => {
    assert.equal(expiryOf('30', '', now), '2026-12-23T00:00:00.000Z')
    assert.equal(expiryOf('never', '', now), null)
  })

  it("is the end of the chosen day in the browser's time zone, undefined before one is chosen", () => {
    assert.equal(expiryOf('date', '2026-12-31', now), new Date(2027, 0, 1).toISOString())
    assert.equal(expiryOf('date', '', now), undefined)
  })
})

describe('a key of others', () => {
  it('can be changed with at least its permissions', () => {
    assert.ok(holdsAll(['*'], ['*']))
    assert.ok(holdsAll(['users:read', 'keys:write'], ['users:read']))
    assert.ok(!holdsAll(['keys:write'], ['users:read']))
    assert.ok(!holdsAll(['users:read'], ['*']))
  })
})
