import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, engines, type Started, start } from '../harness.ts'
import { type Browser, createPerson, isSignedIn, openBrowser, type Person, password, signIn } from '../people.ts'

/** Everything of this API by its words, and yet not all: neither `*` nor the product's own `reports:read`. */
const support = ['users', 'sessions', 'keys'].flatMap((what) => [`${what}:read`, `${what}:write`])
const roles = { support, analyst: ['reports:read'], root: ['*'], guest: [] }
const env = { ROLLBOOK_ROLES: JSON.stringify(roles), ROLLBOOK_RATE_LIMIT: '0', ROLLBOOK_HASH_QUEUE: '1000' }
const above = ['admin', 'root', 'analyst'] as const
const fresh = 'a moth in relay seventy'

type Attack = [what: string, method: string, path: string, body?: unknown]
type Call = (method: string, path: string, body?: unknown) => Promise<Answer>

/** The same person by each credential that they can have. */
async function waysOf(app: Started, name: string): Promise<Record<string, Call>> {
  const browser = await openBrowser(app, name)
  const { key } = (await browser.call('POST', '/keys', { body: { name: 'of support', permissions: support } })).body
  const personal = await browser.call('POST', '/me/keys', { body: { name: 'of the helper', permissions: support } })
  const mine = { 'x-api-key': personal.body.key }
  const tokenOf = async (headers: Record<string, string>): Promise<string> =>
    (await app.call('POST', '/token', { key: null, headers })).body.access_token
  const withHeaders =
    (headers: Record<string, string>): Call =>
    (method, path, body) =>
      app.call(method, path, { key: null, headers, body })
  const session = { cookie: browser.cookie, 'sec-fetch-site': 'same-origin' }
  return {
    session: withHeaders(session),
    'API key': withHeaders({ 'x-api-key': key }),
    'personal key': withHeaders(mine),
    'token of a personal key': withHeaders({ authorization: `Bearer ${await tokenOf(mine)}` }),
    'token of a session': withHeaders({ authorization: `Bearer ${await tokenOf(session)}` }),
    'token of a key': withHeaders({ authorization: `Bearer ${await tokenOf({ 'x-api-key': key })}` }),
  }
}

/** What takes over, weakens or silences a user. */
function attacksOn({ user_id }: Person, { session_id, cookie }: Browser): Attack[] {
  const path = `/users/${user_id}`
  return [
    ['rename', 'PATCH', path, { username: 'mine' }],
    ['redirect their mail', 'PATCH', path, { email: 'mine@example.com' }],
    ['demote', 'PATCH', path, { role: 'guest' }],
    ['disable', 'PATCH', path, { active: false }],
    ['change nothing, to see whether one may', 'PATCH', path, {}],
    ['set the password by a change', 'PATCH', path, { password: fresh }],
    ['set the password', 'POST', `${path}/password`, { password: fresh }],
    ['set a password to be changed', 'POST', `${path}/password`, { password: fresh, must_change: true }],
    ['delete', 'DELETE', path],
    ['unlock, to go on guessing', 'DELETE', `${path}/lock`],
    ['sign out everywhere', 'DELETE', `${path}/sessions`],
    ['sign out', 'DELETE', `${path}/sessions/${session_id}`],
    ['end the session by its secret', 'POST', '/revoke', { token: /rollbook=([^;]+)/.exec(cookie)?.[1] }],
  ]
}

async function everything({ runSql }: Started) {
  return [
    await runSql('SELECT user_id, version, document, password_hash, must_change_password FROM users ORDER BY user_id'),
    await runSql('SELECT key_id, key_hash, permissions FROM api_keys ORDER BY key_id'),
    await runSql('SELECT session_id, user_id FROM sessions ORDER BY session_id'),
    await runSql('SELECT throttle_key, failures FROM sign_in_throttles WHERE failures > 0 ORDER BY throttle_key'),
  ]
}

for (const engine of engines) {
  describe(`a caller with many but not all permissions, on ${engine.name}`, () => {
    it('gets no power over users with more permissions, by any credential, and no dry-run result', async (t) => {
      const app = await start(t, engine, { env })
      await createPerson(app, { username: 'helper', role: 'support' })
      const ways = await waysOf(app, 'helper')
      for (const role of above) {
        const person = await createPerson(app, { username: `the-${role}`, role })
        await createPerson(app, { username: `another-${role}`, role })
        const victim = await openBrowser(app, person.username)
        await signIn(app, person.username, 'a wrong password')
        const before = await everything(app)
        for (const [way, call] of Object.entries(ways)) {
          for (const [what, method, path, body] of attacksOn(person, victim)) {
            for (const query of ['', '?dry_run=true']) {
              const response = await call(method, path + query, body)
              assert.deepEqual(
                [response.status, response.body.code],
                [403, 'user_outranks_caller'],
                `${way}: ${what} ${role}`,
              )
            }
          }
        }
        assert.deepEqual(await everything(app), before)
        assert.ok(await isSignedIn(victim))
      }
    })

    it('has that power over users with no more permissions: the attacks above fail for no other reason', async (t) => {
      const app = await start(t, engine, { env })
      await createPerson(app, { username: 'helper', role: 'support' })
      for (const [way, call] of Object.entries(await waysOf(app, 'helper'))) {
        const person = await createPerson(app, { username: `guest-${way.replaceAll(' ', '-')}`, role: 'guest' })
        const browser = await openBrowser(app, person.username)
        for (const [what, method, path, body] of attacksOn(person, browser)) {
          const response = await call(method, `${path}?dry_run=true`, body)
          assert.equal(response.status, 200, `${way}: ${what} ${response.text}`)
        }
      }
    })

    it('gives no user more permissions, not even themselves', async (t) => {
      const app = await start(t, engine, { env })
      const helper = await createPerson(app, { username: 'helper', role: 'support' })
      const accomplice = await createPerson(app, { username: 'accomplice', role: 'guest' })
      const ways = await waysOf(app, 'helper')
      const before = await everything(app)
      for (const [way, call] of Object.entries(ways)) {
        for (const role of above) {
          const attacks: Attack[] = [
            ['create', 'POST', '/users', { username: 'new', role }],
            ['promote somebody', 'PATCH', `/users/${accomplice.user_id}`, { role }],
            ['promote oneself', 'PATCH', `/users/${helper.user_id}`, { role }],
          ]
          for (const [what, method, path, body] of attacks) {
            for (const query of ['', '?dry_run=true']) {
              const response = await call(method, path + query, body)
              // Such a key has no access to the account of its owner.
              const isOwner = what === 'promote oneself' && way.endsWith('personal key')
              assert.deepEqual(
                [response.status, response.body.code],
                [403, isOwner ? 'user_required' : 'role_not_grantable'],
                `${way}: ${what} ${role}`,
              )
            }
          }
        }
      }
      assert.deepEqual(await everything(app), before)
    })

    it('issues no key and no token with more permissions, and takes over no stronger key', async (t) => {
      const app = await start(t, engine, { env })
      await createPerson(app, { username: 'helper', role: 'support' })
      const strong = await Promise.all(
        ['*', 'reports:read'].map(async (word) => {
          const permissions = ['users:read', word]
          return (await app.call('POST', '/keys', { body: { name: 'strong', permissions } })).body
        }),
      )
      const ways = await waysOf(app, 'helper')
      const before = await everything(app)
      for (const [way, call] of Object.entries(ways)) {
        const attacks: Attack[] = [
          ...[['*'], ['reports:read'], ['users:read', 'audit:read'], [...support, 'tokens:introspect']].map(
            (permissions): Attack => ['create', 'POST', '/keys', { name: 'mine', permissions }],
          ),
          ...strong.flatMap(({ key_id, key }): Attack[] => [
            ['rotate', 'POST', `/keys/${key_id}/rotate`],
            ['revoke', 'DELETE', `/keys/${key_id}`],
            ['revoke by its secret', 'POST', '/revoke', { token: key }],
          ]),
        ]
        for (const [what, method, path, body] of attacks) {
          for (const query of ['', '?dry_run=true']) {
            const response = await call(method, path + query, body)
            const refused = [
              'permission_not_grantable',
              ...(way.endsWith('personal key') ? ['key_outlives_caller'] : []),
            ]
            assert.ok(
              response.status === 403 && refused.includes(response.body.code),
              `${way}: ${what} ${response.text}`,
            )
          }
        }
        const token = await call('POST', '/token', { permissions: ['reports:read'] })
        const code = way.startsWith('token') ? 'token_not_exchangeable' : 'permission_not_grantable'
        assert.deepEqual([token.status, token.body.code], [403, code], way)
      }
      assert.deepEqual(await everything(app), before)
      for (const { key } of strong) assert.equal((await app.call('GET', '/users', { key })).status, 200)
    })

    it('becomes an administrator by no member of their own account', async (t) => {
      const app = await start(t, engine, { env })
      await createPerson(app, { username: 'helper', role: 'support' })
      const { session, 'token of a session': token } = await waysOf(app, 'helper')
      const before = await everything(app)
      const bodies = [
        ...above.map((role) => ({ role })),
        { role: 'support' },
        { active: true },
        { permissions: ['*'] },
        { must_change_password: false },
        { current_password: password, role: 'admin' },
        { email: 'x@example.com', current_password: password, role: 'admin' },
      ]
      for (const call of [session, token]) {
        for (const body of bodies) {
          const response = await call?.('PATCH', '/me', body)
          assert.deepEqual([response?.status, response?.body.code], [422, 'validation_failed'], JSON.stringify(body))
        }
      }
      assert.deepEqual(await everything(app), before)
    })

    it('loses the permissions with the role, in every credential that came from it except the keys', async (t) => {
      const app = await start(t, engine, { env })
      const { user_id } = await createPerson(app, { username: 'helper', role: 'support' })
      const { session, 'token of a session': token, 'API key': key } = await waysOf(app, 'helper')
      assert.equal((await session?.('GET', '/users'))?.status, 200)
      assert.equal((await token?.('GET', '/users'))?.status, 200)
      await app.call('PATCH', `/users/${user_id}`, { body: { role: 'guest' } })
      assert.equal((await session?.('GET', '/users'))?.status, 401)
      assert.equal((await token?.('GET', '/users'))?.status, 401)
      const { call } = await openBrowser(app, 'helper')
      assert.equal((await call('GET', '/users')).status, 403)
      // Keys belong to programs; docs/sessions.md says so.
      assert.equal((await key?.('GET', '/users'))?.status, 200)
    })

    it('cannot be impersonated with a narrowed token: it reads its own user, and changes nothing', async (t) => {
      const app = await start(t, engine, { env })
      await createPerson(app, { username: 'helper', role: 'support' })
      const browser = await openBrowser(app, 'helper')
      const issue = async (body?: object) => (await browser.call('POST', '/token', { body })).body.access_token
      const by = (token: string) => ({ key: null, headers: { authorization: `Bearer ${token}` } })
      const narrow = by(await issue({ permissions: ['users:read'] }))
      assert.deepEqual((await app.call('GET', '/me', narrow)).body.permissions, ['users:read'])
      for (const [method, path, body] of [
        ['PATCH', '/me', { first_name: 'Renamed' }],
        ['DELETE', '/sessions', undefined],
        ['DELETE', '/sessions/current', undefined],
        ['POST', '/me/password', { current_password: password, new_password: 'a moth in relay seventy' }],
      ] as const) {
        const response = await app.call(method, path, { ...narrow, body })
        assert.deepEqual([response.status, response.body.code], [403, 'permission_denied'], `${method} ${path}`)
      }
      assert.equal((await app.call('PATCH', '/me', { ...by(await issue()), body: { first_name: 'Ada' } })).status, 200)
    })

    it('cannot be impersonated by repeating what a stronger token of the same user did', async (t) => {
      const app = await start(t, engine, { env })
      await createPerson(app, { username: 'root', role: 'admin' })
      const browser = await openBrowser(app, 'root')
      const send = async (permissions: string[]) => {
        const { access_token } = (await browser.call('POST', '/token', { body: { permissions } })).body
        const headers = { authorization: `Bearer ${access_token}`, 'idempotency-key': 'one' }
        return app.call('POST', '/keys', { key: null, headers, body: { name: 'k', permissions: ['*'] } })
      }
      const created = await send(['*'])
      assert.equal(created.status, 201)
      assert.equal((await send(['*'])).body.key, created.body.key)
      const weak = await send(['keys:write'])
      assert.deepEqual([weak.status, weak.body.code], [403, 'permission_not_grantable'])
    })
  })
}
