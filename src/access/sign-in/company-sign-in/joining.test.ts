/** Who becomes which user: addresses that change hands, accounts that no one owns yet, accounts that administrators link. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ada,
  type Body,
  type Connection,
  company,
  companyDomains,
  connect,
  env,
  failures,
  type Jar,
  me,
  password,
  signedIn,
  signIn,
  verify,
} from '../../../../test/company.ts'
import { addPhone, codeOf } from '../../../../test/factors.ts'
import { createUser, engines, type Started, start } from '../../../../test/harness.ts'
import { startIdentityProvider } from '../../../../test/identity-provider.ts'
import { mailEnv, mailsOf } from '../../../../test/mails/mailing.ts'
import { openBrowser, password as ownPassword } from '../../../../test/people.ts'
import { selfSigned } from '../../../../test/proxies/certificate.ts'
import { connectTo } from '../../../../test/scim/provider.ts'
import { system } from '../../../core/actor.ts'
import { scopeOf } from '../../../core/scope.ts'
import { sessionTokenHash } from '../../credentials/sessions/service.ts'
import { getRow } from '../../providers/connections/connections.ts'
import { personOf } from '../../providers/connections/decide.ts'
import { fulfilRequests } from '../links/requests.ts'

const annaM = { email: 'anna.m@example.com', email_verified: true, given_name: 'Anna', family_name: 'M' }
const oldAnna = { ...annaM, sub: 'old-anna', groups: ['bosses'] }
const newAnna = { ...annaM, sub: 'new-anna', groups: [] }
const renamed = { ...oldAnna, email: 'anna.s@example.com', family_name: 'S' }
const mapping = { ...companyDomains, role_claim: 'groups', roles: { bosses: 'admin' }, role_sync: 'sign_in' }

/** Connections of each kind that states addresses, and the claims of an account with this subject and address. */
const kinds: readonly { body: Body; claimsOf(subject: string, email: string): Body }[] = [
  {
    body: { kind: 'oidc', name: 'oidc', issuer: 'https://id.example.com', client_id: 'c' },
    claimsOf: (sub, email) => ({ sub, email, email_verified: true }),
  },
  {
    body: { kind: 'github', name: 'github', client_id: 'c', client_secret: 's' },
    claimsOf: (subject, email) => ({ id: Number(subject), email, email_verified: true }),
  },
  {
    body: {
      kind: 'saml',
      name: 'saml',
      entity_id: 'https://idp.example.com/id',
      sso_url: 'https://idp.example.com/sso',
      certificates: [selfSigned.cert],
      emails_verified: true,
    },
    claimsOf: (name_id, email) => ({ name_id, email }),
  },
  {
    body: {
      kind: 'ldap',
      name: 'ldap',
      servers: ['ldaps://127.0.0.1:1'],
      user_base: 'dc=example',
      emails_verified: true,
    },
    claimsOf: (sub, email) => ({ sub, email }),
  },
]

async function connectionsOfEachKind(app: Started) {
  return Promise.all(
    kinds.map(async ({ body, claimsOf }) => {
      const created = await app.call('POST', '/connections', { body: { ...body, ...companyDomains } })
      assert.equal(created.status, 201, created.text)
      const { connection_id } = created.body as Connection
      const tryAs = async (subject: string, email: string) => {
        const claims = claimsOf(subject, email)
        const { body: trial } = await app.call('POST', `/connections/${connection_id}/test`, { body: { claims } })
        return [trial.outcome, trial.reason ?? trial.user_id]
      }
      return { kind: body.kind as string, connection_id, tryAs }
    }),
  )
}

for (const engine of engines) {
  describe(`an address that goes to another person, on ${engine.name}`, () => {
    it('does not open the account of the former owner, and is renewed when that user comes back', async (t) => {
      const idp = await startIdentityProvider(t)
      const app = await start(t, engine, { env: { ...env, ...mailEnv } })
      const connection = await connect(app, idp, mapping)
      await createUser(app, { username: 'root', role: 'admin', password })
      idp.lies = { claims: oldAnna }
      const first: Jar = new Map()
      assert.equal((await signIn(app, idp, connection, first)).status, 303)
      const { user_id, role } = (await me(app, first)).body
      assert.equal(role, 'admin')
      const reset = await app.call('POST', `/users/${user_id}/password-reset`, { body: { return_url: true } })
      assert.equal(reset.status, 200, reset.text)

      idp.lies = { claims: newAnna }
      for (let n = 0; n < 2; n++) {
        const jar: Jar = new Map()
        const refused = await signIn(app, idp, connection, jar)
        assert.equal(refused.status, 409)
        assert.match(refused.text, /Your email address still belongs to another account/)
        assert.equal((await me(app, jar)).status, 401)
      }
      assert.equal((await failures(app, connection))[0]?.reason, 'address_reassigned')
      const doubted = (await app.call('GET', `/users/${user_id}`)).body
      assert.deepEqual([doubted.email, doubted.email_verified], ['anna.m@example.com', undefined])
      // A link in the mailbox of the new owner opens nothing.
      const link = new URL(reset.body.url)
      const page = await app.call('GET', `${link.pathname.replace('/auth', '')}${link.search}`, { key: null })
      assert.doesNotMatch(page.text, /name="new_password"|name="password"/)

      idp.lies = { claims: renamed }
      const back: Jar = new Map()
      assert.equal((await signIn(app, idp, connection, back)).status, 303)
      const user = (await app.call('GET', `/users/${user_id}`)).body
      assert.deepEqual(
        [user.username, user.email, user.email_verified, user.role],
        ['anna.s@example.com', 'anna.s@example.com', true, 'admin'],
      )
      const notified = (await mailsOf(app)).filter(({ kind }) => /^email_/.test(kind))
      assert.deepEqual(
        notified.map(({ kind, address }) => [kind, address]),
        [['email_renewed', 'anna.s@example.com']],
      )
      const changed = (await app.call('GET', '/audit?action=user.updated&limit=1')).body[0]
      assert.equal(changed.details.connection_id, connection.connection_id)

      idp.lies = { claims: newAnna }
      const other: Jar = new Map()
      assert.equal((await signIn(app, idp, connection, other)).status, 303)
      const created = (await me(app, other)).body
      assert.notEqual(created.user_id, user_id)
      assert.deepEqual([created.username, created.role], ['anna.m@example.com', 'user'])
    })

    it('opens nothing, whatever the kind of the connection', async (t) => {
      const app = await start(t, engine, { env })
      const user = await createUser(app, { username: 'anna', email: annaM.email })
      await verify(app, user.user_id as string)
      for (const { kind, connection_id, tryAs } of await connectionsOfEachKind(app)) {
        assert.deepEqual(await tryAs('1', annaM.email), ['links', user.user_id], kind)
        const body = { connection_id, subject: '1' }
        const linked = await app.call('POST', `/users/${user.user_id}/identities`, { body })
        assert.equal(linked.status, 201, linked.text)
        assert.deepEqual(await tryAs('2', annaM.email), ['refused', 'address_reassigned'], kind)
        assert.deepEqual(await tryAs('1', annaM.email), ['signs_in', user.user_id], kind)
      }
    })

    it('stays what the user or an administrator chose, and what SCIM manages', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: oldAnna } })
      await signIn(app, idp, connection)
      const { user_id } = (await app.call('GET', `/users?email=${annaM.email}`)).body[0]
      const emailAfter = async (claims: Body) => {
        idp.lies = { claims }
        assert.equal((await signIn(app, idp, connection)).status, 303)
        return (await app.call('GET', `/users/${user_id}`)).body.email
      }
      const unverified = { ...renamed, email_verified: false }
      assert.equal(await emailAfter(unverified), annaM.email, 'the provider does not vouch for it')
      assert.equal(await emailAfter({ ...renamed, email: 'anna@elsewhere.example' }), annaM.email, 'not trusted for it')
      await app.call('PATCH', `/users/${user_id}`, { body: { email: 'private@home.example' } })
      assert.equal(await emailAfter(renamed), 'private@home.example')
      await app.call('PATCH', `/users/${user_id}`, { body: { email: renamed.email } })
      assert.equal(await emailAfter(renamed), renamed.email)
      assert.equal((await app.call('GET', `/users/${user_id}`)).body.email_verified, true)
      const taken = await createUser(app, { username: 'other', email: 'anna.t@example.com', password })
      assert.equal(await emailAfter({ ...renamed, email: 'anna.t@example.com' }), renamed.email, 'another user has it')
      assert.equal((await failures(app, connection))[0]?.reason, 'address_kept')
      await app.call('DELETE', `/users/${taken.user_id}`)
      assert.equal(
        await emailAfter({ ...renamed, email: 'anna.t@example.com' }),
        'anna.t@example.com',
        'it is free now',
      )

      const provider = await connectTo(app)
      const sue = await provider.createUser({ userName: 'sue', emails: [{ value: 'sue@example.com', primary: true }] })
      idp.lies = { claims: { ...ada, sub: 'sue', email: 'sue@example.com' } }
      assert.equal((await signIn(app, idp, connection)).status, 303)
      idp.lies = { claims: { ...ada, sub: 'sue', email: 'sue.new@example.com' } }
      assert.equal((await signIn(app, idp, connection)).status, 303)
      assert.equal((await app.call('GET', `/users/${sue.id}`)).body.email, 'sue@example.com')
    })

    it('waits for the second factor before it is renewed', async (t) => {
      const { app, idp, connection } = await company(t, engine)
      const user = await createUser(app, { username: 'anna', email: annaM.email, password: ownPassword })
      await verify(app, user.user_id as string)
      idp.lies = { claims: oldAnna }
      assert.equal((await signIn(app, idp, connection)).status, 303)
      const { secret } = await addPhone(await openBrowser(app, 'anna'), Date.now())
      idp.lies = { claims: renamed }
      const jar: Jar = new Map()
      const challenged = await signIn(app, idp, connection, jar)
      const emailNow = async () => (await app.call('GET', `/users/${user.user_id}`)).body.email
      assert.equal(await emailNow(), annaM.email)
      const [identity] = (await app.call('GET', `/users/${user.user_id}/identities`)).body
      assert.equal(identity.email, annaM.email, 'a later sign-in still knows whose address it was')
      const [, challenge_id = ''] = /name="challenge_id" value="([^"]+)"/.exec(challenged.text) ?? []
      const done = await app.call('POST', '/sessions', {
        key: null,
        headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
        body: { challenge_id, code: codeOf(secret, Date.now() + 30_000) },
      })
      assert.equal(done.status, 201, done.text)
      assert.equal(await emailNow(), renamed.email)
    })

    it('gets no link for a new password that would open the account of the former owner', async (t) => {
      const idp = await startIdentityProvider(t)
      const app = await start(t, engine, { env: { ...env, ...mailEnv } })
      const connection = await connect(app, idp, companyDomains)
      const resetsFor = async (name: string) => {
        const before = (await mailsOf(app, '&kind=password_reset')).length
        assert.equal((await app.call('POST', '/password-resets', { key: null, body: { username: name } })).status, 202)
        await fulfilRequests(app.storage, Date.now())
        return (await mailsOf(app, '&kind=password_reset')).length - before
      }
      idp.lies = { claims: oldAnna }
      await signIn(app, idp, connection)
      assert.equal(await resetsFor(annaM.email), 0, 'the user signs in with the company, and has no password')
      const both = await createUser(app, { username: 'both', email: 'both@example.com', password })
      await verify(app, both.user_id as string)
      idp.lies = { claims: { ...ada, sub: 'both', email: 'both@example.com' } }
      assert.equal((await signIn(app, idp, connection)).status, 303)
      assert.equal(await resetsFor('both'), 1, 'the company vouches for the address')
      idp.lies = { claims: { ...ada, sub: 'another', email: 'both@example.com' } }
      assert.equal((await signIn(app, idp, connection)).status, 409)
      assert.equal(await resetsFor('both'), 0, 'the company says that it belongs to another person')
      await app.call('PATCH', `/connections/${connection.connection_id}`, { body: { active: false } })
      assert.equal(await resetsFor('both'), 1, 'there is no other way to sign in')
    })
  })

  describe(`an account that no one owns yet, on ${engine.name}`, () => {
    it('is claimed by the trusted domain, by each creator and each kind of connection', async (t) => {
      const app = await start(t, engine, { env: { ...env, ...mailEnv } })
      const provider = await connectTo(app)
      const rows = [
        { username: 'moved', email: 'moved@example.com', last_login_at: '2024-01-01T00:00:00Z' },
        { username: 'named@example.com' },
      ]
      const headers = { 'content-type': 'application/x-ndjson' }
      const body = rows.map((row) => JSON.stringify(row)).join('\n')
      assert.equal((await app.call('POST', '/users/import', { body, headers })).status, 200)
      await provider.createUser({ userName: 'sue@example.com' })
      await provider.createUser({ userName: 'sam', emails: [{ value: 'sam@example.com', primary: true }] })
      await createUser(app, { username: 'invited', email: 'invited@example.com', invite: 'true' })
      const connections = await connectionsOfEachKind(app)
      for (const name of ['moved', 'named', 'sue', 'sam', 'invited']) {
        for (const { kind, tryAs } of connections) {
          const [outcome] = await tryAs('7', `${name}@example.com`)
          assert.equal(outcome, 'links', `${name} ${kind}`)
        }
      }
    })

    it('is claimed by no one else', async (t) => {
      const app = await start(t, engine, { env })
      const idp = await startIdentityProvider(t)
      const groups = await app.call('POST', '/groups', { body: { name: 'Bosses', role: 'admin' } })
      const make = async (username: string, members: Body = {}) =>
        (await createUser(app, { username, email: `${username}@example.com`, ...members })).user_id as string
      const sales = await connect(app, idp, { name: 'Sales', ...companyDomains, default_role: 'user' })
      const other = await connect(app, idp, { name: 'Other', trusted_domains: ['other.example'] })
      await make('password', { password })
      const linked = await make('linked')
      await app.call('POST', `/users/${linked}/identities`, {
        body: { connection_id: other.connection_id, subject: 'x' },
      })
      const before = await make('before')
      await app.runSql(`UPDATE users SET last_login_at = '2099-01-01T00:00:00.000Z' WHERE user_id = '${before}'`)
      await make('service', { kind: 'service' })
      await make('boss', { role: 'admin' })
      await make('unused')
      const member = await make('member')
      await app.call('PUT', `/groups/${groups.body.group_id}/members/${member}`)
      const off = await make('off')
      await app.call('PATCH', `/users/${off}`, { body: { active: false } })
      const named = await make('named@example.com', { email: 'named@elsewhere.example' })
      const trial = async (connection: Connection, name: string, claims: Body = {}) => {
        const sent = { sub: 'attacker', email: `${name}@example.com`, email_verified: true, ...claims }
        const path = `/connections/${connection.connection_id}/test`
        const { body } = await app.call('POST', path, { body: { claims: sent } })
        return body.reason ?? body.outcome
      }
      for (const [name, expected] of [
        ['password', 'link_required'],
        ['linked', 'link_required'],
        ['before', 'link_required'],
        ['service', 'link_required'],
        ['boss', 'role_not_mapped'],
        ['member', 'role_not_mapped'],
        ['off', 'user_inactive'],
        ['named', 'name_taken'],
        ['unused', 'links'],
      ] as const) {
        assert.equal(await trial(sales, name), expected, name)
      }
      assert.equal(await trial(sales, 'unused', { email_verified: false }), 'email_unverified')
      assert.equal(await trial(other, 'unused'), 'link_required')
      assert.ok(named)
      const path = `/connections/${sales.connection_id}`
      await app.call('PATCH', path, { body: { role_claim: 'groups', roles: { bosses: 'admin' } } })
      assert.equal(await trial(sales, 'boss'), 'links', 'the mapping could give as much')
    })

    it('has one owner when two people come at once, and its invitation ends', async (t) => {
      const app = await start(t, engine, { env: { ...env, ...mailEnv } })
      const sue = await createUser(app, { username: 'sue', email: 'sue@example.com', invite: 'true' })
      const body = {
        kind: 'oidc',
        name: 'Example',
        issuer: 'https://id.example.com',
        client_id: 'c',
        ...companyDomains,
      }
      const { connection_id } = (await app.call('POST', '/connections', { body })).body
      const connection = await getRow(app.storage.db, scopeOf(system), connection_id)
      const finish = (sub: string) => {
        const person = personOf(connection, { ...ada, sub, email: 'sue@example.com' })
        const token_hash = sessionTokenHash(sub)
        return app.storage.change(
          'company_sign_ins.finish',
          {
            connection,
            person,
            claims: [],
            purpose: 'sign_in',
            wanted_user_id: null,
            once: [],
            warning: undefined,
            pending: undefined,
            hint: null,
            startSignIn: { token_hash, address: '127.0.0.1', user_agent: '' },
            knownUsers: [],
            challengeHash: sub,
            ceremony: { challenge_id: sub, webauthn: sub },
          },
          { actor: system, now: Date.now(), requestId: sub },
        )
      }
      const finished = await Promise.all(['sue-1', 'sue-2', 'sue-3', 'sue-4'].map(finish))
      const outcomes = finished.map(({ result }) => ('reason' in result ? result.reason : result.outcome)).toSorted()
      assert.deepEqual(outcomes, ['address_reassigned', 'address_reassigned', 'address_reassigned', 'signed_in'])
      const user = (await app.call('GET', `/users/${sue.user_id}`)).body
      assert.deepEqual([user.invited, user.has_password], [undefined, false])
      assert.equal((await app.call('GET', `/users/${sue.user_id}/invitation`)).body.invited, false)
      assert.equal((await app.call('GET', `/users/${sue.user_id}/identities`)).body.length, 1)
    })
  })

  describe(`an account that an administrator links, on ${engine.name}`, () => {
    it('signs the user in, who is notified', async (t) => {
      const idp = await startIdentityProvider(t)
      const app = await start(t, engine, { env: { ...env, ...mailEnv } })
      const connection = await connect(app, idp)
      const user = await createUser(app, { username: 'ada', email: 'ada@example.com', password })
      const path = `/users/${user.user_id}/identities`
      const body = { connection_id: connection.connection_id, subject: 'subject-1' }
      const tried = await app.call('POST', `${path}?dry_run=true`, { body })
      assert.deepEqual([tried.status, (await app.call('GET', path)).body], [200, []])
      const linked = await app.call('POST', path, { body })
      assert.deepEqual(
        [linked.status, linked.body.linked_by, linked.body.connection_name, linked.body.email],
        [201, 'administrator', 'Example', null],
      )
      assert.deepEqual((await mailsOf(app, '&kind=identity_linked')).length, 1)
      const jar: Jar = new Map()
      assert.equal((await signIn(app, idp, connection, jar)).status, 303)
      assert.equal((await me(app, jar)).body.user_id, user.user_id)
      const events = (await app.call('GET', '/events?type=identity.linked')).body.events
      assert.deepEqual(
        events.map(({ data }: Body) => (data as Body).linked_by),
        ['administrator'],
      )
      for (const again of [user, await createUser(app, { username: 'bea' })]) {
        const refused = await app.call('POST', `/users/${again.user_id}/identities`, { body })
        assert.deepEqual([refused.status, refused.body.code], [409, 'identity_taken'])
      }
    })

    it('needs both permissions, everything the user has, and a session that is recent', async (t) => {
      const { app, connection } = await company(t, engine)
      const user = await createUser(app, { username: 'ada' })
      const boss = await createUser(app, { username: 'boss', role: 'admin' })
      const robot = await createUser(app, { username: 'robot', kind: 'service' })
      const body = { connection_id: connection.connection_id, subject: 's' }
      const keyWith = async (permissions: string[]) =>
        (await app.call('POST', '/keys', { body: { name: permissions.join(' '), permissions } })).body.key as string
      const [half, whole] = [await keyWith(['users:write']), await keyWith(['users:write', 'connections:write'])]
      const link = async (to: Body, key: string, sent: Body = body) =>
        (await app.call('POST', `/users/${to.user_id}/identities`, { key, body: sent })).body.code
      assert.equal(await link(user, half), 'permission_denied')
      assert.equal(await link(boss, whole), 'user_outranks_caller')
      assert.equal(await link(robot, whole), 'user_is_service_account')
      assert.equal(await link(user, whole, { ...body, subject: 'a\nb' }), 'validation_failed')
      const unknown = '019a9f3e-0000-7000-8000-000000000000'
      assert.equal(await link(user, whole, { ...body, connection_id: unknown }), 'connection_not_found')
      assert.equal(await link({ user_id: unknown }, whole), 'user_not_found')
      assert.equal(await link(user, whole), undefined)
      const jar = await signedIn(app, 'root', { role: 'admin' })
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const own = await app.call('POST', '/me/keys', {
        key: null,
        headers: { cookie, 'sec-fetch-site': 'same-origin' },
        body: { name: 'k', permissions: ['*'] },
      })
      assert.equal(own.status, 201, own.text)
      const { user_id } = (await me(app, jar)).body
      assert.equal(await link({ user_id }, own.body.key, { ...body, subject: 'mine' }), 'user_required')
    })
  })
}
