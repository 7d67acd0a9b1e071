/** PATCH over HTTP with the strict profile (RFC 7644 §3.5.2). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from '../../../test/harness.ts'
import { assertRefused, type Body, connect, membersOf } from '../../../test/scim/provider.ts'
import { enterpriseUserUrn, groupUrn, patchOpUrn } from '../protocol/urns.ts'

const emails = [
  { value: 'ada@example.com', type: 'work', primary: true },
  { value: 'ada@home.example', type: 'home' },
]

for (const engine of engines) {
  describe(`PATCH of SCIM on ${engine.name}`, () => {
    it('of all members keep one who outranks the connection, but neither add nor remove one', async (t) => {
      const provider = await connect(t, engine)
      const { app, scim, createUser, createGroup, patch } = provider
      const admin = (await app.call('POST', '/users', { body: { username: 'root', role: 'admin' } })).body.user_id
      const [ada, bob] = [(await createUser()).id, (await createUser()).id]
      const group = await createGroup('Guides', [ada])
      const path = `/Groups/${group.id}`
      assertRefused(await patch(path, { op: 'add', path: 'members', value: [{ value: admin }] }), 403)
      assert.equal((await app.call('PUT', `/groups/${group.id}/members/${admin}`)).status, 200)
      const value = [{ value: admin }, { value: bob }]
      assert.equal((await patch(path, { op: 'replace', path: 'members', value })).status, 204)
      assert.deepEqual(await membersOf(provider, group.id), [admin, bob].sort())
      const put = { schemas: [groupUrn], displayName: 'Guides', members: [{ value: admin }, { value: ada }] }
      assert.equal((await scim('PUT', path, put)).status, 200)
      assertRefused(await scim('PUT', path, { ...put, members: [{ value: ada }] }), 403)
      assert.deepEqual(await membersOf(provider, group.id), [admin, ada].sort())
    })

    it('follows every form of a path', async (t) => {
      const { createUser, patch } = await connect(t, engine)
      const steps: [operation: Body, attribute: string, expected: unknown][] = [
        [{ op: 'add', path: 'title', value: 'Countess' }, 'title', 'Countess'],
        [{ op: 'replace', path: 'TITLE', value: 'Analyst' }, 'title', 'Analyst'],
        [{ op: 'remove', path: 'title' }, 'title', undefined],
        [{ op: 'replace', path: 'nickName', value: 'A' }, 'nickName', 'A'],
        [{ op: 'add', path: 'name.givenName', value: 'Ada' }, 'name', { givenName: 'Ada' }],
        [{ op: 'replace', path: 'name', value: { familyName: 'L' } }, 'name', { givenName: 'Ada', familyName: 'L' }],
        [{ op: 'remove', path: 'name.familyName' }, 'name', { givenName: 'Ada' }],
        [{ op: 'add', path: 'emails', value: emails }, 'emails', emails],
        [
          { op: 'replace', path: 'emails[type eq "home"].value', value: 'a@home.example' },
          'emails',
          [emails[0], { ...emails[1], value: 'a@home.example' }],
        ],
        [
          {
            op: 'replace',
            path: 'emails[type eq "home" and value co "home"]',
            value: { value: 'b@x.org', type: 'other' },
          },
          'emails',
          [emails[0], { value: 'b@x.org', type: 'other' }],
        ],
        [{ op: 'remove', path: 'emails[not (type eq "work")]' }, 'emails', [emails[0]]],
        [
          { op: 'remove', path: 'emails[type eq "work"].type' },
          'emails',
          [{ value: 'ada@example.com', primary: true }],
        ],
        [{ op: 'replace', path: 'emails', value: [emails[1]] }, 'emails', [emails[1]]],
        [{ op: 'remove', path: 'emails' }, 'emails', undefined],
        [
          { op: 'add', path: `${enterpriseUserUrn}:department`, value: 'Analysis' },
          enterpriseUserUrn,
          { department: 'Analysis' },
        ],
        [
          { op: 'add', path: `${enterpriseUserUrn}:manager.value`, value: 'x' },
          enterpriseUserUrn,
          { department: 'Analysis', manager: { value: 'x' } },
        ],
        [{ op: 'remove', path: `${enterpriseUserUrn}:manager` }, enterpriseUserUrn, { department: 'Analysis' }],
        [{ op: 'remove', path: enterpriseUserUrn }, enterpriseUserUrn, undefined],
        [
          { op: 'add', value: { displayName: 'Ada L', [enterpriseUserUrn]: { division: 'N' } } },
          'displayName',
          'Ada L',
        ],
        [{ op: 'replace', value: { name: { givenName: 'Augusta' } } }, 'name', { givenName: 'Augusta' }],
        [{ op: 'replace', path: 'active', value: false }, 'active', false],
        [{ op: 'replace', path: 'externalId', value: 'x-1' }, 'externalId', 'x-1'],
        [{ op: 'replace', path: 'userName', value: 'augusta' }, 'userName', 'augusta'],
      ]
      const { id } = await createUser({ userName: 'ada' })
      for (const [operation, attribute, expected] of steps) {
        const { status, body, text } = await patch(`/Users/${id}`, operation)
        assert.equal(status, 200, `${JSON.stringify(operation)}: ${text}`)
        assert.deepEqual(body[attribute], expected, JSON.stringify(operation))
      }
    })

    it('carries out all operations in their order, or none', async (t) => {
      const { scim, createUser, patch } = await connect(t, engine)
      const user = await createUser({ userName: 'ada', title: 'Countess' })
      const all = await patch(
        `/Users/${user.id}`,
        { op: 'replace', path: 'title', value: 'A' },
        { op: 'add', path: 'emails', value: [{ value: 'a@example.com' }] },
        { op: 'remove', path: 'emails' },
        { op: 'replace', path: 'title', value: 'B' },
      )
      assert.deepEqual([all.body.title, all.body.emails], ['B', undefined])
      const refused = await patch(
        `/Users/${user.id}`,
        { op: 'replace', path: 'title', value: 'C' },
        { op: 'replace', path: 'id', value: 'mine' },
      )
      assertRefused(refused, 400, 'mutability')
      assert.deepEqual((await scim('GET', `/Users/${user.id}`)).body, all.body)
    })

    it('lets one value be primary', async (t) => {
      const { createUser, patch } = await connect(t, engine)
      const { id } = await createUser({ emails })
      const added = await patch(`/Users/${id}`, {
        op: 'add',
        path: 'emails',
        value: [{ value: 'new@example.com', type: 'other', primary: true }],
      })
      assert.deepEqual(added.body.emails, [
        { ...emails[0], primary: false },
        emails[1],
        { value: 'new@example.com', type: 'other', primary: true },
      ])
      const moved = await patch(`/Users/${id}`, { op: 'replace', path: 'emails[type eq "home"].primary', value: true })
      assert.deepEqual(
        moved.body.emails.map(({ primary }: Body) => primary),
        [false, true, false],
      )
      const two = [
        { value: 'b@example.com', primary: true },
        { value: 'c@example.com', primary: true },
      ]
      assertRefused(await patch(`/Users/${id}`, { op: 'add', path: 'emails', value: two }), 400, 'invalidValue')
    })

    it('refuses with the keyword that the RFC names', async (t) => {
      const { scim, createUser, createGroup, patch } = await connect(t, engine)
      await createUser({ userName: 'taken' })
      const user = await createUser({ userName: 'ada', emails, name: { givenName: 'Ada' } })
      const group = await createGroup('Guides', [user.id])
      await createGroup('Drivers')
      const cases: [Body, string][] = [
        [{ op: 'remove' }, 'noTarget'],
        [{ op: 'remove', path: 'userName' }, 'mutability'],
        [{ op: 'remove', path: 'id' }, 'mutability'],
        [{ op: 'replace', path: 'id', value: 'x' }, 'mutability'],
        [{ op: 'replace', path: 'meta.created', value: '2001-01-01T00:00:00Z' }, 'mutability'],
        [{ op: 'add', path: 'groups', value: [{ value: group.id }] }, 'mutability'],
        [{ op: 'replace', path: 'emails[type eq "other"].value', value: 'a@b.org' }, 'noTarget'],
        [{ op: 'remove', path: 'emails[type eq "other"]' }, 'noTarget'],
        [{ op: 'replace', path: 'colour', value: 'red' }, 'invalidPath'],
        [{ op: 'replace', path: 'name.colour', value: 'red' }, 'invalidPath'],
        [{ op: 'replace', path: 'title[value eq "x"]', value: 'red' }, 'invalidPath'],
        [{ op: 'replace', path: 'emails[type eq', value: 'red' }, 'invalidFilter'],
        [{ op: 'replace', path: 'emails[colour eq "x"].value', value: 'red' }, 'invalidFilter'],
        [{ op: 'replace', path: '', value: 'red' }, 'invalidPath'],
        [{ op: 'replace', path: '__proto__.x', value: 'red' }, 'invalidPath'],
        [{ op: 'add', value: JSON.parse('{"constructor": {"prototype": {"x": 1}}}') }, 'invalidPath'],
        [{ op: 'add', value: { 'name.givenName': 'A' } }, 'invalidPath'],
        [{ op: 'add', value: 'A' }, 'invalidValue'],
        [{ op: 'add', path: 'title' }, 'invalidValue'],
        [{ op: 'replace', path: 'title', value: 5 }, 'invalidValue'],
        [{ op: 'replace', path: 'active', value: 'False' }, 'invalidValue'],
        [{ op: 'replace', path: 'userName', value: 'taken' }, 'uniqueness'],
        [{ op: 'Replace', path: 'title', value: 'x' }, 'invalidSyntax'],
        [{ op: 'move', path: 'title', value: 'x' }, 'invalidSyntax'],
        [{ path: 'title', value: 'x' }, 'invalidSyntax'],
      ]
      for (const [operation, scimType] of cases) {
        const response = await patch(`/Users/${user.id}`, operation)
        assertRefused(response, scimType === 'uniqueness' ? 409 : 400, scimType)
      }
      const ofGroup: [Body, string][] = [
        [{ op: 'remove', path: 'displayName' }, 'mutability'],
        [{ op: 'replace', path: 'displayName', value: 'drivers' }, 'uniqueness'],
        [{ op: 'add', path: 'members', value: [{ display: 'Ada' }] }, 'invalidValue'],
        [{ op: 'add', path: 'members', value: [{ value: group.id, type: 'Group' }] }, 'invalidValue'],
        [{ op: 'replace', path: `members[value eq "${user.id}"].value`, value: 'x' }, 'mutability'],
        [{ op: 'remove', path: 'members', value: [{ value: user.id }] }, 'invalidSyntax'],
      ]
      for (const [operation, scimType] of ofGroup) {
        const response = await patch(`/Groups/${group.id}`, operation)
        assertRefused(response, scimType === 'uniqueness' ? 409 : 400, scimType)
      }
      const bodies: unknown[] = [
        { Operations: [{ op: 'add', path: 'title', value: 'x' }] },
        { schemas: [patchOpUrn] },
        { schemas: [patchOpUrn], Operations: [] },
        { schemas: [patchOpUrn], Operations: {} },
        { schemas: [patchOpUrn], Operations: ['add'] },
        [],
      ]
      for (const body of bodies) assertRefused(await scim('PATCH', `/Users/${user.id}`, body), 400, 'invalidSyntax')
      assert.deepEqual(
        [(await scim('GET', `/Users/${user.id}`)).body.title, Object.hasOwn(Object.prototype, 'x')],
        [undefined, false],
      )
    })

    it('changes members by every form of a path', async (t) => {
      const provider = await connect(t, engine)
      const { app, createUser, createGroup, patch } = provider
      const ids: string[] = []
      for (const userName of ['ada', 'ben', 'cleo', 'dan']) ids.push((await createUser({ userName })).id)
      const [ada, ben, cleo, dan] = ids as [string, string, string, string]
      const group = await createGroup('Guides', [ada])
      const member = (value: string) => ({ value })
      const steps: [operations: Body[], members: string[]][] = [
        [[{ op: 'add', path: 'members', value: [member(ben), member(ada)] }], [ada, ben]],
        [[{ op: 'add', path: 'members', value: member(cleo.toUpperCase()) }], [ada, ben, cleo]],
        [[{ op: 'add', value: { members: [member(dan)] } }], [ada, ben, cleo, dan]],
        [[{ op: 'remove', path: `members[value eq "${ada}" or value eq "${ben}"]` }], [cleo, dan]],
        [[{ op: 'remove', path: `members[display sw "c"]` }], [dan]],
        [[{ op: 'replace', path: 'members', value: [member(ada), member(ben)] }], [ada, ben]],
        [[{ op: 'replace', value: { displayName: 'G', members: [member(ben)] } }], [ben]],
        [
          [
            { op: 'remove', path: 'members' },
            { op: 'add', path: 'members', value: [member(cleo)] },
          ],
          [cleo],
        ],
        [
          [
            { op: 'add', path: 'members', value: [member(ada)] },
            { op: 'remove', path: `members[value eq "${ada}"]` },
          ],
          [cleo],
        ],
        [[{ op: 'remove', path: 'members' }], []],
        [[{ op: 'replace', path: 'members', value: [] }], []],
      ]
      for (const [operations, members] of steps) {
        const { status, text } = await patch(`/Groups/${group.id}`, ...operations)
        assert.deepEqual([status, text], [204, ''], JSON.stringify(operations))
        assert.deepEqual(await membersOf(provider, group.id), members.sort(), JSON.stringify(operations))
      }
      const { body } = await app.call('GET', `/groups/${group.id}`)
      assert.deepEqual([body.name, body.member_count], ['G', 0])
    })

    it('keeps the rules of ranks and of the last administrator', async (t) => {
      const { app, scim, createUser, patch } = await connect(t, engine)
      const admin = (await app.call('POST', '/users', { body: { username: 'root', role: 'admin' } })).body
      const disable = { op: 'replace', path: 'active', value: false }
      assertRefused(await patch(`/Users/${admin.user_id}`, disable), 403)
      assertRefused(await scim('DELETE', `/Users/${admin.user_id}`), 403)
      const admins = (await app.call('POST', '/groups', { body: { name: 'Admins', role: 'admin' } })).body
      const user = await createUser()
      const join = { op: 'add', path: 'members', value: [{ value: user.id }] }
      assertRefused(await patch(`/Groups/${admins.group_id}`, join), 403)
      assert.deepEqual((await app.call('GET', `/groups/${admins.group_id}/members`)).body, [])
    })

    it('fills a group that gives a role with a key that has the permissions of the role', async (t) => {
      const env = { ROLLBOOK_ROLES: '{"analyst": ["reports:read"]}' }
      const { app, connection_id, createUser, patch } = await connect(t, engine, { env })
      const { group_id } = (await app.call('POST', '/groups', { body: { name: 'Analysts', role: 'analyst' } })).body
      const user = await createUser()
      const join = { op: 'add', path: 'members', value: [{ value: user.id }] }
      assertRefused(await patch(`/Groups/${group_id}`, join), 403)
      const body = { name: 'more', permissions: ['scim:write', 'reports:read'], connection_id }
      const { key } = (await app.call('POST', '/keys', { body })).body
      const headers = { 'content-type': 'application/scim+json' }
      const sent = { schemas: [patchOpUrn], Operations: [join] }
      const joined = await app.call('PATCH', `/scim/v2/Groups/${group_id}`, { key, headers, body: sent })
      assert.equal(joined.status, 204, joined.text)
      assert.equal((await app.call('GET', `/groups/${group_id}`)).body.member_count, 1)
    })
  })
}
