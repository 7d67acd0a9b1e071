import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { adminKey, engines, type Request, type Started, start } from '../../../../test/harness.ts'
import { bearer, makeKey, partsOf, signedIn, tokenOf, withCookie } from '../../../../test/tokens/parts.ts'

const sessionToken = (cookie: string) => cookie.replace('rollbook=', '')
const revoke = (app: Started, token: string, caller: Request = {}) =>
  app.call('POST', '/revoke', { ...caller, body: { token } })
const isActive = async (app: Started, token: string): Promise<boolean> =>
  (await app.call('POST', '/introspect', { body: { token } })).body.active
const feed = async (app: Started): Promise<string[]> =>
  (await app.call('GET', '/revocations')).body.revocations.map(
    (one: { kind: string; id: string }) => `${one.kind} ${one.id}`,
  )

async function revokes(app: Started, token: string, caller?: Request): Promise<void> {
  assert.ok(await isActive(app, token))
  const response = await revoke(app, token, caller)
  assert.deepEqual([response.status, response.body], [200, {}], response.text)
  assert.ok(!(await isActive(app, token)))
}

async function refuses(app: Started, token: string, caller: Request, code: string): Promise<void> {
  const before = await feed(app)
  const response = await revoke(app, token, caller)
  assert.equal(response.body.code, code, response.text)
  assert.ok(await isActive(app, token))
  assert.deepEqual(await feed(app), before)
}

const env = { ROLLBOOK_ROLES: '{"desk": ["sessions:write", "keys:write", "users:read"]}' }

for (const engine of engines) {
  describe(`revocation on ${engine.name}`, () => {
    it('of an access token ends that token, and leaves the session or key behind it', async (t) => {
      const app = await start(t, engine)
      const { cookie } = await signedIn(app)
      const [one, other] = [await tokenOf(app, withCookie(cookie)), await tokenOf(app, withCookie(cookie))]
      await revokes(app, one, withCookie(cookie))
      assert.deepEqual([await isActive(app, other), await isActive(app, sessionToken(cookie))], [true, true])
      assert.deepEqual(await feed(app), [`token ${partsOf(one).claims.jti}`])
      assert.equal((await revoke(app, one, bearer(one))).status, 401)
      await revokes(app, other, bearer(other))
    })

    it('of a session ends it with its tokens, and deletes the cookie of the browser that did it', async (t) => {
      const app = await start(t, engine)
      const { cookie, session_id } = await signedIn(app)
      const token = await tokenOf(app, withCookie(cookie))
      const response = await revoke(app, sessionToken(cookie), withCookie(cookie))
      assert.equal(response.status, 200)
      assert.match(String(response.headers['set-cookie']), /^rollbook=; Max-Age=0/)
      assert.deepEqual([await isActive(app, token), await isActive(app, sessionToken(cookie))], [false, false])
      assert.ok((await feed(app)).includes(`session ${session_id}`))
    })

    it('of a key ends it with its tokens, even if it revokes itself without the permission', async (t) => {
      const app = await start(t, engine)
      const { key, key_id } = await makeKey(app, ['users:read'])
      const token = await tokenOf(app, { key })
      await revokes(app, key, { key })
      assert.equal(await isActive(app, token), false)
      assert.deepEqual(await feed(app), [`key ${key_id}`])
    })

    it('accepts a form', async (t) => {
      const app = await start(t, engine)
      const { key } = await makeKey(app, ['users:read'])
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const response = await app.call('POST', '/revoke', { headers, body: `token=${key}&token_type_hint=x` })
      assert.equal(response.status, 200)
      assert.equal(await isActive(app, key), false)
    })

    it('responds to invalid credentials as if it had revoked them, so that no caller learns which were valid', async (t) => {
      const app = await start(t, engine)
      const { key } = await makeKey(app, ['users:read'])
      const deleted = await makeKey(app, ['users:read'])
      await app.call('DELETE', `/keys/${deleted.key_id}`)
      const before = await feed(app)
      for (const token of ['x', deleted.key, 'a.b.c', `${(await tokenOf(app)).slice(0, -3)}AAA`]) {
        const response = await revoke(app, token, { key })
        assert.deepEqual([response.status, response.body], [200, {}])
      }
      assert.deepEqual(await feed(app), before)
    })

    it("of another user's credential needs the permission for it, and at least that user's permissions", async (t) => {
      const app = await start(t, engine, { env })
      const desk = withCookie((await signedIn(app, { role: 'desk' })).cookie)
      const plain = withCookie((await signedIn(app)).cookie)
      const admin = await signedIn(app, { role: 'admin' })
      const other = await signedIn(app)
      const strong = await makeKey(app, ['users:write'])
      const weak = await makeKey(app, ['users:read'])
      for (const token of [other.cookie.slice(9), await tokenOf(app, withCookie(other.cookie)), weak.key]) {
        await refuses(app, token, plain, 'permission_denied')
        await refuses(app, token, { key: weak.key === token ? strong.key : weak.key }, 'permission_denied')
      }
      const adminToken = await tokenOf(app, { ...withCookie(admin.cookie), body: { permissions: ['users:read'] } })
      for (const token of [admin.cookie.slice(9), adminToken]) await refuses(app, token, desk, 'user_outranks_caller')
      await refuses(app, strong.key, desk, 'permission_not_grantable')
      await refuses(app, await tokenOf(app, { key: strong.key }), desk, 'permission_not_grantable')
      await revokes(app, await tokenOf(app, withCookie(other.cookie)), desk)
      await revokes(app, other.cookie.slice(9), desk)
      await revokes(app, weak.key, desk)
      await revokes(app, adminToken)
    })

    it('of the key that the configuration sets is refused', async (t) => {
      const app = await start(t, engine)
      await refuses(app, adminKey, {}, 'key_managed_by_configuration')
      await revokes(app, await tokenOf(app))
    })

    it('changes nothing in a dry run', async (t) => {
      const app = await start(t, engine)
      const { key } = await makeKey(app, ['users:read'])
      for (const token of [key, await tokenOf(app, { key })]) {
        const response = await app.call('POST', '/revoke?dry_run=true', { body: { token } })
        assert.deepEqual([response.status, response.headers['dry-run']], [200, 'true'])
        assert.ok(await isActive(app, token))
      }
      assert.deepEqual(await feed(app), [])
    })
  })
}
