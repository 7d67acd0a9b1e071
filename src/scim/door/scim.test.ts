import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Engine, engines, start } from '../../../test/harness.ts'
import { scrape } from '../../../test/scrape.ts'
import { enterpriseUserUrn, groupUrn, patchOpUrn, userUrn } from '../protocol/urns.ts'

type Body = Record<string, unknown>

/** An identity provider with a connection of its own. */
async function connect(t: Parameters<typeof start>[0], engine: Engine) {
  const app = await start(t, engine)
  const { key } = (await app.call('POST', '/provisioning', { body: { name: 'idp' } })).body
  const scim = (method: string, path: string, body?: Body, headers: Record<string, string> = {}) =>
    app.call(method, `/scim/v2${path}`, {
      key,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/scim+json' }) },
      ...(body !== undefined && { body }),
    })
  return { app, scim }
}

for (const engine of engines) {
  describe(`SCIM on ${engine.name}`, () => {
    it('creates, reads, replaces, patches and deletes a user, and counts the requests', async (t) => {
      const { app, scim } = await connect(t, engine)
      const sent = {
        schemas: [userUrn, enterpriseUserUrn],
        userName: 'ada@example.com',
        externalId: 'okta-1',
        name: { givenName: 'Ada', familyName: 'Lovelace', formatted: 'Ada Lovelace' },
        title: 'Countess',
        emails: [
          { value: 'ada@example.com', type: 'work', primary: true },
          { value: 'ada@home.example', type: 'home' },
        ],
        [enterpriseUserUrn]: { department: 'Analysis', manager: { value: 'x' } },
      }
      const created = await scim('POST', '/Users', sent)
      assert.equal(created.status, 201, created.text)
      const { id, meta, ...rest } = created.body
      assert.deepEqual(rest, { ...sent, active: true })
      assert.equal(created.headers.location, meta.location)
      assert.equal(created.headers.etag, meta.version)
      assert.match(created.headers['content-type'] ?? '', /^application\/scim\+json/)
      const read = await scim('GET', `/Users/${id}`)
      assert.deepEqual(read.body, created.body)
      assert.equal((await scim('GET', `/Users/${id}`, undefined, { 'if-none-match': meta.version })).status, 304)

      const again = await scim('POST', '/Users', sent)
      assert.deepEqual([again.status, again.body.scimType, again.body.status], [409, 'uniqueness', '409'])

      const Operations = [
        { op: 'replace', path: 'title', value: 'Analyst' },
        { op: 'replace', path: 'active', value: false },
      ]
      const stale = await scim('PATCH', `/Users/${id}`, { schemas: [patchOpUrn], Operations }, { 'if-match': 'W/"77"' })
      assert.equal(stale.status, 412)
      const patched = await scim('PATCH', `/Users/${id}`, { schemas: [patchOpUrn], Operations })
      assert.deepEqual([patched.status, patched.body.title, patched.body.active], [200, 'Analyst', false])
      assert.notEqual(patched.body.meta.version, meta.version)
      for (const [filter, total] of [
        ['userName eq "ADA@example.com"', 1],
        ['emails.value eq "ada@home.example"', 1],
        ['emails[type eq "work" and value eq "ada@home.example"]', 0],
        ['title eq "analyst"', 1],
        ['name.familyName co "vela"', 1],
        ['active eq true', 0],
        [`${enterpriseUserUrn}:department eq "Analysis" and userName sw "ada"`, 1],
      ] as const) {
        const found = await scim('GET', `/Users?filter=${encodeURIComponent(filter)}`)
        assert.deepEqual([found.status, found.body.totalResults], [200, total], `${filter}: ${found.text}`)
      }
      const unknown = await scim('GET', '/Users?filter=nonsense%20eq%201')
      assert.deepEqual([unknown.status, unknown.body.scimType], [400, 'invalidFilter'])

      const put = await scim('PUT', `/Users/${id}`, { schemas: [userUrn], userName: 'ada' })
      assert.equal(put.status, 200, put.text)
      const { meta: _, ...left } = put.body
      assert.deepEqual(left, { schemas: [userUrn], id, userName: 'ada', active: false })
      assert.equal((await scim('DELETE', `/Users/${id}`)).status, 204)
      const deleted = await scim('GET', `/Users/${id}`)
      assert.deepEqual([deleted.status, deleted.body.status], [404, '404'])

      await app.call('GET', '/scim/v2/Users', { key: null })
      await app.call('GET', '/scim/v2/Schemas', { key: null })
      const found = await scrape(app)
      const outcomes = ['succeeded', 'not_found', 'rejected', 'unauthorized', 'failed']
      const counts = outcomes.map((outcome) => found.value('rollbook_scim_requests_total', { outcome }))
      // What is public does not count.
      assert.deepEqual(counts, [13, 1, 3, 1, 0])
    })

    it('creates groups and changes members', async (t) => {
      const { scim } = await connect(t, engine)
      const ids: string[] = []
      for (const userName of ['a', 'b', 'c']) {
        ids.push((await scim('POST', '/Users', { schemas: [userUrn], userName })).body.id)
      }
      const [a = '', b = '', c = ''] = ids
      const created = await scim('POST', '/Groups', {
        schemas: [groupUrn],
        displayName: 'Tour Guides',
        members: [{ value: a }],
      })
      assert.equal(created.status, 201, created.text)
      const { id } = created.body
      assert.deepEqual(
        created.body.members.map((one: Body) => one.value),
        [a],
      )
      const patch = (...Operations: Body[]) => scim('PATCH', `/Groups/${id}`, { schemas: [patchOpUrn], Operations })
      assert.equal((await patch({ op: 'add', path: 'members', value: [{ value: b }, { value: c }] })).status, 204)
      assert.equal((await patch({ op: 'remove', path: `members[value eq "${a}"]` })).status, 204)
      assert.equal((await patch({ op: 'replace', value: { displayName: 'Guides' } })).status, 204)
      const read = await scim('GET', `/Groups/${id}`)
      assert.deepEqual(
        read.body.members.map((one: Body) => one.value),
        [b, c],
      )
      assert.equal(read.body.displayName, 'Guides')
      const user = await scim('GET', `/Users/${b}`)
      assert.deepEqual(
        user.body.groups.map((one: Body) => one.display),
        ['Guides'],
      )
      const unknown = await patch({ op: 'add', path: 'members', value: [{ value: 'nobody' }] })
      assert.deepEqual([unknown.status, unknown.body.scimType], [400, 'invalidValue'])
      const found = await scim(
        'GET',
        `/Groups?excludedAttributes=members&filter=${encodeURIComponent('displayName eq "guides"')}`,
      )
      assert.deepEqual([found.body.totalResults, found.body.Resources[0].members], [1, undefined])
      const put = await scim('PUT', `/Groups/${id}`, {
        schemas: [groupUrn],
        displayName: 'Guides',
        members: [{ value: a }],
      })
      assert.deepEqual(
        put.body.members.map((one: Body) => one.value),
        [a],
      )
      assert.equal((await scim('DELETE', `/Groups/${id}`)).status, 204)
      assert.equal((await scim('GET', `/Groups/${id}`)).status, 404)
    })

    it('pages by index and by cursor', async (t) => {
      const { scim } = await connect(t, engine)
      for (let n = 0; n < 7; n++) await scim('POST', '/Users', { schemas: [userUrn], userName: `user${n}` })
      const index = await scim('GET', '/Users?startIndex=4&count=2&sortBy=userName&sortOrder=descending')
      assert.deepEqual(
        [index.body.totalResults, index.body.startIndex, index.body.itemsPerPage, index.body.Resources[0].userName],
        [7, 4, 2, 'user3'],
      )
      for (const query of ['', '&sortBy=userName', '&sortBy=name.familyName', '&filter=userName%20sw%20%22user%22']) {
        const names: string[] = []
        let cursor: string | undefined = ''
        let previous: string | undefined
        while (cursor !== undefined) {
          const page = await scim('GET', `/Users?count=3&cursor=${cursor}${query}`)
          assert.equal(page.status, 200, page.text)
          assert.equal(page.body.totalResults, 7)
          names.push(...page.body.Resources.map((one: Body) => one.userName))
          cursor = page.body.nextCursor
          previous = page.body.previousCursor ?? previous
        }
        assert.deepEqual(names, ['user0', 'user1', 'user2', 'user3', 'user4', 'user5', 'user6'], query)
        const back = await scim('GET', `/Users?count=3&cursor=${previous}${query}`)
        assert.deepEqual(
          back.body.Resources.map((one: Body) => one.userName),
          ['user3', 'user4', 'user5'],
        )
      }
      const wrong = await scim('GET', '/Users?cursor=abc')
      assert.deepEqual([wrong.status, wrong.body.scimType], [400, 'invalidCursor'])
      const all = await scim('POST', '/.search', {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
        filter: 'displayName pr or userName eq "user1"',
      })
      assert.deepEqual([all.status, all.body.totalResults], [200, 1], all.text)
    })

    it('answers discovery without a credential, and refuses in its own format', async (t) => {
      const { app, scim } = await connect(t, engine)
      for (const path of [
        '/ServiceProviderConfig',
        '/ResourceTypes',
        '/ResourceTypes/User',
        '/Schemas',
        `/Schemas/${userUrn}`,
      ]) {
        const found = await app.call('GET', `/scim/v2${path}`, { key: null })
        assert.equal(found.status, 200, found.text)
      }
      const refused = await app.call('GET', '/scim/v2/Users', { key: null })
      assert.deepEqual([refused.status, refused.body.status], [401, '401'])
      assert.deepEqual(refused.body.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error'])
      assert.deepEqual(
        [(await scim('GET', '/Nothing')).body.status, (await scim('GET', '/Me')).body.status],
        ['404', '404'],
      )
    })

    it('executes a bulk request whose operations refer to each other', async (t) => {
      const { scim } = await connect(t, engine)
      const bulk = await scim('POST', '/Bulk', {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
        Operations: [
          {
            method: 'POST',
            path: '/Groups',
            bulkId: 'g',
            data: { schemas: [groupUrn], displayName: 'G', members: [{ value: 'bulkId:u' }] },
          },
          { method: 'POST', path: '/Users', bulkId: 'u', data: { schemas: [userUrn], userName: 'u' } },
          { method: 'POST', path: '/Users', bulkId: 'v', data: { schemas: [userUrn], userName: 'U' } },
        ],
      })
      assert.equal(bulk.status, 200, bulk.text)
      assert.deepEqual(
        bulk.body.Operations.map((one: Body) => one.status),
        ['201', '201', '409'],
      )
    })
  })
}
