import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addPhone, personWithPhone } from '../../../../test/factors.ts'
import { adminKey, engines, start } from '../../../../test/harness.ts'
import { createPerson, openBrowser, password } from '../../../../test/people.ts'

for (const engine of engines) {
  describe(`a path that needs more than a session on ${engine.name}`, () => {
    it('needs a recent authentication with max_age, and two kinds of proof with acr', async (t) => {
      let now = Date.UTC(2026, 10, 23, 12)
      const app = await start(t, engine, { clock: () => now })
      const plain = await openBrowser(app, (await createPerson(app)).username)
      const { browser: strong } = await personWithPhone(app, now)
      const verify = (cookie: string, query: string) =>
        app.call('GET', `/verify/nginx?${query}`, { key: null, headers: { cookie } })
      assert.equal((await verify(plain.cookie, 'max_age=600')).status, 200)
      assert.equal((await verify(strong.cookie, 'max_age=600&acr=aal2')).status, 200)
      const weak = await verify(plain.cookie, 'max_age=600&acr=aal2')
      assert.deepEqual([weak.status, weak.headers['rollbook-code']], [401, 'insufficient_user_authentication'])
      // RFC 9470 §3.
      assert.equal(
        weak.headers['www-authenticate'],
        'Bearer realm="rollbook", error="insufficient_user_authentication", acr_values="aal2", max_age="600"',
      )
      now += 601_000
      for (const { cookie } of [plain, strong]) assert.equal((await verify(cookie, 'max_age=600')).status, 401)
      await plain.call('POST', '/sessions/current/reauthentication', { body: { password } })
      assert.equal((await verify(plain.cookie, 'max_age=600')).status, 200)
      const key = await app.call('GET', '/verify/nginx?max_age=600', { key: adminKey })
      assert.deepEqual([key.status, key.headers['rollbook-code']], [403, 'permission_denied'])
    })

    it('sends a browser to the page that helps, and back', async (t) => {
      let now = Date.UTC(2026, 10, 23, 12)
      const app = await start(t, engine, { clock: () => now, env: { ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1' } })
      const { cookie } = await openBrowser(app, (await createPerson(app)).username)
      now += 601_000
      const { status, headers } = await app.call('GET', '/verify/forward-auth?max_age=600', {
        key: null,
        headers: { cookie, accept: 'text/html', 'x-forwarded-uri': '/admin', 'x-forwarded-method': 'GET' },
      })
      assert.equal(status, 302)
      assert.match(headers.location ?? '', /\/auth\/confirm\?return_to=%2Fadmin$/)
    })

    it('is not shown to a session that lacks the factor it needs', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_SECOND_FACTOR: 'required' } })
      const { cookie } = await openBrowser(app, (await createPerson(app)).username)
      const { status, headers } = await app.call('GET', '/verify/nginx', { key: null, headers: { cookie } })
      assert.deepEqual([status, headers['rollbook-code']], [403, 'factor_required'])
    })

    it('is told in tokens and introspection when and how the user was authenticated', async (t) => {
      const now = Date.UTC(2026, 10, 23, 12)
      const app = await start(t, engine, { clock: () => now })
      const { browser } = await personWithPhone(app, now)
      const { access_token: token } = (await browser.call('POST', '/token')).body
      const claims = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
      const said = { auth_time: now / 1000, amr: ['pwd', 'otp', 'mfa'], acr: 'aal2' }
      const { auth_time, amr, acr } = claims
      assert.deepEqual({ auth_time, amr, acr }, said)
      const { body } = await app.call('POST', '/introspect', { body: { token } })
      assert.deepEqual({ auth_time: body.auth_time, amr: body.amr, acr: body.acr }, said)
    })

    it('stays closed to a token from before: it is as strong as it says, whatever its session has proved since', async (t) => {
      const begun = Date.UTC(2026, 10, 23, 12)
      let now = begun
      const app = await start(t, engine, { clock: () => now })
      const { user_id, username } = await createPerson(app, { role: 'admin' })
      const browser = await openBrowser(app, username)
      now += 590_000
      const token = (await browser.call('POST', '/token')).body.access_token as string
      const { factor_id } = await addPhone(browser, now)
      now += 60_000
      const by = { key: null, headers: { authorization: `Bearer ${token}` } }
      const { body } = await app.call('POST', '/introspect', { body: { token } })
      assert.deepEqual([body.auth_time, body.amr, body.acr], [begun / 1000, ['pwd'], 'aal1'])
      const { headers } = await app.call('GET', '/verify/nginx', by)
      assert.deepEqual([headers['remote-auth-time'], headers['remote-acr']], [String(begun / 1000), 'aal1'])
      for (const query of ['acr=aal2', 'max_age=600']) {
        assert.equal((await app.call('GET', `/verify/nginx?${query}`, by)).status, 401, query)
      }
      for (const [method, path, sent] of [
        ['DELETE', `/me/factors/${factor_id}`, undefined],
        ['POST', '/keys', { name: 'k', permissions: ['users:read'] }],
        ['DELETE', `/users/${user_id}/factors`, undefined],
      ] as const) {
        const response = await app.call(method, path, { ...by, body: sent })
        assert.deepEqual([response.status, response.body.code], [401, 'insufficient_user_authentication'], path)
      }
      const fresh = (await browser.call('POST', '/token')).body.access_token
      assert.equal((await app.call('POST', '/introspect', { body: { token: fresh } })).body.acr, 'aal2')
    })
  })
}
