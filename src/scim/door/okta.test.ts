/** What Okta sends, as its documentation and test suite show it, over HTTP with the profile `okta`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines, start } from '../../../test/harness.ts'
import { assertRefused, type Body, connectTo, filtered, membersOf } from '../../../test/scim/provider.ts'
import { groupUrn, patchOpUrn, userUrn } from '../protocol/urns.ts'

const ada = {
  schemas: [userUrn],
  userName: 'ada@okta.local',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [{ primary: true, value: 'ada@okta.local', type: 'work' }],
  displayName: 'Ada Lovelace',
  locale: 'en-US',
  externalId: '00ujl29u0le5T6Aj10h7',
  groups: [],
  active: true,
}

for (const engine of engines) {
  describe(`Okta on ${engine.name}`, () => {
    it('tests the connection and imports users by pages of 100', async (t) => {
      const app = await start(t, engine)
      const { scim } = await connectTo(app, { profile: 'okta' })
      for (let n = 0; n < 120; n++) {
        await app.call('POST', '/users', {
          body: { username: `user${n}`, email: `user${n}@okta.local`, first_name: 'A', last_name: 'B' },
        })
      }
      const test = await scim('GET', '/Users?startIndex=1&count=2')
      assert.deepEqual(
        [test.status, test.body.totalResults, test.body.itemsPerPage, test.body.startIndex],
        [200, 120, 2, 1],
      )
      const [{ id, userName, name, emails, active }] = test.body.Resources
      assert.deepEqual(
        [typeof id, userName, name, emails[0].value, active],
        ['string', 'user0', { givenName: 'A', familyName: 'B' }, 'user0@okta.local', true],
      )
      const [first, second] = [
        await scim('GET', '/Users?startIndex=1&count=100'),
        await scim('GET', '/Users?startIndex=101&count=100'),
      ]
      assert.deepEqual([first.body.itemsPerPage, second.body.itemsPerPage], [100, 20])
      const all = [...first.body.Resources, ...second.body.Resources].map((one: Body) => one.id)
      assert.equal(new Set(all).size, 120)
      const wrong = await scim('GET', '/Users?startIndex=1&count=2', undefined, { authorization: 'Bearer wrong' })
      assertRefused(wrong, 401)
      assertRefused(await scim('GET', '/Users/010101001010101011001010101011'), 404)
      assert.equal((await scim('GET', '/Groups?startIndex=1&count=100')).body.totalResults, 0)
    })

    it('creates, replaces, disables and enables users', async (t) => {
      const app = await start(t, engine)
      const { scim } = await connectTo(app, { profile: 'okta' })
      const find = () => scim('GET', `/Users?${filtered('userName eq "Ada@Okta.local"')}&startIndex=1&count=100`)
      assert.deepEqual((await find()).body.Resources, [])
      const created = await scim('POST', '/Users', ada)
      assert.equal(created.status, 201, created.text)
      const { id, meta } = created.body
      assertRefused(await scim('POST', '/Users', ada), 409, 'uniqueness')
      assert.equal((await find()).body.Resources[0].id, id)
      assert.equal((await scim('GET', `/Users/${id}`)).body.userName, ada.userName)

      const whole = {
        ...ada,
        id,
        meta,
        name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' },
        'urn:ietf:params:scim:schemas:extension:okta_custom:2.0:User': { badge: '7' },
      }
      const put = await scim('PUT', `/Users/${id}`, whole)
      assert.equal(put.status, 200, put.text)
      assert.deepEqual([put.body.name, put.body.emails, put.body.active], [whole.name, ada.emails, true])
      assert.equal((await app.call('GET', `/users/${id}`)).body.first_name, 'Another')

      const patch = (value: Body) =>
        scim('PATCH', `/Users/${id}`, { schemas: [patchOpUrn], Operations: [{ op: 'replace', value }] })
      const disabled = await patch({ active: false })
      assert.deepEqual([disabled.status, disabled.body.active], [200, false])
      // Profile updates go on while the user is disabled, and must not enable them.
      const { active: _, ...profile } = whole
      assert.equal((await scim('PUT', `/Users/${id}`, profile)).body.active, false)
      assert.equal((await patch({ active: true })).body.active, true)
      assert.equal((await scim('PUT', `/Users/${id}`, { ...whole, active: false })).body.active, false)
    })

    it('pushes groups: replaces name and members, adds and removes members', async (t) => {
      const app = await start(t, engine)
      const provider = await connectTo(app, { profile: 'okta' })
      const { scim, createUser } = provider
      const [a, b, c] = [await createUser(), await createUser(), await createUser()]
      const member = ({ id, userName }: Body) => ({ value: String(id), display: userName })
      assert.equal(
        (await scim('GET', `/Groups?${filtered('displayName eq "Test SCIMv2"')}&startIndex=1&count=100`)).body
          .totalResults,
        0,
      )
      const created = await scim('POST', '/Groups', { schemas: [groupUrn], displayName: 'Test SCIMv2', members: [] })
      assert.deepEqual([created.status, created.body.members], [201, []], created.text)
      const { id } = created.body
      const patch = async (members: Body[], ...Operations: Body[]) => {
        const { status, text } = await scim('PATCH', `/Groups/${id}`, { schemas: [patchOpUrn], Operations })
        assert.equal(status, 204, text)
        assert.deepEqual(
          await membersOf(provider, id),
          members.map((one) => String(one.id)).sort(),
          JSON.stringify(Operations),
        )
      }
      await patch([a, b], { op: 'add', path: 'members', value: [member(a), member(b)] })
      await patch([a, b], { op: 'replace', value: { id, displayName: 'Test SCIMv2 renamed' } })
      await patch(
        [b, c],
        { op: 'remove', path: `members[value eq "${a.id}"]` },
        { op: 'add', path: 'members', value: [member(c)] },
      )
      await patch([a], { op: 'replace', path: 'members', value: [member(a)] })
      await patch([a, c], { op: 'replace', value: { displayName: 'Test SCIMv2', members: [member(a), member(c)] } })
      const put = await scim('PUT', `/Groups/${id}`, {
        schemas: [groupUrn],
        id,
        displayName: 'Test SCIMv2',
        members: [member(b), member(c)],
      })
      assert.equal(put.status, 200, put.text)
      assert.deepEqual(await membersOf(provider, id), [b.id, c.id].sort())
      assert.deepEqual((await app.call('GET', `/groups/${id}`)).body.member_count, 2)
      // A user who was disabled stays a member until Okta removes them.
      await scim('PATCH', `/Users/${b.id}`, {
        schemas: [patchOpUrn],
        Operations: [{ op: 'replace', value: { active: false } }],
      })
      assert.deepEqual(await membersOf(provider, id), [b.id, c.id].sort())
      assert.equal((await scim('DELETE', `/Groups/${id}`)).status, 204)
      assertRefused(await scim('GET', `/Groups/${id}`), 404)
    })
  })

  describe(`the strict profile on ${engine.name}`, () => {
    for (const profile of ['strict', 'google', 'jumpcloud']) {
      it(`refuses the habits of Okta and Entra ID, and says which profile helps: ${profile}`, async (t) => {
        const { scim, createUser, createGroup, patch } = await connectTo(await start(t, engine), { profile })
        const user = await createUser()
        const group = await createGroup('Guides', [user.id])
        const cases: [Body, string][] = [
          [{ op: 'Replace', path: 'title', value: 'x' }, 'invalidSyntax'],
          [{ op: 'replace', path: 'active', value: 'False' }, 'invalidValue'],
          [{ op: 'replace', value: { 'name.givenName': 'x' } }, 'invalidPath'],
          [{ op: 'replace', path: 'emails[type eq "work"].value', value: 'a@example.com' }, 'noTarget'],
        ]
        for (const [operation, scimType] of cases) {
          const response = await patch(`/Users/${user.id}`, operation)
          assertRefused(response, 400, scimType)
          assert.match(response.body.detail, /profile okta or entra/)
        }
        assertRefused(await patch(`/Users/${user.id}`, { op: 'add', path: 'colour', value: 'red' }), 400, 'invalidPath')
        const removal = { op: 'remove', path: 'members', value: [{ value: user.id }] }
        assertRefused(await patch(`/Groups/${group.id}`, removal), 400, 'invalidSyntax')
        assertRefused(
          await scim('PATCH', `/Users/${user.id}`, { schemas: [patchOpUrn], Operations: [] }),
          400,
          'invalidSyntax',
        )
        const manager = { 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { manager: 'x' } }
        assertRefused(
          await scim('POST', '/Users', { schemas: [userUrn], userName: 'b', ...manager }),
          400,
          'invalidValue',
        )
      })
    }
  })
}
