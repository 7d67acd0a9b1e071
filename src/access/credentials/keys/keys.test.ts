import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, adminKey, createUser, engines, type Started, start } from '../../../../test/harness.ts'
import { sharedApp } from '../../../../test/shared-app.ts'
import { system } from '../../../core/actor.ts'

type NewKey = {
  key_id: string
  key: string
  name: string
  prefix: string
  permissions: string[]
  expires_at: string | null
  managed: boolean
}

async function makeKey(app: Started, permissions: string[], others: Record<string, unknown> = {}): Promise<NewKey> {
  const response = await app.call('POST', '/keys', { body: { name: 'test', permissions, ...others } })
  assert.equal(response.status, 201, response.text)
  return response.body
}

const listUsers = (app: Started, key: string): Promise<Answer> => app.call('GET', '/users', { key })
const works = async (app: Started, key: string): Promise<boolean> => {
  const { status, body } = await listUsers(app, key)
  if (status !== 200) assert.deepEqual([status, body.code], [401, 'credential_invalid'])
  return status === 200
}
const otherKeys = async (app: Started): Promise<NewKey[]> =>
  ((await app.call('GET', '/keys')).body as NewKey[]).filter(({ name }) => !name.startsWith('admin'))

/** An adjustable clock. */
function handClock() {
  const clock = { now: Date.UTC(2026, 10, 20), read: () => clock.now }
  return clock
}

for (const engine of engines) {
  describe(`API keys on ${engine.name}`, () => {
    const shared = sharedApp(engine)

    it('are shown once, when they are created, and listed without the secret', async (t) => {
      const app = await start(t, engine, { clock: () => Date.UTC(2026, 10, 20) })
      const body = {
        name: 'nightly sync',
        permissions: ['users:read', 'keys:read'],
        expires_at: '2026-12-24T18:00:00+01:00',
      }
      const response = await app.call('POST', '/keys', { body })
      assert.equal(response.status, 201)
      const { key, key_id, prefix, ...rest } = response.body
      assert.match(key, /^rb_[0-9A-Za-z]{49}$/)
      assert.ok(key.startsWith(prefix) && prefix.length < 12)
      assert.deepEqual(rest, {
        ...body,
        created_at: '2026-11-20T00:00:00.000Z',
        expires_at: '2026-12-24T17:00:00.000Z',
        last_used_at: null,
        managed: false,
      })
      assert.equal(response.headers.location, `/auth/keys/${key_id}`)
      assert.equal(response.headers['cache-control'], 'no-store')
      assert.deepEqual(await otherKeys(app), [{ key_id, prefix, ...rest }])
      assert.ok(!(await app.call('GET', '/keys')).text.includes(key))
    })

    it('do only what their permissions allow', async () => {
      const app = await shared()
      const { user_id } = await createUser(app)
      const doors: [permission: string, method: string, path: string, body?: unknown][] = [
        ['users:read', 'GET', '/users'],
        ['users:read', 'GET', `/users/${user_id}`],
        ['users:write', 'POST', '/users?dry_run=true', { username: 'ada' }],
        ['users:write', 'PATCH', `/users/${user_id}`, { first_name: 'Ada' }],
        ['users:write', 'DELETE', `/users/${user_id}?dry_run=true`],
        ['keys:read', 'GET', '/keys'],
        ['keys:write', 'POST', '/keys?dry_run=true', { name: 'x', permissions: ['keys:write'] }],
      ]
      for (const permission of ['users:read', 'users:write', 'keys:read', 'keys:write']) {
        const { key } = await makeKey(app, [permission])
        for (const [needed, method, path, body] of doors) {
          const response = await app.call(method, path, { key, ...(body !== undefined && { body }) })
          if (needed === permission)
            assert.equal(response.status, 200, `${permission}: ${method} ${path} ${response.text}`)
          else assert.deepEqual([response.status, response.body.code], [403, 'permission_denied'], `${method} ${path}`)
        }
      }
    })

    it('are refused when they are asked for wrongly, with a pointer', async () => {
      const app = await shared()
      const cases: [body: unknown, fault: string][] = [
        [{ permissions: ['users:read'] }, '#/name missing_member'],
        [{ name: 'x' }, '#/permissions missing_member'],
        [{ name: '', permissions: ['users:read'] }, '#/name too_short'],
        [{ name: 'x'.repeat(129), permissions: ['users:read'] }, '#/name too_long'],
        [{ name: 'x', permissions: [] }, '#/permissions too_few'],
        [{ name: 'x', permissions: 'users:read' }, '#/permissions wrong_type'],
        [{ name: 'x', permissions: [7] }, '#/permissions/0 wrong_type'],
        [{ name: 'x', permissions: ['users:read', 'users:read'] }, '#/permissions repeated'],
        [{ name: 'x', permissions: ['users:read', 'users:destroy'] }, '#/permissions/1 permission_unknown'],
        [{ name: 'x', permissions: ['users:read'], expires_at: 'tomorrow' }, '#/expires_at wrong_format'],
        [{ name: 'x', permissions: ['users:read'], expires_at: '2020-01-01T00:00:00Z' }, '#/expires_at not_in_future'],
        [{ name: 'x', permissions: ['users:read'], key: 'rb_mine' }, '#/key unknown_member'],
      ]
      for (const [body, fault] of cases) {
        const response = await app.call('POST', '/keys', { body })
        assert.equal(response.status, 422)
        const [{ pointer, code }] = response.body.errors
        assert.equal(`${pointer} ${code}`, fault)
      }
      assert.deepEqual(await otherKeys(app), [])
    })

    it('can have a permission that only a configured role names', async (t) => {
      const env = { ROLLBOOK_ROLES: '{"planner": ["plans:write"]}' }
      const app = await start(t, engine, { env })
      assert.deepEqual((await makeKey(app, ['plans:write'])).permissions, ['plans:write'])
    })

    it('end at the moment they expire', async (t) => {
      const clock = handClock()
      const app = await start(t, engine, { clock: clock.read })
      const { key } = await makeKey(app, ['users:read'], { expires_at: '2026-11-20T00:00:10.000Z' })
      clock.now += 9_999
      assert.ok(await works(app, key))
      clock.now += 1
      assert.ok(!(await works(app, key)))
      const { key: lasting } = await makeKey(app, ['users:read'], { expires_at: null })
      clock.now += 100 * 365 * 86_400_000
      assert.ok(await works(app, lasting))
    })

    it('are refused from the next request on once they are revoked', async () => {
      const app = await shared()
      const { key, key_id } = await makeKey(app, ['users:read'])
      const { key: other } = await makeKey(app, ['users:read'])
      for (let i = 0; i < 3; i++) assert.ok(await works(app, key))
      // An id in capitals is the same id, as everywhere.
      const response = await app.call('DELETE', `/keys/${key_id.toUpperCase()}`)
      assert.deepEqual([response.status, response.body], [200, { key_id, revoked: true }])
      assert.ok(!(await works(app, key)))
      assert.ok(await works(app, other))
      assert.equal((await app.call('DELETE', `/keys/${key_id}`)).body.code, 'key_not_found')
    })

    it('can revoke themselves', async () => {
      const app = await shared()
      const { key, key_id } = await makeKey(app, ['keys:write', 'users:read'])
      assert.equal((await app.call('DELETE', `/keys/${key_id}`, { key })).status, 200)
      assert.ok(!(await works(app, key)))
    })
  })

  describe(`rotating API keys on ${engine.name}`, () => {
    const shared = sharedApp(engine)

    it('gives the same key a new secret and accepts the old one for the overlap', async (t) => {
      const clock = handClock()
      const env = { ROLLBOOK_KEY_ROTATION_OVERLAP_SECONDS: '60' }
      const app = await start(t, engine, { env, clock: clock.read })
      const created = await makeKey(app, ['users:read'], { expires_at: '2026-12-01T00:00:00.000Z' })
      const response = await app.call('POST', `/keys/${created.key_id}/rotate`)
      const { key, prefix, ...rest } = response.body
      const { key: oldKey, prefix: _, ...before } = created
      assert.deepEqual([response.status, rest], [200, before])
      assert.ok(key !== oldKey && key.startsWith(prefix))
      assert.equal((await otherKeys(app)).length, 1)
      clock.now += 59_999
      assert.deepEqual([await works(app, key), await works(app, oldKey)], [true, true])
      clock.now += 1
      assert.deepEqual([await works(app, key), await works(app, oldKey)], [true, false])
      clock.now = Date.UTC(2026, 11, 1)
      assert.equal(await works(app, key), false, 'the key still ends when it was meant to')
    })

    it('ends the old secret at once when the overlap is 0', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_KEY_ROTATION_OVERLAP_SECONDS: '0' } })
      const created = await makeKey(app, ['users:read'])
      assert.ok(await works(app, created.key))
      const { key } = (await app.call('POST', `/keys/${created.key_id}/rotate`)).body
      assert.deepEqual([await works(app, key), await works(app, created.key)], [true, false])
    })

    it('ends the oldest secret when it is done again within the overlap', async () => {
      const app = await shared()
      const first = await makeKey(app, ['users:read'])
      const rotate = async (): Promise<string> => (await app.call('POST', `/keys/${first.key_id}/rotate`)).body.key
      const [second, third] = [await rotate(), await rotate()]
      assert.deepEqual(
        [await works(app, first.key), await works(app, second), await works(app, third)],
        [false, true, true],
      )
      await app.call('DELETE', `/keys/${first.key_id}`)
      assert.deepEqual([await works(app, second), await works(app, third)], [false, false])
    })
  })

  describe(`no caller gains permissions through API keys on ${engine.name}`, () => {
    const shared = sharedApp(engine)

    it('by creating a key with more permissions than their own', async () => {
      const app = await shared()
      const { key } = await makeKey(app, ['keys:write', 'users:read'])
      for (const permissions of [['*'], ['users:write'], ['users:read', 'keys:read']]) {
        const response = await app.call('POST', '/keys', { key, body: { name: 'more', permissions } })
        assert.deepEqual([response.status, response.body.code], [403, 'permission_not_grantable'])
      }
      const response = await app.call('POST', '/keys', { key, body: { name: 'less', permissions: ['users:read'] } })
      assert.equal(response.status, 201)
      assert.equal((await otherKeys(app)).length, 2)
    })

    it('by rotating, or revoking, a key that can do more', async () => {
      const app = await shared()
      const { key } = await makeKey(app, ['keys:write', 'users:read'])
      const strong = await makeKey(app, ['users:read', 'users:write'])
      for (const [method, path] of [
        ['POST', '/rotate'],
        ['DELETE', ''],
      ] as const) {
        const response = await app.call(method, `/keys/${strong.key_id}${path}`, { key })
        assert.deepEqual([response.status, response.body.code], [403, 'permission_not_grantable'])
      }
      assert.ok(await works(app, strong.key))
    })
  })

  describe(`an API key that expires on ${engine.name}`, () => {
    const until = '2026-11-21T00:00:00.500Z'
    const later = '2026-11-21T00:00:00.501Z'
    const permissions = ['keys:write', 'users:read']
    const refused = (response: Answer) =>
      assert.deepEqual([response.status, response.body.code], [403, 'key_outlives_caller'])

    /** The key itself, and a token issued to it. */
    async function credentials(app: Started, key: string) {
      const token = (await app.call('POST', '/token', { key })).body.access_token as string
      return [{ key }, { key: null, headers: { authorization: `Bearer ${token}` } }]
    }

    it('cannot create a key that lasts longer, itself or with its token', async (t) => {
      const app = await start(t, engine, { clock: handClock().read })
      const short = await makeKey(app, permissions, { expires_at: until })
      for (const credential of await credentials(app, short.key)) {
        const create = (expires_at: string | null | undefined, query = '') =>
          app.call('POST', `/keys${query}`, { ...credential, body: { name: 'x', permissions, expires_at } })
        for (const end of [undefined, null, later, '2099-01-01T00:00:00+01:00']) {
          refused(await create(end))
          refused(await create(end, '?dry_run=true'))
        }
        assert.match((await create(null)).body.detail, /expires at 2026-11-21T00:00:00\.500Z/)
        for (const end of ['2026-11-20T00:00:01Z', until]) assert.equal((await create(end)).status, 201)
      }
    })

    it('cannot rotate a key that lasts longer, but can rotate itself', async (t) => {
      const app = await start(t, engine, { clock: handClock().read })
      const short = await makeKey(app, permissions, { expires_at: until })
      const others = [await makeKey(app, permissions), await makeKey(app, ['users:read'], { expires_at: later })]
      const credentialsOfShort = await credentials(app, short.key)
      for (const credential of credentialsOfShort) {
        for (const { key_id, key } of others) {
          refused(await app.call('POST', `/keys/${key_id}/rotate`, credential))
          assert.ok(await works(app, key))
        }
      }
      const [, token] = credentialsOfShort
      const { status, body } = await app.call('POST', `/keys/${short.key_id}/rotate`, token)
      assert.equal(status, 200)
      assert.equal((await app.call('POST', `/keys/${short.key_id}/rotate`, { key: body.key })).status, 200)
    })

    it('is what the old secret of a rotated key counts as', async (t) => {
      const clock = handClock()
      const app = await start(t, engine, { clock: clock.read })
      const created = await makeKey(app, permissions)
      const earlier = await credentials(app, created.key)
      const { key } = (await app.call('POST', `/keys/${created.key_id}/rotate`)).body
      const [old, tokenOfOld] = await credentials(app, created.key)
      for (const credential of [old, tokenOfOld]) {
        refused(await app.call('POST', `/keys/${created.key_id}/rotate`, credential))
        refused(await app.call('POST', '/keys', { ...credential, body: { name: 'x', permissions } }))
      }
      assert.ok(await works(app, key))
      const body = { name: 'x', permissions }
      assert.equal((await app.call('POST', '/keys', { key, body })).status, 201)
      assert.equal((await app.call('POST', '/keys', { ...earlier[1], body })).status, 201, 'a token from before')
    })
  })

  describe(`which API keys are accepted on ${engine.name}`, () => {
    it('only keys with a valid checksum, which is checked before any lookup', async (t) => {
      const app = await start(t, engine)
      const { key } = await makeKey(app, ['users:read'])
      const last = key.at(-1) === '0' ? '1' : '0'
      const mistyped = [
        key.slice(0, -1),
        `${key}0`,
        key.slice(0, -1) + last,
        key.toLowerCase(),
        key.replace('rb_', 'RB_'),
      ]
      for (const wrong of [...mistyped, 'rb_', 'rb_short', 'x'.repeat(31), ''])
        assert.ok(!(await works(app, wrong)), wrong)
      // Even one that exists in the store.
      const unlikely = `rb_${'0'.repeat(49)}`
      await app.storage.change(
        'keys.bootstrap',
        { key: unlikely, managed: true },
        { actor: system, now: 0, requestId: 't' },
      )
      assert.ok(!(await works(app, unlikely)))
    })

    it('the configured key, which the API can neither rotate nor revoke', async (t) => {
      const app = await start(t, engine)
      const [managed] = (await app.call('GET', '/keys')).body as NewKey[]
      assert.deepEqual(managed?.permissions, ['*'])
      assert.equal(managed.managed, true)
      for (const [method, path] of [
        ['POST', '/rotate'],
        ['DELETE', ''],
      ] as const) {
        const response = await app.call(method, `/keys/${managed?.key_id}${path}`)
        assert.deepEqual([response.status, response.body.code], [409, 'key_managed_by_configuration'])
      }
      assert.ok(await works(app, adminKey))
    })
  })
}
