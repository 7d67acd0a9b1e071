import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Group, Role } from 'rollbook/client'
import { sourcesOf } from './sources.ts'

const role = (name: string, ...permissions: string[]): Role => ({ role: name, permissions, built_in: false })
const roles = [role('admin', '*'), role('support', 'users:read', 'groups:read'), role('user')]
const group = (name: string, role: string | null): Group => ({
  group_id: `id of ${name}`,
  name,
  description: '',
  external_id: null,
  role,
  member_count: 1,
  created_at: '2026-11-23T10:44:39.641Z',
  updated_at: '2026-11-23T10:44:39.641Z',
})
const through = (name: string, role: string) => ({ role, group: { group_id: `id of ${name}`, name } })

describe('the sources of permissions', () => {
  it('are the own role and every group that gives them', () => {
    assert.deepEqual(sourcesOf({ role: 'support' }, [group('Care', 'support'), group('North', null)], roles), [
      { permission: 'groups:read', sources: [{ role: 'support', group: null }, through('Care', 'support')] },
      { permission: 'users:read', sources: [{ role: 'support', group: null }, through('Care', 'support')] },
    ])
  })

  it('have full access as a source of every permission', () => {
    assert.deepEqual(sourcesOf({ role: 'user' }, [group('Admins', 'admin'), group('Care', 'support')], roles), [
      { permission: '*', sources: [through('Admins', 'admin')] },
      { permission: 'groups:read', sources: [through('Admins', 'admin'), through('Care', 'support')] },
      { permission: 'users:read', sources: [through('Admins', 'admin'), through('Care', 'support')] },
    ])
  })

  it('are none for a role without permissions, or one that is not configured', () => {
    assert.deepEqual(sourcesOf({ role: 'user' }, [], roles), [])
    assert.deepEqual(sourcesOf({ role: 'gone' }, [], roles), [])
  })
})
