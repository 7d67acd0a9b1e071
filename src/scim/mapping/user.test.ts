import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../../test/cases.ts'
import { acceptResource } from '../patch/apply.ts'
import type { JsonObject } from '../protocol/json.ts'
import { profiles } from '../protocol/profiles.ts'
import { enterpriseUserUrn, userUrn } from '../protocol/urns.ts'
import { userDefinition } from '../schemas/definition.ts'
import { groupFromScim, groupToScim } from './group.ts'
import { type MappedUser, type StoredUser, userFromScim, userToScim } from './user.ts'

const base = 'https://example.com/auth/scim/v2'
const times = { created_at: '2026-11-20T09:30:00.000Z', updated_at: '2026-11-21T09:30:00.000Z' }

/** What is stored after the client created the user; `defined` are attributes that Rollbook has. */
function stored({ members, document }: MappedUser, defined: readonly string[] = []): StoredUser {
  const { username, email, external_id, first_name, last_name, active = true } = members
  return {
    user: { user_id: 'u1', username, email, external_id, first_name, last_name, active, ...times },
    document,
    attributes: Object.fromEntries(defined.map((name) => [name, members.attributes[name] ?? null])),
    groups: [],
  }
}

const read = (body: JsonObject) =>
  userFromScim(
    acceptResource({ schemas: [userUrn], userName: 'ada', ...body }, userDefinition, profiles.strict).resource,
  )
const written = (user: StoredUser) => userToScim(user, base, 'W/"1"')

const sent: JsonObject = {
  userName: 'Ada.L',
  externalId: 'X-1',
  active: false,
  password: 'correct horse battery',
  displayName: 'Ada',
  name: { givenName: 'Ada', familyName: 'Lovelace', formatted: 'Countess Ada' },
  emails: [
    { value: 'home@example.com', type: 'home' },
    { value: 'Work@example.com', type: 'work', primary: true },
  ],
  phoneNumbers: [{ value: '555', type: 'work' }],
  [enterpriseUserUrn]: { department: 'Sales', employeeNumber: '7', manager: { value: 'm1', $ref: '../Users/m1' } },
}

describe('users', () => {
  it('keep in Rollbook what it has a member for, and the rest in a document', () => {
    const { members, document } = read(sent)
    assert.deepEqual(members, {
      username: 'Ada.L',
      email: 'Work@example.com',
      external_id: 'X-1',
      first_name: 'Ada',
      last_name: 'Lovelace',
      active: false,
      password: 'correct horse battery',
      attributes: {
        employee_number: '7',
        cost_center: null,
        organization: null,
        division: null,
        department: 'Sales',
        manager: 'm1',
      },
    })
    assert.deepEqual(document, {
      displayName: 'Ada',
      name: { formatted: 'Countess Ada' },
      emails: sent.emails,
      phoneNumbers: sent.phoneNumbers,
      [enterpriseUserUrn]: sent[enterpriseUserUrn],
    })
  })

  it('come back as they were sent, without the password', () => {
    const { password: _, ...members } = sent
    for (const defined of [[], ['department', 'manager', 'cost_center']]) {
      assert.deepEqual(written(stored(read(sent), defined)), {
        schemas: [userUrn, enterpriseUserUrn],
        id: 'u1',
        ...members,
        meta: {
          resourceType: 'User',
          created: times.created_at,
          lastModified: times.updated_at,
          location: `${base}/Users/u1`,
          version: 'W/"1"',
        },
      })
    }
  })

  it('show what changed in Rollbook since', () => {
    const user = stored(read(sent), ['department', 'manager', 'division'])
    const changed = written({
      ...user,
      user: {
        ...user.user,
        username: 'ada2',
        email: 'new@example.com',
        first_name: 'A',
        last_name: '',
        external_id: null,
        active: true,
      },
      attributes: { department: null, manager: 'm2', division: 'North' },
      groups: [{ group_id: 'g1', name: 'Support' }],
    })
    assert.deepEqual(changed.emails, [
      { value: 'home@example.com', type: 'home' },
      { value: 'new@example.com', type: 'work', primary: true },
    ])
    assert.deepEqual(changed.name, { formatted: 'Countess Ada', givenName: 'A' })
    assert.deepEqual([changed.userName, changed.active, 'externalId' in changed], ['ada2', true, false])
    assert.deepEqual(changed[enterpriseUserUrn], { employeeNumber: '7', manager: { value: 'm2' }, division: 'North' })
    assert.deepEqual(changed.groups, [{ value: 'g1', $ref: `${base}/Groups/g1`, display: 'Support', type: 'direct' }])
    assert.deepEqual(written({ ...user, user: { ...user.user, email: null } }).emails, [
      { value: 'home@example.com', type: 'home' },
    ])
  })

  it('that Rollbook made have an email address too', () => {
    const user = written({
      user: {
        user_id: 'u1',
        username: 'ada',
        email: 'a@example.com',
        external_id: null,
        first_name: '',
        last_name: '',
        active: true,
        ...times,
      },
      document: {},
      attributes: {},
      groups: [],
    })
    assert.deepEqual(user.emails, [{ value: 'a@example.com', type: 'work', primary: true }])
    assert.deepEqual(user.schemas, [userUrn])
    assert.ok(!('name' in user))
  })

  it('use the primary address, else the first one for work, else the first one', () => {
    const main = (...emails: JsonObject[]) => read({ emails }).members.email
    const [a, b, c] = ['a@x.example', 'b@x.example', 'c@x.example']
    assert.equal(main({ value: a }, { value: b, type: 'WORK' }, { value: c, primary: true }), c)
    assert.equal(main({ value: a }, { value: b, type: 'WORK' }, { value: c, type: 'work' }), b)
    assert.equal(main({ type: 'work' }, { value: a }, { value: b }), a)
    assert.equal(main({ value: 'none', primary: true }, { value: a }), a)
    assert.equal(main({ type: 'work' }), null)
  })

  it('do not become active because a client did not say so', () => {
    assert.ok(!('active' in read({}).members))
  })

  it('come back as they were sent, whatever was sent', () => {
    const word = fc.string({ unit: 'grapheme', minLength: 1 }).filter((one) => one.isWellFormed())
    const strings = (...names: string[]) =>
      fc.record(Object.fromEntries(names.map((name) => [name, word])), { requiredKeys: [], noNullPrototype: true })
    const entry = strings('value', 'type', 'display')
    const user = fc
      .tuple(
        strings('userName', 'externalId', 'displayName', 'title', 'locale'),
        fc.record(
          {
            name: strings('givenName', 'familyName', 'formatted', 'middleName'),
            emails: fc.array(entry, { maxLength: 3 }),
            roles: fc.array(entry, { maxLength: 3 }),
            active: fc.boolean(),
            [enterpriseUserUrn]: strings('department', 'costCenter', 'employeeNumber'),
          },
          { requiredKeys: [], noNullPrototype: true },
        ),
      )
      .map(([texts, rest]) => ({ ...texts, ...rest }))
    fc.assert(
      fc.property(user, fc.subarray(['department', 'cost_center', 'manager']), (body, defined) => {
        const { resource } = acceptResource(
          { schemas: [userUrn], userName: 'ada', ...body },
          userDefinition,
          profiles.strict,
        )
        const { id: _id, meta: _meta, ...members } = written(stored(userFromScim(resource), defined))
        assert.deepEqual(members, { active: true, ...resource })
      }),
      { numRuns: cases(1_000) },
    )
  })
})

describe('groups', () => {
  it('map their names', () => {
    assert.deepEqual(groupFromScim({ displayName: 'Support', externalId: 'x', members: [] }), {
      name: 'Support',
      external_id: 'x',
    })
    assert.deepEqual(groupFromScim({ displayName: 'Support' }), { name: 'Support', external_id: null })
    const group = { group_id: 'g1', name: 'Support', external_id: 'x', ...times }
    const members = groupToScim(group, [{ user_id: 'u1', username: 'ada' }], base, 'W/"2"')
    assert.deepEqual(members.members, [{ value: 'u1', $ref: `${base}/Users/u1`, type: 'User', display: 'ada' }])
    assert.deepEqual([members.displayName, members.externalId], ['Support', 'x'])
    assert.ok(!('members' in groupToScim(group, undefined, base, 'W/"2"')))
  })
})
