import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { beginSignIn, codeOf, finishSignIn, personWithPhone } from '../../../../test/factors.ts'
import { createUser, engines, start } from '../../../../test/harness.ts'
import { browserAfter, createPerson, isSignedIn, openBrowser, password, signIn } from '../../../../test/people.ts'
import { sharedApp } from '../../../../test/shared-app.ts'
import { stoppedClock } from '../../../../test/stopped-clock.ts'

const env = { ROLLBOOK_ROLES: JSON.stringify({ analyst: ['reports:read', 'users:read'], support: ['users:write'] }) }

for (const engine of engines) {
  describe(`the signed-in user on ${engine.name}`, () => {
    const shared = sharedApp(engine)

    it('is returned with the permissions of the role, including those of the product', async (t) => {
      const app = await start(t, engine, { env })
      const { user_id } = await createPerson(app, { username: 'grace', role: 'analyst' })
      const { call, session_id } = await openBrowser(app, 'grace')
      const { status, body, headers } = await call('GET', '/me')
      const user = await app.call('GET', `/users/${user_id}`)
      assert.equal(status, 200)
      assert.deepEqual(body, {
        ...user.body,
        permissions: ['reports:read', 'users:read'],
        permission_sources: ['reports:read', 'users:read'].map((permission) => ({
          permission,
          sources: [{ role: 'analyst', group: null }],
        })),
        groups: [],
        attribute_definitions: [],
        must_change_password: false,
        must_add_factor: false,
        second_factor_from: null,
        session_id,
      })
      assert.equal(headers.etag, user.headers.etag)
      assert.equal(headers['cache-control'], 'no-store')
      const head = await call('HEAD', '/me')
      assert.deepEqual([head.status, head.text, head.headers.etag], [200, '', headers.etag])
    })

    it('does not exist for an API key, whatever its permissions, or without a credential', async () => {
      const app = await shared()
      const own: [string, string, unknown?][] = [
        ['GET', '/me'],
        ['PATCH', '/me', { first_name: 'Grace' }],
        ['POST', '/me/password', { current_password: password, new_password: 'a moth in relay seventy' }],
        ['GET', '/sessions'],
        ['DELETE', '/sessions'],
        ['DELETE', '/sessions/current'],
      ]
      for (const [method, path, body] of own) {
        const byKey = await app.call(method, path, { body })
        assert.deepEqual([byKey.status, byKey.body.code], [403, 'user_required'], path)
        const bare = await app.call(method, path, { body, key: null })
        assert.deepEqual([bare.status, bare.body.code], [401, 'credential_missing'], path)
      }
    })

    it('is refused as signed out when the user is gone and the session is still remembered', async (t) => {
      const app = await start(t, engine, { env })
      const { user_id } = await createPerson(app, { username: 'grace' })
      const { call } = await openBrowser(app, 'grace')
      assert.equal((await call('GET', '/me')).status, 200)
      await app.runSql(`DELETE FROM users WHERE user_id = '${user_id}'`)
      for (const [method, path, body] of [
        ['GET', '/me'],
        ['PATCH', '/me', { first_name: 'Grace' }],
        ['POST', '/me/password', { current_password: password, new_password: 'a moth in relay seventy' }],
        ['GET', '/sessions'],
        ['DELETE', '/sessions/019a9f3e-0000-7000-8000-00000000abcd'],
        ['DELETE', '/sessions'],
        ['DELETE', '/sessions/current'],
      ] as const) {
        const response = await call(method, path, { ...(body && { body }), headers: { 'if-match': '*' } })
        assert.deepEqual([response.status, response.body.code], [401, 'credential_invalid'], `${method} ${path}`)
      }
    })

    it('shows recent changes by every caller', async () => {
      const app = await shared()
      const { user_id } = await createPerson(app, { username: 'grace' })
      const { call } = await openBrowser(app, 'grace')
      await call('GET', '/me')
      await app.call('PATCH', `/users/${user_id}`, { body: { first_name: 'Grace' } })
      assert.equal((await call('GET', '/me')).body.first_name, 'Grace')
    })

    it('can change their names, but nothing that is for administrators', async (t) => {
      const app = await start(t, engine, { env })
      const { user_id } = await createPerson(app, { username: 'grace', role: 'support' })
      const { call } = await openBrowser(app, 'grace')
      const { status, body } = await call('PATCH', '/me', { body: { first_name: 'Grace', last_name: 'Hopper' } })
      assert.deepEqual([status, body.first_name, body.last_name], [200, 'Grace', 'Hopper'])
      const before = (await app.call('GET', `/users/${user_id}`)).body
      const attempts = [
        { role: 'admin' },
        { active: true },
        { username: 'admin' },
        { external_id: 'x' },
        { password: 'a moth in relay seventy', current_password: password },
        { must_change_password: false },
        { user_id: '019a9f3e-0000-7000-8000-000000000000' },
        { permissions: ['*'] },
        { credentials_version: 0 },
        { first_name: 'G', role: 'admin' },
        { first_name: null },
        { first_name: 'a\u0000b' },
        { email: 'not an address', current_password: password },
        [],
      ]
      for (const body of attempts) {
        const response = await call('PATCH', '/me', { body })
        assert.deepEqual([response.status, response.body.code], [422, 'validation_failed'], JSON.stringify(body))
      }
      const polluted = await call('PATCH', '/me', { body: '{"__proto__": {"role": "admin"}}' })
      assert.equal(polluted.body.code, 'malformed_json')
      assert.deepEqual((await app.call('GET', `/users/${user_id}`)).body, before)
    })

    it('gets the definitions of attributes that they may change, and of those with a value', async (t) => {
      const app = await start(t, engine)
      const define = (body: object) => app.call('POST', '/attributes', { body })
      await define({ name: 'size', label: 'Size', type: 'enum', options: ['S', 'M'], editable_by: 'user' })
      await define({ name: 'department', type: 'string' })
      await define({ name: 'secret', type: 'string' })
      const { user_id } = await createPerson(app, { username: 'grace' })
      await app.call('PATCH', `/users/${user_id}`, { body: { attributes: { department: 'Sales' } } })
      const { call } = await openBrowser(app, 'grace')
      assert.equal((await call('GET', '/attributes')).status, 403)
      const { attribute_definitions } = (await call('GET', '/me')).body
      const none = { required: false, pattern: null, minimum: null, maximum: null, max_length: null }
      assert.deepEqual(attribute_definitions, [
        { name: 'department', label: 'department', type: 'string', options: null, ...none, editable_by: 'admin' },
        { name: 'size', label: 'Size', type: 'enum', options: ['S', 'M'], ...none, editable_by: 'user' },
      ])
      const changed = await call('PATCH', '/me', { body: { attributes: { size: 'M' } } })
      assert.deepEqual([changed.status, changed.body.attribute_definitions.length], [200, 2])
      const refused = await call('PATCH', '/me', { body: { attributes: { department: 'Board' } } })
      assert.deepEqual([refused.status, refused.body.errors[0].code], [422, 'not_editable'])
    })

    it('must send the current password to change or clear the email address', async () => {
      const app = await shared()
      await createPerson(app, { username: 'grace' })
      await createUser(app, { username: 'ada', email: 'ada@example.com' })
      const { call } = await openBrowser(app, 'grace')
      const change = (body: unknown) => call('PATCH', '/me', { body })

      const bare = await change({ email: 'grace@example.com' })
      assert.deepEqual([bare.status, bare.body.errors[0].pointer], [422, '#/current_password'])
      const wrong = await change({ email: 'grace@example.com', current_password: 'seven grey herons over' })
      assert.deepEqual([wrong.status, wrong.body.code], [403, 'current_password_wrong'])
      const taken = await change({ email: 'ADA@example.com', current_password: password })
      assert.deepEqual([taken.status, taken.body.code], [409, 'email_taken'])
      assert.equal((await call('GET', '/me')).body.email, null)

      const right = await change({ email: 'grace@example.com', current_password: password, first_name: 'Grace' })
      assert.deepEqual([right.status, right.body.email, right.body.first_name], [200, 'grace@example.com', 'Grace'])
      assert.equal((await change({ email: null })).status, 422)
      // A form may send everything it shows.
      const same = await change({ email: 'grace@example.com', first_name: 'Grace Brewster' })
      assert.deepEqual([same.status, same.body.first_name], [200, 'Grace Brewster'])
      assert.equal((await change({ email: null, current_password: password })).body.email, null)
    })

    it('can ask five times an hour whether an address or a unique value is free, in dry runs too', async (t) => {
      const clock = stoppedClock()
      const app = await start(t, engine, { clock })
      const attribute = { name: 'badge', label: 'Badge', type: 'email', unique: true, editable_by: 'user' }
      assert.equal((await app.call('POST', '/attributes', { body: attribute })).status, 201)
      await createPerson(app, { username: 'grace' })
      const ada = { username: 'ada@example.org', email: 'ada@example.com', attributes: { badge: 'a@b.example' } }
      assert.equal((await app.call('POST', '/users', { body: ada })).status, 201)
      const { call } = await openBrowser(app, 'grace')
      const change = async (body: object, path = '/me') => {
        const { status, body: problem, headers } = await call('PATCH', path, { body })
        return [status, problem.code, headers['retry-after']]
      }
      const to = (email: string | null) => ({ email, current_password: password })
      assert.deepEqual(await change({ ...to('x@example.com'), current_password: 'wrong' }), [
        403,
        'current_password_wrong',
        undefined,
      ])
      assert.deepEqual(await change(to('ada@example.com'), '/me?dry_run=true'), [409, 'email_taken', undefined])
      assert.deepEqual(await change(to('Ada@Example.org')), [409, 'email_taken', undefined])
      assert.deepEqual(await change(to('free@example.com'), '/me?dry_run=true'), [200, undefined, undefined])
      assert.deepEqual(await change({ attributes: { badge: 'A@B.example' } }), [409, 'attribute_taken', undefined])
      assert.deepEqual(await change(to('grace@example.com')), [200, undefined, undefined])
      // Neither the same values nor others than unique ones are questions.
      assert.deepEqual(await change({ email: 'grace@example.com', first_name: 'Grace', attributes: { badge: null } }), [
        200,
        undefined,
        undefined,
      ])
      const limited = [429, 'too_many_attempts', '720']
      for (const body of [to('ada@example.com'), to('free@example.com'), { attributes: { badge: 'c@d.example' } }]) {
        assert.deepEqual(await change(body), limited)
        assert.deepEqual(await change(body, '/me?dry_run=true'), limited)
      }
      const passwords = { current_password: password, new_password: 'a moth in relay seventy' }
      assert.equal((await call('POST', '/me/password', { body: passwords })).status, 200)
      assert.deepEqual(await change({ ...to('free@example.com'), current_password: passwords.new_password }), limited)
      await clock.pass(720_000)
      assert.deepEqual(await change({ attributes: { badge: 'c@d.example' } }), [200, undefined, undefined])
      assert.deepEqual(await change({ attributes: { badge: 'e@f.example' } }), limited)
    })

    it('is changed only if nothing has changed since it was read', async () => {
      const app = await shared()
      const { user_id } = await createPerson(app, { username: 'grace' })
      const { call } = await openBrowser(app, 'grace')
      const { etag = '' } = (await call('GET', '/me')).headers
      await app.call('PATCH', `/users/${user_id}`, { body: { last_name: 'Murray' } })
      const patch = (tag: string) =>
        call('PATCH', '/me', { body: { last_name: 'Hopper' }, headers: { 'if-match': tag } })
      assert.deepEqual((await patch(etag)).body.code, 'precondition_failed')
      const { etag: current = '' } = (await call('GET', '/me')).headers
      const changed = await patch(current)
      assert.equal(changed.status, 200)
      assert.equal(changed.headers.etag, (await app.call('GET', `/users/${user_id}`)).headers.etag)
    })

    it('is not changed by a dry run', async () => {
      const app = await shared()
      await createPerson(app, { username: 'grace' })
      const { call } = await openBrowser(app, 'grace')
      const before = (await call('GET', '/me')).body
      const { status, body, headers } = await call('PATCH', '/me?dry_run=true', { body: { first_name: 'Grace' } })
      assert.deepEqual([status, body.first_name, headers['dry-run'], headers.etag], [200, 'Grace', 'true', undefined])
      const passwords = { current_password: password, new_password: 'a moth in relay seventy' }
      const dry = await call('POST', '/me/password?dry_run=true', { body: passwords })
      assert.deepEqual(dry.body, { user_id: before.user_id, changed: false, revoked: 0 })
      assert.deepEqual((await call('GET', '/me')).body, before)
      assert.equal((await signIn(app, 'grace')).status, 201)
    })

    it('is not changed from a page of another site, nor by a request that does not reveal its origin', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_PUBLIC_URL: 'https://orchard.example.com/auth' } })
      await createPerson(app, { username: 'grace' })
      const { cookie } = await openBrowser(app, 'grace')
      const from = (headers: Record<string, string>) =>
        app.call('PATCH', '/me', {
          key: null,
          body: { first_name: 'x' },
          headers: { cookie, host: 'inside', ...headers },
        })
      for (const headers of [
        {},
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'none' },
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site', origin: 'https://orchard.example.com' },
      ]) {
        const { status, body } = await from(headers)
        assert.deepEqual([status, body.code], [403, 'cross_origin'], JSON.stringify(headers))
      }
      assert.equal((await from({ 'sec-fetch-site': 'same-origin' })).status, 200)
      assert.equal((await from({ origin: 'https://orchard.example.com' })).status, 200)
    })
  })

  describe(`the password of the signed-in user on ${engine.name}`, () => {
    const shared = sharedApp(engine)

    const next = 'a moth in relay seventy'
    const change = { current_password: password, new_password: next }

    it('can be changed, which ends every other session but not this one', async () => {
      const app = await shared()
      const { user_id } = await createPerson(app, { username: 'grace' })
      await createPerson(app, { username: 'ada' })
      const here = await openBrowser(app, 'grace')
      const there = await openBrowser(app, 'grace')
      const ada = await openBrowser(app, 'ada')
      const { status, body } = await here.call('POST', '/me/password', { body: change })
      assert.deepEqual([status, body], [200, { user_id, changed: true, revoked: 1 }])
      assert.deepEqual([await isSignedIn(here), await isSignedIn(there), await isSignedIn(ada)], [true, false, true])
      assert.equal((await signIn(app, 'grace', password)).body.code, 'sign_in_failed')
      assert.equal((await signIn(app, 'grace', next)).status, 201)
    })

    it('takes earlier access tokens with it, and leaves later ones', async () => {
      const app = await shared()
      await createPerson(app, { username: 'grace' })
      const { call } = await openBrowser(app, 'grace')
      const tokenOf = async () => (await call('POST', '/token')).body.access_token
      const me = (token: string) => app.call('GET', '/me', { key: null, headers: { authorization: `Bearer ${token}` } })
      const before = await tokenOf()
      assert.equal((await me(before)).status, 200)
      await call('POST', '/me/password', { body: change })
      assert.deepEqual([(await me(before)).status, (await me(await tokenOf())).status], [401, 200])
    })

    it('can be changed only with the current one, to an acceptable new one', async () => {
      const app = await shared()
      await createPerson(app, { username: 'grace.hopper', email: 'grace.hopper@example.com' })
      const { call } = await openBrowser(app, 'grace.hopper')
      const attempts: [Record<string, unknown>, number, string, string?][] = [
        [{ ...change, current_password: 'seven grey herons over' }, 403, 'current_password_wrong'],
        [{ ...change, new_password: 'too short' }, 422, 'password_too_short', '#/new_password'],
        [{ ...change, new_password: 'grace.hopper grace.hopper' }, 422, 'password_contains_context', '#/new_password'],
        [{ ...change, new_password: password }, 422, 'same_as_before', '#/new_password'],
        [
          { ...change, current_password: 'wrong, and the same', new_password: 'wrong, and the same' },
          422,
          'same_as_before',
          '#/new_password',
        ],
        [{ new_password: next }, 422, 'missing_member', '#/current_password'],
        [{ ...change, must_change_password: false }, 422, 'unknown_member', '#/must_change_password'],
      ]
      for (const [body, status, code, pointer] of attempts) {
        const response = await call('POST', '/me/password', { body })
        const fault = response.body.errors?.[0]
        assert.deepEqual([response.status, fault?.code ?? response.body.code, fault?.pointer], [status, code, pointer])
        assert.ok(!response.text.includes(password) && !response.text.includes(next))
      }
      assert.equal((await signIn(app, 'grace.hopper')).status, 201)
    })

    it('cannot be guessed with a stolen session: wrong attempts are throttled', async () => {
      const app = await shared()
      await createPerson(app, { username: 'grace' })
      const { call } = await openBrowser(app, 'grace')
      const codes: string[] = []
      for (let i = 0; i < 12; i++) {
        const body = { ...change, current_password: `the wrong password ${i}` }
        const path = i % 2 === 0 ? '/me/password' : '/me/password?dry_run=true'
        const response = await call('POST', path, { body })
        codes.push(response.body.code)
        if (response.status === 429) assert.ok(Number(response.headers['retry-after']) >= 1)
      }
      assert.ok(codes.includes('current_password_wrong') && codes.includes('too_many_attempts'), codes.join())
      // With the email address it is the same count.
      const { body } = await call('PATCH', '/me', { body: { email: 'a@example.com', current_password: password } })
      assert.equal(body.code, 'too_many_attempts')
    })

    it('is changed once by two simultaneous requests, and the response to a repeated request is kept', async () => {
      const app = await shared()
      await createPerson(app, { username: 'grace' })
      const [here, there] = [await openBrowser(app, 'grace'), await openBrowser(app, 'grace')]
      const answers = await Promise.all([
        here.call('POST', '/me/password', { body: change }),
        there.call('POST', '/me/password', { body: { ...change, new_password: 'difference engine no. 2' } }),
      ])
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)

      await createPerson(app, { username: 'ada' })
      const ada = await openBrowser(app, 'ada')
      const repeated = () => ada.call('POST', '/me/password', { body: change, headers: { 'idempotency-key': 'a' } })
      const [first, second] = [await repeated(), await repeated()]
      assert.deepEqual([first.status, second.status, second.headers['idempotency-replayed']], [200, 200, 'true'])
      assert.deepEqual(second.body, first.body)
    })

    it('cannot be taken back by a thief whose change is running while an administrator resets it', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_HASH_CONCURRENCY: '1' }, realHashes: true })
      const { user_id } = await createPerson(app, { username: 'grace' })
      const thief = await openBrowser(app, 'grace')
      const theft = thief.call('POST', '/me/password', { body: change })
      const reset = await app.call('POST', `/users/${user_id}/password`, {
        body: { password: 'for the first day only' },
      })
      const stolen = await theft
      assert.equal(reset.status, 200)
      assert.equal((await signIn(app, 'grace', 'for the first day only')).status, 201, `${stolen.status}`)
      assert.equal((await signIn(app, 'grace', next)).status, 401)
      assert.equal(await isSignedIn(thief), false)
    })
  })

  describe(`a password that must be changed on ${engine.name}`, () => {
    it('serves for changing it, and for nothing else before that', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createPerson(app, { username: 'grace', role: 'admin' })
      await createPerson(app, { username: 'other', role: 'admin' })
      const first = 'for the first day only'
      const set = { password: first, must_change: true }
      assert.equal((await app.call('POST', `/users/${user_id}/password`, { body: set })).status, 200)
      const { call } = await openBrowser(app, 'grace', first)
      assert.equal((await call('GET', '/me')).body.must_change_password, true)
      for (const [method, path, body] of [
        ['GET', '/users'],
        ['POST', '/users', { username: 'x' }],
        ['PATCH', '/me', { first_name: 'x' }],
        ['GET', '/sessions'],
        ['DELETE', '/sessions'],
        ['POST', `/users/${user_id}/password`, { password: 'a moth in relay seventy' }],
        ['PATCH', `/users/${user_id}`, { password: 'a moth in relay seventy' }],
        ['POST', '/token'],
        ['POST', '/keys', { name: 'x', permissions: ['*'] }],
      ] as const) {
        const response = await call(method, path, { body })
        assert.deepEqual([response.status, response.body.code], [403, 'password_change_required'], `${method} ${path}`)
      }
      const same = await call('POST', '/me/password', { body: { current_password: first, new_password: first } })
      assert.equal(same.status, 422)
      assert.equal((await call('GET', '/users')).status, 403)

      const body = { current_password: first, new_password: 'a moth in relay seventy' }
      assert.equal((await call('POST', '/me/password', { body })).status, 200)
      assert.equal((await call('GET', '/me')).body.must_change_password, false)
      assert.equal((await call('GET', '/users')).status, 200)
    })

    it('can be changed with a second factor after a while, which then has to be shown again', async (t) => {
      const clock = stoppedClock()
      const app = await start(t, engine, { clock })
      const { user_id, username, phone } = await personWithPhone(app, clock())
      const first = 'for the first day only'
      await app.call('POST', `/users/${user_id}/password`, { body: { password: first, must_change: true } })
      await clock.pass(30_000)
      const code = codeOf(phone.secret, clock())
      const signedIn = await finishSignIn(app, await beginSignIn(app, username, first), { code })
      const { call } = browserAfter(app, signedIn)
      await clock.pass(601_000)
      const body = { current_password: first, new_password: 'a moth in relay seventy' }
      assert.equal((await call('POST', '/me/password', { body })).body.code, 'reauthentication_required')
      const again = { code: codeOf(phone.secret, clock()) }
      assert.equal((await call('POST', '/sessions/current/reauthentication', { body: again })).status, 200)
      assert.equal((await call('GET', '/users')).body.code, 'password_change_required')
      assert.equal((await call('POST', '/me/password', { body })).status, 200)
    })

    it('does not keep a user from signing out', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createPerson(app, { username: 'grace' })
      const body = { password: 'for the first day only', must_change: true }
      await app.call('POST', `/users/${user_id}/password`, { body })
      const browser = await openBrowser(app, 'grace', body.password)
      assert.equal((await browser.call('DELETE', '/sessions/current')).status, 200)
      assert.equal(await isSignedIn(browser), false)
    })
  })
}
