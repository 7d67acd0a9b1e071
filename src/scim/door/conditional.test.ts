/** ETags and preconditions of SCIM over HTTP (RFC 7644 §3.14). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines } from '../../../test/harness.ts'
import { assertRefused, connect } from '../../../test/scim/provider.ts'
import { groupUrn, patchOpUrn, userUrn } from '../protocol/urns.ts'

for (const engine of engines) {
  describe(`conditional requests of SCIM on ${engine.name}`, () => {
    for (const [path, body, operation] of [
      ['/Users', { schemas: [userUrn], userName: 'ada' }, { op: 'replace', path: 'title', value: 'Countess' }],
      ['/Groups', { schemas: [groupUrn], displayName: 'Guides' }, { op: 'replace', path: 'externalId', value: 'x' }],
    ] as const) {
      it(`follow the version of a resource: ${path}`, async (t) => {
        const { scim, patch } = await connect(t, engine)
        const created = await scim('POST', path, body)
        const { id, meta } = created.body
        assert.match(meta.version, /^W\/"[\w-]+"$/)
        assert.equal(created.headers.etag, meta.version)
        const at = `${path}/${id}`
        const none = (tag: string) => scim('GET', at, undefined, { 'if-none-match': tag })
        for (const tag of [meta.version, meta.version.slice(2), `"other", ${meta.version}`, '*']) {
          const { status, text, headers } = await none(tag)
          assert.deepEqual([status, text, headers.etag], [304, '', meta.version], tag)
        }
        assert.equal((await scim('HEAD', at, undefined, { 'if-none-match': meta.version })).status, 304)
        assert.equal((await scim('HEAD', at, undefined, { 'if-match': 'W/"other"' })).status, 412)
        assert.equal((await none('W/"other"')).status, 200)
        assertRefused(await none('unquoted'), 400)
        assert.equal((await scim('GET', at, undefined, { 'if-match': meta.version })).status, 200)
        assertRefused(await scim('GET', at, undefined, { 'if-match': 'W/"other"' }), 412)

        const changed = await patch(at, operation)
        assert.notEqual(changed.headers.etag, meta.version)
        assert.equal((await none(meta.version)).status, 200)
        const read = await scim('GET', at)
        assert.deepEqual([read.headers.etag, read.body.meta.version], [changed.headers.etag, changed.headers.etag])
        const [listed] = (await scim('GET', path)).body.Resources
        assert.equal(listed.meta.version, changed.headers.etag)

        const operations = { schemas: [patchOpUrn], Operations: [operation] }
        for (const [method, sent] of [
          ['PUT', body],
          ['PATCH', operations],
          ['DELETE', undefined],
        ] as const) {
          assertRefused(await scim(method, at, sent, { 'if-match': meta.version }), 412)
          assertRefused(await scim(method, at, sent, { 'if-match': 'nonsense' }), 400)
        }
        const now = changed.headers.etag as string
        const put = await scim('PUT', at, body, { 'if-match': `W/"x", ${now}` })
        assert.equal(put.status, 200, put.text)
        assert.ok([200, 204].includes((await scim('PATCH', at, operations, { 'if-match': '*' })).status))
        const last = (await scim('GET', at)).headers.etag as string
        assert.equal((await scim('DELETE', at, undefined, { 'if-match': last })).status, 204)
      })
    }

    it('notice that a member of a group has another username, which no change of the group has to know', async (t) => {
      const { scim, app, createUser, createGroup, patch } = await connect(t, engine)
      const { id: user } = await createUser({ userName: 'ada' })
      const at = `/Groups/${(await createGroup('Guides', [user])).id}`
      const before = await scim('GET', at)
      const held = { 'if-none-match': String(before.headers.etag) }
      const bare = String((await scim('GET', `${at}?excludedAttributes=members`)).headers.etag)
      assert.equal((await scim('GET', at, undefined, held)).status, 304)
      for (const rename of [
        () => patch(`/Users/${user}`, { op: 'replace', path: 'userName', value: 'countess' }),
        () => app.call('PATCH', `/users/${user}?override=true`, { body: { username: 'lovelace' } }),
      ]) {
        await rename()
        const after = await scim('GET', at, undefined, held)
        assert.equal(after.status, 200)
        assert.notEqual(after.body.members[0].display, 'ada')
        assert.equal(after.body.meta.version, after.headers.etag)
      }
      const without = await scim('GET', `${at}?excludedAttributes=members`, undefined, { 'if-none-match': bare })
      assert.equal(without.status, 304)
      const body = { schemas: [groupUrn], displayName: 'Guides of all' }
      const put = await scim('PUT', at, body, { 'if-match': String(before.headers.etag) })
      assert.equal(put.status, 200, put.text)
      assertRefused(await scim('DELETE', at, undefined, { 'if-match': String(before.headers.etag) }), 412)
    })

    it('notice that the groups of a user have changed', async (t) => {
      const { scim, createUser, createGroup, patch } = await connect(t, engine)
      const user = await createUser()
      const group = await createGroup('Guides', [user.id])
      const read = () => scim('GET', `/Users/${user.id}`)
      const joined = (await read()).headers.etag as string
      assert.notEqual(joined, user.meta.version)
      await patch(`/Groups/${group.id}`, { op: 'replace', path: 'displayName', value: 'Drivers' })
      assert.equal((await scim('GET', `/Users/${user.id}`, undefined, { 'if-none-match': joined })).status, 200)
      assert.equal((await read()).body.groups[0].display, 'Drivers')
    })

    it('hold in a bulk request too', async (t) => {
      const { scim, createUser } = await connect(t, engine)
      const { id, meta } = await createUser({ userName: 'ada' })
      const data = { schemas: [patchOpUrn], Operations: [{ op: 'replace', path: 'title', value: 'Countess' }] }
      const operation = { method: 'PATCH', path: `/Users/${id}`, version: meta.version, data }
      const bulk = await scim('POST', '/Bulk', {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
        Operations: [operation, operation],
      })
      const [first, second] = bulk.body.Operations
      assert.deepEqual([first.status, second.status], ['200', '412'], bulk.text)
      assert.equal(first.version, (await scim('GET', `/Users/${id}`)).headers.etag)
    })
  })
}
