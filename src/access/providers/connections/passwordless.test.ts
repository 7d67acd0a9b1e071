/** A connection that refuses passwords: which users, in every way, and the administrator who must remain. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { ada, type Body, browser, env, failures, password, signIn, verify } from '../../../../test/company.ts'
import { type Answer, createUser, type Engine, engines, type Started, start } from '../../../../test/harness.ts'
import { clientId, startIdentityProvider } from '../../../../test/identity-provider.ts'
import { createOrganization, moveTo } from '../../../../test/organizations.ts'
import { cookiesOf } from '../../../../test/people.ts'
import { connectTo } from '../../../../test/scim/provider.ts'
import type { SignedIn } from '../../../core/actor.ts'
import { patchOpUrn } from '../../../scim/protocol/urns.ts'

const other = 'difference engine no. 2'

function connect(app: Started, body: Body = {}): Promise<Answer> {
  const required = { kind: 'oidc', name: 'Example', issuer: 'https://id.example.com', client_id: 'c' }
  return app.call('POST', '/connections', { body: { ...required, domains: ['example.com'], ...body } })
}

function enter(app: Started, username: string, input = password): Promise<Answer> {
  return app.call('POST', '/sessions', { key: null, body: { username, password: input } })
}

async function admin(app: Started, name: string, domain = 'example.com'): Promise<{ user_id: string }> {
  const user = await createUser(app, { username: name, email: `${name}@${domain}`, password, role: 'admin' })
  return { user_id: String(user.user_id) }
}

/** Two administrators of a company whose passwords are refused, but for `glass`. */
async function refusing(t: TestContext, engine: Engine, passwords = 'refused_for_domains') {
  const app = await start(t, engine, { env })
  const [glass, ordinary] = [await admin(app, 'glass'), await admin(app, 'ordinary')]
  const created = await connect(app, { passwords, password_exceptions: [glass.user_id] })
  assert.equal(created.status, 201, created.text)
  return { app, glass, ordinary, path: `/connections/${created.body.connection_id}` }
}

for (const engine of engines) {
  describe(`a connection that refuses passwords on ${engine.name}`, () => {
    it('refuses them for its domains, with the answer for a wrong one, by every name', async (t) => {
      const { app, path } = await refusing(t, engine)
      await createUser(app, { username: 'ada', email: 'ada@EXAMPLE.com', password })
      await createUser(app, { username: 'bob@example.com', password })
      await createUser(app, { username: 'local', email: 'local@sub.example.com', password })
      const { instance: _, ...wrong } = (await enter(app, 'local', other)).body
      for (const name of ['ada', 'ada@example.com', 'bob@example.com', 'ordinary']) {
        const { status, body } = await enter(app, name)
        const { instance: __, ...problem } = body
        assert.deepEqual([status, problem], [401, wrong], name)
      }
      assert.equal((await enter(app, 'local')).status, 201)
      assert.equal((await enter(app, 'glass')).status, 201)
      const { body } = await app.call('GET', '/audit?action=session.created&outcome=failure')
      const reasons = body.map(({ details }: { details: { reason: string } }) => details.reason)
      assert.deepEqual(reasons.slice(0, 4), Array(4).fill('password_refused'))
      await app.call('PATCH', path, { body: { active: false } })
      assert.equal((await enter(app, 'ada')).status, 201)
      await app.call('PATCH', path, { body: { active: true } })
      assert.equal((await enter(app, 'ada')).status, 401)
      assert.equal((await app.call('DELETE', path)).status, 200)
      assert.equal((await enter(app, 'ada')).status, 201)
    })

    it('gets no invitation, link or password for such users that would lead nowhere, and says why', async (t) => {
      const { app, path } = await refusing(t, engine)
      const { user_id } = await createUser(app, { username: 'ada', email: 'ada@example.com' })
      const attempts: [string, string, Body][] = [
        ['POST', `/users/${user_id}/invitation`, {}],
        ['POST', `/users/${user_id}/password-reset`, {}],
        ['POST', `/users/${user_id}/password`, { password: other }],
        ['PATCH', `/users/${user_id}`, { password: other }],
        ['POST', '/users', { username: 'new', email: 'new@example.com', invite: 'true' }],
      ]
      for (const [method, to, body] of attempts) {
        const response = await app.call(method, to, { body })
        assert.deepEqual([response.status, response.body.code], [409, 'password_refused'], `${method} ${to}`)
      }
      const body = { action: 'invite', filter: { has_password: false } }
      assert.match((await app.call('POST', '/users/bulk', { body })).text, /"code":"password_refused"/)
      assert.deepEqual(await app.runSql('SELECT * FROM user_links'), [])
      await app.call('PATCH', path, { body: { active: false } })
      for (const [method, to, body] of attempts) assert.ok((await app.call(method, to, { body })).status < 300, to)
    })

    it('does not invite who signs in through it, and ends an invitation when they come in', async (t) => {
      const app = await start(t, engine, { env })
      const { connection_id } = (await connect(app)).body
      const { user_id } = await createUser(app, { username: 'ada', email: 'ada@example.com' })
      const invited = await app.call('POST', `/users/${user_id}/invitation`, { body: {} })
      assert.equal(invited.status, 200, invited.text)
      const now = new Date().toISOString()
      await app.runSql(`INSERT INTO identities (identity_id, connection_id, subject, user_id, linked_by, created_at, last_used_at)
        VALUES ('i', '${connection_id}', 's', '${user_id}', 'administrator', '${now}', '${now}')`)
      const again = await app.call('POST', `/users/${user_id}/invitation`, { body: {} })
      assert.deepEqual([again.status, again.body.code], [409, 'user_not_invitable'])
      const body = { action: 'invite', resend: true, filter: { has_password: false } }
      assert.match((await app.call('POST', '/users/bulk', { body })).text, /"code":"user_not_invitable"/)
      const request = {
        actor: { kind: 'system', id: 'x', name: 'x', permissions: [] },
        now: Date.now(),
        requestId: 'x',
      } as const
      const newSession = {
        user_id: String(user_id),
        token_hash: 't',
        amr: ['sso'],
        credentials_version: 0,
        address: '',
        user_agent: '',
      }
      await app.storage.change('sessions.begin', newSession, request)
      const { invited: isInvited } = (await app.call('GET', `/users/${user_id}`)).body
      assert.equal(isInvited ?? false, false)
      assert.deepEqual(await app.runSql('SELECT ended_reason FROM user_links'), [{ ended_reason: 'signed_in' }])
    })

    it('can refuse them for everyone', async (t) => {
      const { app } = await refusing(t, engine, 'refused_for_all')
      const { user_id } = await createUser(app, { username: 'local', password })
      assert.equal((await enter(app, 'local')).status, 401)
      assert.equal((await enter(app, 'glass')).status, 201)
      const { body } = await app.call('GET', `/users/${user_id}/sign-in`)
      assert.deepEqual([body.can_sign_in, body.cause], ['no', 'password_refused'])
    })

    it('refuses them on the page, to confirm, to change, and behind a link', async (t) => {
      const app = await start(t, engine, { env })
      const glass = await admin(app, 'glass')
      const ada = await createUser(app, { username: 'ada', email: 'ada@example.com', password })
      const session = await enter(app, 'ada')
      assert.equal(session.status, 201)
      const headers = { cookie: cookiesOf(session), 'sec-fetch-site': 'same-origin' }
      const reset = await app.call('POST', `/users/${ada.user_id}/password-reset`, {
        body: { send: false, return_url: true },
      })
      assert.equal(reset.status, 200, reset.text)
      const created = await connect(app, { passwords: 'refused_for_domains', password_exceptions: [glass.user_id] })
      assert.equal(created.status, 201, created.text)
      const form = { ...browser, 'content-type': 'application/x-www-form-urlencoded' }
      const post = (path: string, fields: Record<string, string>, more = {}) =>
        app.call('POST', path, { key: null, headers: { ...form, ...more }, body: `${new URLSearchParams(fields)}` })
      assert.equal((await post('/login', { username: 'ada', password })).status, 401)
      const confirm = await app.call('POST', '/sessions/current/reauthentication', {
        key: null,
        headers,
        body: { password },
      })
      assert.equal(confirm.body.code, 'password_refused', confirm.text)
      // Nor in a confirmation whose password was checked before the connection was there.
      const [row] = await app.runSql(`SELECT password_hash FROM users WHERE user_id = '${ada.user_id}'`)
      const signedIn = {
        session_id: String(session.body.session_id),
        user_id: String(ada.user_id),
        username: 'ada',
      } as SignedIn
      const late = app.storage.change(
        'sessions.renew',
        { methods: ['pwd'], verified_hash: String(row?.password_hash) },
        {
          actor: { kind: 'user', id: String(ada.user_id), name: 'ada', permissions: [], signedIn },
          now: Date.now(),
          requestId: 'late',
        },
      )
      await assert.rejects(late, { code: 'password_refused' })
      const change = { current_password: password, new_password: other }
      const changed = await app.call('POST', '/me/password', { key: null, headers, body: change })
      assert.equal(changed.body.code, 'password_refused', changed.text)
      const path = new URL(reset.body.url).pathname.replace(/^\/auth/, '')
      const chosen = await post(path, { new_password: other, new_password_again: other })
      assert.equal(chosen.status, 409, chosen.text)
      assert.match(chosen.text, /You sign in with your company/)
    })

    it('needs an active administrator who may use a password', async (t) => {
      const app = await start(t, engine, { env })
      const boss = await admin(app, 'boss')
      const bare = await createUser(app, { username: 'bare', email: 'bare@example.com', role: 'admin' })
      const user = await createUser(app, { username: 'user', email: 'user@elsewhere.example', password })
      const refused: Body[] = [
        { passwords: 'refused_for_domains' },
        { passwords: 'refused_for_all' },
        { passwords: 'refused_for_all', password_exceptions: [bare.user_id] },
        { passwords: 'refused_for_all', password_exceptions: [user.user_id] },
      ]
      for (const body of refused) {
        const { status, body: problem } = await connect(app, body)
        assert.deepEqual([status, problem.code], [409, 'last_password_admin'], JSON.stringify(body))
        const dry = await app.call('GET', '/connections')
        assert.equal(dry.body.length, 0)
      }
      const unknown = await connect(app, { password_exceptions: ['01a1f8b0-3a0f-7442-9c34-a6ea13e8a84e'] })
      assert.equal(unknown.body.errors?.[0].code, 'user_unknown', unknown.text)
      const homeless = await connect(app, { domains: [], passwords: 'refused_for_domains' })
      assert.equal(homeless.body.errors?.[0].code, 'missing_member', homeless.text)
      const created = await connect(app, { passwords: 'allowed' })
      const path = `/connections/${created.body.connection_id}`
      const change = await app.call('PATCH', path, { body: { passwords: 'refused_for_domains' } })
      assert.equal(change.body.code, 'last_password_admin', change.text)
      const fits = { passwords: 'refused_for_domains', password_exceptions: [boss.user_id] }
      assert.equal((await app.call('PATCH', `${path}?dry_run=true`, { body: fits })).status, 200)
      assert.equal((await enter(app, 'bare', password)).status, 401)
      assert.equal((await app.call('PATCH', path, { body: fits })).status, 200)
    })

    it('keeps that administrator, whatever takes them away', async (t) => {
      const { app, glass, path } = await refusing(t, engine)
      const one = `/users/${glass.user_id}`
      const group = await app.call('POST', '/groups', { body: { name: 'Administrators', role: 'admin' } })
      const organization = await createOrganization(app)
      await moveTo(app, String(glass.user_id), organization)
      const ways: [string, () => Promise<Answer>][] = [
        ['disable', () => app.call('PATCH', one, { body: { active: false } })],
        ['demote', () => app.call('PATCH', one, { body: { role: 'user' } })],
        ['delete', () => app.call('DELETE', one)],
        ['purge', () => app.call('DELETE', `${one}?purge=true`)],
        [
          'disable the organization',
          () => app.call('PATCH', `/organizations/${organization}`, { body: { active: false } }),
        ],
        ['remove the mark', () => app.call('PATCH', path, { body: { password_exceptions: [] } })],
        ['refuse all', () => connect(app, { name: 'All', domains: [], passwords: 'refused_for_all' })],
      ]
      for (const [way, attempt] of ways) {
        const { status, body, text } = await attempt()
        assert.deepEqual([status, body.code], [409, 'last_password_admin'], `${way}: ${text}`)
        assert.equal((await enter(app, 'glass')).status, 201, way)
      }
      const many = { user_ids: [glass.user_id] }
      for (const action of [{ action: 'deactivate' }, { action: 'delete' }, { action: 'set_role', role: 'user' }]) {
        const { text } = await app.call('POST', '/users/bulk', { body: { ...many, ...action } })
        assert.match(text, /"last_password_admin"/)
      }
      const imported = await app.call('POST', '/users/import?mode=update', {
        headers: { 'content-type': 'application/x-ndjson' },
        body: JSON.stringify({ username: 'glass', role: 'user' }),
      })
      assert.match(imported.text, /"last_password_admin"/)
      assert.equal((await enter(app, 'glass')).status, 201)
      // By a group: the role may be given and taken as long as one remains.
      const members = `/groups/${group.body.group_id}/members`
      assert.equal((await app.call('PUT', `${members}/${glass.user_id}`)).status < 300, true)
      assert.equal((await app.call('PATCH', one, { body: { role: 'user' } })).status, 200)
      const { group_id } = group.body
      const removal = { ...many, action: 'remove_from_group', group_id }
      const response = await app.call('POST', '/users/bulk', { body: removal })
      assert.match(response.text, /"last_password_admin"/)
      for (const attempt of [
        () => app.call('DELETE', `${members}/${glass.user_id}`),
        () => app.call('DELETE', `/groups/${group.body.group_id}`),
        () => app.call('PATCH', `/groups/${group.body.group_id}`, { body: { role: null } }),
      ]) {
        const { status, body, text } = await attempt()
        assert.deepEqual([status, body.code], [409, 'last_password_admin'], text)
      }
      await admin(app, 'local', 'elsewhere.example')
      const last = await app.call('PATCH', one, { body: { active: false } })
      assert.equal(last.status, 200, last.text)
    })

    it('keeps that administrator from their own change of address, from SCIM, and from the claims of a provider', async (t) => {
      const idp = await startIdentityProvider(t)
      idp.lies = { claims: { ...ada, email: 'local@elsewhere.example', groups: ['bosses'] } }
      const app = await start(t, engine, { env })
      const local = await admin(app, 'local', 'elsewhere.example')
      await admin(app, 'ordinary')
      const path = `/users/${local.user_id}`
      const isRefused = async (way: string, { status, text }: Answer) => {
        assert.equal(status, 409, `${way}: ${text}`)
        const { email, role, active } = (await app.call('GET', path)).body
        assert.deepEqual([email, role, active], ['local@elsewhere.example', 'admin', true], way)
        assert.equal((await enter(app, 'local')).status, 201, way)
      }
      // The key of a connection alone changes no administrator.
      const { connection_id } = await connectTo(app)
      const strong = { name: 'strong', permissions: ['*'], connection_id }
      const { key } = (await app.call('POST', '/keys', { body: strong })).body
      const scim = (method: string, body?: Body) =>
        app.call(method, `/scim/v2/Users/${local.user_id}`, {
          key: null,
          headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/scim+json' }) },
          ...(body && { body }),
        })
      const mapped = {
        issuer: idp.issuer,
        client_id: clientId,
        client_secret: 'shared',
        name: 'Mapping',
        domains: [],
        trusted_domains: ['elsewhere.example'],
        role_claim: 'groups',
        roles: { bosses: 'admin' },
      }
      const connection = (await connect(app, { ...mapped, role_sync: 'sign_in' })).body
      await verify(app, local.user_id)
      assert.equal((await signIn(app, idp, connection)).status, 303)
      const created = await connect(app, { passwords: 'refused_for_domains' })
      assert.equal(created.status, 201, created.text)

      const cookie = cookiesOf(await enter(app, 'local'))
      const mine = (email: string) =>
        app.call('PATCH', '/me', {
          key: null,
          headers: { ...browser, cookie },
          body: { email, current_password: password },
        })
      const own = await mine('local@example.com')
      assert.equal(own.body.code, 'last_password_admin', own.text)
      await isRefused('the own change of address', own)

      const emails = [{ value: 'local@example.com', primary: true }]
      const operations: Record<string, Body> = {
        address: { op: 'replace', path: 'emails', value: emails },
        activity: { op: 'replace', path: 'active', value: false },
        name: { op: 'replace', path: 'userName', value: 'local@example.com' },
      }
      for (const [member, operation] of Object.entries(operations)) {
        const response = await scim('PATCH', { schemas: [patchOpUrn], Operations: [operation] })
        assert.match(response.text, /could sign in with a password any more/, member)
        await isRefused(`SCIM, ${member}`, response)
      }
      await isRefused('SCIM, deletion', await scim('DELETE'))

      idp.lies = { claims: { ...ada, email: 'local@elsewhere.example', groups: [] } }
      await isRefused('the claims of a provider', await signIn(app, idp, connection))
      assert.match((await failures(app, connection))[0]?.detail ?? '', /could sign in with a password any more/)

      await admin(app, 'second', 'elsewhere.example')
      const free = await mine('local@example.com')
      assert.equal(free.status, 200, free.text)
    })

    it('keeps one when two are taken away, or passwords refused, at the same moment', async (t) => {
      const { app, glass, ordinary, path } = await refusing(t, engine)
      const both = { password_exceptions: [glass.user_id, ordinary.user_id] }
      for (let round = 0; round < 5; round += 1) {
        assert.equal((await app.call('PATCH', path, { body: both })).status, 200)
        const disable = ({ user_id }: { user_id: string }) =>
          app.call('PATCH', `/users/${user_id}`, { body: { active: false } })
        const answers = await Promise.all([disable(glass), disable(ordinary)])
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
        for (const { user_id } of [glass, ordinary]) {
          await app.call('PATCH', `/users/${user_id}`, { body: { active: true } })
        }
        const mark = { password_exceptions: [ordinary.user_id] }
        const mixed = await Promise.all([disable(ordinary), app.call('PATCH', path, { body: mark })])
        assert.deepEqual(mixed.map(({ status }) => status).sort(), [200, 409])
        await app.call('PATCH', `/users/${ordinary.user_id}`, { body: { active: true } })
      }
    })
  })
}
