import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUser, engines, type Started, start } from '../../../test/harness.ts'

const password = 'the sky above the port was grey'

async function everything(app: Started): Promise<unknown> {
  const users = (await app.call('GET', '/users')).body as { user_id: string }[]
  const etags = await Promise.all(
    users.map(async ({ user_id }) => (await app.call('GET', `/users/${user_id}`)).headers.etag),
  )
  const { body: keys } = await app.call('GET', '/keys')
  return { users, etags, keys: keys.map(({ last_used_at: _, ...key }: Record<string, unknown>) => key) }
}

for (const engine of engines) {
  describe(`a dry run on ${engine.name}`, () => {
    it('shows what each write would return, and changes nothing', async (t) => {
      const now = Date.UTC(2026, 10, 20)
      const app = await start(t, engine, { clock: () => now })
      const user = await createUser(app, { username: 'ada' })
      const { body: key } = await app.call('POST', '/keys', { body: { name: 'sync', permissions: ['users:read'] } })
      const before = await everything(app)
      const version = await app.storage.usersVersion()

      const dry = async (method: string, path: string, body?: unknown) => {
        const response = await app.call(method, `${path}?dry_run=true`, body === undefined ? {} : { body })
        assert.deepEqual([response.status, response.headers['dry-run']], [200, 'true'], response.text)
        assert.deepEqual([response.headers.location, response.headers.etag], [undefined, undefined])
        return response.body
      }
      const created = await dry('POST', '/users', { username: 'eve', role: 'admin', password })
      assert.deepEqual([created.username, created.role, created.has_password], ['eve', 'admin', true])
      const changes = { first_name: 'Ada', active: false, password }
      const { password: _, ...withoutPassword } = changes
      assert.deepEqual(await dry('PATCH', `/users/${user.user_id}`, changes), {
        ...user,
        ...withoutPassword,
        has_password: true,
      })
      const { restorable_until, ...deleted } = await dry('DELETE', `/users/${user.user_id}`)
      assert.deepEqual(deleted, { user_id: user.user_id, deleted: false })
      assert.equal(Date.parse(restorable_until), now + 7 * 24 * 60 * 60 * 1000)
      const newKey = await dry('POST', '/keys', { name: 'other', permissions: ['*'] })
      const rotated = await dry('POST', `/keys/${key.key_id}/rotate`)
      assert.deepEqual(await dry('DELETE', `/keys/${key.key_id}`), { key_id: key.key_id, revoked: false })

      assert.deepEqual(await everything(app), before)
      assert.equal(await app.storage.usersVersion(), version)
      for (const credential of [newKey, rotated])
        assert.ok(!('key' in credential), 'a secret that does not work is not shown')
      assert.equal((await app.call('GET', `/users/${created.user_id}`)).status, 404)
    })

    it('is refused like the write itself', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_REQUIRE_IF_MATCH: 'true' } })
      const admin = await createUser(app, { username: 'ada', email: 'ada@example.org', role: 'admin' })
      const { body: weak } = await app.call('POST', '/keys', { body: { name: 'x', permissions: ['users:write'] } })
      const path = `/users/${admin.user_id}`
      const ifMatch = { 'if-match': '*' }
      const cases: [code: string, method: string, path: string, request: Parameters<Started['call']>[2]][] = [
        ['username_taken', 'POST', '/users', { body: { username: 'ADA' } }],
        ['email_taken', 'POST', '/users', { body: { username: 'eve', email: 'ADA@example.org' } }],
        ['validation_failed', 'POST', '/users', { body: { username: 'eve', password: 'short' } }],
        ['validation_failed', 'POST', '/users', { body: { username: 'eve', nickname: 'e' } }],
        ['role_not_grantable', 'POST', '/users', { body: { username: 'eve', role: 'admin' }, key: weak.key }],
        ['precondition_required', 'PATCH', path, { body: { role: 'user' } }],
        ['precondition_failed', 'PATCH', path, { body: { role: 'user' }, headers: { 'if-match': '"7"' } }],
        ['last_admin', 'PATCH', path, { body: { role: 'user' }, headers: ifMatch }],
        ['last_admin', 'DELETE', path, { headers: ifMatch }],
        ['user_outranks_caller', 'DELETE', path, { headers: ifMatch, key: weak.key }],
        ['user_not_found', 'DELETE', '/users/nobody', { headers: ifMatch }],
        ['validation_failed', 'POST', '/keys', { body: { name: 'x', permissions: ['no:such'] } }],
        ['key_not_found', 'POST', '/keys/none/rotate', {}],
        ['key_not_found', 'DELETE', '/keys/none', {}],
      ]
      for (const [code, method, where, request] of cases) {
        const real = await app.call(method, where, request)
        const dry = await app.call(method, `${where}?dry_run=true`, request)
        assert.equal(real.body.code, code, `${method} ${where}`)
        const { instance: _, ...problem } = dry.body
        const { instance: __, ...expected } = real.body
        assert.deepEqual([dry.status, problem], [real.status, expected])
      }
    })

    it('hashes no password', async (t) => {
      const env = { ROLLBOOK_HASH_CONCURRENCY: '1', ROLLBOOK_HASH_QUEUE: '1' }
      const app = await start(t, engine, { env, realHashes: true })
      const send = (query: string) =>
        Promise.all(
          Array.from({ length: 20 }, async (_, i) => {
            const body = { username: `user-${i}`, password }
            return (await app.call('POST', `/users${query}`, { body })).body.code
          }),
        )
      assert.deepEqual(new Set(await send('?dry_run=true')), new Set([undefined]))
      // The same in earnest overflows a queue of one.
      assert.ok((await send('')).includes('overloaded'))
    })

    it('is asked for with true or false, and nothing else', async (t) => {
      const app = await start(t, engine)
      for (const value of ['yes', '', '2', 'TRUE']) {
        const response = await app.call('POST', `/users?dry_run=${value}`, { body: { username: 'ada' } })
        assert.deepEqual([response.status, response.body.code], [422, 'validation_failed'], value)
      }
      const twice = await app.call('POST', '/users?dry_run=true&dry_run=false', { body: { username: 'ada' } })
      assert.equal(twice.status, 422)
      assert.equal((await app.call('POST', '/users?dry-run=true', { body: { username: 'ada' } })).status, 422)
      assert.deepEqual((await app.call('GET', '/users')).body, [])
      assert.equal((await app.call('POST', '/users?dry_run=false', { body: { username: 'ada' } })).status, 201)
    })
  })
}
