import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AuditRecord } from '../../../../src/sdk/client/types.ts'
import { byDay } from './days.ts'
import { changesOf, detailsOf } from './values.ts'

describe('the changes of a record', () => {
  it('are shown before and after, by member, without the values of secrets', () => {
    const changes = {
      role: { before: 'user', after: 'admin' },
      active: { before: true, after: false },
      email: { before: null, after: 'ada@example.com' },
      permissions: { before: ['users:read'], after: ['users:read', 'keys:read'] },
      password: 'changed',
    }
    assert.deepEqual(changesOf(changes), [
      { member: 'role', before: 'user', after: 'admin', isSecret: false },
      { member: 'active', before: 'true', after: 'false', isSecret: false },
      { member: 'email', before: undefined, after: 'ada@example.com', isSecret: false },
      { member: 'permissions', before: 'users:read', after: 'users:read, keys:read', isSecret: false },
      { member: 'password', before: undefined, after: undefined, isSecret: true },
    ])
    assert.deepEqual(changesOf(null), [])
  })

  it('are details of any form', () => {
    assert.deepEqual(detailsOf({ reason: 'locked', count: 3, more: { a: 1 }, none: null }), [
      ['reason', 'locked'],
      ['count', '3'],
      ['more', '{"a":1}'],
      ['none', '–'],
    ])
  })
})

describe('records by day', () => {
  it('stay in their order, also when the oldest come first', () => {
    const record = (occurred_at: string) => ({ occurred_at }) as AuditRecord
    const days = byDay(
      [record('2026-11-21T23:59:59.999Z'), record('2026-11-22T00:00:00.000Z'), record('2026-11-22T12:00:00.000Z')],
      (instant) => instant.toISOString().slice(0, 10),
    )
    assert.deepEqual(
      days.map(({ day, records }) => [day, records.length]),
      [
        ['2026-11-21', 1],
        ['2026-11-22', 2],
      ],
    )
    assert.deepEqual(byDay([]), [])
  })
})
