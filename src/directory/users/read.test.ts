import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUser, engines, start } from '../../../test/harness.ts'

for (const engine of engines) {
  describe(`reading a user on ${engine.name}`, () => {
    it('accepts the id in either case', async (t) => {
      const app = await start(t, engine)
      const user = await createUser(app)
      assert.deepEqual((await app.call('GET', `/users/${String(user.user_id).toUpperCase()}`)).body, user)
    })

    it('returns 304 without a body while the client has the current user', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app)
      const path = `/users/${user_id}`
      const etag = (await app.call('GET', path)).headers.etag as string
      for (const known of [etag, `W/${etag}`, `"0", ${etag}`, '*']) {
        const response = await app.call('GET', path, { headers: { 'if-none-match': known } })
        assert.deepEqual([response.status, response.text, response.headers.etag], [304, '', etag], known)
      }
      assert.equal((await app.call('GET', path, { headers: { 'if-none-match': '"0"' } })).status, 200)
      await app.call('PATCH', path, { body: { first_name: 'Ada' } })
      const response = await app.call('GET', path, { headers: { 'if-none-match': etag } })
      assert.deepEqual([response.status, response.body.first_name], [200, 'Ada'])
      assert.notEqual(response.headers.etag, etag)
    })

    it('refuses an If-Match that names only other versions, whatever else the client has', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app)
      const path = `/users/${user_id}`
      const read = (match: string, noneMatch = '"0"', method = 'GET') =>
        app.call(method, path, { headers: { 'if-match': match, 'if-none-match': noneMatch } })
      const etag = (await app.call('GET', path)).headers.etag as string
      for (const other of ['"0"', `W/${etag}`]) {
        const { status, body, headers } = await read(other, etag)
        assert.deepEqual([status, body.code, headers.etag], [412, 'precondition_failed', undefined], other)
        assert.equal((await read(other, etag, 'HEAD')).status, 412)
      }
      assert.equal((await read(`"0", ${etag}`)).status, 200)
      assert.equal((await read('*', etag)).status, 304)
      assert.equal((await read('0')).body.code, 'malformed_header')
      // Its validator is weak, and If-Match compares strongly.
      const list = await app.call('GET', '/users')
      const again = await app.call('GET', '/users', { headers: { 'if-match': String(list.headers.etag) } })
      assert.equal(again.status, 412)
    })

    it('responds to HEAD with the headers of GET and no body', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app)
      const got = await app.call('GET', `/users/${user_id}`)
      const head = await app.call('HEAD', `/users/${user_id}`)
      assert.deepEqual([head.status, head.text], [200, ''])
      for (const name of ['etag', 'content-type', 'content-length', 'cache-control']) {
        assert.equal(head.headers[name], got.headers[name], name)
      }
      assert.equal(head.headers['content-length'], String(Buffer.byteLength(got.text)))
      assert.equal((await app.call('HEAD', '/users/nobody')).status, 404)
    })

    it('needs the permission', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app)
      const created = await app.call('POST', '/keys', { body: { name: 'writer', permissions: ['users:write'] } })
      const { key } = created.body
      assert.equal((await app.call('GET', `/users/${user_id}`, { key })).body.code, 'permission_denied')
      assert.equal((await app.call('GET', '/users', { key })).body.code, 'permission_denied')
      assert.equal((await app.call('GET', `/users/${user_id}`, { key: null })).body.code, 'credential_missing')
    })
  })

  describe(`deleting users on ${engine.name}`, () => {
    it('ends the user, and only that one', async (t) => {
      const app = await start(t, engine)
      const [removed, stays] = [await createUser(app), await createUser(app)]
      const path = `/users/${removed.user_id}`
      const response = await app.call('DELETE', path)
      const { restorable_until, ...deleted } = response.body
      assert.deepEqual([response.status, deleted], [200, { user_id: removed.user_id, deleted: true }])
      assert.ok(Date.parse(restorable_until) > Date.now())
      assert.equal((await app.call('GET', path)).body.code, 'user_not_found')
      assert.equal((await app.call('DELETE', path)).body.code, 'user_not_found')
      assert.deepEqual((await app.call('GET', '/users')).body, [stays])
    })

    it('lets one of 16 simultaneous requests delete, and returns 404 to the others', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app)
      const answers = await Promise.all(Array.from({ length: 16 }, () => app.call('DELETE', `/users/${user_id}`)))
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      assert.equal(answers.filter(({ status }) => status === 404).length, 15)
    })
  })
}
