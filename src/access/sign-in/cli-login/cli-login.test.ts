import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  approvedLoopback,
  backFrom,
  deviceGrant,
  exchange,
  loopback,
  pathOf,
  redirectUri,
  requestLogin,
  submit,
} from '../../../../test/cli-login.ts'
import { type Answer, engines, type Started, start } from '../../../../test/harness.ts'
import { actAs } from '../../../../test/impersonation.ts'
import { createPerson, openBrowser } from '../../../../test/people.ts'
import { stoppedClock } from '../../../../test/stopped-clock.ts'
import { isLoopbackUri, newUserCode, plainUserCode } from './codes.ts'

const env = { ROLLBOOK_ROLES: '{"support": ["users:read", "groups:read"]}', ROLLBOOK_RATE_LIMIT: '0' }
const summary = ({ status, body }: Answer) => [status, body.error ?? body.code]
const refusedGrant = [400, 'invalid_grant']
const seconds = 1000

const isValid = async ({ call }: Started, key: string) => (await call('GET', '/me', { key })).status === 200

describe('the codes of a sign-in of the command line', () => {
  it('lead the browser to a port of its own machine only', () => {
    for (const fit of [redirectUri, 'http://[::1]:1/callback', 'http://127.0.0.1:65535/']) assert.ok(isLoopbackUri(fit))
    const hostile = [
      'http://localhost:49152/callback',
      'http://localhost.evil.example:49152/callback',
      'http://127.0.0.1.evil.example:49152/callback',
      'http://127.0.0.1:49152@evil.example/callback',
      'http://user@127.0.0.1:49152/callback',
      'http://127.0.0.1@evil.example:80/',
      'http://127.0.0.1:49152\\@evil.example/',
      'http://127.0.0.1:0/',
      'http://127.0.0.1:65536/',
      'http://127.0.0.1/callback',
      'http://127.1:80/',
      'http://0.0.0.0:80/',
      'http://[::ffff:127.0.0.1]:80/',
      'http://[::1].evil.example:80/',
      'https://127.0.0.1:49152/callback',
      'javascript://127.0.0.1:1/',
      `${redirectUri}?next=x`,
      `${redirectUri}#x`,
      `${redirectUri}\n`,
      ` ${redirectUri}`,
    ]
    for (const uri of hostile) assert.equal(isLoopbackUri(uri), false, uri)
  })

  it('have a user code without vowels, which may be typed in any form', () => {
    const codes = Array.from({ length: 200 }, newUserCode)
    for (const code of codes) assert.match(code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    assert.equal(new Set(codes).size, 200)
    for (const typed of ['wdjb mjht', 'WDJBMJHT', ' wdjb–mjht ']) assert.equal(plainUserCode(typed), 'WDJBMJHT')
  })
})

for (const engine of engines) {
  describe(`the sign-in of the command line on ${engine.name}`, () => {
    it('yields one personal key, through the browser', async (t) => {
      const clock = stoppedClock()
      const app = await start(t, engine, { env, clock })
      const ada = await createPerson(app, { username: 'ada', role: 'support' })
      const browser = await openBrowser(app, 'ada')
      const keysOfAda = async () => (await app.call('GET', `/users/${ada.user_id}/keys`)).body

      await t.test('after the page has said which machine asks, from where, and what the key may do', async () => {
        const { status, body } = await requestLogin(app, { ...loopback, name: '<b>laptop</b>', key_expires_in: 3600 })
        assert.deepEqual([status, Object.keys(body).sort(), body.expires_in], [200, ['expires_in', 'login_uri'], 600])
        const path = pathOf(body.login_uri)
        const page = await browser.call('GET', path, { headers: { accept: 'text/html' } })
        assert.equal(page.status, 200, page.text)
        for (const part of ['&lt;b&gt;laptop', '127.0.0.1', 'users:read', 'groups:read', '<strong>ada</strong>']) {
          assert.ok(page.text.includes(part), part)
        }
        assert.ok(!page.text.includes('another network'))
        assert.match(String(page.headers['content-security-policy']), /frame-ancestors 'none'/)
        const back = backFrom(await submit(browser, path, { decision: 'approve' }))
        assert.equal(`${back.origin}${back.pathname}`, redirectUri)
        assert.equal(back.searchParams.get('state'), loopback.state)
        const code = back.searchParams.get('code') ?? ''
        const grant = {
          grant_type: 'authorization_code',
          code,
          redirect_uri: redirectUri,
          code_verifier: loopback.name,
        }
        assert.deepEqual(summary(await exchange(app, { ...grant, grant_type: 'password' })), [
          400,
          'unsupported_grant_type',
        ])
        // Nobody else can decide about it again, and the page is gone.
        assert.equal((await submit(browser, path, { decision: 'approve' })).status, 400)
        assert.equal((await browser.call('GET', path)).body.code, 'expired_token')
      })

      await t.test('which is listed, acts as its owner, and can revoke itself', async () => {
        const grant = await approvedLoopback(app, browser, { permissions: ['users:read', 'audit:read', 'no:such'] })
        const form = await app.call('POST', '/cli-logins/token', {
          key: null,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams(grant).toString(),
        })
        assert.equal(form.status, 200, form.text)
        const { access_token, key_id, ...rest } = form.body
        assert.match(access_token, /^rb_/)
        assert.deepEqual(rest, {
          token_type: 'Bearer',
          expires_in: 7_776_000,
          scope: 'users:read',
          name: 'laptop',
          permissions: ['users:read'],
          expires_at: new Date(clock() + 7_776_000_000).toISOString(),
          user_id: ada.user_id,
          username: 'ada',
        })
        const [listed] = await keysOfAda()
        assert.deepEqual([listed.key_id, listed.name, listed.permissions], [key_id, 'laptop', ['users:read']])
        assert.equal((await app.call('GET', '/me', { key: access_token })).body.username, 'ada')
        const [created, approved] = (await app.call('GET', '/audit?limit=2')).body
        assert.deepEqual(
          [approved.action, approved.actor.name, approved.details],
          ['cli_login.approved', 'ada', { name: 'laptop', requested_from: '127.0.0.1', permissions: ['users:read'] }],
        )
        assert.deepEqual([created.action, created.actor.name, created.target.name], ['key.created', 'ada', 'ada'])
        const stored = (await app.stored()).toString('latin1') + app.logLines().join('\n')
        for (const secret of [access_token, grant.code as string]) assert.ok(!stored.includes(secret))
        assert.equal(
          (await app.call('POST', '/revoke', { key: access_token, body: { token: access_token } })).status,
          200,
        )
        assert.deepEqual(await keysOfAda(), [])
      })

      await t.test('and revokes it if the code is used again, whatever is shown with it', async () => {
        for (const members of [{}, { code_verifier: 'another' }]) {
          const grant = await approvedLoopback(app, browser)
          const { body } = await exchange(app, grant)
          assert.ok(await isValid(app, body.access_token))
          assert.deepEqual(summary(await exchange(app, { ...grant, ...members })), refusedGrant)
          assert.equal(await isValid(app, body.access_token), false)
          assert.deepEqual(await keysOfAda(), [])
        }
        const raced = await approvedLoopback(app, browser)
        const answers = await Promise.all([1, 2, 3, 4].map(() => exchange(app, raced)))
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400])
        assert.deepEqual(await keysOfAda(), [])
      })

      await t.test('but not with another verifier or redirect URI, which end the code', async () => {
        for (const members of [{ code_verifier: 'another' }, { redirect_uri: 'http://127.0.0.1:49153/callback' }]) {
          const grant = await approvedLoopback(app, browser)
          assert.deepEqual(summary(await exchange(app, { ...grant, ...members })), refusedGrant)
          assert.deepEqual(summary(await exchange(app, grant)), refusedGrant)
        }
        const late = await approvedLoopback(app, browser)
        await clock.pass(61 * seconds)
        assert.deepEqual(summary(await exchange(app, late)), refusedGrant)
        assert.deepEqual(await keysOfAda(), [])
      })

      await t.test('nor when the user refused', async () => {
        const { body } = await requestLogin(app)
        const back = backFrom(await submit(browser, pathOf(body.login_uri), { decision: 'refuse' }))
        assert.deepEqual(
          [...back.searchParams],
          [
            ['error', 'access_denied'],
            ['state', loopback.state],
          ],
        )
        const device = (await requestLogin(app, { name: 'server' })).body
        const page = await submit(browser, '/cli-login', { user_code: device.user_code, decision: 'refuse' })
        assert.match(page.text, /You refused/)
        const refused = await exchange(app, { grant_type: deviceGrant, device_code: device.device_code })
        assert.deepEqual([...summary(refused), refused.body.code], [400, 'access_denied', 'access_denied'])
      })

      await t.test(
        'with a device code, which the user types, and which is polled no faster than it allows',
        async () => {
          const { body } = await requestLogin(app, { name: 'server' })
          const { device_code, user_code, verification_uri, ...rest } = body
          assert.deepEqual(rest, { expires_in: 600, interval: 5 })
          assert.ok(!verification_uri.includes(user_code))
          const grant = { grant_type: deviceGrant, device_code }
          const poll = async () => (await exchange(app, grant)).body.error
          assert.equal(await poll(), 'authorization_pending')
          assert.equal(await poll(), 'slow_down')
          await clock.pass(6 * seconds)
          assert.equal(await poll(), 'slow_down')
          await clock.pass(15 * seconds)
          assert.equal(await poll(), 'authorization_pending')
          // No address has the code: neither as its end nor in the query.
          for (const path of [`/cli-login/${user_code}`, `/cli-login?user_code=${user_code}`]) {
            const { text } = await browser.call('GET', path, { headers: { accept: 'text/html' } })
            assert.ok(!text.includes('value="approve"') && !text.includes(`value="${user_code}"`), path)
          }
          const consent = await submit(browser, '/cli-login', { user_code: user_code.toLowerCase() })
          assert.match(consent.text, /server[\s\S]*name="user_code"[\s\S]*value="approve"/)
          const done = await submit(browser, '/cli-login', { user_code, decision: 'approve' })
          assert.match(done.text, /The command line is signed in/)
          const { access_token } = (await exchange(app, grant)).body
          assert.ok(await isValid(app, access_token))
          // A second process with the same code.
          assert.equal(await poll(), 'invalid_grant')
          assert.equal(await isValid(app, access_token), false)
          const slow = (await requestLogin(app, { name: 'server' })).body
          await clock.pass(601 * seconds)
          assert.equal((await exchange(app, { ...grant, device_code: slow.device_code })).body.error, 'expired_token')
        },
      )

      await t.test(
        'not for a user who was disabled or deleted, or has another role or group since the approval',
        async () => {
          const group = (await app.call('POST', '/groups', { body: { name: 'Staff', role: 'support' } })).body
          const membership = (id: string) => `/groups/${group.group_id}/members/${id}`
          for (const [username, change] of [
            ['bob', (id: string) => app.call('PATCH', `/users/${id}`, { body: { active: false } })],
            ['carl', (id: string) => app.call('DELETE', `/users/${id}`)],
            ['dora', (id: string) => app.call('PATCH', `/users/${id}`, { body: { role: 'user' } })],
            ['emil', (id: string) => app.call('DELETE', membership(id))],
          ] as const) {
            const { user_id } = await createPerson(app, { username, role: 'support' })
            assert.ok((await app.call('PUT', membership(user_id))).status < 300)
            const grant = await approvedLoopback(app, await openBrowser(app, username))
            assert.equal((await change(user_id)).status, 200)
            assert.deepEqual(summary(await exchange(app, grant)), refusedGrant, username)
          }
        },
      )

      await t.test('not for a user whose access has ended since the approval', async () => {
        const grants = []
        for (const [username, lastsMs] of [
          ['ines', 30 * seconds],
          ['jana', 31 * seconds],
        ] as const) {
          const expires_at = new Date(clock() + lastsMs).toISOString()
          await createPerson(app, { username, role: 'support', expires_at })
          grants.push(await approvedLoopback(app, await openBrowser(app, username)))
        }
        await clock.pass(30 * seconds)
        const answers = await Promise.all(grants.map((grant) => exchange(app, grant)))
        const [over, there] = answers as [Answer, Answer]
        assert.deepEqual(summary(over), refusedGrant)
        assert.equal(there.status, 200, there.text)
        await clock.pass(seconds)
        assert.equal(await isValid(app, there.body.access_token), false)
      })

      await t.test(
        'not by a session that another person uses, nor from another site, nor without a session',
        async () => {
          const { acting } = await actAs(app, { username: 'fay' })
          const { body } = await requestLogin(app)
          const path = pathOf(body.login_uri)
          const decision = { decision: 'approve' }
          const impersonated = await submit(acting, path, decision, { accept: 'application/json' })
          assert.deepEqual(summary(impersonated), [403, 'not_while_impersonating'])
          const foreign = await submit(browser, path, decision, { 'sec-fetch-site': 'cross-site', accept: '*/*' })
          assert.deepEqual(summary(foreign), [403, 'cross_origin'])
          const started = await app.call('POST', '/cli-logins', {
            key: null,
            body: { name: 'x' },
            headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
          })
          assert.deepEqual(summary(started), [403, 'cross_origin'])
          for (const [at, to] of [
            [path, `../login?return_to=${encodeURIComponent(`/auth${path}`)}`],
            ['/cli-login', `login?return_to=${encodeURIComponent('/auth/cli-login')}`],
          ] as const) {
            const { status, headers } = await app.call('GET', at, { key: null, headers: { accept: 'text/html' } })
            assert.deepEqual([status, headers.location], [303, to])
          }
        },
      )

      await t.test('only after a recent authentication', async () => {
        const { body } = await requestLogin(app)
        const path = pathOf(body.login_uri)
        const old = await openBrowser(app, 'ada')
        await clock.pass(599 * seconds)
        const fresh = (await requestLogin(app)).body
        await clock.pass(2 * seconds)
        const confirm = (at: string) => `../confirm?return_to=${encodeURIComponent(`/auth${at}`)}`
        const freshPath = pathOf(fresh.login_uri)
        for (const response of [
          await old.call('GET', freshPath),
          await submit(old, freshPath, { decision: 'approve' }),
        ]) {
          assert.deepEqual([response.status, response.headers.location], [303, confirm(freshPath)])
        }
        assert.equal((await (await openBrowser(app, 'ada')).call('GET', path)).body.code, 'expired_token')
      })

      await t.test('and user codes cannot be guessed', async () => {
        const user = await openBrowser(app, 'ada')
        const { body } = await requestLogin(app, { name: 'server' })
        for (let guess = 0; guess < 10; guess++) {
          const wrong = await submit(user, '/cli-login', { user_code: newUserCode(), decision: 'refuse' })
          assert.equal(wrong.status, 422)
        }
        const { status, headers, text } = await submit(user, '/cli-login', { user_code: body.user_code })
        assert.deepEqual([status, headers['retry-after'], text.includes('value="approve"')], [429, '60', false])
        await clock.pass(60 * seconds)
        assert.equal((await submit(user, '/cli-login', { user_code: body.user_code })).status, 200)
      })

      await t.test('refuses input that does not belong together', async () => {
        const { state: _, ...withoutState } = loopback
        for (const body of [
          { ...loopback, redirect_uri: 'http://localhost:1/' },
          withoutState,
          { name: 'x', state: loopback.state },
          { ...loopback, code_challenge_method: 'plain' },
          { name: 'a\u202eb' },
          { name: 'x', key_expires_in: 31_536_001 },
        ]) {
          assert.deepEqual(summary(await requestLogin(app, body)), [422, 'validation_failed'], JSON.stringify(body))
        }
      })
    })

    it('is not there, or only through a browser of the same machine, as the operator decides', async (t) => {
      const off = await start(t, engine, { env: { ROLLBOOK_CLI_LOGIN: 'off' } })
      const grant = { grant_type: deviceGrant, device_code: 'x' }
      for (const response of [await requestLogin(off), await exchange(off, grant)]) {
        assert.deepEqual(summary(response), [404, 'not_enabled'])
      }
      assert.equal((await off.call('GET', '/cli-login', { key: null })).status, 404)
      const narrow = await start(t, engine, { env: { ROLLBOOK_CLI_LOGIN: 'loopback' } })
      assert.deepEqual(summary(await requestLogin(narrow, { name: 'server' })), [404, 'not_enabled'])
      assert.equal((await requestLogin(narrow)).status, 200)
      assert.equal((await narrow.call('GET', '/cli-login', { key: null })).status, 404)
    })
  })
}
