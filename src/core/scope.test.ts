import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { system } from './actor.ts'
import {
  builtInPermissions,
  formatPermission,
  includesPermission,
  isScopable,
  parsePermission,
  scopablePermissions,
} from './permissions.ts'
import { heldByBoth, holds } from './rules.ts'
import { type Caller, limitedBy, scopeOf } from './scope.ts'

const organization = { organization_id: '019a9f3e-0000-7000-8000-000000000001', name: 'Acme' }
const { organization_id } = organization
const callerWith = (permissions: readonly string[]): Caller => ({ permissions, organization })
const limited = (word: string) => `${word}@organization`

describe('a permission that is limited to an organization', () => {
  it('is a word of the list with a suffix', () => {
    assert.deepEqual(
      scopablePermissions.filter((word) => !(builtInPermissions as readonly string[]).includes(word)),
      [],
    )
    for (const word of [...builtInPermissions, 'reports:read']) {
      assert.deepEqual(parsePermission(word), { word, isLimited: false })
      assert.deepEqual(parsePermission(limited(word)), { word, isLimited: true })
      assert.equal(formatPermission(parsePermission(limited(word))), limited(word))
    }
    const others = [
      '*',
      'users:export_hashes',
      'events:read',
      'webhooks:write',
      'metrics:read',
      'roles:write',
      'mails:write',
    ]
    assert.deepEqual(others.filter(isScopable), [])
  })

  it('is included in the whole word and in *, and includes neither', () => {
    const included = [
      ['*', 'users:read'],
      ['*', limited('users:read')],
      ['users:read', 'users:read'],
      ['users:read', limited('users:read')],
      [limited('users:read'), limited('users:read')],
    ] as const
    for (const word of scopablePermissions) assert.ok(includesPermission('*@organization', limited(word)), word)
    const notIncluded = [
      ['*@organization', 'users:read'],
      ['*@organization', '*'],
      ['*@organization', limited('events:read')],
      [limited('users:read'), '*@organization'],
      ['users:read', '*@organization'],
      [limited('users:read'), 'users:read'],
      [limited('users:read'), '*'],
      ['users:read', '*'],
      ['users:read', limited('users:write')],
      [limited('users:read'), limited('groups:read')],
    ] as const
    for (const [held, permission] of included) assert.ok(includesPermission(held, permission), `${held} ${permission}`)
    for (const [held, permission] of notIncluded) {
      assert.ok(!includesPermission(held, permission), `${held} ${permission}`)
    }
    assert.ok(holds(['keys:read', 'users:read'], limited('users:read')))
    assert.ok(!holds(['keys:read', limited('users:read')], 'users:read'))
  })

  it('is what a whole and a limited word have in common', () => {
    assert.deepEqual(heldByBoth(['users:read'], [limited('users:read')]), [limited('users:read')])
    assert.deepEqual(heldByBoth([limited('users:read')], ['users:read', 'keys:read']), [limited('users:read')])
    assert.deepEqual(heldByBoth(['*'], [limited('users:read')]), [limited('users:read')])
    assert.deepEqual(heldByBoth([limited('users:read')], ['*']), [limited('users:read')])
    assert.deepEqual(heldByBoth(['*@organization'], ['users:read', 'a:b']), [limited('users:read')])
    assert.deepEqual(heldByBoth(['users:read', 'events:read'], ['*@organization']), [limited('users:read')])
    for (const other of ['*', '*@organization'])
      assert.deepEqual(heldByBoth(['*@organization'], [other]), ['*@organization'])
    assert.deepEqual(heldByBoth(['a:b', 'users:read'], ['users:read', 'c:d']), ['users:read'])
  })
})

describe('the scope of a call', () => {
  it('is everyone with the whole word, and the own organization with the limited one', () => {
    assert.deepEqual(scopeOf(system), { kind: 'everyone' })
    for (const permission of scopablePermissions) {
      for (const permissions of [['*'], [permission], [permission, limited(permission)]]) {
        assert.deepEqual(scopeOf(limitedBy(callerWith(permissions), permission)), { kind: 'everyone' })
      }
      const caller = callerWith([limited(permission)])
      assert.deepEqual(scopeOf(limitedBy(caller, permission)), { kind: 'organization', organization_id })
    }
  })

  it('is refused without the word, and for a limited word without an organization', () => {
    const refused: Caller[] = [
      { permissions: [] },
      { permissions: ['users:write', limited('groups:read')], organization },
      { permissions: [limited('users:read')] },
    ]
    for (const caller of refused) {
      assert.throws(() => limitedBy(caller, 'users:read'), { code: 'permission_denied' })
    }
  })

  it('stays limited by a second word, whole or limited', () => {
    const permissions = [limited('users:write'), 'groups:write', limited('sessions:write')]
    const caller = limitedBy(callerWith(permissions), 'users:write')
    for (const second of ['groups:write', 'sessions:write'] as const) {
      assert.deepEqual(scopeOf(limitedBy(caller, second)), { kind: 'organization', organization_id })
    }
    assert.throws(() => limitedBy(caller, 'groups:read'), { code: 'permission_denied' })
  })
})
