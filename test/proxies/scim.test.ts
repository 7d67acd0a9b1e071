/** SCIM behind real proxies, with the prefix kept and stripped. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { enterpriseUserUrn, groupUrn, patchOpUrn, userUrn } from '../../src/scim/protocol/urns.ts'
import { freePort } from '../free-port.ts'
import { anyEngine, start } from '../harness.ts'
import { connectTo } from '../scim/provider.ts'
import { send } from './client.ts'
import { findProxy } from './find.ts'
import { proxyKinds, startProxy } from './proxy.ts'

// What a proxy makes of our answers does not depend on the store.
const engine = anyEngine

for (const kind of proxyKinds) {
  const skip = (await findProxy(kind.name)) === undefined && `there is no ${kind.name}`
  describe(`SCIM behind ${kind.name}, which ${kind.prefix} the prefix`, { skip }, () => {
    it('names its resources by addresses that lead back to them', async (t) => {
      const port = await freePort()
      const base = `http://127.0.0.1:${port}/auth/scim/v2`
      const env = { ROLLBOOK_PUBLIC_URL: `http://127.0.0.1:${port}/auth`, ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1' }
      const app = await start(t, engine, { env })
      const { key } = await connectTo(app)
      const rollbook = Number(new URL(await app.listen()).port)
      await startProxy(t, kind, { proxy: port, rollbook, product: await freePort() })
      const scim = (method: string, url: string, body?: unknown) =>
        send(url, {
          method,
          headers: {
            authorization: `Bearer ${key}`,
            ...(body !== undefined && { 'content-type': 'application/scim+json' }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })

      const created = await scim('POST', `${base}/Users`, { schemas: [userUrn], userName: 'jürgen/ä%2Fb"c' })
      assert.equal(created.status, 201, created.text)
      const user = created.json()
      assert.equal(created.headers.location, `${base}/Users/${user.id}`)
      assert.equal(user.meta.location, created.headers.location)
      const read = await scim('GET', user.meta.location)
      assert.deepEqual([read.status, read.headers.etag, read.json()], [200, user.meta.version, user])
      assert.equal(read.headers['content-location'], user.meta.location)
      const filter = encodeURIComponent('userName eq "jürgen/ä%2Fb\\"c"')
      assert.equal((await scim('GET', `${base}/Users?filter=${filter}`)).json().totalResults, 1)

      const group = (
        await scim('POST', `${base}/Groups`, {
          schemas: [groupUrn],
          displayName: 'Guides',
          members: [{ value: user.id }],
        })
      ).json()
      assert.equal(group.meta.location, `${base}/Groups/${group.id}`)
      assert.equal(group.members[0].$ref, user.meta.location)
      const operations = { schemas: [patchOpUrn], Operations: [{ op: 'replace', path: 'title', value: 'Guide' }] }
      assert.equal((await scim('PATCH', user.meta.location, operations)).json().meta.location, user.meta.location)
      const bulk = await scim('POST', `${base}/Bulk`, {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
        Operations: [{ method: 'POST', path: '/Users', bulkId: 'a', data: { schemas: [userUrn], userName: 'a' } }],
      })
      const [{ location }] = bulk.json().Operations
      assert.equal((await scim('GET', location)).json().userName, 'a')
      const schemas = await send(`${base}/Schemas/${enterpriseUserUrn}`)
      assert.equal(schemas.json().meta.location, `${base}/Schemas/${enterpriseUserUrn}`)
      assert.equal((await send(`${base}/ServiceProviderConfig`)).json().meta.location, `${base}/ServiceProviderConfig`)

      // More than nginx takes by default, less than a group may have.
      const members = Array.from({ length: 20_000 }, () => ({ value: '01890a5d-ac96-774b-bcce-b302099a8057' }))
      const large = await scim('PUT', group.meta.location, { schemas: [groupUrn], displayName: 'Guides', members })
      assert.deepEqual([large.status, large.json().scimType], [400, 'invalidValue'], large.text)
      const missing = await send(`${base}/Users`)
      assert.deepEqual([missing.status, missing.json().status], [401, '401'])
      assert.match(missing.headers['www-authenticate'] ?? '', /^Bearer/)
      assert.equal((await scim('GET', `${base}/Nothing`)).json().status, '404')
      assert.equal((await scim('DELETE', group.meta.location)).status, 204)
    })
  })
}
