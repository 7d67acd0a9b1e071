/** Idempotency-Key on the POST requests of SCIM, over HTTP. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, engines } from '../../../test/harness.ts'
import { assertRefused, type Body, connect, connectTo } from '../../../test/scim/provider.ts'
import { bulkRequestUrn, groupUrn, patchOpUrn, userUrn } from '../protocol/urns.ts'

const isReplay = ({ headers }: Answer) => headers['idempotency-replayed'] === 'true'
const once = (key: string) => ({ 'idempotency-key': key })
const bulkOf = (...Operations: Body[]) => ({ schemas: [bulkRequestUrn], Operations })
const titled = (value: string) => ({ schemas: [patchOpUrn], Operations: [{ op: 'replace', path: 'title', value }] })

for (const engine of engines) {
  describe(`repeated requests to SCIM on ${engine.name}`, () => {
    it('get the first response again, also after the user has changed and with a password', async (t) => {
      const { scim, patch } = await connect(t, engine)
      const body = {
        schemas: [userUrn],
        userName: 'ada',
        password: 'the sky above the port was grey',
        title: 'Countess',
      }
      const send = () => scim('POST', '/Users', body, once('a'))
      const first = await send()
      assert.deepEqual([first.status, isReplay(first)], [201, false], first.text)
      await patch(`/Users/${first.body.id}`, { op: 'replace', path: 'title', value: 'Analyst' })
      const again = await send()
      assert.deepEqual([again.status, again.text, isReplay(again)], [201, first.text, true])
      assert.deepEqual([again.headers.etag, again.headers.location], [first.headers.etag, first.headers.location])
      assert.equal((await scim('GET', '/Users')).body.totalResults, 1)
    })

    it('get a group as it was, with the members of then', async (t) => {
      const { scim, createUser } = await connect(t, engine)
      const members = [{ value: (await createUser()).id }]
      const send = () => scim('POST', '/Groups', { schemas: [groupUrn], displayName: 'Guides', members }, once('a'))
      const first = await send()
      assert.deepEqual([first.status, first.body.members.length, isReplay(first)], [201, 1, false], first.text)
      const read = await scim('GET', `/Groups/${first.body.id}`)
      assert.deepEqual([read.body, read.headers.etag], [first.body, first.headers.etag])
      assert.equal((await scim('DELETE', `/Groups/${first.body.id}`)).status, 204)
      const again = await send()
      assert.deepEqual([again.status, again.text, isReplay(again)], [201, first.text, true])
      assert.equal((await scim('GET', '/Groups')).body.totalResults, 0)
    })

    it('get a refusal again, in the words of SCIM', async (t) => {
      const { scim, createUser } = await connect(t, engine)
      const { id } = await createUser({ userName: 'ada' })
      const send = () => scim('POST', '/Users', { schemas: [userUrn], userName: 'ADA' }, once('a'))
      const first = await send()
      assertRefused(first, 409, 'uniqueness')
      await scim('DELETE', `/Users/${id}`)
      const again = await send()
      assertRefused(again, 409, 'uniqueness')
      assert.deepEqual([again.text, isReplay(first), isReplay(again)], [first.text, false, true])
    })

    it('are refused under the key of another one, and other connections have keys of their own', async (t) => {
      const { app, scim } = await connect(t, engine)
      const named = (userName: string) => ({ schemas: [userUrn], userName })
      await scim('POST', '/Users', named('ada'), once('a'))
      for (const [path, body] of [
        ['/Users', named('eve')],
        ['/Groups', { schemas: [groupUrn], displayName: 'Guides' }],
        ['/Bulk', bulkOf({ method: 'POST', path: '/Users', bulkId: '1', data: named('eve') })],
      ] as const) {
        const response = await scim('POST', path, body, once('a'))
        assertRefused(response, 422)
        assert.equal(isReplay(response), false)
      }
      for (const key of ['', 'x'.repeat(256), 'a b']) {
        assertRefused(await scim('POST', '/Users', named('eve'), once(key)), 400)
      }
      const other = await connectTo(app)
      const theirs = await other.scim('POST', '/Users', named('eve'), once('a'))
      assert.deepEqual([theirs.status, isReplay(theirs)], [201, false], theirs.text)
      assert.equal((await scim('GET', '/Users')).body.totalResults, 2)
    })

    it('take effect once when they come at the same time', async (t) => {
      const { scim } = await connect(t, engine)
      const send = () => scim('POST', '/Users', { schemas: [userUrn], userName: 'ada' }, once('a'))
      const answers = await Promise.all(Array.from({ length: 24 }, send))
      const created = answers.filter(({ status }) => status === 201)
      assert.equal(created.filter((response) => !isReplay(response)).length, 1)
      assert.equal(new Set(created.map(({ body }) => body.id)).size, 1)
      for (const response of answers.filter(({ status }) => status !== 201)) {
        assertRefused(response, 409)
        assert.equal(response.headers['retry-after'], '1')
      }
    })

    it('repeat no operation of a bulk request', async (t) => {
      const { scim, createUser } = await connect(t, engine)
      const [remaining, deleted] = [await createUser(), await createUser()]
      const request = bulkOf(
        { method: 'POST', path: '/Users', bulkId: 'ada', data: { schemas: [userUrn], userName: 'ada' } },
        { method: 'POST', path: '/Users', bulkId: 'eve', data: { schemas: [userUrn], userName: 'ADA' } },
        {
          method: 'POST',
          path: '/Groups',
          bulkId: 'guides',
          data: { schemas: [groupUrn], displayName: 'Guides', members: [{ value: 'bulkId:ada' }] },
        },
        { method: 'PATCH', path: `/Users/${remaining.id}`, data: titled('first') },
        { method: 'DELETE', path: `/Users/${deleted.id}` },
      )
      const send = () => scim('POST', '/Bulk', request, once('a'))
      const first = await send()
      const statuses = (response: Answer) => response.body.Operations.map(({ status }: Body) => status)
      assert.deepEqual([statuses(first), isReplay(first)], [['201', '409', '201', '200', '204'], false], first.text)
      await scim('PATCH', `/Users/${remaining.id}`, titled('second'))
      const again = await send()
      assert.deepEqual([again.text, isReplay(again)], [first.text, true])
      assert.equal((await scim('GET', `/Users/${remaining.id}`)).body.title, 'second')
      const other = await scim('POST', '/Bulk', bulkOf({ ...request.Operations[3] }), once('a'))
      assertRefused(other, 422)
    })

    it('make only what a bulk request that broke off has not made', async (t) => {
      const { app, scim } = await connect(t, engine)
      const named = (userName: string) => ({
        method: 'POST',
        path: '/Users',
        bulkId: userName,
        data: { schemas: [userUrn], userName },
      })
      const send = () => scim('POST', '/Bulk', bulkOf(named('ada'), named('eve'), named('cy')), once('a'))
      const refusesEve =
        engine.name === 'PostgreSQL'
          ? [
              "ALTER TABLE users ADD CONSTRAINT not_eve CHECK (username <> 'eve')",
              'ALTER TABLE users DROP CONSTRAINT not_eve',
            ]
          : // An index of this needs a value that cannot be computed.
            ["CREATE INDEX not_eve ON users (CASE WHEN username = 'eve' THEN json('x') END)", 'DROP INDEX not_eve']
      await app.runSql(refusesEve[0] as string)
      assertRefused(await send(), 500)
      const [ada] = (await scim('GET', '/Users')).body.Resources
      assert.equal(ada.userName, 'ada')
      await app.runSql(refusesEve[1] as string)
      const response = await send()
      assert.deepEqual([response.status, isReplay(response)], [200, false], response.text)
      assert.deepEqual(
        response.body.Operations.map(({ status }: Body) => status),
        ['201', '201', '201'],
      )
      assert.equal(response.body.Operations[0].location, ada.meta.location)
      assert.equal((await scim('GET', '/Users')).body.totalResults, 3)
    })

    it('do not spend the key with a dry run', async (t) => {
      const { scim } = await connect(t, engine)
      const named = (userName: string) => ({ schemas: [userUrn], userName })
      const dry = await scim('POST', '/Users?dry_run=true', named('ada'), once('a'))
      assert.deepEqual([dry.status, dry.headers['dry-run']], [200, 'true'], dry.text)
      assert.equal((await scim('POST', '/Users', named('eve'), once('a'))).status, 201)
      const later = await scim('POST', '/Users?dry_run=true', named('cy'), once('a'))
      assert.deepEqual([later.status, isReplay(later)], [200, false], later.text)
    })
  })
}
