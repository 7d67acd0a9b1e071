/** Refusals over HTTP, all in the format of RFC 7644 §3.12, also where no endpoint is (§2, §3.12). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from '../../../test/harness.ts'
import { createPerson, openBrowser } from '../../../test/people.ts'
import { assertRefused, type Body, connect } from '../../../test/scim/provider.ts'
import { enterpriseUserUrn, groupUrn, patchOpUrn, userUrn } from '../protocol/urns.ts'

const nobody = '01890a5d-ac96-774b-bcce-b302099a8057'
const ada = { schemas: [userUrn], userName: 'ada' }

for (const engine of engines) {
  describe(`refusals of SCIM on ${engine.name}`, () => {
    it('name the scheme of a missing or wrong credential', async (t) => {
      const { app, key_id, scim } = await connect(t, engine)
      const reader = (await app.call('POST', '/keys', { body: { name: 'r', permissions: ['users:read'] } })).body.key
      const send = (path: string, headers: Record<string, string>) =>
        app.call('GET', `/scim/v2${path}`, { key: null, headers })
      for (const path of ['/Users', '/Groups', `/Users/${nobody}`, '/Me', '?count=1']) {
        const missing = await send(path, {})
        assertRefused(missing, 401)
        assert.match(missing.headers['www-authenticate'] ?? '', /^Bearer realm="/)
        const wrong = await send(path, { authorization: 'Bearer rb_wrong' })
        assertRefused(wrong, 401)
        assert.match(wrong.headers['www-authenticate'] ?? '', /^Bearer .*error="invalid_token"/)
        assertRefused(await send(path, { authorization: 'Basic YTpi' }), 401)
      }
      assertRefused(await send('/Users', { authorization: `Bearer ${reader}` }), 403)
      assertRefused(await send(`/Nothing`, {}), 404)
      assert.equal((await scim('GET', '/Users')).status, 200)
      assert.equal((await app.call('DELETE', `/keys/${key_id}`)).status, 200)
      assertRefused(await scim('GET', '/Users'), 401)
    })

    it('say which paths and methods there are', async (t) => {
      const { scim } = await connect(t, engine)
      for (const path of [
        '/Nothing',
        '/User',
        '/Users/a/b',
        `/Users/${nobody}`,
        '/Users/no-id',
        '/Groups/1',
        '/Schemas/urn:x',
        '/ResourceTypes/Role',
      ]) {
        assertRefused(await scim('GET', path), 404)
      }
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        const body =
          method === 'DELETE'
            ? undefined
            : method === 'PUT'
              ? ada
              : { schemas: [patchOpUrn], Operations: [{ op: 'add', path: 'title', value: 'x' }] }
        assertRefused(await scim(method, `/Users/${nobody}`, body), 404)
        assertRefused(await scim(method, '/Users/no-id', body), 404)
      }
      const cases: [method: string, path: string, allow: string][] = [
        ['PUT', '/Users', 'GET, HEAD, POST'],
        ['DELETE', '/Groups', 'GET, HEAD, POST'],
        ['POST', `/Users/${nobody}`, 'DELETE, GET, HEAD, PATCH, PUT'],
        ['GET', '/Bulk', 'POST'],
        ['GET', '/.search', 'POST'],
        ['POST', '/Schemas', 'GET, HEAD'],
        ['DELETE', '/ServiceProviderConfig', 'GET, HEAD'],
        ['PATCH', '/ResourceTypes/User', 'GET, HEAD'],
      ]
      for (const [method, path, allow] of cases) {
        const response = await scim(method, path, method === 'DELETE' || method === 'GET' ? undefined : {})
        assertRefused(response, 405)
        assert.deepEqual(response.headers.allow?.split(', ').sort().join(', '), allow, `${method} ${path}`)
      }
    })

    it('refuse other media types and large bodies, and accept JSON', async (t) => {
      const { scim } = await connect(t, engine)
      const as = (type: string, body: unknown = ada) => scim('POST', '/Users', body, { 'content-type': type })
      for (const type of [
        'text/plain',
        'application/xml',
        'application/x-www-form-urlencoded',
        'application/scim+json; charset=latin1',
      ]) {
        assertRefused(await as(type), 415)
      }
      const large = await as('application/scim+json', { ...ada, title: 'x'.repeat(1_048_576) })
      assertRefused(large, 413)
      assert.match(large.body.detail, /1 MiB/)
      const many = { schemas: [patchOpUrn], Operations: Array(1001).fill({ op: 'add', path: 'title', value: 'x' }) }
      const { id } = (await as('application/scim+json;charset=UTF-8')).body
      assertRefused(await scim('PATCH', `/Users/${id}`, many), 413)
      assert.equal((await as('application/json; charset="utf-8"', { ...ada, userName: 'ben' })).status, 201)
      for (const [accept, type] of [
        ['application/json', 'application/json'],
        ['application/scim+json', 'application/scim+json'],
        ['*/*', 'application/scim+json'],
        ['application/scim+json, application/json', 'application/scim+json'],
      ] as const) {
        const { headers } = await scim('GET', '/Users', undefined, { accept })
        assert.equal(headers['content-type'], `${type}; charset=utf-8`, accept)
      }
      const deep = `{"schemas":["${userUrn}"],"userName":"x","name":${'{"name":'.repeat(2000)}1${'}'.repeat(2001)}`
      assertRefused(await scim('POST', '/Users', deep), 400, 'invalidSyntax')
      assertRefused(
        await scim('POST', '/Users', `{"schemas":["${userUrn}"],"userName":"x","__proto__":{"a":1}}`),
        400,
        'invalidSyntax',
      )
    })

    it('never repeat what was sent', async (t) => {
      const { scim, createUser } = await connect(t, engine)
      const { id } = await createUser({ userName: 'canary-ben', emails: [{ value: 'canary-ben@example.com' }] })
      const answers = [
        await scim('POST', '/Users', { ...ada, password: 'canary' }),
        await scim('POST', '/Users', { ...ada, userName: 'canary-ben' }),
        await scim('POST', '/Users', { ...ada, emails: [{ value: 'canary no address' }] }),
        await scim('GET', '/Users?filter=userName%20eq%20canary'),
        await scim('GET', '/Users?cursor=canary'),
        await scim('PATCH', `/Users/${id}`, {
          schemas: [patchOpUrn],
          Operations: [{ op: 'canary', path: 'title', value: 'canary' }],
        }),
        await scim('PATCH', `/Users/${id}`, {
          schemas: [patchOpUrn],
          Operations: [{ op: 'replace', path: 'emails[value eq "canary"].value', value: 'canary' }],
        }),
        await scim('POST', '/Groups', { schemas: [groupUrn], displayName: 'G', members: [{ value: 'canary' }] }),
        await scim('GET', '/canary'),
        await scim('GET', '/Users/canary'),
      ]
      for (const { status, text } of answers) {
        assert.ok(status >= 400 && status < 500, text)
        assert.doesNotMatch(text, /canary/)
      }
    })

    it('/Me is the signed-in user, for whom it can be read only', async (t) => {
      const { app, scim } = await connect(t, engine)
      const person = await createPerson(app, { username: 'ada', first_name: 'Ada' })
      const { call } = await openBrowser(app, 'ada')
      const me = await call('GET', '/scim/v2/Me')
      assert.deepEqual([me.status, me.body.id, me.body.name], [200, person.user_id, { givenName: 'Ada' }], me.text)
      assert.equal(me.headers['content-location'], me.body.meta.location)
      assert.match(me.body.meta.location, /\/scim\/v2\/Users\/[0-9a-f-]+$/)
      assertRefused(await call('GET', '/scim/v2/Users'), 403)
      assertRefused(await call('DELETE', '/scim/v2/Me'), 403)
      const operations = { schemas: [patchOpUrn], Operations: [{ op: 'replace', path: 'title', value: 'x' }] }
      assertRefused(await call('PATCH', '/scim/v2/Me', { body: operations }), 403)
      const { key } = (await call('POST', '/me/keys', { body: { name: 'laptop', permissions: [] } })).body
      const byKey = await app.call('GET', '/scim/v2/Me', { key: null, headers: { authorization: `Bearer ${key}` } })
      assert.deepEqual([byKey.status, byKey.body], [200, me.body], byKey.text)
      assertRefused(await scim('GET', '/Me'), 404)
      assertRefused(await scim('POST', '/Me', ada), 405)
    })
  })

  describe(`discovery of SCIM on ${engine.name}`, () => {
    it('says what the endpoints do', async (t) => {
      const { app, scim, createUser } = await connect(t, engine)
      const open = (path: string) => app.call('GET', `/scim/v2${path}`, { key: null })
      const config = (await open('/ServiceProviderConfig')).body
      assert.deepEqual(config.schemas, ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'])
      for (const feature of ['patch', 'bulk', 'filter', 'changePassword', 'sort', 'etag']) {
        assert.equal(config[feature].supported, true, feature)
      }
      assert.deepEqual(config.pagination, {
        cursor: true,
        index: true,
        defaultPaginationMethod: 'index',
        defaultPageSize: 100,
        maxPageSize: 1000,
        cursorTimeout: 3600,
      })
      assert.equal(config.authenticationSchemes[0].type, 'oauthbearertoken')
      const types = (await open('/ResourceTypes')).body
      assert.deepEqual([types.totalResults, types.itemsPerPage, types.startIndex], [2, 2, 1])
      for (const type of types.Resources) {
        assert.equal((await scim('GET', type.endpoint)).status, 200)
        assert.deepEqual((await open(`/ResourceTypes/${type.id}`)).body, type)
        for (const urn of [type.schema, ...type.schemaExtensions.map(({ schema }: Body) => schema)]) {
          assert.equal((await open(`/Schemas/${urn}`)).body.id, urn)
        }
      }
      const schemas = (await open('/Schemas')).body
      assert.deepEqual(schemas.schemas, ['urn:ietf:params:scim:api:messages:2.0:ListResponse'])
      for (const schema of schemas.Resources) {
        assert.deepEqual((await open(`/Schemas/${schema.id}`)).body, schema)
        assert.ok(schema.meta.location.endsWith(`/scim/v2/Schemas/${schema.id}`))
        assert.doesNotMatch(JSON.stringify(schema), /null/)
      }
      // Each attribute that can be written and read comes back, and no other one does.
      const [user] = schemas.Resources.filter(({ id }: Body) => id === userUrn)
      const sent: Record<string, unknown> = { ...ada, schemas: [userUrn, enterpriseUserUrn] }
      for (const { name, type, multiValued, mutability, returned, subAttributes } of user.attributes) {
        if (name === 'userName' || mutability !== 'readWrite') continue
        assert.equal(returned, 'default')
        const value = (kind: string, of: string) =>
          kind === 'boolean' ? true : kind === 'binary' ? 'QUJD' : of === 'emails' ? 'a@example.com' : 'x'
        const one =
          type === 'complex'
            ? Object.fromEntries(subAttributes.map((sub: Body) => [sub.name, value(String(sub.type), name)]))
            : value(type, name)
        sent[name] = multiValued ? [one] : one
      }
      const created = await createUser(sent)
      for (const [name, value] of Object.entries(sent)) {
        if (name !== 'schemas') assert.deepEqual(created[name], value, name)
      }
      for (const { name, mutability } of user.attributes.filter(({ mutability }: Body) => mutability !== 'readWrite')) {
        assert.equal(created[name], undefined, `${name} is ${mutability}`)
      }
    })

    it('refuses a filter, and ignores other parameters', async (t) => {
      const { app } = await connect(t, engine)
      for (const path of [
        '/Schemas',
        `/Schemas/${userUrn}`,
        '/ResourceTypes',
        '/ResourceTypes/User',
        '/ServiceProviderConfig',
      ]) {
        const open = (query: string) => app.call('GET', `/scim/v2${path}?${query}`, { key: null })
        assert.equal((await open('startIndex=2&count=1&sortBy=id&attributes=id')).status, 200)
        assertRefused(await open('filter=id%20pr'), 403)
      }
    })

    it('keeps its limits', async (t) => {
      const { scim } = await connect(t, engine)
      const { bulk } = (await scim('GET', '/ServiceProviderConfig')).body
      const remove = { method: 'DELETE', path: `/Users/${nobody}` }
      const send = (Operations: unknown[]) =>
        scim('POST', '/Bulk', { schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'], Operations })
      assertRefused(await send(Array(bulk.maxOperations + 1).fill(remove)), 413)
      assertRefused(await send([{ ...remove, data: { x: 'x'.repeat(bulk.maxPayloadSize) } }]), 413)
      const most = await send(Array(bulk.maxOperations).fill(remove))
      assert.deepEqual([most.status, most.body.Operations.length], [200, bulk.maxOperations])
    })
  })
}
