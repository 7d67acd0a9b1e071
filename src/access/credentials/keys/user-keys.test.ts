import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, type Engine, engines, type Started, start } from '../../../../test/harness.ts'
import { type Browser, createPerson, openBrowser, type Person, password } from '../../../../test/people.ts'
import { eraseRound } from '../../../administration/deleted-users/eraser.ts'

type NewKey = { key_id: string; key: string; prefix: string }
type Owner = Person & { browser: Browser }

const roles = { support: ['users:read', 'users:write', 'keys:read', 'keys:write', 'tokens:introspect', 'reports:read'] }
const env = { ROLLBOOK_ROLES: JSON.stringify(roles) }
const startWithRoles = (t: Parameters<typeof start>[0], engine: Engine, more = {}) => start(t, engine, { env, ...more })

async function addOwner(app: Started, members: Record<string, string> = {}): Promise<Owner> {
  const person = await createPerson(app, { username: 'ada', role: 'support', ...members })
  return { ...person, browser: await openBrowser(app, person.username) }
}

async function makeKey({ browser }: Owner, members: Record<string, unknown> = {}): Promise<NewKey> {
  const response = await browser.call('POST', '/me/keys', { body: { name: 'laptop', ...members } })
  assert.equal(response.status, 201, response.text)
  return response.body
}

const withAll = { permissions: roles.support }
const summary = ({ status, body }: Answer) => [status, body.code]
const works = async (app: Started, key: string) => {
  const response = await app.call('GET', '/me', { key })
  if (response.status !== 200) assert.deepEqual(summary(response), [401, 'credential_invalid'])
  return response.status === 200
}

for (const engine of engines) {
  describe(`personal keys on ${engine.name}`, () => {
    it('are shown once, and listed to their owner and to administrators, apart from the keys of programs', async (t) => {
      const app = await startWithRoles(t, engine)
      const ada = await addOwner(app)
      const response = await ada.browser.call('POST', '/me/keys', {
        body: { name: 'laptop', permissions: ['users:read'], expires_at: '2099-01-01T00:00:00Z' },
      })
      assert.equal(response.status, 201)
      assert.equal(response.headers.location, '/auth/me/keys')
      const { key, ...withoutSecret } = response.body
      assert.match(key, /^rb_[0-9A-Za-z]{49}$/)
      assert.equal(withoutSecret.user_id, ada.user_id)
      assert.deepEqual((await ada.browser.call('GET', '/me/keys')).body, [withoutSecret])
      assert.deepEqual((await app.call('GET', `/users/${ada.user_id}/keys`)).body, [withoutSecret])
      assert.ok(!(await app.call('GET', '/keys')).text.includes(withoutSecret.key_id))
      const other = await addOwner(app, { username: 'grace' })
      assert.deepEqual((await other.browser.call('GET', '/me/keys')).body, [])
    })

    it('act as their owner, with the permissions of the key', async (t) => {
      const app = await startWithRoles(t, engine)
      const ada = await addOwner(app, { first_name: 'Ada' })
      const { key, key_id } = await makeKey(ada, { permissions: ['users:read', 'tokens:introspect'] })
      const { body: me } = await app.call('GET', '/me', { key })
      assert.deepEqual(
        [me.user_id, me.first_name, me.permissions, me.key_id, me.session_id],
        [ada.user_id, 'Ada', ['users:read', 'tokens:introspect'], key_id, undefined],
      )
      assert.equal((await app.call('GET', '/users', { key })).status, 200)
      assert.deepEqual(summary(await app.call('POST', '/users', { key, body: { username: 'x' } })), [
        403,
        'permission_denied',
      ])
      const { body } = await app.call('POST', '/introspect', { key, body: { token: key } })
      assert.deepEqual(
        [body.active, body.sub, body.client_id, body.username, body.role, body.permissions, body.sid],
        [true, ada.user_id, key_id, 'ada', 'support', ['users:read', 'tokens:introspect'], undefined],
      )
      const { headers } = await app.call('GET', '/verify/nginx', { key })
      assert.deepEqual(
        [headers['remote-user'], headers['remote-user-id'], headers['remote-client'], headers['remote-permissions']],
        ['ada', ada.user_id, '', 'users:read tokens:introspect'],
      )
      assert.equal(headers['remote-groups'], 'support')
    })

    it('may do nothing in this API without permissions, and still say who their owner is', async (t) => {
      const app = await startWithRoles(t, engine)
      const { key } = await makeKey(await addOwner(app))
      assert.deepEqual(summary(await app.call('GET', '/users', { key })), [403, 'permission_denied'])
      assert.equal((await app.call('GET', '/verify/nginx', { key })).headers['remote-user'], 'ada')
    })

    it('never hold a permission that their owner does not hold, or has lost', async (t) => {
      const app = await startWithRoles(t, engine)
      const ada = await addOwner(app)
      for (const permissions of [['audit:read'], ['*'], ['users:read', 'webhooks:write']]) {
        const response = await ada.browser.call('POST', '/me/keys', { body: { name: 'x', permissions } })
        assert.deepEqual(summary(response), [403, 'permission_not_grantable'])
      }
      const { key } = await makeKey(ada, withAll)
      const token = (await app.call('POST', '/token', { key })).body.access_token
      assert.equal((await app.call('GET', '/users', { key })).status, 200)
      await app.call('PATCH', `/users/${ada.user_id}`, { body: { role: 'user' } })
      assert.deepEqual(summary(await app.call('GET', '/users', { key })), [403, 'permission_denied'])
      assert.deepEqual((await app.call('GET', '/me', { key })).body.permissions, [])
      assert.equal(
        (await app.call('GET', '/users', { key: null, headers: { authorization: `Bearer ${token}` } })).status,
        401,
      )
      await app.call('PATCH', `/users/${ada.user_id}`, { body: { role: 'support' } })
      assert.equal((await app.call('GET', '/users', { key })).status, 200)
    })

    it('lose the permissions of a group with the membership, and with the role of the group', async (t) => {
      const app = await startWithRoles(t, engine)
      const ada = await addOwner(app, { role: 'user' })
      const { group_id } = (await app.call('POST', '/groups', { body: { name: 'Helpers', role: 'support' } })).body
      const member = `/groups/${group_id}/members/${ada.user_id}`
      await app.call('PUT', member)
      const { key } = await makeKey(ada, { permissions: ['users:read'] })
      await ada.browser.call('DELETE', '/sessions/current')
      const may = async () => (await app.call('GET', '/users?limit=1', { key })).status === 200
      assert.ok(await may())
      await app.call('DELETE', member)
      assert.equal(await may(), false)
      await app.call('PUT', member)
      assert.ok(await may())
      await app.call('PATCH', `/groups/${group_id}`, { body: { role: null } })
      assert.equal(await may(), false)
    })

    it('with `*` hold what their owner holds at the moment', async (t) => {
      const app = await startWithRoles(t, engine)
      const ada = await addOwner(app, { role: 'admin' })
      const { key } = await makeKey(ada, { permissions: ['*'] })
      assert.equal((await app.call('GET', '/audit', { key })).status, 200)
      await createPerson(app, { username: 'second', role: 'admin' })
      await app.call('PATCH', `/users/${ada.user_id}`, { body: { role: 'support' } })
      assert.deepEqual((await app.call('GET', '/me', { key })).body.permissions, roles.support)
      assert.equal((await app.call('GET', '/audit', { key })).status, 403)
    })

    it('are refused while their owner is disabled, and gone when the owner is deleted, even if restored', async (t) => {
      const app = await startWithRoles(t, engine)
      const ada = await addOwner(app)
      const { key, key_id } = await makeKey(ada, withAll)
      assert.ok(await works(app, key))
      await app.call('PATCH', `/users/${ada.user_id}`, { body: { active: false } })
      assert.equal(await works(app, key), false)
      await app.call('PATCH', `/users/${ada.user_id}`, { body: { active: true } })
      assert.ok(await works(app, key))
      await app.call('DELETE', `/users/${ada.user_id}`)
      assert.equal(await works(app, key), false)
      assert.deepEqual(await app.runSql(`SELECT key_id FROM api_keys WHERE key_id = '${key_id}'`), [])
      await app.call('POST', `/users/${ada.user_id}/restore`)
      assert.equal(await works(app, key), false)
      assert.deepEqual((await app.call('GET', `/users/${ada.user_id}/keys`)).body, [])
    })

    it('survive a new password and the end of all sessions, but wait for a password that must be changed', async (t) => {
      const app = await startWithRoles(t, engine)
      const ada = await addOwner(app)
      const { key } = await makeKey(ada, withAll)
      await ada.browser.call('POST', '/me/password', {
        body: { current_password: password, new_password: 'a moth in relay seventy' },
      })
      await app.call('DELETE', `/users/${ada.user_id}/sessions`)
      assert.ok(await works(app, key))
      const path = `/users/${ada.user_id}/password`
      await app.call('POST', path, { body: { password, must_change: true } })
      assert.deepEqual(summary(await app.call('GET', '/users', { key })), [403, 'password_change_required'])
      assert.deepEqual((await app.call('POST', '/introspect', { body: { token: key } })).body, { active: false })
      await app.call('POST', path, { body: { password, must_change: false } })
      assert.equal((await app.call('GET', '/users', { key })).status, 200)
    })

    it('end when they expire', async (t) => {
      const clock = { now: Date.UTC(2026, 10, 20) }
      const app = await startWithRoles(t, engine, { clock: () => clock.now })
      const { key } = await makeKey(await addOwner(app), { expires_at: '2026-11-20T00:01:00Z' })
      assert.ok(await works(app, key))
      clock.now += 60_000
      assert.equal(await works(app, key), false)
    })

    it('change nothing of the account, and create no key that would outlast the owner', async (t) => {
      const app = await startWithRoles(t, engine)
      const ada = await addOwner(app, { role: 'admin' })
      const { key, key_id } = await makeKey(ada, { permissions: ['*'] })
      for (const [method, path, body] of [
        ['POST', '/me/keys', { name: 'another' }],
        ['GET', '/me/keys'],
        ['DELETE', `/me/keys/${key_id}`],
        ['PATCH', '/me', { first_name: 'Eve' }],
        ['POST', '/me/password', { current_password: password, new_password: 'a moth in relay seventy' }],
        ['POST', '/me/factors/totp'],
        ['GET', '/sessions'],
        ['DELETE', '/sessions'],
      ] as const) {
        const response = await app.call(method, path, { key, ...(body && { body }) })
        assert.deepEqual(summary(response), [403, 'user_required'], `${method} ${path}`)
      }
      const { key_id: program } = (
        await app.call('POST', '/keys', { body: { name: 'p', permissions: ['users:read'] } })
      ).body
      for (const [path, body] of [
        ['/keys', { name: 'another', permissions: ['users:read'] }],
        [`/keys/${program}/rotate`, undefined],
        ['/provisioning', { name: 'another' }],
      ] as const) {
        assert.deepEqual(summary(await app.call('POST', path, { key, body })), [403, 'key_outlives_caller'], path)
      }
      assert.equal((await ada.browser.call('GET', '/me/keys')).body.length, 1)
    })

    it('are created only by a recently authenticated session, and at most fifty of them', async (t) => {
      const app = await startWithRoles(t, engine)
      const ada = await addOwner(app)
      const path = '/me/keys'
      for (let n = 0; n < 49; n++) await makeKey(ada)
      const last = await Promise.all([1, 2].map(() => ada.browser.call('POST', path, { body: { name: 'last' } })))
      assert.deepEqual(last.map(({ status }) => status).toSorted(), [201, 409])
      assert.equal(last.find(({ status }) => status === 409)?.body.code, 'too_many_keys')
      const anHourAgo = new Date(Date.now() - 3_600_000).toISOString()
      await app.runSql(`UPDATE sessions SET auth_time = '${anHourAgo}'`)
      const stale = await openBrowser(app, 'ada')
      await app.runSql(`UPDATE sessions SET auth_time = '${anHourAgo}' WHERE session_id = '${stale.session_id}'`)
      assert.deepEqual(summary(await stale.call('POST', path, { body: { name: 'x' } })), [
        403,
        'reauthentication_required',
      ])
    })

    it('are revoked by their owner whatever its permissions, by no other user, and with the secret itself', async (t) => {
      const app = await startWithRoles(t, engine)
      const ada = await addOwner(app)
      const grace = await addOwner(app, { username: 'grace' })
      const first = await makeKey(ada, withAll)
      const second = await makeKey(ada, withAll)
      const path = `/me/keys/${first.key_id}`
      assert.deepEqual(summary(await grace.browser.call('DELETE', path)), [404, 'key_not_found'])
      await app.call('PATCH', `/users/${ada.user_id}`, { body: { role: 'user' } })
      const browser = await openBrowser(app, 'ada')
      assert.deepEqual((await browser.call('DELETE', `${path}?dry_run=true`)).body.revoked, false)
      assert.ok(await works(app, first.key))
      assert.equal((await browser.call('DELETE', path)).body.revoked, true)
      assert.equal(await works(app, first.key), false)
      assert.equal((await app.call('POST', '/revoke', { key: second.key, body: { token: second.key } })).status, 200)
      assert.equal(await works(app, second.key), false)
    })

    it('are revoked but never rotated by administrators, and only those of users who do not outrank them', async (t) => {
      const app = await startWithRoles(t, engine)
      const ada = await addOwner(app)
      const root = await addOwner(app, { username: 'root', role: 'admin' })
      const [weak, strong] = [await makeKey(ada), await makeKey(root)]
      const helper = await openBrowser(app, (await createPerson(app, { username: 'helper', role: 'support' })).username)
      assert.deepEqual(summary(await helper.call('DELETE', `/keys/${strong.key_id}`)), [403, 'user_outranks_caller'])
      assert.deepEqual(summary(await helper.call('POST', '/revoke', { body: { token: strong.key } })), [
        403,
        'user_outranks_caller',
      ])
      for (const { key_id } of [weak, strong]) {
        assert.deepEqual(summary(await app.call('POST', `/keys/${key_id}/rotate`)), [409, 'key_is_personal'])
      }
      assert.equal((await helper.call('DELETE', `/keys/${weak.key_id}`)).status, 200)
      assert.deepEqual([await works(app, weak.key), await works(app, strong.key)], [false, true])
    })

    it('are named in the audit and events next to their owner, and erased with the owner', async (t) => {
      const app = await startWithRoles(t, engine)
      const ada = await addOwner(app)
      const { key, key_id } = await makeKey(ada, { name: 'of ada lovelace', ...withAll })
      await app.call('POST', '/users', { key, body: { username: 'made' } })
      const [created] = (await app.call('GET', '/audit?action=user.created&limit=1')).body
      assert.deepEqual(
        [created.actor.kind, created.actor.id, created.actor.name, created.actor.key_id, created.actor.session_id],
        ['user', ada.user_id, 'ada', key_id, null],
      )
      const of = async () =>
        ((await app.call('GET', '/events?limit=1000')).body.events as { type: string; data: unknown }[]).filter(
          ({ type }) => type.startsWith('key.'),
        )
      assert.ok(JSON.stringify(await of()).includes('lovelace'))
      await app.call('DELETE', `/users/${ada.user_id}?purge=true`)
      await eraseRound(app.storage, Date.now(), 0)
      assert.ok(!JSON.stringify(await of()).includes('lovelace'))
      assert.deepEqual(
        (await of()).slice(-2).map(({ type, data }) => ({ type, data })),
        [
          { type: 'key.created', data: { key_id, user_id: ada.user_id, erased: true } },
          { type: 'key.revoked', data: { key_id, user_id: ada.user_id, erased: true } },
        ],
      )
      assert.ok(!(await app.call('GET', '/audit?limit=1000')).text.includes('lovelace'))
    })

    it('hold nothing on nodes of the previous release, which do not know of owners', async (t) => {
      const app = await startWithRoles(t, engine)
      const { key_id } = await makeKey(await addOwner(app), withAll)
      const rows = await app.runSql(`SELECT permissions FROM api_keys WHERE key_id = '${key_id}'`)
      assert.deepEqual(rows, [{ permissions: '[]' }])
    })
  })
}
