/**
 * The steps of Microsoft's public test collection for SCIM endpoints and of its checks for the app gallery, in their order
 * and with their forms of requests, over HTTP with the profile `entra`. Names and values are ours: theirs give one address
 * and one externalId to several users.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines, start } from '../../../test/harness.ts'
import { assertRefused, type Body, connectTo, membersOf, type Provider } from '../../../test/scim/provider.ts'
import { enterpriseUserUrn, groupUrn, patchOpUrn, userUrn } from '../protocol/urns.ts'

const plain = { 'content-type': 'application/json' }

/** A user as the collection sends one: members in capitals, nulls, empty lists, and a meta of its own. */
function person(userName: string, members: Body = {}): Body {
  return {
    userName,
    active: true,
    addresses: [
      { country: 'Bermuda', formatted: '1 Way\nSouth', locality: 'West', type: 'work', primary: false },
      { country: null, formatted: '2 Way\nEast', locality: null, postalCode: null, type: 'other', primary: false },
    ],
    displayName: `Display ${userName}`,
    emails: [
      { type: 'work', Primary: true, value: `${userName}@work.example` },
      { type: 'home', Primary: false, value: 'shared@home.example' },
    ],
    meta: { created: '2019-09-18T18:15:26.5788954+00:00', resourceType: 'User' },
    name: { formatted: `Whole ${userName}`, familyName: 'Employee', givenName: 'Darl', honorificPrefix: null },
    phoneNumbers: [
      { type: 'fax', primary: false, value: '312-320-0500' },
      { type: 'work', primary: true, value: '312-320-0932' },
    ],
    preferredLanguage: 'xh',
    roles: [],
    title: 'Site engineer',
    externalId: `external-${userName}`,
    schemas: [userUrn],
    ...members,
  }
}

function entra({ scim }: Provider) {
  const send = async (method: string, path: string, body?: Body, status = 200) => {
    const response = await scim(method, path, body, body === undefined ? {} : plain)
    assert.equal(response.status, status, `${method} ${path}: ${response.text}`)
    return response
  }
  return {
    send,
    create: async (path: string, body: Body): Promise<string> => (await send('POST', path, body, 201)).body.id,
    patch: (path: string, status: number, ...Operations: Body[]) =>
      send('PATCH', path, { schemas: [patchOpUrn], Operations }, status),
    count: async (query: string) => (await send('GET', `/Users?${query}`)).body.totalResults,
  }
}

for (const engine of engines) {
  describe(`Microsoft's collections on ${engine.name}`, () => {
    it('endpoints answer, whatever the case of their names and with a slash at the end', async (t) => {
      const { send } = entra(await connectTo(await start(t, engine), { profile: 'entra' }))
      for (const path of [
        '/users',
        '/Users/',
        '//Users',
        '/groups?count=1',
        '/Groups/?count=1',
        '/USERS?startIndex=1',
      ]) {
        assert.deepEqual((await send('GET', path)).body.Resources, [], path)
      }
      assert.equal((await send('GET', '/resourcetypes')).body.Resources[0].endpoint, '/Users')
      assert.equal((await send('GET', '/serviceProviderConfig')).body.patch.supported, true)
      assert.match((await send('GET', '/Schemas/')).text, /User Account/)
    })

    it('users: create, read, filter, change, replace, delete', async (t) => {
      const provider = await connectTo(await start(t, engine), { profile: 'entra' })
      const { send, create, patch, count } = entra(provider)
      const first = await create('/Users', person('first'))
      const enterprise = { Department: 'bob', Manager: { Value: 'SuzzyQ' } }
      const second = await create('/Users', {
        ...person('second', { [enterpriseUserUrn]: enterprise }),
        schemas: [enterpriseUserUrn, userUrn],
      })
      const read = (await send('GET', `/Users/${second}`)).body
      assert.deepEqual(read[enterpriseUserUrn], { department: 'bob', manager: { value: 'SuzzyQ' } })
      assert.deepEqual(read.emails[0], { type: 'work', primary: true, value: 'second@work.example' })
      assert.match((await send('GET', '/Users?attributes=userName,emails')).text, new RegExp(first))
      assert.match((await send('GET', '/Users/?filter=DisplayName+eq+%22Display first%22')).text, new RegExp(first))
      await patch(`/Users/${first}`, 200, { op: 'replace', path: 'userName', value: 'third' })
      assert.equal((await send('GET', `/Users/${first}`)).body.userName, 'third')
      const next = { ...person('second'), schemas: [enterpriseUserUrn, userUrn], id: second, userName: 'replaced' }
      await send('PUT', `/Users/${second}`, { ...next, name: { formatted: 'New name' } })
      const replaced = (await send('GET', `/Users/${second}`)).body
      assert.deepEqual([replaced.name, replaced[enterpriseUserUrn]], [{ formatted: 'New name' }, undefined])
      for (const id of [first, second]) await send('DELETE', `/Users/${id}`, undefined, 204)
      assert.equal(await count('count=0'), 0)
    })

    it('groups: create, replace, add and remove members, delete', async (t) => {
      const provider = await connectTo(await start(t, engine), { profile: 'entra' })
      const { send, create, patch } = entra(provider)
      const group = (displayName: string, members: Body[] = []) => ({
        externalId: `external-${displayName}`,
        schemas: [groupUrn],
        displayName,
        members,
      })
      const [a, b] = [await create('/Users', person('a')), await create('/Users', person('b'))]
      const empty = await create('/Groups', group('Empty'))
      const filled = await create('/Groups', group('Filled', [{ value: a, display: 'VP' }]))
      const both = [
        { value: a, display: 'VP' },
        { value: b, display: 'Senior VP' },
      ]
      await send('PUT', `/Groups/${filled}`, { schemas: [groupUrn], id: filled, displayName: 'Put', members: both })
      assert.deepEqual(await membersOf(provider, filled), [a, b].sort())
      const add = { name: 'addMember', op: 'add', path: 'members', value: [{ displayName: 'new user', value: b }] }
      await patch(`/Groups/${empty}`, 204, add)
      await patch(`/Groups/${empty}`, 204, { op: 'remove', path: `members[value eq "${b}"]` })
      assert.deepEqual(await membersOf(provider, empty), [])
      await patch(`/Groups/${empty}`, 204, { op: 'add', path: 'members', value: b })
      assert.deepEqual(await membersOf(provider, empty), [b])
      await patch(`/Groups/${empty}`, 204, { op: 'remove', path: 'members' })
      assert.deepEqual(await membersOf(provider, empty), [])
      assert.equal((await send('GET', `/Groups/${filled}?excludedAttributes=members`)).body.members, undefined)
      for (const id of [empty, filled]) await send('DELETE', `/Groups/${id}`, undefined, 204)
    })

    it('complex attributes: addresses that are none come back, and `attributes` may have brackets', async (t) => {
      const app = await start(t, engine)
      const { send, create, patch } = entra(await connectTo(app, { profile: 'entra' }))
      const emails = [
        { type: 'work', primary: true, value: 'emailName357' },
        { type: 'home', primary: false, value: 'valid@home.example' },
      ]
      const id = await create('/Users', person('odd', { emails }))
      assert.deepEqual((await send('GET', `/Users/${id}`)).body.emails, emails)
      assert.deepEqual((await send('GET', '/Users')).body.Resources[0].emails, emails)
      assert.equal((await app.call('GET', `/users/${id}`)).body.email, 'valid@home.example')
      for (const path of ['emails[type eq "work"]', 'emails[value eq "emailName357"].value']) {
        const { body } = await send('GET', `/Users?attributes=${encodeURIComponent(path)}`)
        assert.equal(body.Resources[0].emails[0].value, 'emailName357', path)
      }
      const work = { op: 'Replace', path: 'emails[type eq "work"].value' }
      const mended = await patch(`/Users/${id}`, 200, { ...work, value: 'odd@work.example' })
      assert.equal(mended.body.emails[0].value, 'odd@work.example')
      assert.equal((await app.call('GET', `/users/${id}`)).body.email, 'odd@work.example')
      const strict = await connectTo(app)
      const one = { schemas: [userUrn], userName: 'strict', emails }
      assertRefused(await strict.scim('POST', '/Users', one), 400, 'invalidValue')
    })

    it('odd users: text for booleans, conflicts, misspelt names, filters without quotation marks', async (t) => {
      const provider = await connectTo(await start(t, engine), { profile: 'entra' })
      const { send, create, patch, count } = entra(provider)
      const omalley = await create('/Users', person('OMalley', { name: { familyName: 'OMalley' } }))
      const text = await create('/Users', person('emp1', { active: 'True' }))
      assert.equal((await send('GET', `/Users/${text}`)).body.active, true)
      for (const name of ['emp2', 'emp3']) await create('/Users', person(name))
      const { userName: _, ...nameless } = person('nameless')
      await send('POST', '/Users', nameless, 400)
      for (let n = 0; n < 2; n++) assertRefused(await send('POST', '/Users', person('emp3'), 409), 409, 'uniqueness')
      await send('PUT', `/Users/${omalley}`, { ...nameless, userame: 'OMalley' }, 400)
      const { addresses, ...rest } = person('OMalley')
      const misspelt = await send('PUT', `/Users/${omalley}`, { ...rest, name: {}, adreses: addresses, active: false })
      assert.deepEqual([misspelt.body.addresses, misspelt.body.active], [undefined, false])
      await patch(`/Users/${omalley}`, 200, { op: 'Replace', path: 'userName', value: 'newusername' })
      await patch(`/Users/${omalley}`, 200, { op: 'Replace', path: 'userName', value: 'OMalley' })
      const page = (await send('GET', '/Users?startIndex=1&count=2')).body
      assert.deepEqual([page.totalResults, page.itemsPerPage], [4, 2])
      const filter = (words: string) => count(`filter=${encodeURIComponent(words)}`)
      const mails = '(emails.Value co work.example or emails.Value co work.org)'
      assert.equal(await filter(`name.FamilyName eq Employee and ${mails}`), 3)
      assert.equal(await filter('userName sw O'), 1)
      assert.equal(await filter('meta.Created gt 2015-10-10T14:38:21.8617979-07:00'), 4)
      const { scim } = await connectTo(provider.app)
      assertRefused(await scim('GET', '/Users?filter=userName%20sw%20O'), 400, 'invalidFilter')
    })

    it('the gallery: empty and null values, managers, pages of five, attributes of /Schemas', async (t) => {
      const provider = await connectTo(await start(t, engine), { profile: 'entra' })
      const { send, create, patch } = entra(provider)
      const id = await create('/Users', {
        ...person('nulls', { [enterpriseUserUrn]: { department: 'D', employeeNumber: '7' } }),
        schemas: [userUrn, enterpriseUserUrn],
      })
      const path = `/Users/${id}`
      const paths = [
        'displayName',
        'title',
        'preferredLanguage',
        'name.givenName',
        'name.familyName',
        'name.formatted',
        'emails[type eq "work"].value',
        'phoneNumbers[type eq "fax"].value',
        'addresses[type eq "work"].country',
        `${enterpriseUserUrn}:department`,
        `${enterpriseUserUrn}:employeeNumber`,
      ]
      const storedValues = ['Site engineer', 'Employee', 'nulls@work.example', '312-320-0500', 'Bermuda', '"7"']
      for (const value of ['', null]) {
        await patch(path, 200, ...paths.map((one) => ({ op: 'Replace', path: one, value })))
        const { text } = await send('GET', path)
        for (const one of storedValues) assert.ok(!text.includes(one), `${one} after ${value}`)
      }
      const managed = async () => (await send('GET', path)).body[enterpriseUserUrn]?.manager?.value
      const manager = `${enterpriseUserUrn}:manager`
      for (const [op, value] of [
        ['Add', 'manager-1'],
        ['Replace', 'manager-2'],
        ['Replace', ''],
      ] as const) {
        await patch(path, 200, { op, path: manager, value })
        assert.equal((await managed()) ?? '', value)
      }
      for (let n = 0; n < 10; n++) await create('/Users', person(`page${n}`))
      const found = new Set<string>()
      for (const startIndex of [1, 6, 11]) {
        const { body } = await send('GET', `/Users?startIndex=${startIndex}&count=5`)
        assert.equal(body.startIndex, startIndex)
        for (const one of body.Resources) found.add(one.id)
      }
      assert.equal(found.size, 11)
      const schemas = (await send('GET', '/Schemas')).body.Resources
      assert.ok(schemas.some((schema: Body) => schema.id === groupUrn))
      const [core] = schemas.filter((schema: Body) => schema.id === userUrn)
      const [emails] = core.attributes.filter((attribute: Body) => attribute.name === 'emails')
      const [type] = emails.subAttributes.filter((attribute: Body) => attribute.name === 'type')
      assert.ok(type.canonicalValues.includes('work'))
    })
  })
}
