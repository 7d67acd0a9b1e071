import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { beginSignIn, codeOf, finishSignIn, personWithPhone } from '../../../../test/factors.ts'
import { type Answer, type Engine, engines, type Started, start } from '../../../../test/harness.ts'
import { changeOrganization, createOrganization } from '../../../../test/organizations.ts'
import { cookiesOf, password, setCookies, signIn } from '../../../../test/people.ts'

const day = 86_400_000
const thirtyDays = { ROLLBOOK_TRUST_BROWSER_DAYS: '30' }
const chosen = 'a moth in relay seventy'

/** The cookie of a trusted browser alone, as it is sent back. */
function trustIn(response: Answer): string | undefined {
  const line = setCookies(response.headers).find((one) => one.startsWith('rollbook-trust='))
  return line?.split(';', 1)[0]
}

async function open(t: TestContext, engine: Engine, env: Record<string, string> = thirtyDays) {
  let now = Date.UTC(2026, 10, 23, 12)
  const clock = () => now
  const app = await start(t, engine, { clock, env })
  const ada = await personWithPhone(app, now, { role: 'admin' })
  const pass = (ms: number) => {
    now += ms
  }
  const code = () => {
    pass(30_000)
    return codeOf(ada.phone.secret, now)
  }
  return {
    app,
    ada,
    code,
    pass,
    /** A sign-in with the code, in which the box is ticked. */
    trust: async (): Promise<Answer> => {
      const response = await finishSignIn(app, await beginSignIn(app, ada.username), {
        code: code(),
        trust_browser: true,
      })
      assert.equal(response.status, 201, response.text)
      return response
    },
  }
}

const trustedSignIn = (app: Started, name: string, cookie: string, secret = password) =>
  signIn(app, name, secret, { cookie, 'sec-fetch-site': 'same-origin' })

const asks = (response: Answer) => response.body.code === 'second_factor_required'

for (const engine of engines) {
  describe(`a trusted browser on ${engine.name}`, () => {
    it('is not asked for the second factor for thirty days, while others are', async (t) => {
      const { app, ada, trust, pass } = await open(t, engine)
      const trusting = await trust()
      const cookie = trustIn(trusting) as string
      const line = setCookies(trusting.headers).find((one) => one.startsWith('rollbook-trust='))
      assert.match(line ?? '', /^rollbook-trust=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
      const response = await trustedSignIn(app, ada.username, cookie)
      assert.deepEqual([response.status, response.body.amr], [201, ['pwd']], response.text)
      assert.equal(asks(await signIn(app, ada.username)), true)
      assert.equal((await trustedSignIn(app, ada.username, cookie, chosen)).body.code, 'sign_in_failed')
      const changed = `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}`
      assert.equal(asks(await trustedSignIn(app, ada.username, changed)), true)
      pass(30 * day - 60_000)
      assert.equal((await trustedSignIn(app, ada.username, cookie)).status, 201)
      pass(60_000)
      assert.equal(asks(await trustedSignIn(app, ada.username, cookie)), true)
    })

    it('does not begin with a recovery code, which works once', async (t) => {
      const { app, ada, code } = await open(t, engine)
      const signedIn = await finishSignIn(app, await beginSignIn(app, ada.username), { code: code() })
      const headers = { cookie: cookiesOf(signedIn), 'sec-fetch-site': 'same-origin' }
      const created = await app.call('POST', '/me/recovery-codes', { key: null, headers })
      const [recovery_code] = created.body.codes ?? created.body.recovery_codes
      const response = await finishSignIn(app, await beginSignIn(app, ada.username), {
        recovery_code,
        trust_browser: true,
      })
      assert.equal(response.status, 201, response.text)
      assert.equal(trustIn(response), undefined)
    })

    it('belongs to one user: another one is asked in it', async (t) => {
      const { app, ada, trust, code } = await open(t, engine)
      const cookie = trustIn(await trust()) as string
      code()
      const now = Date.parse((await app.call('GET', `/users/${ada.user_id}`)).body.last_login_at) + 30_000
      const grace = await personWithPhone(app, now)
      assert.equal(asks(await trustedSignIn(app, grace.username, cookie)), true)
      assert.equal((await trustedSignIn(app, ada.username, cookie)).status, 201)
    })

    it('is not trusted unless asked for, not without a second factor, and not while the setting is off', async (t) => {
      const { app, ada, code } = await open(t, engine)
      const plain = await finishSignIn(app, await beginSignIn(app, ada.username), { code: code() })
      assert.equal(trustIn(plain), undefined)
      const early = { username: ada.username, password, trust_browser: true }
      assert.equal((await app.call('POST', '/sessions', { key: null, body: early })).body.code, 'validation_failed')
      assert.deepEqual(await app.runSql('SELECT * FROM trusted_browsers'), [])

      const off = await open(t, engine, {})
      assert.equal(trustIn(await off.trust()), undefined)
      assert.deepEqual(await off.app.runSql('SELECT * FROM trusted_browsers'), [])
    })

    it('never counts as recently authenticated; the second factor does', async (t) => {
      const { app, ada, trust, code } = await open(t, engine)
      const cookie = cookiesOf(await trustedSignIn(app, ada.username, trustIn(await trust()) as string))
      const headers = { cookie, 'sec-fetch-site': 'same-origin' }
      const call = (method: string, path: string, body?: unknown) =>
        app.call(method, path, { key: null, headers, ...(body !== undefined && { body }) })
      assert.equal((await call('GET', '/users')).status, 200)
      const key = { name: 'backup', permissions: ['users:read'] }
      assert.equal((await call('POST', '/keys', key)).body.code, 'reauthentication_required')
      const token = (await call('POST', '/token')).body.access_token as string
      const claims = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())
      assert.deepEqual([claims.auth_time, claims.amr, claims.acr], [0, ['pwd'], 'aal1'])
      const withPassword = await call('POST', '/sessions/current/reauthentication', { password })
      assert.notEqual(withPassword.status, 200)
      assert.equal((await call('POST', '/sessions/current/reauthentication', { code: code() })).status, 200)
      assert.equal((await call('POST', '/keys', key)).status, 201)
    })

    it('is not enough to change the email address or the password, in the API and on the page', async (t) => {
      const { app, ada, trust, code } = await open(t, engine)
      const cookie = cookiesOf(await trustedSignIn(app, ada.username, trustIn(await trust()) as string))
      const headers = { cookie, 'sec-fetch-site': 'same-origin' }
      const call = (method: string, path: string, body: unknown) => app.call(method, path, { key: null, headers, body })
      const email = { email: 'eve@example.com', current_password: password }
      const another = { current_password: password, new_password: chosen }
      assert.equal((await call('PATCH', '/me', email)).body.code, 'reauthentication_required')
      assert.equal((await call('POST', '/me/password', another)).body.code, 'reauthentication_required')
      const page = await app.call('POST', '/change-password', {
        key: null,
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(another).toString(),
      })
      assert.deepEqual([page.status, page.headers.location], [303, 'confirm?return_to=%2Fauth%2Fchange-password'])
      const user = (await app.call('GET', `/users/${ada.user_id}`)).body
      assert.equal(user.email, null)
      assert.equal((await call('POST', '/sessions/current/reauthentication', { code: code() })).status, 200)
      assert.equal((await call('PATCH', '/me', email)).status, 200)
      assert.equal((await call('POST', '/me/password', another)).status, 200)
    })

    it('is enough where a second factor is required', async (t) => {
      const required = { ...thirtyDays, ROLLBOOK_SECOND_FACTOR: 'required' }
      const { app, ada, trust } = await open(t, engine, required)
      const headers = { cookie: cookiesOf(await trustedSignIn(app, ada.username, trustIn(await trust()) as string)) }
      assert.equal((await app.call('GET', '/users', { key: null, headers })).status, 200)
    })

    const ends: Record<string, (opened: Awaited<ReturnType<typeof open>>) => Promise<Answer>> = {
      'their password is changed': ({ app, ada }) =>
        app.call('POST', `/users/${ada.user_id}/password`, { body: { password: chosen, must_change: false } }),
      'they change their password': ({ ada }) =>
        ada.browser.call('POST', '/me/password', { body: { current_password: password, new_password: chosen } }),
      'another factor is added': async ({ ada, code }) => {
        const begun = await ada.browser.call('POST', '/me/factors/totp', { body: { name: 'tablet' } })
        code()
        const at = Date.UTC(2026, 10, 23, 12) + 60_000
        const body = { code: codeOf(begun.body.secret, at) }
        return ada.browser.call('POST', `/me/factors/totp/${begun.body.factor_id}/confirm`, { body })
      },
      'a factor is removed': ({ app, ada }) =>
        app.call('DELETE', `/users/${ada.user_id}/factors/${ada.phone.factor_id}`),
      'an administrator resets the factors': ({ app, ada }) => app.call('DELETE', `/users/${ada.user_id}/factors`),
      'they sign out everywhere else': ({ ada }) => ada.browser.call('DELETE', '/sessions'),
      'they are signed out everywhere': ({ app, ada }) => app.call('DELETE', `/users/${ada.user_id}/sessions`),
      'they are disabled': ({ app, ada }) =>
        app.call('PATCH', `/users/${ada.user_id}`, { body: { active: false }, headers: { 'if-match': '*' } }),
      'they are signed out everywhere with others, without a session': async ({ app, ada }) => {
        await app.runSql('DELETE FROM sessions')
        return app.call('POST', '/users/bulk', { body: { action: 'end_sessions', user_ids: [ada.user_id] } })
      },
      'their organization is disabled, without a session': async ({ app, ada }) => {
        const organization_id = await createOrganization(app)
        await app.runSql(`UPDATE users SET organization_id = '${organization_id}' WHERE user_id = '${ada.user_id}'`)
        await app.runSql('DELETE FROM sessions')
        for (const active of [false, true]) await changeOrganization(app, organization_id, { active })
        return app.call('GET', `/users/${ada.user_id}`)
      },
      'they are deleted': ({ app, ada }) => app.call('DELETE', `/users/${ada.user_id}`),
      'they stop trusting it': async ({ ada }) => {
        const [browser] = (await ada.browser.call('GET', '/me/trusted-browsers')).body
        return ada.browser.call('DELETE', `/me/trusted-browsers/${browser.browser_id}`)
      },
      'an administrator stops trusting it': async ({ app, ada }) => {
        const path = `/users/${ada.user_id}/trusted-browsers`
        const [browser] = (await app.call('GET', path)).body
        return app.call('DELETE', `${path}/${browser.browser_id}`)
      },
    }
    for (const [what, end] of Object.entries(ends)) {
      it(`is not trusted any more once ${what}`, async (t) => {
        const opened = await open(t, engine)
        // A second administrator: the last one can neither be disabled nor deleted.
        await personWithPhone(opened.app, Date.UTC(2026, 10, 23, 12), { role: 'admin' })
        const cookie = trustIn(await opened.trust()) as string
        assert.equal((await opened.app.runSql('SELECT * FROM trusted_browsers')).length, 1)
        const response = await end(opened)
        assert.equal(response.status, 200, response.text)
        assert.deepEqual(await opened.app.runSql('SELECT * FROM trusted_browsers'), [])
        const { app, ada } = opened
        const left = (await app.runSql(`SELECT 1 FROM factors WHERE user_id = '${ada.user_id}'`)).length
        if (left === 0) return
        const secret = what.includes('password') ? chosen : password
        assert.notEqual((await trustedSignIn(app, ada.username, cookie, secret)).status, 201)
      })
    }

    it('is listed without its secret, for its user and administrators only, and recorded', async (t) => {
      const { app, ada, trust } = await open(t, engine)
      const cookie = trustIn(await trust()) as string
      assert.equal((await trustedSignIn(app, ada.username, cookie)).status, 201)
      const own = await ada.browser.call('GET', '/me/trusted-browsers')
      const [browser] = own.body
      assert.deepEqual(Object.keys(browser).toSorted(), [
        ...['address', 'browser_id', 'created_at', 'device', 'expires_at', 'last_used_at', 'user_agent'],
      ])
      assert.deepEqual((await app.call('GET', `/users/${ada.user_id}/trusted-browsers`)).body, own.body)
      assert.ok(!(await app.stored()).includes(cookie.split('=')[1] as string))
      const grace = await personWithPhone(app, Date.UTC(2026, 10, 23, 12))
      const path = `/me/trusted-browsers/${browser.browser_id}`
      assert.equal((await grace.browser.call('DELETE', path)).body.code, 'trusted_browser_not_found')
      assert.deepEqual((await grace.browser.call('GET', '/me/trusted-browsers')).body, [])
      await app.storage.settleJournal()
      const { body } = await app.call('GET', `/users/${ada.user_id}/audit?limit=100`)
      const details = (body.records ?? body).flatMap((one: { details?: { trusted_browser?: string } }) =>
        one.details?.trusted_browser === undefined ? [] : [one.details.trusted_browser],
      )
      assert.deepEqual(details, [browser.browser_id, browser.browser_id])
    })

    it('is chosen with a box on the sign-in page, without scripts, only while the setting is on', async (t) => {
      const { app, ada, code } = await open(t, engine)
      const post = (fields: Record<string, string>, cookie = '', on = app) => {
        const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', cookie }
        return on.call('POST', '/login', { key: null, headers, body: new URLSearchParams(fields).toString() })
      }
      const challenge = await post({ username: ada.username, password })
      assert.match(challenge.text, /<input type="checkbox" name="trust_browser" value="true">/)
      assert.match(challenge.text, /Do not ask again in this browser for 30 days/)
      const challenge_id = /name="challenge_id" value="([\w-]+)"/.exec(challenge.text)?.[1] as string
      const step = { challenge_id, methods: 'totp', can_trust: 'true', trust_browser: 'true' }
      const wrong = await post({ ...step, code: '000000' }, cookiesOf(challenge))
      assert.match(wrong.text, /name="trust_browser" value="true" checked>/)
      const done = await post({ ...step, code: code() }, cookiesOf(challenge))
      assert.equal(done.status, 303, done.text)
      const again = await post({ username: ada.username, password }, trustIn(done))
      assert.equal(again.status, 303)

      const off = await open(t, engine, {})
      const plain = await post({ username: off.ada.username, password }, '', off.app)
      assert.match(plain.text, /name="challenge_id"/)
      assert.doesNotMatch(plain.text, /checkbox/)
    })
  })
}
