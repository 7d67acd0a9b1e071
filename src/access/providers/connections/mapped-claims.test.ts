import assert from 'node:assert/strict'
import { it } from 'node:test'
import { matcherOf, valuesOf } from './mapped-claims.ts'

const read = (claims: Record<string, unknown>, name: string) => {
  const found = valuesOf(claims, name)
  return 'unread' in found ? found.unread : [...found.values]
}

it('a claim is a text, a number, a boolean, a list of them, the keys of an object, or a path to one of these', () => {
  const cases: [Record<string, unknown>, string, readonly string[]][] = [
    [{ groups: 'a' }, 'groups', ['a']],
    [{ groups: ['a', 'b'] }, 'groups', ['a', 'b']],
    [{ groups: [] }, 'groups', []],
    [{ level: 3 }, 'level', ['3']],
    [{ staff: true }, 'staff', ['true']],
    [{ mixed: [1, false, 'x'] }, 'mixed', ['1', 'false', 'x']],
    [{ roles: { admin: { '1': 'example.com' }, user: {} } }, 'roles', ['admin', 'user']],
    [{ roles: {} }, 'roles', []],
    [{ realm_access: { roles: ['admin'] } }, 'realm_access.roles', ['admin']],
    [{ 'realm_access.roles': ['flat'], realm_access: { roles: ['nested'] } }, 'realm_access.roles', ['flat']],
    [{ resource_access: { 'my.client': { roles: ['r'] } } }, 'resource_access.my.client.roles', ['r']],
    [{ 'https://example.com/claims': { roles: ['r'] } }, 'https://example.com/claims.roles', ['r']],
  ]
  for (const [claims, name, values] of cases) assert.deepEqual(read(claims, name), values, JSON.stringify(claims))
})

it('a claim that is missing, left out or of another form is not an empty one', () => {
  const ms = 'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups'
  const link = { 'http://schemas.microsoft.com/claims/groups.link': 'https://graph.example/me' }
  const cases: [Record<string, unknown>, string, string][] = [
    [{}, 'groups', 'missing'],
    [{ realm_access: {} }, 'realm_access.roles', 'missing'],
    [{ realm_access: ['roles'] }, 'realm_access.roles', 'missing'],
    [{}, 'constructor', 'missing'],
    [{ realm_access: {} }, 'realm_access.constructor', 'missing'],
    [{ _claim_names: { groups: 'src1' } }, 'groups', 'overage'],
    [{ _claim_names: { groups: 'src1' }, groups: ['a'] }, 'groups', 'overage'],
    [{ _claim_names: { realm_access: 'src1' } }, 'realm_access.roles', 'overage'],
    [{ _claim_names: { other: 'src1' } }, 'groups', 'missing'],
    [{ hasgroups: true }, 'groups', 'overage'],
    [{ hasgroups: 'true' }, 'groups', 'overage'],
    [{ hasgroups: false }, 'groups', 'missing'],
    [link, ms, 'overage'],
    [link, 'memberships', 'overage'],
    [{ ...link, [ms]: ['a'] }, ms, 'overage'],
    [{ groups: null }, 'groups', 'unreadable'],
    [{ groups: [{ name: 'a' }] }, 'groups', 'unreadable'],
    [{ groups: ['a', null] }, 'groups', 'unreadable'],
    [{ groups: [['a', { b: 1 }]] }, 'groups', 'unreadable'],
  ]
  for (const [claims, name, why] of cases) assert.equal(read(claims, name), why, JSON.stringify(claims))
  assert.deepEqual(read({ ...link, role: 'user' }, 'role'), ['user'])
})

it('distinguished names match by their parts, other values exactly', () => {
  const matches = matcherOf(new Set(['CN=Admins,OU=Groups,DC=example,DC=com', 'Staff']))
  assert.deepEqual(
    ['cn=admins, ou=groups, dc=example, dc=com', 'Staff', 'staff', 'cn=admins,dc=example,dc=com'].map(matches),
    [true, true, false, false],
  )
})
