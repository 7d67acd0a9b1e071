import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { builtInPermissions, includesPermission, scopablePermissions } from '../../../src/core/permissions.ts'
import * as words from './permission-groups.ts'
import { ownWords, permissionGroups, rolesSetting } from './permission-groups.ts'

const admin = { role: 'admin', permissions: ['*'], built_in: true }

describe('the permissions that the console shows', () => {
  it('are those of the service', () => {
    assert.deepEqual(Object.values(permissionGroups).flat().toSorted(), [...builtInPermissions].toSorted())
  })

  it('can be limited to an organization where the service allows it, and are included by the same rule', () => {
    assert.deepEqual([...words.scopablePermissions].toSorted(), scopablePermissions.toSorted())
    const all = [
      '*',
      '*@organization',
      'users:read',
      'users:write',
      'users:read@organization',
      'groups:read@organization',
    ]
    for (const held of all) {
      for (const word of all) {
        assert.equal(words.includesWord([held], word), includesPermission(held, word), `${held} ${word}`)
      }
    }
  })

  it("include the product's own, once each", () => {
    const analyst = { permissions: ['reports:read', 'users:read'] }
    assert.deepEqual(ownWords([admin, analyst, { permissions: ['reports:read', 'a', 'users:read@organization'] }]), [
      'a',
      'reports:read',
    ])
  })
})

describe('the setting of the roles', () => {
  it('is read back unchanged by a shell and by JSON, without the built-in roles', () => {
    const own = { role: "it's", permissions: ['users:read', "o'"], built_in: false }
    const script = `${rolesSetting([admin, own])}; printf '%s' "$ROLLBOOK_ROLES"`
    const text = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' })
    assert.deepEqual(JSON.parse(text), { "it's": ['users:read', "o'"] })
    assert.equal(rolesSetting([admin]), "ROLLBOOK_ROLES='{}'")
  })
})
