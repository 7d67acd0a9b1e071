import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Group } from 'rollbook/client'
import { groupsSearch } from '../../data/search/groups.ts'
import { bodyOf, changesOf, isOvertaken, noValues, valuesOf } from './group-values.ts'

const support: Group = {
  group_id: '01a20801-5b0e-7a1f-9c1e-3f6f0c2a7d11',
  name: 'Support',
  description: '',
  external_id: null,
  role: 'user',
  member_count: 3,
  created_at: '2026-11-23T10:44:39.641Z',
  updated_at: '2026-11-23T10:44:39.641Z',
}

describe('the form of a group', () => {
  it('sends an empty role and an empty external id as null', () => {
    assert.deepEqual(bodyOf({ ...noValues, name: 'Support' }), {
      name: 'Support',
      description: '',
      role: null,
      external_id: null,
    })
  })

  it('sends only what was changed', () => {
    const values = valuesOf(support)
    assert.deepEqual(changesOf(values, support), {})
    assert.deepEqual(changesOf({ ...values, role: '', description: 'Day and night' }, support), {
      description: 'Day and night',
      role: null,
    })
  })

  it('is not overtaken by members who come and go', () => {
    assert.equal(isOvertaken(support, { ...support, member_count: 4, updated_at: '2026-11-24T00:00:00.000Z' }), false)
    assert.equal(isOvertaken(support, { ...support, name: 'Care' }), true)
  })
})

describe('the address of the groups page', () => {
  it('keeps valid values, and leaves out others', () => {
    assert.deepEqual(groupsSearch({ q: 'north', sort: '-member_count' }), { q: 'north', sort: '-member_count' })
    assert.deepEqual(groupsSearch({ q: 1815, sort: 'name' }), { q: '1815' })
    assert.deepEqual(groupsSearch({ q: '', sort: 'shoe_size', role: 'user' }), {})
  })
})
