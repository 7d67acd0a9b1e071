import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { newestRecord, recordsOf } from '../../../../test/audit-records.ts'
import { anyEngine, type Engine, engines, type Request, type Started, start } from '../../../../test/harness.ts'
import { cookiesOf, createPerson, password, setCookies, signIn } from '../../../../test/people.ts'
import { system } from '../../../core/actor.ts'
import { makeSetupLink, setupTokenHash } from './link.ts'

const day = 24 * 3_600_000
const ada = { username: 'ada', password }

async function open(t: TestContext, engine: Engine, options: Parameters<typeof start>[2] = {}) {
  const clock = { now: Date.UTC(2026, 10, 22, 9) }
  const app = await start(t, engine, { clock: () => clock.now, ...options })
  return { app, clock, token: await newToken(app, clock.now) }
}

async function newToken(app: Started, now: number): Promise<string> {
  const link = await makeSetupLink(app.storage, 'http://orchard.example/auth', {
    actor: system,
    now,
    requestId: 'test',
  })
  const [, token] = /^http:\/\/orchard\.example\/auth\/console\/setup#token=([\w-]{43})$/.exec(link ?? '') ?? []
  assert.ok(token, String(link))
  return token
}

function complete(app: Started, body: Record<string, unknown>, request: Omit<Request, 'body'> = {}, query = '') {
  return app.call('POST', `/setup${query}`, { key: null, body, ...request })
}

async function administrators(app: Started): Promise<string[]> {
  const { body } = await app.call('GET', '/users?role=admin')
  return (body as { username: string }[]).map(({ username }) => username)
}

const isOpen = async (app: Started) => (await app.call('GET', '/setup', { key: null })).body.open

for (const engine of engines) {
  describe(`the link for the first administrator on ${engine.name}`, () => {
    it('creates an administrator and signs them in, in one commit with one record', async (t) => {
      const { app, token } = await open(t, engine)
      assert.equal(await isOpen(app), true)
      const before = await newestRecord(app)
      const person = { ...ada, first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' }
      const response = await complete(app, { token, ...person })
      assert.equal(response.status, 201, response.text)
      const { session_id, user_id, current } = response.body
      assert.equal(current, true)
      assert.match(response.headers.location ?? '', new RegExp(`/sessions/${session_id}$`))
      assert.equal(setCookies(response.headers).length, 2)

      const me = await app.call('GET', '/me', { key: null, headers: { cookie: cookiesOf(response) } })
      assert.deepEqual(
        [me.body.username, me.body.role, me.body.permissions, me.body.email, me.body.last_login_at],
        ['ada', 'admin', ['*'], 'ada@example.com', '2026-11-22T09:00:00.000Z'],
      )
      assert.equal((await signIn(app, 'ada@example.com')).status, 201)
      assert.equal(await isOpen(app), false)

      const [created, signedIn] = await recordsOf(app, before)
      assert.deepEqual(
        [
          created?.action,
          created?.actor.id,
          created?.target?.id,
          created?.session_id,
          created?.details,
          signedIn?.action,
        ],
        ['user.created', user_id, user_id, session_id, { by: 'setup_link' }, 'session.created'],
      )
      await app.storage.settleJournal()
      const events = await app.runSql(`
        SELECT type FROM events WHERE subject IN ('${user_id}', '${session_id}') ORDER BY seq`)
      assert.deepEqual(events.map(({ type }) => type).slice(0, 3), [
        'user.created',
        'user.signed_in',
        'session.created',
      ])
      const stored = `${await app.stored()}${app.logLines().join('\n')}`
      assert.ok(!stored.includes(token), 'the token stands nowhere')
    })

    it('works once: not again, and not after that administrator is gone', async (t) => {
      const { app, token } = await open(t, engine)
      assert.equal((await complete(app, { token, ...ada })).status, 201)
      const again = await complete(app, { token, ...ada, username: 'mallory' })
      assert.deepEqual([again.status, again.body.code], [409, 'setup_done'])
      await app.runSql("UPDATE users SET active = 0 WHERE role = 'admin'")
      assert.equal(await isOpen(app), true)
      const later = await complete(app, { token, ...ada, username: 'mallory' })
      assert.deepEqual([later.status, later.body.code], [403, 'setup_link_invalid'])
      assert.match(later.body.detail, /rollbook admin link/)
      assert.deepEqual(await administrators(app), ['ada'])
    })

    it('creates one administrator when two callers use it at the same moment, on two nodes if there are two', async (t) => {
      const { app, clock, token } = await open(t, engine)
      const other = engine.name === 'PostgreSQL' ? await start(t, engine, { beside: app, clock: () => clock.now }) : app
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, n) =>
          complete(n % 2 === 0 ? app : other, { token, ...ada, username: `admin-${n}` }),
        ),
      )
      const statuses = answers.map(({ status }) => status).toSorted()
      assert.deepEqual(statuses, [201, 409, 409, 409, 409, 409])
      assert.equal((await administrators(app)).length, 1)
    })

    it('cannot be guessed, cut short, or read from the store', async (t) => {
      const { app, token } = await open(t, engine)
      const before = await newestRecord(app)
      const guesses = ['x', token.slice(0, -1), `${token}A`, token.toLowerCase(), setupTokenHash(token), "' OR 1=1 --"]
      for (const guess of guesses) {
        const response = await complete(app, { token: guess, ...ada })
        assert.deepEqual([response.status, response.body.code], [403, 'setup_link_invalid'], guess)
        assert.equal(response.headers['set-cookie'], undefined)
      }
      assert.deepEqual(await administrators(app), [])
      const records = await recordsOf(app, before)
      assert.deepEqual(
        records.map(({ action, code, actor }) => [action, code, actor.kind]),
        guesses.map(() => ['authorization.refused', 'setup_link_invalid', 'anonymous']),
      )
      assert.equal((await complete(app, { token, ...ada })).status, 201)
    })

    it('is good for 24 hours', async (t) => {
      const { app, clock, token } = await open(t, engine)
      clock.now += day
      const late = await complete(app, { token, ...ada })
      assert.deepEqual([late.status, late.body.code], [403, 'setup_link_invalid'])
      clock.now -= 1
      assert.equal((await complete(app, { token, ...ada })).status, 201)
    })

    it('is replaced by a newer one, and by an administrator created in another way', async (t) => {
      const { app, clock, token } = await open(t, engine)
      const newer = await newToken(app, clock.now)
      const old = await complete(app, { token, ...ada })
      assert.deepEqual([old.status, old.body.code], [403, 'setup_link_invalid'])
      await createPerson(app, { username: 'grace', role: 'admin' })
      const done = await complete(app, { token: newer, ...ada })
      assert.deepEqual([done.status, done.body.code], [409, 'setup_done'])
      assert.equal(
        await makeSetupLink(app.storage, 'x', { actor: system, now: clock.now, requestId: 'test' }),
        undefined,
      )
      assert.deepEqual(await administrators(app), ['grace'])
    })

    it('stays valid when the input is refused, and lets the caller choose only their identity', async (t) => {
      const { app, token } = await open(t, engine)
      await createPerson(app, { username: 'grace', email: 'grace@example.com' })
      const refused = [
        [{ ...ada, password: 'too short' }, 422, 'validation_failed', '#/password'],
        [{ ...ada, username: 'a b' }, 422, 'validation_failed', '#/username'],
        [{ ...ada, email: 'nobody' }, 422, 'validation_failed', '#/email'],
        [{ ...ada, role: 'user' }, 422, 'validation_failed', '#/role'],
        [{ ...ada, username: 'Grace' }, 409, 'username_taken', '#/username'],
        [{ ...ada, email: 'grace@example.com' }, 409, 'email_taken', '#/email'],
        [{ username: 'ada' }, 422, 'validation_failed', '#/password'],
      ] as const
      for (const [body, status, code, pointer] of refused) {
        const response = await complete(app, { token, ...body })
        assert.deepEqual([response.status, response.body.code], [status, code], response.text)
        assert.equal(response.body.errors[0].pointer, pointer)
      }
      assert.deepEqual([await administrators(app), await isOpen(app)], [[], true])
      assert.equal((await complete(app, { token, ...ada })).status, 201)
    })

    it('is refused from another site, and has no dry run to try tokens with', async (t) => {
      const { app, token } = await open(t, engine)
      for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
        const response = await complete(app, { token, ...ada }, { headers: { host: 'orchard.example', ...headers } })
        assert.deepEqual([response.status, response.body.code], [403, 'cross_origin'])
      }
      const dry = await complete(app, { token, ...ada }, {}, '?dry_run=true')
      assert.equal(dry.status, 422, dry.text)
      assert.deepEqual(await administrators(app), [])
      const own = { headers: { 'sec-fetch-site': 'same-origin' } }
      assert.equal((await complete(app, { token, ...ada }, own)).status, 201)
    })

    it('replaces the session that the browser had', async (t) => {
      const { app, token } = await open(t, engine)
      await createPerson(app, { username: 'grace' })
      const cookie = cookiesOf(await signIn(app, 'grace'))
      const headers = { cookie, 'sec-fetch-site': 'same-origin' }
      assert.equal((await complete(app, { token, ...ada }, { headers })).status, 201)
      assert.equal((await app.call('GET', '/me', { key: null, headers: { cookie } })).status, 401)
    })
  })
}

describe('attempts at the link', () => {
  it('count as requests of a stranger', async (t) => {
    const { app } = await open(t, anyEngine, { env: { ROLLBOOK_RATE_LIMIT: '5' } })
    const statuses: number[] = []
    for (let n = 0; n < 7; n++) statuses.push((await complete(app, { token: 'x', ...ada })).status)
    assert.deepEqual(statuses, [403, 403, 403, 403, 403, 429, 429])
  })
})
