import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { recordsOf } from '../../../../test/audit-records.ts'
import { company, failures, type Jar, me, signIn as signInAtCompany } from '../../../../test/company.ts'
import { beginSignIn, codeOf, finishSignIn, personWithPasskey, personWithPhone } from '../../../../test/factors.ts'
import { type Engine, engines, type Started, start } from '../../../../test/harness.ts'
import { startImpersonation } from '../../../../test/impersonation.ts'
import { mailEnv, mailsOf } from '../../../../test/mails/mailing.ts'
import { changeOrganization, createOrganization, moveTo } from '../../../../test/organizations.ts'
import { type Browser, browserAfter, cookiesOf, createPerson, openBrowser, signIn } from '../../../../test/people.ts'
import { connectTo } from '../../../../test/scim/provider.ts'
import { type StoppedClock, stoppedClock } from '../../../../test/stopped-clock.ts'
import { eventually } from '../../../../test/webhooks/dispatching.ts'
import { system } from '../../../core/actor.ts'
import { userUrn } from '../../../scim/protocol/urns.ts'

const env = { ROLLBOOK_RATE_LIMIT: '0' }

type World = { app: Started; other: Started; clock: StoppedClock }

/** Two nodes on PostgreSQL; on SQLite there is one. */
async function open(t: TestContext, engine: Engine): Promise<World> {
  const clock = stoppedClock()
  const app = await start(t, engine, { env, clock })
  return { app, other: app.database ? await start(t, engine, { env, clock, beside: app }) : app, clock }
}

const on = (app: Started, { cookie }: Pick<Browser, 'cookie'>, path = '/me') =>
  app.call('GET', path, { key: null, headers: { cookie, 'sec-fetch-site': 'same-origin' } })
const bearer = (token: string) => ({ key: null, headers: { authorization: `Bearer ${token}` } })
const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())

/** Everything with which someone of an organization acts. `accepted` asks with each of them on a node. */
async function credentialsOf({ app, clock }: World, organization_id: string) {
  const { user_id, username, browser, phone } = await personWithPhone(app, clock(), { organization_id })
  const ofPerson = { key: (await browser.call('POST', '/me/keys', { body: { name: 'laptop' } })).body.key as string }
  const program = await app.call('POST', '/keys', {
    body: { name: `program of ${username}`, permissions: ['users:read'], organization_id },
  })
  assert.deepEqual([program.status, program.body.organization_id], [201, organization_id], program.text)
  const ofProgram = { key: program.body.key as string }
  const provider = await connectTo(app, { organization_id })
  const tokenBy = async (request: object) => (await app.call('POST', '/token', request)).body.access_token as string
  const issued = {
    bySession: await tokenBy({ key: null, headers: { cookie: browser.cookie, 'sec-fetch-site': 'same-origin' } }),
    byPerson: await tokenBy(ofPerson),
    byProgram: await tokenBy(ofProgram),
  }
  const reset = await app.call('POST', `/users/${user_id}/password-reset`, { body: { send: false } })
  const link = new URL(reset.body.url).pathname.replace(/^\/auth/, '')
  const admin = await createPerson(app, { role: 'admin' })
  const acting = browserAfter(app, await startImpersonation(await openBrowser(app, admin.username), user_id))
  const challenge = await beginSignIn(app, username)

  async function accepted(node: Started) {
    const isActive = async (token: string) => (await node.call('POST', '/introspect', { body: { token } })).body.active
    const status = async (path: string, request: object) => (await node.call('GET', path, request)).status
    const tokens = Object.values(issued)
    return {
      session: (await on(node, browser)).status === 200,
      forwardAuth: (await on(node, browser, '/verify/forward-auth')).status === 200,
      personalKey: (await status('/me', ofPerson)) === 200,
      programKey: (await status('/users?limit=1', ofProgram)) === 200,
      provisioningKey: (await provider.scim('GET', '/Users?count=1')).status === 200,
      tokenOfSession: (await status('/me', bearer(issued.bySession))) === 200,
      tokenOfPerson: (await status('/me', bearer(issued.byPerson))) === 200,
      tokenOfProgram: (await status('/users?limit=1', bearer(issued.byProgram))) === 200,
      introspection: (await Promise.all([ofPerson.key, ofProgram.key, ...tokens].map(isActive))).some(Boolean),
      impersonation: (await on(node, acting)).status === 200,
      password: (await signIn(node, username)).body.code === 'second_factor_required',
      link: (await status(link, { key: null })) === 200,
    }
  }
  const code = () => finishSignIn(app, challenge, { code: codeOf(phone.secret, clock()) })
  return { user_id, username, browser, issued, accepted, code, program: program.body }
}

const all = (value: boolean) => ({
  session: value,
  forwardAuth: value,
  personalKey: value,
  programKey: value,
  provisioningKey: value,
  tokenOfSession: value,
  tokenOfPerson: value,
  tokenOfProgram: value,
  introspection: value,
  impersonation: value,
  password: value,
  link: value,
})

for (const engine of engines) {
  describe(`a disabled organization on ${engine.name}`, () => {
    it('has every credential refused on every node; enabling brings keys back, and no session', async (t) => {
      const world = await open(t, engine)
      const { app, other } = world
      const organization_id = await createOrganization(app, { name: 'Acme' })
      const known = await credentialsOf(world, organization_id)
      for (const node of [app, other]) assert.deepEqual(await known.accepted(node), all(true))
      const { cursor } = (await app.call('GET', '/revocations')).body

      await changeOrganization(app, organization_id, { active: false })
      assert.deepEqual(await known.accepted(app), all(false))
      const refused = async () => Object.values(await known.accepted(other)).every((value) => !value)
      await eventually('the other node refuses all of it', refused, 1000)
      assert.equal((await known.code()).status, 401)
      const { revocations } = (await app.call('GET', `/revocations?after=${cursor}`)).body
      const named = revocations.map(({ kind, id }: { kind: string; id: string }) => `${kind} ${id}`)
      for (const one of [
        `organization ${organization_id}`,
        `user ${known.user_id}`,
        `session ${known.browser.session_id}`,
      ]) {
        assert.ok(named.includes(one), one)
      }
      assert.equal((await app.call('GET', `/users/${known.user_id}/sessions`)).body.length, 0)
      // The user is as before.
      assert.equal((await app.call('GET', `/users/${known.user_id}`)).body.active, true)
      const { body: state } = await app.call('GET', `/users/${known.user_id}/sign-in`)
      assert.deepEqual(
        [state.can_sign_in, state.cause, state.remedy],
        ['no', 'organization_disabled', 'enable_organization'],
      )
      assert.match(state.sentence, /^No\. The organization of the user is disabled\.$/)
      const reasons = (await recordsOf(app)).map(({ details }) => details?.reason)
      assert.ok(reasons.includes('organization_disabled'))
      for (const [path, body, code] of [
        ['password-reset', { send: false }, 'user_not_invitable'],
        ['invitation', { send: false }, 'user_not_invitable'],
      ] as const) {
        assert.equal((await app.call('POST', `/users/${known.user_id}/${path}`, { body })).body.code, code, path)
      }

      await changeOrganization(app, organization_id, { active: true })
      const back = {
        ...all(false),
        ...{ personalKey: true, programKey: true, provisioningKey: true, password: true },
        ...{ tokenOfProgram: true, introspection: true },
      }
      assert.deepEqual(await known.accepted(app), back)
      const isBack = async () => (await known.accepted(other)).programKey
      await eventually('the other node accepts the key', isBack, 1000)
      assert.equal((await on(other, known.browser)).status, 401)
    })

    it('keeps passkeys out', async (t) => {
      const { app } = await open(t, engine)
      const organization_id = await createOrganization(app)
      const { user_id, device } = await personWithPasskey(app)
      await moveTo(app, user_id, organization_id)
      const alone = async () => {
        const headers = { host: 'localhost' }
        const begun = await app.call('POST', '/sessions/passkey-options', { key: null, headers })
        const body = { passkey: device.get(begun.body.options) }
        const request = { key: null, body, headers: { ...headers, cookie: cookiesOf(begun) } }
        return (await app.call('POST', '/sessions', request)).status
      }
      assert.equal(await alone(), 201)
      await changeOrganization(app, organization_id, { active: false })
      assert.equal(await alone(), 401)
      const { details } = (await recordsOf(app)).findLast(({ action }) => action === 'session.created') ?? {}
      assert.equal(details?.reason, 'organization_disabled')
    })

    it('gets no code and no link by email', async (t) => {
      const app = await start(t, engine, { env: { ...env, ...mailEnv, ROLLBOOK_EMAIL_CODE: 'on' } })
      const organization_id = await createOrganization(app)
      const ada = await createPerson(app, { username: 'ada', email: 'ada@example.com' })
      await createPerson(app, { username: 'grace', email: 'grace@example.com' })
      await moveTo(app, ada.user_id, organization_id)
      await changeOrganization(app, organization_id, { active: false })
      const body = { username: 'new', email: 'new@example.com', organization_id, invite: 'true' }
      const invited = await app.call('POST', '/users', { body })
      assert.deepEqual([invited.status, invited.body.code], [409, 'user_not_invitable'], invited.text)
      for (const username of ['ada', 'grace']) {
        const response = await app.call('POST', '/sessions/email-code', { key: null, body: { username } })
        assert.equal(response.status, 200, response.text)
        await app.call('POST', '/password-resets', { key: null, body: { username } })
      }
      const request = { actor: system, now: Date.now(), requestId: 'test' }
      await app.storage.change('email_codes.fulfil', undefined, request)
      await app.storage.change('password_resets.fulfil', undefined, request)
      const addresses = (await mailsOf(app)).map(({ address }) => address)
      assert.deepEqual([...new Set(addresses)], ['grace@example.com'])
    })

    it('has its connections refused, and sign-ins through others', async (t) => {
      const { app, idp, connection } = await company(t, engine, {
        lies: { claims: { email: 'ada@example.com', email_verified: true } },
      })
      const organization_id = await createOrganization(app)
      const path = `/connections/${connection.connection_id}`
      const jar: Jar = new Map()
      await signInAtCompany(app, idp, connection, jar)
      const { user_id } = (await me(app, jar)).body
      await moveTo(app, user_id, organization_id)
      assert.equal((await me(app, jar)).status, 401)
      await changeOrganization(app, organization_id, { active: false })
      assert.equal((await signInAtCompany(app, idp, connection)).status, 403)
      assert.equal((await failures(app, connection))[0]?.reason, 'organization_disabled')

      assert.equal((await app.call('PATCH', path, { body: { organization_id } })).body.organization_id, organization_id)
      const statusOfStart = async () =>
        (await app.call('GET', `/login?connection=${connection.connection_id}`, { key: null })).status
      assert.equal(await statusOfStart(), 404)
      const page = await app.call('GET', '/login', { key: null, headers: { accept: 'text/html' } })
      assert.ok(!page.text.includes(connection.connection_id))
      await changeOrganization(app, organization_id, { active: true })
      assert.equal(await statusOfStart(), 303)
      assert.equal((await signInAtCompany(app, idp, connection)).status, 303)
    })

    it('never has the last administrators of the service, on any way there', async (t) => {
      const { app } = await open(t, engine)
      const organization_id = await createOrganization(app)
      const path = `/organizations/${organization_id}`
      const disable = () => app.call('PATCH', path, { body: { active: false } })
      const ada = await createPerson(app, { username: 'ada', role: 'admin' })
      await moveTo(app, ada.user_id, organization_id)
      const refused = await disable()
      assert.deepEqual([refused.status, refused.body.code], [409, 'last_admin'], refused.text)
      assert.equal((await app.call('GET', path)).body.active, true)
      // Another one of the same organization is no way out, one elsewhere is.
      const grace = await createPerson(app, { username: 'grace', role: 'admin' })
      await moveTo(app, grace.user_id, organization_id)
      assert.equal((await disable()).body.code, 'last_admin')
      const joan = await createPerson(app, { username: 'joan', role: 'admin' })
      assert.equal((await disable()).status, 200)
      // Administrators of a disabled organization do not count, and nobody becomes one of them.
      for (const [method, body] of [
        ['PATCH', { active: false }],
        ['PATCH', { role: 'user' }],
        ['PATCH', { organization_id }],
        ['DELETE', undefined],
      ] as const) {
        const lost = await app.call(method, `/users/${joan.user_id}`, body && { body })
        assert.deepEqual([lost.status, lost.body.code], [409, 'last_admin'], `${method} ${JSON.stringify(body)}`)
      }
      assert.equal((await app.call('DELETE', `/users/${ada.user_id}`)).status, 200)
      await changeOrganization(app, organization_id, { active: true })
      assert.equal((await app.call('DELETE', `/users/${joan.user_id}`)).status, 200)
    })

    it('is one from its creation on, if it was created so', async (t) => {
      const { app, other } = await open(t, engine)
      const organization_id = await createOrganization(app, { active: false })
      const { user_id, username } = await createPerson(app)
      await moveTo(app, user_id, organization_id)
      assert.equal((await signIn(app, username)).status, 401)
      await eventually('the other node refuses', async () => (await signIn(other, username)).status === 401)
    })
  })

  describe(`the organization of a caller on ${engine.name}`, () => {
    it('is in tokens, introspection, headers and one’s own data, under its current name', async (t) => {
      const { app, other } = await open(t, engine)
      const organization_id = await createOrganization(app, { name: 'Acme' })
      const { user_id, username } = await createPerson(app)
      await moveTo(app, user_id, organization_id)
      const browser = await openBrowser(app, username)
      const body = { name: 'program', permissions: ['users:read'], organization_id: organization_id.toUpperCase() }
      const { key, key_id } = (await app.call('POST', '/keys', { body })).body
      const named = async (node: Started) => {
        const own = (await on(node, browser)).body
        const introspected = (await node.call('POST', '/introspect', { body: { token: key } })).body
        const claims = claimsOf((await node.call('POST', '/token', { key })).body.access_token)
        const { headers } = await on(node, browser, '/verify/forward-auth')
        return [
          [own.org_id, own.org_name],
          [introspected.org_id, introspected.org_name],
          [claims.org_id, claims.org_name],
          [headers['remote-organization'], headers['remote-organization-name']],
        ]
      }
      const four = (name: string) => Array.from({ length: 4 }, () => [organization_id, name])
      for (const node of [app, other]) assert.deepEqual(await named(node), four('Acme'))
      await changeOrganization(app, organization_id, { name: 'Acme Pears' })
      assert.deepEqual(await named(app), four('Acme Pears'))
      const isRenamed = async () => JSON.stringify(await named(other)) === JSON.stringify(four('Acme Pears'))
      await eventually('the other node knows the name', isRenamed)

      // A key that is moved, and one of none.
      const elsewhere = await createOrganization(app, { name: 'Elsewhere' })
      const moved = await app.call('PATCH', `/keys/${key_id}`, { body: { organization_id: elsewhere } })
      assert.deepEqual([moved.status, moved.body.organization_id], [200, elsewhere], moved.text)
      assert.equal(claimsOf((await app.call('POST', '/token', { key })).body.access_token).org_id, elsewhere)
      const none = await app.call('PATCH', `/keys/${key_id}`, { body: { organization_id: null } })
      assert.ok(!('organization_id' in none.body))
      const { org_id } = claimsOf((await app.call('POST', '/token', { key })).body.access_token)
      assert.equal(org_id, undefined)
      const changes = (await recordsOf(app)).flatMap(({ changes }) => changes?.organization_id ?? [])
      assert.deepEqual(changes.slice(-2), [
        { before: organization_id, after: elsewhere },
        { before: elsewhere, after: null },
      ])
    })

    it('is what forward-auth can require', async (t) => {
      const { app } = await open(t, engine)
      const [acme, other] = [await createOrganization(app), await createOrganization(app)]
      const { user_id, username } = await createPerson(app)
      await moveTo(app, user_id, acme)
      const browser = await openBrowser(app, username)
      for (const dialect of ['/verify/nginx', '/verify/forward-auth']) {
        for (const [query, status] of [
          [`organization=${acme}`, 200],
          [`organization=${other}&organization=${acme.toUpperCase()}`, 200],
          [`organization=${other}`, 403],
          [`organization=${acme}&role=admin`, 403],
        ] as const) {
          assert.equal((await on(app, browser, `${dialect}?${query}`)).status, status, query)
        }
      }
      const misspelt = await on(app, browser, '/verify/forward-auth?organization=Acme')
      assert.deepEqual([misspelt.status, misspelt.body.code], [422, 'validation_failed'])
      const byKey = await app.call('GET', `/verify/forward-auth?organization=${acme}`)
      assert.equal(byKey.status, 403)
    })

    it('can require a second factor of its users, whatever the policy says', async (t) => {
      const { app, other } = await open(t, engine)
      const organization_id = await createOrganization(app)
      const { user_id, username } = await createPerson(app)
      const stranger = await openBrowser(app, (await createPerson(app)).username)
      await moveTo(app, user_id, organization_id)
      const browser = await openBrowser(app, username)
      assert.equal((await on(app, browser)).body.must_add_factor, false)
      await changeOrganization(app, organization_id, { second_factor: 'required' })
      assert.equal((await on(app, browser)).body.must_add_factor, true)
      const isAsked = async () => (await on(other, browser)).body.must_add_factor === true
      await eventually('the other node asks as well', isAsked)
      assert.equal((await on(app, stranger)).body.must_add_factor, false)
      assert.equal((await app.call('GET', `/users/${user_id}/factors`)).body.required, true)
      const preview = await app.call('GET', '/second-factor-policy/users')
      assert.match(preview.text, new RegExp(user_id))
      await changeOrganization(app, organization_id, { second_factor: null })
      assert.equal((await on(app, browser)).body.must_add_factor, false)
    })

    it('of a key or connection must exist, and is that of the connection or user to which a key belongs', async (t) => {
      const { app } = await open(t, engine)
      const [acme, other] = [await createOrganization(app), await createOrganization(app)]
      const unknown = '019a9f3e-0000-7000-8000-00000000abcd'
      const fault = async (method: string, path: string, body: object) => {
        const refused = await app.call(method, path, { body })
        assert.deepEqual([refused.status, refused.body.errors?.[0].pointer], [422, '#/organization_id'], refused.text)
        return refused.body.errors[0].code
      }
      const provider = await connectTo(app, { organization_id: acme })
      const path = `/provisioning/${provider.connection_id}`
      assert.equal((await app.call('GET', path)).body.organization_id, acme)
      const keyOf = async () => {
        const keys = (await app.call('GET', '/keys')).body as { key_id: string; organization_id?: string }[]
        return keys.find(({ key_id }) => key_id === provider.key_id)?.organization_id
      }
      assert.equal(await keyOf(), acme)
      const key = { name: 'k', permissions: ['scim:write'], connection_id: provider.connection_id }
      assert.equal((await app.call('POST', '/keys', { body: key })).body.organization_id, acme)
      for (const [method, where, body, code] of [
        ['POST', '/keys', { name: 'k', permissions: ['users:read'], organization_id: unknown }, 'organization_unknown'],
        ['POST', '/keys', { name: 'k', permissions: ['users:read'], organization_id: 'x' }, 'organization_unknown'],
        ['POST', '/keys', { ...key, organization_id: other }, 'organization_not_allowed'],
        ['PATCH', `/keys/${provider.key_id}`, { organization_id: null }, 'organization_not_allowed'],
        ['PATCH', `/keys/${provider.key_id}`, { organization_id: other }, 'organization_not_allowed'],
        ['POST', '/provisioning', { name: 'p', organization_id: unknown }, 'organization_unknown'],
        ['PATCH', path, { organization_id: unknown }, 'organization_unknown'],
        [
          'POST',
          '/connections',
          { kind: 'oidc', name: 'c', active: false, organization_id: unknown },
          'organization_unknown',
        ],
      ] as const) {
        assert.equal(await fault(method, where, body), code, `${method} ${where} ${JSON.stringify(body)}`)
      }
      await app.call('PATCH', path, { body: { organization_id: other } })
      assert.equal(await keyOf(), other)
      await app.call('PATCH', path, { body: { organization_id: null } })
      assert.equal(await keyOf(), undefined)
      const draft = { kind: 'oidc', name: 'c', active: false, organization_id: acme }
      const created = await app.call('POST', '/connections', { body: draft })
      assert.equal(created.body.organization_id, acme, created.text)
      const emptied = await app.call('PATCH', `/connections/${created.body.connection_id}`, {
        body: { organization_id: null },
      })
      assert.deepEqual([emptied.status, 'organization_id' in emptied.body], [200, false])
    })

    it('is where a company sign-in creates users, and users from elsewhere are refused, not moved', async (t) => {
      const { app, idp, connection } = await company(t, engine, {
        lies: { claims: { email: 'ada@example.com', email_verified: true } },
      })
      const [acme, other] = [await createOrganization(app), await createOrganization(app)]
      const path = `/connections/${connection.connection_id}`
      assert.equal((await app.call('PATCH', path, { body: { organization_id: acme } })).status, 200)
      const jar: Jar = new Map()
      await signInAtCompany(app, idp, connection, jar)
      const { user_id, org_id, organization_id } = (await me(app, jar)).body
      assert.deepEqual([org_id, organization_id], [acme, acme])
      assert.equal((await signInAtCompany(app, idp, connection)).status, 303)

      // Linked, and moved away since: by SQL, because a move removes the account.
      await app.runSql(`UPDATE users SET organization_id = NULL WHERE user_id = '${user_id}'`)
      for (const [email, elsewhere] of [
        ['ada@example.com', null],
        ['joan@example.com', other],
        ['grace@example.com', null],
      ] as const) {
        const isAda = email === 'ada@example.com'
        idp.lies = { claims: { email, email_verified: true, ...(!isAda && { sub: email }) } }
        const id = isAda ? user_id : (await createPerson(app, { username: email, email })).user_id
        if (elsewhere !== null) await moveTo(app, id, elsewhere)
        await app.runSql(`UPDATE users SET email_verified = 1 WHERE user_id = '${id}'`)
        const refused = await signInAtCompany(app, idp, connection)
        assert.equal(refused.status, 403, refused.text)
        assert.match(refused.text, /does not belong to the organization that uses this way/)
        assert.equal((await failures(app, connection))[0]?.reason, 'other_organization')
        const record = (await recordsOf(app)).at(-1)
        assert.deepEqual([record?.action, record?.outcome, record?.target?.id], ['session.created', 'failure', id])
        const [row] = await app.runSql(`SELECT organization_id FROM users WHERE user_id = '${id}'`)
        assert.equal(row?.organization_id, elsewhere)
        const link = await app.call('POST', `/users/${id}/identities`, {
          body: { connection_id: connection.connection_id, subject: 'another' },
        })
        assert.deepEqual([link.status, link.body.code], [403, 'other_organization'], link.text)
      }
    })

    it('is where a provisioning connection creates users, and nobody from elsewhere exists for it', async (t) => {
      const { app } = await open(t, engine)
      const acme = await createOrganization(app)
      const { scim, patch, createUser, createGroup } = await connectTo(app, { organization_id: acme })
      const own = await createUser({ userName: 'ada' })
      assert.equal((await app.call('GET', `/users/${own.id}`)).body.organization_id, acme)
      const outside = await createPerson(app, { username: 'grace' })
      const replace = { op: 'replace', path: 'active', value: false }
      for (const unknown of [
        await scim('GET', `/Users/${outside.user_id}`),
        await patch(`/Users/${outside.user_id}`, replace),
        await scim('PUT', `/Users/${outside.user_id}`, { schemas: [userUrn], userName: 'grace' }),
        await scim('DELETE', `/Users/${outside.user_id}`),
      ]) {
        assert.equal(unknown.status, 404, unknown.text)
      }
      const { Resources } = (await scim('GET', '/Users')).body
      assert.deepEqual(
        Resources.map(({ id }: { id: string }) => id),
        [own.id],
      )
      assert.equal((await scim('POST', '/Users', { schemas: [userUrn], userName: 'grace' })).status, 409)
      assert.equal((await patch(`/Users/${own.id}`, replace)).status, 200)
      const user = (await app.call('GET', `/users/${outside.user_id}`)).body
      assert.deepEqual([user.active, user.managed_by, user.organization_id], [true, undefined, undefined])
      const group = await createGroup('Pickers', [own.id])
      assert.equal((await app.call('GET', `/groups/${group.id}`)).body.organization_id, acme)
      const value = [{ value: outside.user_id }]
      const added = await patch(`/Groups/${group.id}`, { op: 'add', path: 'members', value })
      assert.equal(added.status, 400, added.text)
      const { group_id } = (await app.call('POST', '/groups', { body: { name: 'Global' } })).body
      const changed = await patch(`/Groups/${group_id}`, { op: 'replace', path: 'displayName', value: 'Mine' })
      assert.equal(changed.status, 404, changed.text)
    })

    it('limits the key of a provisioning connection as soon as it has one', async (t) => {
      const { app } = await open(t, engine)
      const acme = await createOrganization(app)
      const { connection_id, scim } = await connectTo(app, {})
      const outside = await createPerson(app, { username: 'grace' })
      const strong = { name: 'strong', permissions: ['*'], connection_id }
      const { key } = (await app.call('POST', '/keys', { body: strong })).body
      const { access_token } = (await app.call('POST', '/token', { key })).body
      const statuses = async () => {
        const all: number[] = []
        for (const credential of [{ key }, bearer(access_token)]) {
          for (const path of ['/users?limit=1', '/policies', '/events']) {
            all.push((await app.call('GET', path, credential)).status)
          }
        }
        return all
      }
      assert.equal((await scim('GET', `/Users/${outside.user_id}`)).status, 200)
      assert.deepEqual(await statuses(), [200, 200, 200, 200, 200, 200])
      await app.call('PATCH', `/provisioning/${connection_id}`, { body: { organization_id: acme } })
      assert.equal((await scim('GET', `/Users/${outside.user_id}`)).status, 404)
      assert.deepEqual(await statuses(), [200, 403, 403, 200, 403, 403])
      assert.deepEqual((await app.call('GET', '/users', { key })).body, [])
      const other = await createOrganization(app)
      assert.equal((await app.call('DELETE', `/organizations/${other}?users=delete`, { key })).status, 403)
    })
  })
}
