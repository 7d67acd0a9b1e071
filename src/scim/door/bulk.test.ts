/** Bulk requests over HTTP (RFC 7644 §3.7). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from '../../../test/harness.ts'
import { assertRefused, type Body, connect, type Provider } from '../../../test/scim/provider.ts'
import { bulkRequestUrn, enterpriseUserUrn, groupUrn, patchOpUrn, userUrn } from '../protocol/urns.ts'

const nobody = '01890a5d-ac96-774b-bcce-b302099a8057'
const user = (userName: string, more: Body = {}) => ({ schemas: [userUrn], userName, ...more })
const post = (bulkId: string, data: Body, path = '/Users') => ({ method: 'POST', path, bulkId, data })
const group = (displayName: string, ...ids: string[]) => ({
  schemas: [groupUrn],
  displayName,
  members: ids.map((value) => ({ value })),
})

function bulk({ scim }: Provider, Operations: unknown, more: Body = {}) {
  return scim('POST', '/Bulk', { schemas: [bulkRequestUrn], Operations, ...more })
}

const statuses = (operations: Body[]) => operations.map(({ status }) => status)

for (const engine of engines) {
  describe(`bulk requests of SCIM on ${engine.name}`, () => {
    it('create, replace, change and delete, and report each one', async (t) => {
      const provider = await connect(t, engine)
      const { scim, createUser } = provider
      const [a, b, c] = [
        await createUser({ userName: 'a' }),
        await createUser({ userName: 'b' }),
        await createUser({ userName: 'c' }),
      ]
      const operations = { schemas: [patchOpUrn], Operations: [{ op: 'replace', path: 'title', value: 'x' }] }
      const { status, body, text } = await bulk(provider, [
        post('new', user('Alice')),
        { method: 'PUT', path: `/Users/${a.id}`, version: a.meta.version, data: user('a2') },
        { method: 'PATCH', path: `/Users/${b.id}`, bulkId: 'mine', data: operations },
        { method: 'DELETE', path: `/Users/${c.id}` },
      ])
      assert.equal(status, 200, text)
      assert.deepEqual(body.schemas, ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'])
      assert.deepEqual(statuses(body.Operations), ['201', '200', '200', '204'])
      const [created, replaced, patched, removed] = body.Operations
      const alice = (await scim('GET', new URL(created.location).pathname.replace('/auth/scim/v2', ''))).body
      assert.deepEqual(
        [alice.userName, created.bulkId, created.version, created.method],
        ['Alice', 'new', alice.meta.version, 'POST'],
      )
      assert.deepEqual(
        [replaced.location, patched.bulkId, removed.location],
        [a.meta.location, 'mine', c.meta.location],
      )
      assert.equal((await scim('GET', `/Users/${a.id}`)).body.userName, 'a2')
      assert.equal((await scim('GET', `/Users/${b.id}`)).body.title, 'x')
      assert.equal((await scim('GET', `/Users/${c.id}`)).status, 404)
    })

    it('resolve references to resources of the same request, whatever their order', async (t) => {
      const provider = await connect(t, engine)
      const { scim } = provider
      const add = { op: 'add', path: 'members', value: [{ value: 'bulkId:late' }] }
      const { body, text } = await bulk(provider, [
        { method: 'PATCH', path: '/Groups/bulkId:group', data: { schemas: [patchOpUrn], Operations: [add] } },
        post('group', group('Guides', 'bulkId:early'), '/Groups'),
        post('early', user('early')),
        post('late', user('late', { [enterpriseUserUrn]: { manager: { value: 'bulkId:early' } } })),
      ])
      assert.deepEqual(statuses(body.Operations), ['200', '201', '201', '201'], text)
      const { Resources } = (await scim('GET', '/Groups')).body
      assert.deepEqual(Resources[0].members.map(({ display }: Body) => display).sort(), ['early', 'late'])
      const ids = Object.fromEntries(
        (await scim('GET', '/Users')).body.Resources.map((one: Body) => [one.userName, one]),
      )
      assert.equal(ids.late[enterpriseUserUrn].manager.value, ids.early.id)
    })

    it('resolve circular references', async (t) => {
      const provider = await connect(t, engine)
      const managed = (name: string, by: string) =>
        user(name, { [enterpriseUserUrn]: { manager: { value: `bulkId:${by}` } } })
      const { body, text } = await bulk(provider, [
        post('a', managed('a', 'b')),
        post('b', managed('b', 'c')),
        post('c', managed('c', 'a')),
        post('self', managed('self', 'self')),
      ])
      assert.deepEqual(statuses(body.Operations), ['201', '201', '201', '201'], text)
      const { Resources } = (await provider.scim('GET', '/Users')).body
      const byName = Object.fromEntries(Resources.map((one: Body) => [one.userName, one]))
      for (const [name, by] of [
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'a'],
        ['self', 'self'],
      ] as const) {
        assert.equal(byName[name][enterpriseUserUrn].manager.value, byName[by].id)
      }
    })

    it('go on after errors, and say what was wrong with each', async (t) => {
      const provider = await connect(t, engine)
      const { scim, createUser } = provider
      await createUser({ userName: 'taken' })
      const { body, text } = await bulk(provider, [
        post('one', user('TAKEN')),
        post('two', user('two')),
        post('guides', group('Guides', 'bulkId:one'), '/Groups'),
        { method: 'DELETE', path: `/Users/${nobody}` },
        { method: 'POST', path: '/Users', data: user('without bulkId') },
        { method: 'GET', path: '/Users' },
        { method: 'POST', path: '/Nothing', bulkId: 'x', data: {} },
        post('bad', { schemas: [userUrn] }),
        { method: 'PATCH', path: '/Groups/bulkId:unknown', data: { schemas: [patchOpUrn], Operations: [] } },
      ])
      assert.deepEqual(statuses(body.Operations), ['409', '201', '409', '404', '400', '400', '400', '400', '400'], text)
      const [taken, , dependent, missing] = body.Operations
      assert.equal(taken.location, undefined, 'RFC 7644 §3.7: no location for a POST that failed')
      assert.deepEqual([taken.response.status, taken.response.scimType], ['409', 'uniqueness'])
      assert.match(dependent.response.detail, /could not be created/)
      assert.ok(missing.location.endsWith(`/Users/${nobody}`))
      assert.equal((await scim('GET', '/Users')).body.totalResults, 2)
      assert.equal((await scim('GET', '/Groups')).body.totalResults, 0)
    })

    it('end after failOnErrors errors', async (t) => {
      const provider = await connect(t, engine)
      const remove = { method: 'DELETE', path: `/Users/${nobody}` }
      const operations = [remove, post('a', user('a')), remove, post('b', user('b'))]
      const two = await bulk(provider, operations, { failOnErrors: 2 })
      assert.deepEqual(statuses(two.body.Operations), ['404', '201', '404'])
      assert.equal((await provider.scim('GET', '/Users')).body.totalResults, 1)
      const one = await bulk(provider, [remove, post('b', user('b'))], { failOnErrors: 1 })
      assert.deepEqual(statuses(one.body.Operations), ['404'])
      for (const failOnErrors of ['1', -1, 1.5])
        assertRefused(await bulk(provider, operations, { failOnErrors }), 400, 'invalidSyntax')
    })

    it('are refused as a whole if they cannot be read', async (t) => {
      const provider = await connect(t, engine)
      for (const body of [
        [],
        {},
        { schemas: [bulkRequestUrn] },
        { Operations: [] },
        { schemas: [bulkRequestUrn], Operations: {} },
        { schemas: [bulkRequestUrn], Operations: ['x'] },
      ]) {
        assertRefused(await provider.scim('POST', '/Bulk', body), 400, 'invalidSyntax')
      }
      assert.deepEqual((await bulk(provider, [])).body.Operations, [])
    })
  })
}
