/** What Entra ID sends, as its documentation and provisioning logs show it, over HTTP with the profile `entra`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines, start } from '../../../test/harness.ts'
import { openBrowser } from '../../../test/people.ts'
import { assertRefused, type Body, connectTo, filtered, membersOf } from '../../../test/scim/provider.ts'
import { enterpriseUserUrn, groupUrn, patchOpUrn, userUrn } from '../protocol/urns.ts'

const legacyGroupUrn = 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'

const ada = {
  schemas: [userUrn, enterpriseUserUrn],
  externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
  userName: 'Ada@contoso.com',
  active: true,
  displayName: 'Ada Lovelace',
  emails: [{ primary: true, type: 'work', value: 'Ada@contoso.com' }],
  meta: { resourceType: 'User' },
  name: { formatted: 'Ada Lovelace', familyName: 'Lovelace', givenName: 'Ada' },
  roles: [],
  phoneNumbers: null,
  addresses: null,
  title: null,
  department: null,
  manager: null,
}

for (const engine of engines) {
  describe(`Entra ID on ${engine.name}`, () => {
    it('tests the connection, creates a user, changes, disables, enables and deletes them', async (t) => {
      const app = await start(t, engine)
      const { scim } = await connectTo(app, { profile: 'entra' })
      const test = await scim('GET', `/Users?${filtered('userName eq "e1b47e3c-7d52-4a7f-8f3f-9a3f0c2a7d11"')}`)
      assert.deepEqual([test.status, test.body.totalResults, test.body.Resources], [200, 0, []])
      const schemas = await scim('GET', '/Schemas')
      assert.doesNotMatch(schemas.text, /null/)

      assert.equal((await scim('GET', `/Users?${filtered('userName eq "ada@contoso.com"')}`)).body.totalResults, 0)
      const created = await scim('POST', '/Users', ada)
      assert.equal(created.status, 201, created.text)
      const { id } = created.body
      const {
        roles: _r,
        meta: _m,
        phoneNumbers: _p,
        addresses: _a,
        title: _t,
        department: _d,
        manager: _n,
        ...sent
      } = ada
      assert.deepEqual(
        { ...created.body, id: undefined, meta: undefined },
        { ...sent, schemas: [userUrn], id: undefined, meta: undefined },
      )
      const found = await scim('GET', `/Users?${filtered('userName eq "ADA@contoso.com"')}`)
      assert.deepEqual([found.body.totalResults, found.body.Resources[0].id], [1, id])
      assert.equal((await scim('GET', `/Users?${filtered(`externalId eq "${ada.externalId}"`)}`)).body.totalResults, 1)

      const operations = (...Operations: Body[]) => scim('PATCH', `/Users/${id}`, { schemas: [patchOpUrn], Operations })
      const changed = await operations(
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updated@contoso.com' },
        { op: 'Replace', path: 'name.familyName', value: 'King' },
        { op: 'Add', path: 'nickName', value: 'Babs' },
        { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+44 1' },
        { op: 'Add', path: 'addresses[type eq "work"].country', value: 'UK' },
        { op: 'Replace', path: `${enterpriseUserUrn}:department`, value: 'Analysis' },
        { op: 'Add', path: 'roles[primary eq "True"].value', value: 'analyst' },
      )
      assert.equal(changed.status, 200, changed.text)
      const { emails, name, phoneNumbers, addresses, roles, [enterpriseUserUrn]: extension } = changed.body
      assert.deepEqual(emails, [{ primary: true, type: 'work', value: 'updated@contoso.com' }])
      assert.deepEqual(name, { formatted: 'Ada Lovelace', familyName: 'King', givenName: 'Ada' })
      assert.deepEqual(
        [phoneNumbers, addresses],
        [[{ type: 'mobile', value: '+44 1' }], [{ type: 'work', country: 'UK' }]],
      )
      assert.deepEqual([roles, extension], [[{ primary: true, value: 'analyst' }], { department: 'Analysis' }])
      assert.equal((await app.call('GET', `/users/${id}`)).body.email, 'updated@contoso.com')

      // With aadOptscim062020 in the tenant URL.
      const flagged = await operations(
        { op: 'replace', path: 'emails[type eq "work"].value', value: 'flagged@contoso.com' },
        {
          op: 'replace',
          value: {
            displayName: 'Bjfe',
            'name.givenName': 'Kkom',
            'name.familyName': 'Unua',
            [`${enterpriseUserUrn}:employeeNumber`]: 'Aklq',
          },
        },
      )
      assert.equal(flagged.status, 200, flagged.text)
      assert.deepEqual(
        [flagged.body.displayName, flagged.body.name.givenName, flagged.body.name.familyName],
        ['Bjfe', 'Kkom', 'Unua'],
      )
      assert.deepEqual(flagged.body[enterpriseUserUrn], { department: 'Analysis', employeeNumber: 'Aklq' })

      for (const [value, active] of [
        ['False', false],
        ['True', true],
        [false, false],
        [true, true],
      ] as const) {
        const { status, body, text } = await operations({ op: 'Replace', path: 'active', value })
        assert.deepEqual([status, body.active], [200, active], text)
        assert.equal((await app.call('GET', `/users/${id}`)).body.active, active)
        assert.equal((await scim('GET', `/Users/${id}`)).body.active, active, 'disabled users stay visible')
      }
      assert.equal((await scim('DELETE', `/Users/${id}`)).status, 204)
      assertRefused(await scim('GET', `/Users/${id}`), 404)
      assert.equal((await scim('POST', '/Users', ada)).status, 201, 'comes back with the same userName and externalId')
    })

    it('sets, asks for and removes managers, as a text, as a list, and without the URN', async (t) => {
      const { scim, createUser, patch } = await connectTo(await start(t, engine), { profile: 'entra' })
      const [user, boss, chief] = [await createUser(), await createUser(), await createUser()]
      const manager = async () => (await scim('GET', `/Users/${user.id}`)).body[enterpriseUserUrn]?.manager?.value
      const asks = async (by: string, name: string) => {
        const query = filtered(`id eq "${user.id}" and ${name} eq "${by}"`)
        return (await scim('GET', `/Users?${query}&attributes=id`)).body.Resources.map(({ id }: Body) => id)
      }
      for (const path of [`${enterpriseUserUrn}:manager`, 'manager']) {
        assert.equal((await patch(`/Users/${user.id}`, { op: 'Add', path, value: boss.id })).status, 200)
        assert.equal(await manager(), boss.id)
        assert.deepEqual([await asks(boss.id, path), await asks(chief.id, path)], [[user.id], []])
        const value = [{ $ref: `https://example.com/scim/Users/${chief.id}`, value: chief.id }]
        assert.equal((await patch(`/Users/${user.id}`, { op: 'Add', path, value })).status, 200)
        assert.equal(await manager(), chief.id)
        assert.equal((await patch(`/Users/${user.id}`, { op: 'Remove', path })).status, 200)
        assert.equal(await manager(), undefined)
      }
      const posted = await createUser({ userName: 'with-manager', manager: boss.id, department: 'Analysis' })
      assert.deepEqual(posted[enterpriseUserUrn], { manager: { value: boss.id }, department: 'Analysis' })
    })

    it('pushes groups: creates, renames, adds and removes members, deletes', async (t) => {
      const app = await start(t, engine)
      const provider = await connectTo(app, { profile: 'entra' })
      const { scim, createUser, patch } = provider
      const [a, b, c] = [(await createUser()).id, (await createUser()).id, (await createUser()).id]
      const query = `excludedAttributes=members&${filtered('displayName eq "Analysts"')}`
      assert.equal((await scim('GET', `/Groups?${query}`)).body.totalResults, 0)
      const body = {
        schemas: [groupUrn, legacyGroupUrn],
        externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
        displayName: 'Analysts',
        members: [],
        meta: { resourceType: 'Group' },
      }
      const created = await scim('POST', '/Groups', body)
      assert.equal(created.status, 201, created.text)
      const { id } = created.body
      assertRefused(await scim('POST', '/Groups', { ...body, externalId: 'other' }), 409, 'uniqueness')
      const found = await scim('GET', `/Groups?${query}`)
      assert.deepEqual([found.body.totalResults, found.body.Resources[0].members], [1, undefined])
      assert.equal((await scim('GET', `/Groups/${id}?excludedAttributes=members`)).body.externalId, body.externalId)

      const steps: [Body, string[]][] = [
        [
          {
            op: 'Add',
            path: 'members',
            value: [
              { $ref: null, value: a },
              { $ref: null, value: b },
            ],
          },
          [a, b],
        ],
        [
          {
            op: 'Add',
            path: 'members',
            value: [
              { $ref: null, value: b },
              { $ref: null, value: c },
            ],
          },
          [a, b, c],
        ],
        [{ op: 'Remove', path: 'members', value: [{ $ref: null, value: a }] }, [b, c]],
        [{ op: 'Remove', path: 'members', value: [{ value: a }] }, [b, c]],
        [{ op: 'remove', path: `members[value eq "${b}"]` }, [c]],
        [{ op: 'Replace', path: 'displayName', value: 'Analysts of the north' }, [c]],
      ]
      for (const [operation, members] of steps) {
        const { status, text } = await patch(`/Groups/${id}`, operation)
        assert.deepEqual([status, text], [204, ''], JSON.stringify(operation))
        assert.deepEqual(await membersOf(provider, id), members.sort(), JSON.stringify(operation))
      }
      const filter = filtered(`id eq "${id}" and members eq "${c}"`)
      assert.equal((await scim('GET', `/Groups?${filter}&attributes=id`)).body.totalResults, 1)
      assert.equal((await app.call('GET', `/groups/${id}`)).body.name, 'Analysts of the north')
      assert.equal((await scim('DELETE', `/Groups/${id}`)).status, 204)
    })

    it('passes its validator: empty operations, types that are not there, text for booleans', async (t) => {
      const { scim, createUser, patch } = await connectTo(await start(t, engine), { profile: 'entra' })
      const { id, meta } = await createUser(ada)
      const empty = await scim('PATCH', `/Users/${id}`, { schemas: [patchOpUrn], Operations: [] })
      assert.deepEqual([empty.status, empty.body.meta], [200, meta])
      const untyped = await patch(
        `/Users/${id}`,
        { op: 'Add', path: 'emails[type eq "untyped"].value', value: 'untyped@contoso.com' },
        { op: 'Replace', path: 'ims[type eq "skype"].value', value: 'ada' },
        { op: 'Add', path: 'photos[type eq "photo"].value', value: 'https://contoso.com/ada.png' },
        { op: 'Replace', path: 'emails[type eq "untyped"].primary', value: 'True' },
        { op: 'Remove', path: 'entitlements[type eq "other"]' },
      )
      assert.equal(untyped.status, 200, untyped.text)
      assert.deepEqual(untyped.body.emails, [
        { primary: false, type: 'work', value: 'Ada@contoso.com' },
        { type: 'untyped', value: 'untyped@contoso.com', primary: true },
      ])
      assert.equal((await scim('GET', `/Users?${filtered('active eq "True"')}`)).body.totalResults, 1)
      const unknown = await patch(`/Users/${id}`, {
        op: 'Add',
        path: 'urn:ietf:params:scim:schemas:extension:CustomExtensionName:2.0:User:colour',
        value: 'red',
      })
      assert.deepEqual(
        [unknown.status, unknown.body.meta],
        [200, untyped.body.meta],
        'unknown attributes change nothing',
      )
      const pages: string[] = []
      for (let n = 0; n < 4; n++) await createUser()
      for (let startIndex = 1; startIndex <= 5; startIndex += 2) {
        const { body } = await scim('GET', `/Users?startIndex=${startIndex}&count=2`)
        assert.equal(body.totalResults, 5)
        pages.push(...body.Resources.map((one: Body) => one.id))
      }
      assert.equal(new Set(pages).size, 5)
    })

    it('ends the sessions of a disabled user at once', async (t) => {
      const app = await start(t, engine)
      const { createUser, patch } = await connectTo(app, { profile: 'entra' })
      const { id } = await createUser({ userName: 'ada', password: 'nanoseconds on a string' })
      const { call } = await openBrowser(app, 'ada')
      assert.equal((await call('GET', '/me')).status, 200)
      await patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' })
      assert.equal((await call('GET', '/me')).status, 401)
    })

    it('removes the value of a type, and finds nothing of it afterwards', async (t) => {
      const { patch, createUser } = await connectTo(await start(t, engine), { profile: 'entra' })
      const phoneNumbers = [
        { type: 'mobile', value: '1' },
        { type: 'fax', value: '2' },
      ]
      const { id } = await createUser({ phoneNumbers })
      const { body } = await patch(`/Users/${id}`, { op: 'Remove', path: 'phoneNumbers[type eq "fax"].value' })
      assert.deepEqual(body.phoneNumbers, [{ type: 'mobile', value: '1' }])
    })
  })
}
