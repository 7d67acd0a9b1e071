import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { recordsOf } from '../../../test/audit-records.ts'
import { company, failures, signIn as signInWithCompany } from '../../../test/company.ts'
import { type Answer, adminKey, createUser, engines, type Started, start } from '../../../test/harness.ts'
import { startImpersonation as beginImpersonation } from '../../../test/impersonation.ts'
import { mailsOf, startMailing } from '../../../test/mails/mailing.ts'
import { createPerson, openBrowser, password, signIn } from '../../../test/people.ts'
import { fulfilRequests } from '../../access/sign-in/links/requests.ts'

const roles = { support: ['users:read', 'users:write', 'keys:read', 'keys:write'], reader: ['users:read'] }
const env = { ROLLBOOK_ROLES: JSON.stringify(roles), ROLLBOOK_RATE_LIMIT: '0' }

type Account = { user_id: string; username: string; kind?: string; has_password: boolean }

const createAccount = async (app: Started, members: Record<string, string> = {}) =>
  (await createUser(app, { username: 'billing', kind: 'service', ...members })) as Account
const get = async (app: Started, user_id: string) => (await app.call('GET', `/users/${user_id}`)).body
const summary = ({ status, body }: Answer) => [status, body.code]
const fault = ({ status, body }: Answer) => [status, body.errors?.[0]?.pointer, body.errors?.[0]?.code]

async function makeKey(app: Started, { user_id }: Account, members: object = {}) {
  const response = await app.call('POST', `/users/${user_id}/keys`, { body: { name: 'production', ...members } })
  assert.equal(response.status, 201, response.text)
  return response.body as { key: string; key_id: string }
}

const works = async (app: Started, key: string) => (await app.call('GET', '/me', { key })).status === 200

async function bring(app: Started, rows: string, query = '', type = 'application/x-ndjson') {
  const response = await app.call('POST', `/users/import${query}`, { body: rows, headers: { 'content-type': type } })
  assert.equal(response.status, 200, response.text)
  return response.body
}

for (const engine of engines) {
  describe(`service accounts on ${engine.name}`, () => {
    it('say that they are one, and have what a person has besides', async (t) => {
      const app = await start(t, engine, { env })
      const members = { email: 'ops@example.com', role: 'reader', external_id: 'erp-7', first_name: 'Billing' }
      const account = await createAccount(app, members)
      assert.deepEqual(await get(app, account.user_id), account)
      const { kind, email, role, external_id, first_name, has_password } = { ...members, ...account }
      assert.deepEqual(
        [kind, email, role, external_id, first_name, has_password],
        ['service', 'ops@example.com', 'reader', 'erp-7', 'Billing', false],
      )
      const created = (await recordsOf(app)).find(({ action }) => action === 'user.created')
      assert.deepEqual(created?.changes.kind, { before: null, after: 'service' })
      assert.match((await app.call('GET', '/events?type=user.created')).text, /"kind":"service"/)
      const person = await createUser(app, { username: 'ada', kind: 'person' })
      assert.ok(!('kind' in person))
    })

    it('stay one, and people stay people, by PATCH and by import', async (t) => {
      const app = await start(t, engine, { env })
      const { user_id } = await createAccount(app)
      const person = await createUser(app, { username: 'ada' })
      const patch = (id: unknown, body: object) => app.call('PATCH', `/users/${id}`, { body })
      assert.deepEqual(fault(await patch(user_id, { kind: 'person' })), [422, '#/kind', 'kind_fixed'])
      assert.deepEqual(fault(await patch(person.user_id, { kind: 'service' })), [422, '#/kind', 'kind_fixed'])
      assert.equal((await patch(user_id, { kind: 'robot' })).status, 422)
      assert.equal((await app.call('POST', '/users', { body: { username: 'x', kind: 'robot' } })).status, 422)
      assert.equal((await patch(user_id, { kind: 'service', first_name: 'Bill' })).body.first_name, 'Bill')
      assert.equal((await patch(person.user_id, { kind: 'person' })).status, 200)
      const rows = '{"username": "billing", "kind": "person"}\n{"username": "ada", "kind": "service"}\n'
      const { rejects } = await bring(app, rows, '?mode=update')
      assert.deepEqual(
        rejects.map(({ code, pointer }: Record<string, string>) => [code, pointer]),
        [
          ['kind_fixed', '#/kind'],
          ['kind_fixed', '#/kind'],
        ],
      )
      assert.equal((await get(app, user_id)).kind, 'service')
    })

    it('take no password and no invitation, when created, changed or imported', async (t) => {
      const app = await start(t, engine, { env })
      const { user_id } = await createAccount(app)
      const create = (more: object) => app.call('POST', '/users', { body: { username: 'x', kind: 'service', ...more } })
      assert.deepEqual(fault(await create({ password })), [422, '#/password', 'service_account'])
      assert.deepEqual(fault(await create({ invite: 'true' })), [422, '#/invite', 'service_account'])
      const patched = await app.call('PATCH', `/users/${user_id}`, { body: { password } })
      assert.deepEqual(fault(patched), [422, '#/password', 'service_account'])
      const set = await app.call('POST', `/users/${user_id}/password`, { body: { password } })
      assert.deepEqual(fault(set), [422, '#/password', 'service_account'])
      const factor = { kind: 'totp', secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' }
      for (const row of [
        { username: 'a', kind: 'service', password },
        { username: 'b', kind: 'service', invite: true },
        { username: 'c', kind: 'service', factors: [factor] },
        { username: 'billing', password },
        { username: 'billing', invite: true },
        { username: 'billing', factors: [factor] },
      ]) {
        const { rejected } = await bring(app, `${JSON.stringify(row)}\n`, '?mode=update')
        assert.equal(rejected, 1, JSON.stringify(row))
      }
      const { has_password, invited } = await get(app, user_id)
      assert.deepEqual([has_password, invited], [false, undefined])
      assert.equal((await app.call('GET', '/users')).body.length, 1)
    })

    it('get no link: no invitation, no reset, and nothing when a stranger asks for one', async (t) => {
      const app = await startMailing(t, engine, { env })
      const { user_id } = await createAccount(app, { email: 'ops@example.com' })
      for (const path of ['invitation', 'password-reset']) {
        const response = await app.call('POST', `/users/${user_id}/${path}`, { body: {} })
        assert.deepEqual(summary(response), [409, 'user_is_service_account'], path)
      }
      const bulk = await app.call('POST', '/users/bulk', { body: { action: 'invite', user_ids: [user_id] } })
      assert.match(bulk.text, /"verdict":"refused","code":"user_is_service_account"/)
      const resetResponse = await app.call('POST', '/password-resets', {
        key: null,
        body: { username: 'ops@example.com' },
      })
      assert.equal(resetResponse.status, 202, resetResponse.text)
      await fulfilRequests(app.storage, Date.now())
      assert.deepEqual(await mailsOf(app), [])
    })

    it('cannot sign in, also with a password that a node of the previous release has set', async (t) => {
      const app = await start(t, engine, { env })
      const { user_id } = await createAccount(app)
      const refused = summary(await signIn(app, 'billing'))
      assert.deepEqual(refused, summary(await signIn(app, 'nobody at all')))
      const { user_id: other } = await createPerson(app, { username: 'ada' })
      await app.runSql(`UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE user_id = '${other}')
        WHERE user_id = '${user_id}'`)
      assert.deepEqual(summary(await signIn(app, 'billing')), refused)
      const { can_sign_in, cause, remedy } = (await app.call('GET', `/users/${user_id}/sign-in`)).body
      assert.deepEqual([can_sign_in, cause, remedy], ['no', 'service_account', 'none'])
    })

    it('are not acted as by an administrator', async (t) => {
      const app = await start(t, engine, { env })
      await createPerson(app, { username: 'grace', role: 'admin' })
      const { user_id } = await createAccount(app)
      const response = await beginImpersonation(await openBrowser(app, 'grace'), user_id)
      assert.deepEqual(summary(response), [409, 'user_is_service_account'])
    })

    it('are linked to no account of an identity provider with their address', async (t) => {
      const claims = { sub: 'ops', email: 'ops@example.com', email_verified: true }
      const body = { trusted_domains: ['example.com'], provisioning_domains: ['example.com'] }
      const { app, idp, connection } = await company(t, engine, { lies: { claims }, body })
      const { user_id } = await createAccount(app, { email: 'ops@example.com' })
      // Whatever has verified the address.
      await app.runSql(`UPDATE users SET email_verified = 1 WHERE user_id = '${user_id}'`)
      await signInWithCompany(app, idp, connection)
      assert.equal((await failures(app, connection))[0]?.reason, 'link_required')
      assert.deepEqual((await app.call('GET', `/users/${user_id}/identities`)).body, [])
      assert.deepEqual((await app.call('GET', `/users/${user_id}/sessions`)).body, [])
    })

    it('are no administrator who can sign in: the last person who is one stays', async (t) => {
      const app = await start(t, engine, { env })
      const { user_id } = await createPerson(app, { username: 'grace', role: 'admin' })
      const account = await createAccount(app, { role: 'admin' })
      for (const body of [{ active: false }, { role: 'user' }]) {
        assert.deepEqual(summary(await app.call('PATCH', `/users/${user_id}`, { body })), [409, 'last_admin'])
      }
      assert.deepEqual(summary(await app.call('DELETE', `/users/${user_id}`)), [409, 'last_admin'])
      const group = (await app.call('POST', '/groups', { body: { name: 'Robots', role: 'admin' } })).body.group_id
      const robot = await createAccount(app, { username: 'robot' })
      await app.call('PUT', `/groups/${group}/members/${robot.user_id}`)
      assert.deepEqual(summary(await app.call('DELETE', `/users/${user_id}`)), [409, 'last_admin'])
      assert.equal((await app.call('DELETE', `/users/${account.user_id}`)).status, 200)
    })

    it('do not count among people without a password, a sign-in or a second factor', async (t) => {
      const app = await start(t, engine, { env })
      await createUser(app, { username: 'ada' })
      await createAccount(app, { role: 'support' })
      const { totals } = (await app.call('GET', '/statistics')).body
      const { users, service_accounts, with_password, without_password, never_signed_in } = totals
      assert.deepEqual(
        { users, service_accounts, with_password, without_password, never_signed_in },
        { users: 2, service_accounts: 1, with_password: 0, without_password: 1, never_signed_in: 1 },
      )
      const { body } = await app.call('POST', '/second-factor-policy/test', { body: { policy: 'required' } })
      assert.deepEqual([body.users, body.required, body.cannot_sign_in], [1, 1, 1])
    })

    it('need no second factor where everyone does', async (t) => {
      const app = await start(t, engine, { env: { ...env, ROLLBOOK_SECOND_FACTOR: 'required' } })
      const ada = await createUser(app, { username: 'ada' })
      const { user_id } = await createAccount(app)
      const isRequired = async (id: unknown) => (await app.call('GET', `/users/${id}/factors`)).body.required
      assert.deepEqual([await isRequired(ada.user_id), await isRequired(user_id)], [true, false])
    })

    it('are found by their kind in lists, counts, exports and bulk changes', async (t) => {
      const app = await start(t, engine, { env })
      await createUser(app, { username: 'ada' })
      await createAccount(app)
      const names = async (query: string) =>
        (await app.call('GET', `/users?${query}`)).body.map(({ username }: Account) => username)
      assert.deepEqual(await names('kind=service'), ['billing'])
      assert.deepEqual(await names('kind=person&limit=10'), ['ada'])
      const counted = await app.call('GET', '/users?kind=person&count=true&limit=1')
      assert.equal(counted.headers['total-count'], '1')
      const passphrase = 'opened by few people only'
      const planned = await app.call('POST', '/users/export?kind=service&dry_run=true', { body: { passphrase } })
      assert.equal(planned.body.users, 1, planned.text)
      const body = { action: 'deactivate', filter: { kind: 'service' } }
      assert.match((await app.call('POST', '/users/bulk', { body })).text, /"type":"end","changed":1,/)
      assert.deepEqual(await names('active=false'), ['billing'])
    })

    it('come back from an export as they were, in CSV and in NDJSON', async (t) => {
      const app = await start(t, engine, { env })
      const { user_id } = await createAccount(app, { role: 'reader' })
      await createUser(app, { username: 'ada' })
      for (const type of ['text/csv', 'application/x-ndjson']) {
        const { text } = await app.call('GET', '/users', { headers: { accept: type } })
        const other = await start(t, engine, { env })
        assert.equal((await bring(other, text, '', type)).created, 2, text)
        const { kind, role } = await get(other, user_id)
        assert.deepEqual([kind, role], ['service', 'reader'])
        assert.equal((await bring(other, text, '?mode=update', type)).unchanged, 2)
      }
    })

    it('act with keys that an administrator creates, lists, rotates and revokes', async (t) => {
      const app = await start(t, engine, { env })
      const account = await createAccount(app, { role: 'reader' })
      const path = `/users/${account.user_id}/keys`
      const body = { name: 'production', permissions: ['users:read'], expires_at: '2099-01-01T00:00:00Z' }
      const dry = await app.call('POST', `${path}?dry_run=true`, { body })
      assert.deepEqual([dry.status, dry.body.key, (await app.call('GET', path)).body], [200, undefined, []])
      const creation = await app.call('POST', path, { body })
      assert.deepEqual([creation.status, creation.headers.location], [201, `/auth${path}`])
      const { key, ...withoutKey } = creation.body
      assert.deepEqual([withoutKey.user_id, withoutKey.permissions], [account.user_id, ['users:read']])
      assert.deepEqual((await app.call('GET', path)).body, [withoutKey])
      const created = (await recordsOf(app)).at(-1)
      assert.deepEqual(
        [created?.action, created?.target?.id, created?.details.key_id],
        ['key.created', account.user_id, withoutKey.key_id],
      )
      const me = (await app.call('GET', '/me', { key })).body
      assert.deepEqual(
        [me.username, me.kind, me.key_id, me.permissions, me.second_factor_from],
        ['billing', 'service', withoutKey.key_id, ['users:read'], null],
      )
      assert.equal((await app.call('GET', '/users', { key })).status, 200)

      const rotated = await app.call('POST', `/keys/${withoutKey.key_id}/rotate`)
      assert.deepEqual([rotated.status, rotated.body.key_id], [200, withoutKey.key_id])
      assert.deepEqual([await works(app, key), await works(app, rotated.body.key)], [true, true])
      const record = (await recordsOf(app)).at(-1)
      assert.deepEqual([record?.action, record?.target?.id], ['key.rotated', account.user_id])

      const other = await createAccount(app, { username: 'other' })
      const wrong = await app.call('DELETE', `/users/${other.user_id}/keys/${withoutKey.key_id}`)
      assert.deepEqual(summary(wrong), [404, 'key_not_found'])
      assert.deepEqual((await app.call('DELETE', `${path}/${withoutKey.key_id}?dry_run=true`)).body, {
        key_id: withoutKey.key_id,
        revoked: false,
      })
      assert.equal((await app.call('DELETE', `${path}/${withoutKey.key_id}`)).status, 200)
      assert.deepEqual([await works(app, key), await works(app, rotated.body.key)], [false, false])
      assert.equal((await recordsOf(app)).filter(({ action }) => action === 'key.revoked').length, 1)
    })

    it('may do nothing with a key without permissions but say who they are, and nothing about themselves', async (t) => {
      const app = await start(t, engine, { env })
      const { key } = await makeKey(app, await createAccount(app, { role: 'admin' }))
      assert.deepEqual(summary(await app.call('GET', '/users', { key })), [403, 'permission_denied'])
      assert.equal((await app.call('GET', '/verify/nginx', { key })).headers['remote-user'], 'billing')
      for (const [method, path] of [
        ['PATCH', '/me'],
        ['GET', '/me/keys'],
        ['POST', '/me/password'],
        ['POST', '/me/factors/totp'],
      ] as const) {
        assert.deepEqual(summary(await app.call(method, path, { key, body: {} })), [403, 'user_required'], path)
      }
    })

    it('are people no keys are created for, nor do keys create others', async (t) => {
      const app = await start(t, engine, { env })
      const { user_id } = await createPerson(app, { username: 'ada' })
      const body = { name: 'x' }
      const forPerson = await app.call('POST', `/users/${user_id}/keys`, { body })
      assert.deepEqual(summary(forPerson), [409, 'keys_are_personal'])
      const unknown = await app.call('POST', `/users/${crypto.randomUUID()}/keys`, { body })
      assert.deepEqual(summary(unknown), [404, 'user_not_found'])
      const account = await createAccount(app, { role: 'support' })
      const { key } = await makeKey(app, account, { permissions: roles.support })
      for (const [path, code] of [
        ['/keys', 'key_outlives_caller'],
        [`/users/${account.user_id}/keys`, 'user_required'],
      ] as const) {
        const response = await app.call('POST', path, { key, body: { ...body, permissions: ['users:read'] } })
        assert.deepEqual(summary(response), [403, code], path)
      }
    })

    it('give no one more than they hold: neither a stronger account, nor more permissions than the caller', async (t) => {
      const app = await start(t, engine, { env })
      const { key } = (await app.call('POST', '/keys', { body: { name: 's', permissions: roles.support } })).body
      const strong = await createAccount(app, { username: 'strong', role: 'admin' })
      const weak = await createAccount(app, { role: 'support' })
      const create = (id: string, permissions: string[]) =>
        app.call('POST', `/users/${id}/keys`, { key, body: { name: 'x', permissions } })
      assert.deepEqual(summary(await create(strong.user_id, [])), [403, 'user_outranks_caller'])
      assert.deepEqual(summary(await create(weak.user_id, ['*'])), [403, 'permission_not_grantable'])
      assert.equal((await create(weak.user_id, ['users:read'])).status, 201)
      const all = await makeKey(app, weak, { permissions: ['*'] })
      assert.deepEqual(summary(await app.call('POST', `/keys/${all.key_id}/rotate`, { key })), [
        403,
        'permission_not_grantable',
      ])
      const hidden = await makeKey(app, strong)
      for (const call of [
        app.call('POST', `/keys/${hidden.key_id}/rotate`, { key }),
        app.call('DELETE', `/users/${strong.user_id}/keys/${hidden.key_id}`, { key }),
      ]) {
        assert.deepEqual(summary(await call), [403, 'user_outranks_caller'])
      }
      // `*` is what the account may do at the moment.
      assert.deepEqual((await app.call('GET', '/me', { key: all.key })).body.permissions, roles.support)
      await app.call('PATCH', `/users/${weak.user_id}`, { body: { role: 'user' } })
      assert.equal((await app.call('GET', '/users', { key: all.key })).status, 403)
    })

    it('end their keys when they are disabled or deleted, and are restored without them', async (t) => {
      const app = await start(t, engine, { env })
      const account = await createAccount(app)
      const { key } = await makeKey(app, account)
      const path = `/users/${account.user_id}`
      await app.call('PATCH', path, { body: { active: false } })
      assert.equal(await works(app, key), false)
      await app.call('PATCH', path, { body: { active: true } })
      assert.equal(await works(app, key), true)
      await app.call('DELETE', path)
      assert.equal(await works(app, key), false)
      const restored = await app.call('POST', `${path}/restore`)
      assert.deepEqual([restored.status, restored.body.kind], [200, 'service'])
      assert.deepEqual([await works(app, key), (await app.call('GET', `${path}/keys`)).body], [false, []])
    })

    it('have at most 50 keys', async (t) => {
      const app = await start(t, engine, { env })
      const account = await createAccount(app)
      for (let n = 0; n < 50; n++) await makeKey(app, account)
      const response = await app.call('POST', `/users/${account.user_id}/keys`, { key: adminKey, body: { name: 'x' } })
      assert.deepEqual(summary(response), [409, 'too_many_keys'])
    })
  })
}
