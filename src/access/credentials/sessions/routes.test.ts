import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines, type Started, start } from '../../../../test/harness.ts'
import { createPerson, isSignedIn, openBrowser, password, setCookies, signIn } from '../../../../test/people.ts'
import { sharedApp } from '../../../../test/shared-app.ts'

const minute = 60_000

for (const engine of engines) {
  describe(`signing in on ${engine.name}`, () => {
    const shared = sharedApp(engine)

    it('creates a session with its address and device', async (t) => {
      const app = await start(t, engine, { clock: () => Date.UTC(2026, 10, 20) })
      const { user_id } = await createPerson(app, { username: 'grace', email: 'grace@example.com' })
      const response = await signIn(app, 'Grace', password, { 'user-agent': 'curl/8.14.1' })
      assert.equal(response.status, 201)
      const { session_id, ...session } = response.body
      assert.deepEqual(session, {
        user_id,
        created_at: '2026-11-20T00:00:00.000Z',
        last_seen_at: '2026-11-20T00:00:00.000Z',
        expires_at: '2026-12-20T00:00:00.000Z',
        address: '127.0.0.1',
        user_agent: 'curl/8.14.1',
        device: 'curl',
        current: true,
        amr: ['pwd'],
        auth_time: '2026-11-20T00:00:00.000Z',
      })
      assert.equal(response.headers.location, `/auth/sessions/${session_id}`)
      assert.equal(response.headers['cache-control'], 'no-store')
      assert.equal((await signIn(app, 'GRACE@example.com')).status, 201)
    })

    it('puts the secret only into the cookie, new each time, and stores only its hash', async () => {
      const app = await shared()
      await createPerson(app, { username: 'grace' })
      const answers = [await signIn(app, 'grace'), await signIn(app, 'grace')]
      const tokens = answers.map(({ headers, text }) => {
        const [session = '', device = ''] = setCookies(headers)
        const [, token = ''] =
          /^rollbook=([\w-]{43}); Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/.exec(session) ?? []
        assert.notEqual(token, '', session)
        assert.match(device, /^rollbook-device=[\w.-]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/)
        assert.ok(!text.includes(token))
        return token
      })
      assert.notEqual(tokens[0], tokens[1])
      const stored = await app.stored()
      for (const token of tokens) {
        assert.ok(!stored.includes(token))
        assert.ok(!app.logLines().some((line) => line.includes(token)))
      }
    })

    it('sets a cookie that only this host can set, and only over TLS, if the public URL is https', async (t) => {
      const env = { ROLLBOOK_PUBLIC_URL: 'https://orchard.example.com/auth' }
      const app = await start(t, engine, { env })
      await createPerson(app, { username: 'grace' })
      const cookies = setCookies((await signIn(app, 'grace')).headers)
      assert.equal(cookies.length, 2)
      for (const cookie of cookies) assert.match(cookie, /^__Host-rollbook.*; Path=\/; .*; Secure$/)
      assert.ok(cookies.every((cookie) => !/domain/i.test(cookie)))
    })

    it('ends the session that the browser had before, even if it belonged to another user', async () => {
      const app = await shared()
      await createPerson(app, { username: 'grace' })
      await createPerson(app, { username: 'ada' })
      const [before, elsewhere] = [await openBrowser(app, 'grace'), await openBrowser(app, 'grace')]
      await signIn(app, 'ada', password, { cookie: before.cookie })
      assert.deepEqual([await isSignedIn(before), await isSignedIn(elsewhere)], [false, true])
    })

    it('works beside the cookie of a session that has ended, or that never existed', async (t) => {
      const app = await start(t, engine)
      await createPerson(app, { username: 'grace' })
      const { call, cookie } = await openBrowser(app, 'grace')
      await call('DELETE', '/sessions/current')
      assert.equal((await signIn(app, 'grace', password, { cookie })).status, 201)
      assert.equal((await signIn(app, 'grace', password, { cookie: 'rollbook=rubbish' })).status, 201)
    })

    it('keeps at most 512 characters of the user agent', async () => {
      const app = await shared()
      await createPerson(app, { username: 'grace' })
      const { body } = await signIn(app, 'grace', password, { 'user-agent': 'x'.repeat(600) })
      assert.deepEqual([body.user_agent, body.device], ['x'.repeat(512), 'Unknown device'])
    })

    it('refuses pages of other origins, which could sign users in under their own name', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_PUBLIC_URL: 'https://orchard.example.com/auth' } })
      await createPerson(app, { username: 'grace' })
      const others = [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'https://evil.example' },
        { origin: 'https://orchard.example.com.evil.example' },
        { origin: 'http://orchard.example.com' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site', origin: 'https://orchard.example.com' },
      ]
      for (const headers of others) {
        const {
          status,
          body,
          headers: answered,
        } = await signIn(app, 'grace', password, { host: 'internal', ...headers })
        assert.deepEqual([status, body.code], [403, 'cross_origin'], JSON.stringify(headers))
        assert.equal(answered['set-cookie'], undefined)
      }
      for (const headers of [{}, { 'sec-fetch-site': 'same-origin' }, { origin: 'https://orchard.example.com' }]) {
        assert.equal((await signIn(app, 'grace', password, headers)).status, 201)
      }
    })

    it('responds the same to everyone who cannot sign in, and leaves nothing behind', async () => {
      const app = await shared()
      await createPerson(app, { username: 'grace' })
      await app.call('POST', '/users', { body: { username: 'without' } })
      const { user_id } = await createPerson(app, { username: 'disabled' })
      await app.call('PATCH', `/users/${user_id}`, { body: { active: false } })
      const seen = new Set<string>()
      for (const [name, secret] of [
        ['grace', 'nanoseconds on a strinG'],
        ['nobody', password],
        ['without', password],
        ['disabled', password],
        ['grace', '\u0000'],
      ] as const) {
        const { status, body, headers } = await signIn(app, name, secret)
        const { instance: _, ...problem } = body
        seen.add(JSON.stringify([status, problem, headers['www-authenticate'], headers['set-cookie']]))
      }
      assert.equal(seen.size, 1)
      assert.match([...seen][0] as string, /^\[401,.*"code":"sign_in_failed".*,null\]$/)
      assert.deepEqual(await app.runSql('SELECT session_id FROM sessions'), [])
    })

    it('accepts only a username and a password', async (t) => {
      const app = await start(t, engine)
      await createPerson(app, { username: 'grace' })
      const bodies = [
        {},
        { username: 'grace' },
        { username: '', password },
        { username: 'grace', password: '' },
        { username: 'grace', password: 1 },
        { username: 'grace', password, role: 'admin' },
        { username: 'grace', password, user_id: '019a9f3e-0000-7000-8000-000000000000' },
      ]
      for (const body of bodies) {
        const response = await app.call('POST', '/sessions', { key: null, body })
        assert.deepEqual([response.status, response.body.code], [422, 'validation_failed'], JSON.stringify(body))
        assert.ok(!response.text.includes(password))
      }
      const dry = await app.call('POST', '/sessions?dry_run=true', { key: null, body: { username: 'grace', password } })
      assert.equal(dry.status, 422)
    })

    it('has no Idempotency-Key: a repeated response could give the session cookie to someone else', async () => {
      const app = await shared()
      await createPerson(app, { username: 'grace' })
      const headers = { 'idempotency-key': 'a' }
      const [first, second] = [
        await signIn(app, 'grace', password, headers),
        await signIn(app, 'grace', password, headers),
      ]
      assert.notEqual(first.body.session_id, second.body.session_id)
      assert.equal(second.headers['idempotency-replayed'], undefined)
      assert.equal(app.document.paths['/sessions']?.post?.parameters, undefined)
    })
  })

  describe(`the caller's own sessions on ${engine.name}`, () => {
    const shared = sharedApp(engine)

    it('are listed with the current one marked, without those of other users', async (t) => {
      const clock = handClock()
      const app = await start(t, engine, { clock: clock.read })
      await createPerson(app, { username: 'grace' })
      await createPerson(app, { username: 'ada' })
      const first = await openBrowser(app, 'grace')
      const second = await openBrowser(app, 'grace')
      await openBrowser(app, 'ada')
      clock.now += minute
      const { body } = await first.call('GET', '/sessions')
      const seen = body.map((one: Record<string, unknown>) => [one.session_id, one.current, one.last_seen_at])
      assert.deepEqual(seen, [
        [second.session_id, false, '2026-11-20T00:00:00.000Z'],
        [first.session_id, true, '2026-11-20T00:01:00.000Z'],
      ])
    })

    it('end one by one: the current one takes its cookie with it, another one leaves it', async () => {
      const app = await shared()
      await createPerson(app, { username: 'grace' })
      const [here, there, elsewhere] = await browsers(app, 'grace', 3)
      const other = await here.call('DELETE', `/sessions/${there.session_id.toUpperCase()}`)
      assert.deepEqual([other.status, other.body], [200, { session_id: there.session_id, revoked: true }])
      assert.equal(other.headers['set-cookie'], undefined)
      assert.deepEqual([await isSignedIn(here), await isSignedIn(there)], [true, false])

      const own = await here.call('DELETE', '/sessions/current')
      assert.deepEqual(own.body, { session_id: here.session_id, revoked: true })
      assert.deepEqual(setCookies(own.headers), ['rollbook=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax'])
      assert.equal(await isSignedIn(here), false)

      const byId = await elsewhere.call('DELETE', `/sessions/${elsewhere.session_id}`)
      assert.equal(setCookies(byId.headers).length, 1)
      assert.equal(await isSignedIn(elsewhere), false)
    })

    it('end all but the current one', async () => {
      const app = await shared()
      await createPerson(app, { username: 'grace' })
      const { user_id } = await createPerson(app, { username: 'ada' })
      const [here, ...others] = await browsers(app, 'ada', 3)
      const grace = await openBrowser(app, 'grace')
      assert.deepEqual((await here.call('DELETE', '/sessions')).body, { user_id, revoked: 2 })
      assert.ok((await isSignedIn(here)) && (await isSignedIn(grace)))
      for (const one of others) assert.equal(await isSignedIn(one), false)
      assert.deepEqual((await here.call('DELETE', '/sessions')).body, { user_id, revoked: 0 })
    })

    it("are the only ones to end there: another user's session does not exist for the caller", async (t) => {
      const app = await start(t, engine)
      await createPerson(app, { username: 'grace', role: 'admin' })
      await createPerson(app, { username: 'ada' })
      const [grace, ada] = [await openBrowser(app, 'grace'), await openBrowser(app, 'ada')]
      const answers = [
        await grace.call('DELETE', `/sessions/${ada.session_id}`),
        await grace.call('DELETE', '/sessions/019a9f3e-0000-7000-8000-000000000000'),
        await grace.call('DELETE', '/sessions/rubbish'),
      ]
      for (const { status, body } of answers) assert.deepEqual([status, body.code], [404, 'session_not_found'])
      assert.equal(answers[0]?.body.detail, answers[1]?.body.detail)
      assert.ok(await isSignedIn(ada))
    })

    it('are not changed by a dry run, which says what would happen', async () => {
      const app = await shared()
      const { user_id } = await createPerson(app, { username: 'grace' })
      const [here, there] = await browsers(app, 'grace', 2)
      const { session_id } = here
      for (const [path, body] of [
        ['/sessions', { user_id, revoked: 1 }],
        ['/sessions/current', { session_id, revoked: false }],
        [`/sessions/${there.session_id}`, { session_id: there.session_id, revoked: false }],
      ] as const) {
        const response = await here.call('DELETE', `${path}?dry_run=true`)
        assert.deepEqual([response.status, response.body], [200, body])
        assert.equal(response.headers['dry-run'], 'true')
        assert.equal(response.headers['set-cookie'], undefined)
      }
      assert.ok((await isSignedIn(here)) && (await isSignedIn(there)))
    })

    it('end after 30 days however much they are used, and after 7 days without use', async (t) => {
      const clock = handClock()
      const app = await start(t, engine, { clock: clock.read })
      await createPerson(app, { username: 'grace' })
      const [used, idle] = await browsers(app, 'grace', 2)
      for (let day = 1; day < 30; day++) {
        clock.now += 1440 * minute
        assert.ok(await isSignedIn(used))
        const { body } = await used.call('GET', '/sessions')
        assert.equal(body.length, day < 7 ? 2 : 1, `day ${day}`)
      }
      assert.equal(await isSignedIn(idle), false)
      clock.now += 1440 * minute - 1
      assert.ok(await isSignedIn(used))
      clock.now += 1
      assert.equal(await isSignedIn(used), false)
    })
  })

  describe(`the sessions of a user, for administrators, on ${engine.name}`, () => {
    const shared = sharedApp(engine)

    it('are listed and ended, one or all', async () => {
      const app = await shared()
      const { user_id } = await createPerson(app, { username: 'grace' })
      const path = `/users/${user_id}/sessions`
      const [first, second, third] = await browsers(app, 'grace', 3)
      const { body } = await app.call('GET', path)
      assert.deepEqual(
        body.map((one: Record<string, unknown>) => [one.session_id, one.current]),
        [third, second, first].map(({ session_id }) => [session_id, false]),
      )
      const one = await app.call('DELETE', `${path}/${second.session_id}`)
      assert.deepEqual([one.status, one.body], [200, { session_id: second.session_id, revoked: true }])
      assert.deepEqual([await isSignedIn(first), await isSignedIn(second)], [true, false])
      assert.deepEqual((await app.call('DELETE', `${path}?dry_run=true`)).body, { user_id, revoked: 2 })
      assert.deepEqual((await app.call('DELETE', path)).body, { user_id, revoked: 2 })
      assert.deepEqual([await isSignedIn(first), await isSignedIn(third)], [false, false])
      assert.deepEqual((await app.call('GET', path)).body, [])
    })

    it('are reached through their own user only', async () => {
      const app = await shared()
      const { user_id } = await createPerson(app, { username: 'grace' })
      await createPerson(app, { username: 'ada' })
      const ada = await openBrowser(app, 'ada')
      const nobody = '019a9f3e-0000-7000-8000-000000000000'
      for (const [method, path, code] of [
        ['DELETE', `/users/${user_id}/sessions/${ada.session_id}`, 'session_not_found'],
        ['DELETE', `/users/${user_id}/sessions/rubbish`, 'session_not_found'],
        ['DELETE', `/users/${nobody}/sessions/${ada.session_id}`, 'user_not_found'],
        ['DELETE', `/users/${nobody}/sessions`, 'user_not_found'],
        ['DELETE', '/users/rubbish/sessions', 'user_not_found'],
        ['GET', `/users/${nobody}/sessions`, 'user_not_found'],
      ] as const) {
        const response = await app.call(method, path)
        assert.deepEqual([response.status, response.body.code], [404, code], path)
      }
      assert.ok(await isSignedIn(ada))
    })
  })
}

function handClock() {
  const clock = { now: Date.UTC(2026, 10, 20), read: () => clock.now }
  return clock
}

type Browsers<N extends number> = N extends 2 ? [Opened, Opened] : [Opened, Opened, Opened]
type Opened = Awaited<ReturnType<typeof openBrowser>>

async function browsers<N extends 2 | 3>(app: Started, name: string, count: N): Promise<Browsers<N>> {
  const opened: Opened[] = []
  for (let i = 0; i < count; i++) opened.push(await openBrowser(app, name))
  return opened as Browsers<N>
}
