/** A refusal is recorded before the response: once, with who, from where and why, and without what was sent. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newestRecord, type Recorded, recordsOf } from '../../../test/audit-records.ts'
import { type Answer, createUser, engines, type Started, start } from '../../../test/harness.ts'
import { createPerson, openBrowser, password } from '../../../test/people.ts'
import { makeApiKey } from '../../lib/api-key.ts'

const believing = { ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1' }
const wrong = 'incorrect donkey power paperclip'
const anonymous = { kind: 'anonymous', id: '', name: undefined }
const sameOrigin = { 'sec-fetch-site': 'same-origin' }
const form = { 'content-type': 'application/x-www-form-urlencoded', ...sameOrigin }

/** The records written in the meantime. */
async function during(app: Started, work: () => Promise<unknown>): Promise<Recorded[]> {
  const before = await newestRecord(app)
  await work()
  return recordsOf(app, before)
}

async function only(app: Started, work: () => Promise<unknown>): Promise<Recorded> {
  const found = await during(app, work)
  assert.equal(found.length, 1, JSON.stringify(found))
  return found[0] as Recorded
}

async function keyWith(app: Started, permissions: readonly string[]): Promise<{ key_id: string; key: string }> {
  const response = await app.call('POST', '/keys', { body: { name: 'weak', permissions } })
  assert.equal(response.status, 201)
  return response.body
}

const brief = ({ action, outcome, code }: Recorded) => `${action} ${outcome} ${code}`

async function everyWord(app: Started): Promise<string> {
  await app.storage.settleJournal()
  return JSON.stringify(await app.runSql('SELECT * FROM audit_records'))
}

const signIn = (app: Started, username: string, secret: string, headers: Record<string, string> = {}) =>
  app.call('POST', '/sessions', { key: null, body: { username, password: secret }, headers })

function postForm(app: Started, path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  return app.call('POST', path, { key: null, body: `${new URLSearchParams(fields)}`, headers: { ...form, ...headers } })
}

for (const engine of engines) {
  describe(`a refused authorization on ${engine.name}`, () => {
    it('is recorded with its request: its origin, the operation, and an unknown actor', async (t) => {
      const app = await start(t, engine, { env: believing, clock: () => Date.UTC(2026, 10, 20, 12) })
      const { user_id } = await createUser(app)
      const headers = { 'x-forwarded-for': '192.0.2.7', 'user-agent': 'a curious one', 'x-request-id': 'attempt-1' }
      const { seq, record_id, ...recorded } = await only(app, () =>
        app.call('PATCH', `/users/${user_id}`, { key: null, headers, body: { role: 'admin' } }),
      )
      assert.deepEqual(recorded, {
        occurred_at: '2026-11-20T12:00:00.000Z',
        action: 'authorization.refused',
        outcome: 'denied',
        code: 'credential_missing',
        key_id: null,
        session_id: null,
        request_id: 'attempt-1',
        actor: anonymous,
        target: { kind: 'user', id: user_id, name: undefined },
        address: '192.0.2.7',
        user_agent: 'a curious one',
        changes: {},
        details: { operation: 'update_user_users__user_id__patch', method: 'PATCH' },
      })
    })

    it('names the key or the user, and the missing permission', async (t) => {
      const app = await start(t, engine)
      const { key_id, key } = await keyWith(app, ['users:read'])
      const byKey = await only(app, () => app.call('POST', '/users', { key, body: { username: 'eve' } }))
      assert.deepEqual(byKey.actor, { kind: 'api_key', id: key_id, name: 'weak' })
      assert.equal(byKey.key_id, key_id)
      assert.equal(byKey.details.needs, 'users:write')
      const person = await createPerson(app)
      const browser = await openBrowser(app, person.username)
      const byPerson = await only(app, () => browser.call('GET', '/users'))
      assert.deepEqual(byPerson.actor, { kind: 'user', id: person.user_id, name: person.username })
      assert.equal(byPerson.session_id, browser.session_id)
      assert.deepEqual([brief(byKey), brief(byPerson)], Array(2).fill('authorization.refused denied permission_denied'))
    })

    it('is recorded wherever it happens: in the guard, in a rule of the service, or in the check of the origin', async (t) => {
      const app = await start(t, engine)
      const admin = await createPerson(app, { role: 'admin' })
      const { key } = await keyWith(app, ['users:write', 'keys:write'])
      const { cookie } = await openBrowser(app, admin.username)
      const attempts: Record<string, () => Promise<Answer>> = {
        credential_invalid: () => app.call('GET', '/users', { key: makeApiKey() }),
        role_not_grantable: () => app.call('POST', '/users', { key, body: { username: 'eve', role: 'admin' } }),
        user_outranks_caller: () => app.call('DELETE', `/users/${admin.user_id}`, { key }),
        permission_not_grantable: () => app.call('POST', '/keys', { key, body: { name: 'more', permissions: ['*'] } }),
        user_required: () => app.call('GET', '/me', { key }),
        cross_origin: () =>
          app.call('POST', '/users', { key: null, headers: { cookie, 'sec-fetch-site': 'cross-site' }, body: {} }),
      }
      for (const [code, attempt] of Object.entries(attempts)) {
        const found = await only(app, async () => assert.equal((await attempt()).body.code, code))
        assert.equal(brief(found), `authorization.refused denied ${code}`)
      }
    })

    it('is recorded each time, even if the response is a stored one', async (t) => {
      const app = await start(t, engine)
      const { key } = await keyWith(app, ['users:write'])
      const again = () =>
        app.call('POST', '/users', {
          key,
          headers: { 'idempotency-key': 'once' },
          body: { username: 'eve', role: 'admin' },
        })
      const found = await during(app, async () => {
        await again()
        assert.equal((await again()).headers['idempotency-replayed'], 'true')
      })
      assert.deepEqual(found.map(brief), Array(2).fill('authorization.refused denied role_not_grantable'))
    })

    it('is recorded when a signed-in user gives a wrong password, in the API or on the page', async (t) => {
      const app = await start(t, engine)
      const person = await createPerson(app)
      const { call, cookie } = await openBrowser(app, person.username)
      const byApi = { current_password: wrong, new_password: 'a moth in relay seventy' }
      const tries: (() => Promise<Answer>)[] = [
        () => call('POST', '/me/password', { body: byApi }),
        () => call('PATCH', '/me', { body: { email: 'a@example.org', current_password: wrong } }),
        () => postForm(app, '/change-password', byApi, { cookie }),
      ]
      const attempt = async (status: number) => {
        for (const one of tries) assert.equal((await one()).status, status)
      }
      const found = await during(app, () => attempt(403))
      assert.deepEqual(found.map(brief), Array(3).fill('authorization.refused denied current_password_wrong'))
      assert.deepEqual(
        found.map(({ details }) => details.operation),
        ['change_my_password_me_password_post', 'update_me_me_patch', '/auth/change-password'],
      )
      for (const { actor } of found) assert.equal(actor.id, person.user_id)
      await call('POST', '/me/password', { body: byApi })
      await call('POST', '/me/password', { body: byApi })
      const throttled = await during(app, () => attempt(429))
      assert.deepEqual(throttled.map(brief), Array(3).fill('authorization.refused denied too_many_attempts'))
    })

    it('contains nothing that was sent as a credential, or in place of an id', async (t) => {
      const app = await start(t, engine)
      const key = makeApiKey()
      const token = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJyb290In0.'
      const found = await during(app, async () => {
        await app.call('GET', '/users', { key })
        await app.call('GET', `/users/${key}`, { key: null })
        await app.call('DELETE', `/keys/${key}`, { key: null })
        await app.call('GET', '/users', { key: null, headers: { authorization: `Bearer ${token}` } })
        await app.call('GET', '/users', { key: null, headers: { cookie: `rollbook=${key}` } })
      })
      assert.equal(found.length, 5)
      const words = (await everyWord(app)).toLowerCase()
      for (const secret of [key, token, key.slice(3, 20)]) assert.ok(!words.includes(secret.toLowerCase()), secret)
    })

    it('is not recorded if the request was invalid, the rate limit refused it, or nothing was refused', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_RATE_LIMIT: '3' } })
      const found = await during(app, async () => {
        await app.call('POST', '/users', { body: { nonsense: true } })
        await app.call('GET', '/users/019a9f3e-0000-7000-8000-000000000000')
        await app.call('GET', '/nowhere', { key: null })
        await app.call('GET', '/users')
      })
      assert.deepEqual(found, [])
      const statuses: number[] = []
      const flood = await during(app, async () => {
        for (let n = 0; n < 6; n++) statuses.push((await app.call('GET', '/users', { key: null })).status)
      })
      assert.deepEqual(statuses, [401, 401, 401, 429, 429, 429])
      assert.equal(flood.length, 3)
    })

    it('gets 503 if it cannot be recorded, and so does a failed sign-in', async (t) => {
      const app = await start(t, engine)
      const { username } = await createPerson(app)
      const table = engine.name === 'SQLite' ? 'audit_records' : 'journal_pending'
      await app.runSql(`ALTER TABLE ${table} RENAME TO elsewhere`)
      const answers = [
        await app.call('GET', '/users', { key: null }),
        await signIn(app, 'nobody', password),
        await signIn(app, username, wrong),
      ]
      for (const { status, body, headers } of answers) {
        assert.deepEqual([status, body.code, headers['retry-after']], [503, 'storage_unavailable', '1'])
      }
      await app.runSql(`ALTER TABLE elsewhere RENAME TO ${table}`)
      assert.equal((await app.call('GET', '/users', { key: null })).status, 401)
    })
  })

  describe(`a check for a proxy, on ${engine.name}`, () => {
    const verify = (app: Started, headers: Record<string, string>) =>
      app.call('GET', '/verify/nginx', { key: null, headers })

    it('is recorded when a credential is refused, and not when there is none', async (t) => {
      const app = await start(t, engine)
      assert.deepEqual(await during(app, () => verify(app, {})), [])
      const stale = await only(app, () => verify(app, { cookie: `rollbook=${'A'.repeat(43)}`, ...sameOrigin }))
      assert.equal(brief(stale), 'authorization.refused denied credential_invalid')
      const { key } = await keyWith(app, ['users:read'])
      const lacking = await only(app, () =>
        app.call('GET', '/verify/nginx?permission=users:write', { key: null, headers: { 'x-api-key': key } }),
      )
      assert.equal(brief(lacking), 'authorization.refused denied permission_denied')
      assert.equal(lacking.details.operation, '/auth/verify/nginx')
    })

    it('does not let one network fill the disk, and still gets a response', async (t) => {
      let now = Date.UTC(2026, 10, 20, 12)
      const app = await start(t, engine, { env: { ...believing, ROLLBOOK_RATE_LIMIT: '5' }, clock: () => now })
      const cookie = `rollbook=${'A'.repeat(43)}`
      const flood = (address: string) => async () => {
        for (let n = 0; n < 8; n++) {
          assert.equal((await verify(app, { cookie, ...sameOrigin, 'x-forwarded-for': address })).status, 401)
        }
      }
      assert.equal((await during(app, flood('192.0.2.7'))).length, 5)
      assert.equal((await during(app, flood('198.51.100.7'))).length, 5)
      now += 60_000
      assert.equal((await during(app, flood('192.0.2.7'))).length, 5)
    })
  })

  describe(`a failed sign-in on ${engine.name}`, () => {
    it('is recorded once, with its reason, and does not name unknown users', async (t) => {
      const app = await start(t, engine, { env: believing })
      const known = await createPerson(app)
      const disabled = await createPerson(app)
      await app.call('PATCH', `/users/${disabled.user_id}`, { body: { active: false } })
      const empty = (await createUser(app)) as { user_id: string; username: string }
      const targetOf = ({ user_id, username }: { user_id: string; username: string }) => ({
        kind: 'user',
        id: user_id,
        name: username,
      })
      const secretName = 'my-password-by-mistake'
      const tries = [
        ['wrong_password', known.username, wrong, targetOf(known)],
        ['user_inactive', disabled.username, password, targetOf(disabled)],
        ['no_password', empty.username, password, targetOf(empty)],
        ['unknown_user', secretName, password, undefined],
      ] as const
      for (const [reason, name, secret, target] of tries) {
        const headers = { 'x-forwarded-for': '192.0.2.9', 'user-agent': 'a browser' }
        const found = await only(app, () => signIn(app, name, secret, headers))
        assert.equal(brief(found), 'session.created failure sign_in_failed')
        assert.deepEqual(
          [found.actor, found.target, found.address, found.user_agent, found.details],
          [anonymous, target, '192.0.2.9', 'a browser', { reason }],
        )
      }
      const words = await everyWord(app)
      for (const sent of [secretName, password, wrong]) assert.ok(!words.includes(sent), sent)
    })

    it('is recorded once if it was made on the page, and a successful one is recorded as such', async (t) => {
      const app = await start(t, engine)
      const { user_id, username } = await createPerson(app)
      const page = (secret: string) => postForm(app, '/login', { username, password: secret })
      const failed = await only(app, async () => assert.equal((await page(wrong)).status, 401))
      assert.equal(brief(failed), 'session.created failure sign_in_failed')
      // Longer than any name, so no work is spent on it.
      const tooLong = await only(app, () => postForm(app, '/login', { username: 'long'.repeat(100), password: wrong }))
      assert.deepEqual([brief(tooLong), tooLong.details], ['session.created failure sign_in_failed', {}])
      const done = await only(app, async () => assert.equal((await page(password)).status, 303))
      assert.equal(brief(done), 'session.created success null')
      assert.deepEqual([done.actor.kind, done.actor.id, done.target?.id], ['user', user_id, user_id])
      assert.equal(done.address, '127.0.0.1')
      const foreign = await only(app, () =>
        postForm(app, '/login', { username, password }, { 'sec-fetch-site': 'cross-site' }),
      )
      assert.equal(brief(foreign), 'authorization.refused denied cross_origin')
    })

    it('is recorded as throttled when it has to wait, each try of a flood, known name or not', async (t) => {
      const app = await start(t, engine, { clock: () => Date.UTC(2026, 10, 20, 12) })
      const person = await createPerson(app)
      for (const name of [person.username, 'nobody']) {
        for (let n = 0; n < 5; n++) await signIn(app, name, wrong)
        const flood = await during(app, async () => {
          const answers = await Promise.all(Array.from({ length: 100 }, () => signIn(app, name, wrong)))
          for (const { body } of answers) assert.equal(body.code, 'too_many_attempts')
        })
        assert.deepEqual(flood.map(brief), Array(100).fill('session.created failure too_many_attempts'))
        assert.ok(flood.every(({ target }) => target?.id === (name === 'nobody' ? undefined : person.user_id)))
      }
    })
  })
}
