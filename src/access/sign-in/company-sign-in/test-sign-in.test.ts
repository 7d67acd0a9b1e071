/** The test sign-in of an administrator, before a connection goes live. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ada,
  browser,
  come,
  companyDomains,
  connect,
  env,
  failures,
  get,
  type Jar,
  me,
  signedIn,
  signIn,
  startSignIn,
} from '../../../../test/company.ts'
import { engines, type Started, start } from '../../../../test/harness.ts'
import { startIdentityProvider } from '../../../../test/identity-provider.ts'

const draft = { ...companyDomains, active: false }

/** What a test must leave as it is. */
async function everything(app: Started): Promise<string[]> {
  const texts = []
  for (const path of ['/users', '/connections', '/mails', '/events?limit=100'])
    texts.push((await app.call('GET', path)).text)
  return texts.map((text) => text.replaceAll(/"last_seen_at":"[^"]*"/g, ''))
}

for (const engine of engines) {
  describe(`a test sign-in on ${engine.name}`, () => {
    it('shows claim by claim what arrived and which user it would create, and changes nothing', async (t) => {
      const idp = await startIdentityProvider(t)
      idp.lies = { claims: ada }
      const app = await start(t, engine, { env })
      const connection = await connect(app, idp, draft)
      const admin = await signedIn(app, 'root', { role: 'admin' })
      assert.equal((await get(app, `/login?connection=${connection.connection_id}`, new Map())).status, 404)
      const before = await everything(app)
      const url = await startSignIn(app, connection, admin, '&test')
      idp.expect(url)
      const page = await come(app, connection, admin, { state: url.searchParams.get('state'), iss: idp.issuer })
      assert.equal(page.status, 200, page.text)
      assert.match(page.text, /<h1>The test is complete<\/h1>/)
      assert.match(page.text, /A user would be created/)
      assert.match(page.text, /<dt>Username<\/dt><dd>ada@example.com<\/dd>/)
      assert.match(page.text, /<code>email_verified<\/code><\/th><td><code>true<\/code>/)
      assert.doesNotMatch(page.text, /<script(?![^>]*login\.js)/)
      assert.deepEqual(await everything(app), before)
      assert.equal((await me(app, admin)).body.username, 'root')
      const [listedFailure] = (await app.call('GET', `/connections/${connection.connection_id}/failures`)).body
      assert.equal(listedFailure.reason, 'test')
      assert.match(listedFailure.detail, /^It would work\. A user is created/)
      assert.deepEqual([listedFailure.test_outcome, listedFailure.test_reason], ['creates', null])
      assert.deepEqual(
        listedFailure.claims.find(({ claim }: { claim: string }) => claim === 'email'),
        {
          claim: 'email',
          value: '"ada@example.com"',
          note: 'Domain example.com: trusted for linking. Users are created for this domain.',
          notes: [{ code: 'domain_trusted', name: 'example.com' }, { code: 'domain_provisioned' }],
        },
      )
      const [record] = (await app.call('GET', '/audit?action=sign_in_connection.tested')).body
      assert.deepEqual([record.actor.name, record.details], ['root', { outcome: 'creates' }])
      // Its state is used up, and it opens nothing for a sign-in.
      const again = await come(app, connection, admin, { state: url.searchParams.get('state'), iss: idp.issuer })
      assert.equal(again.status, 400)
      const metrics = (await app.call('GET', '/metrics')).text
      assert.match(metrics, /rollbook_sign_ins_total\{outcome="refused"\} 1\b/, 'the repeated state, not the test')
    })

    it('is refused as the sign-in is, by what the rules of users say of role and attributes', async (t) => {
      const idp = await startIdentityProvider(t)
      const app = await start(t, engine, { env })
      const root = await signedIn(app, 'root', { role: 'admin', email: 'root@example.com' })
      for (const body of [
        { name: 'team', type: 'string', max_length: 4 },
        { name: 'badge', type: 'string', unique: true },
      ]) {
        assert.equal((await app.call('POST', '/attributes', { body: { label: body.name, ...body } })).status, 201)
      }
      const first = { username: 'first', attributes: { badge: '1' } }
      assert.equal((await app.call('POST', '/users', { body: first })).status, 201)
      const connection = await connect(app, idp, {
        ...companyDomains,
        attribute_claims: { team: 'team', badge: 'badge' },
        attribute_sync: 'sign_in',
        role_claim: 'groups',
        roles: { bosses: 'admin' },
        role_sync: 'sign_in',
      })
      const { user_id } = (await me(app, root)).body
      const identity = { connection_id: connection.connection_id, subject: 'root-there' }
      assert.equal((await app.call('POST', `/users/${user_id}/identities`, { body: identity })).status, 201)
      const path = `/connections/${connection.connection_id}`
      const person = { sub: 'someone', ...ada }
      const cases: [string, Record<string, unknown>, string][] = [
        ['a value that is too long', { ...person, team: 'Green at last' }, 'validation_failed'],
        ['a value of another type', { ...person, team: ['Blue', 'Red'] }, 'validation_failed'],
        ['a value that another user has', { ...person, badge: '1' }, 'attribute_taken'],
        ['the last administrator', { ...ada, sub: 'root-there', email: 'root@example.com', groups: [] }, 'last_admin'],
        [
          'a value for an existing user',
          { ...ada, sub: 'root-there', groups: ['bosses'], badge: '1' },
          'attribute_taken',
        ],
      ]
      for (const [name, claims, reason] of cases) {
        const before = await everything(app)
        const tried = await app.call('POST', `${path}/test`, { body: { claims } })
        assert.deepEqual([tried.body.outcome, tried.body.reason], ['refused', reason], `${name}: ${tried.text}`)
        assert.deepEqual(await everything(app), before, name)
        idp.lies = { claims }
        assert.notEqual((await signIn(app, idp, connection)).status, 303, name)
        const [failure] = await failures(app, connection)
        assert.deepEqual([failure?.reason, failure?.detail], [reason, tried.body.detail], name)
      }
      const right = await app.call('POST', `${path}/test`, {
        body: { claims: { ...person, team: 'Blue', badge: '2' } },
      })
      assert.equal(right.body.outcome, 'creates', right.text)
      assert.equal((await app.call('GET', '/users?username=ada@example.com')).body.length, 0)
      idp.lies = { claims: { ...person, team: 'Green at last' } }
      const url = await startSignIn(app, connection, root, '&test')
      idp.expect(url)
      const page = await come(app, connection, root, { state: url.searchParams.get('state'), iss: idp.issuer })
      assert.match(page.text, /would be refused[\s\S]*validation_failed/, page.text)
    })

    it('shows the administrator why it would fail', async (t) => {
      const idp = await startIdentityProvider(t)
      const app = await start(t, engine, { env })
      const connection = await connect(app, idp, draft)
      const admin = await signedIn(app, 'root', { role: 'admin' })
      const test = async () => {
        const url = await startSignIn(app, connection, admin, '&test')
        idp.expect(url)
        return come(app, connection, admin, { state: url.searchParams.get('state'), iss: idp.issuer })
      }
      idp.lies = { claims: { ...ada, email_verified: 'yes' } }
      const unverified = await test()
      assert.match(unverified.text, /The sign-in would be refused[\s\S]*email_unverified/)
      idp.lies = { claims: { aud: 'another' } }
      const forged = await test()
      assert.equal(forged.status, 200)
      assert.match(forged.text, /token_invalid[\s\S]*Nothing that could be verified arrived/)
      assert.match(forged.text, /unexpected JWT &quot;aud&quot;|aud/)
      const reasons = (await failures(app, connection)).map(({ reason, detail, test_outcome, test_reason }) => {
        return [reason, detail.split(':')[0], test_outcome, test_reason]
      })
      assert.deepEqual(reasons, [
        ['test', 'Refused (token_invalid)', 'refused', 'token_invalid'],
        ['test', 'Refused (email_unverified)', 'refused', 'email_unverified'],
      ])
      const path = `/connections/${connection.connection_id}`
      await app.call('PATCH', path, { body: { issuer: 'http://127.0.0.1:9', client_secret: 'shared' } })
      const unreachable = await get(app, `/login?connection=${connection.connection_id}&test`, admin)
      assert.match(
        unreachable.text,
        /http:\/\/127\.0\.0\.1:9 cannot be read: connect ECONNREFUSED[\s\S]*provider_unreachable/,
      )
      const empty = await app.call('POST', '/connections', { body: { kind: 'oidc', name: 'Empty', active: false } })
      const incomplete = await get(app, `/login?connection=${empty.body.connection_id}&test`, admin)
      assert.match(incomplete.text, /issuer, client_id[\s\S]*incomplete/)
    })

    it('says what each claim means in the language of the administrator', async (t) => {
      const idp = await startIdentityProvider(t)
      idp.lies = { claims: { ...ada, groups: ['other'] } }
      const app = await start(t, engine, { env })
      const connection = await connect(app, idp, { ...draft, role_claim: 'groups', roles: { staff: 'user' } })
      const admin = await signedIn(app, 'root', { role: 'admin' })
      for (const [language, untrusted, role] of [
        ['de', /Für diese Domain werden Benutzer angelegt\./, /deshalb gilt die Standardrolle: user\./],
        ['ar', /يُنشأ مستخدمون لهذا النطاق\./, /الدور الافتراضي: <bdi>user<\/bdi>\./],
      ] as const) {
        const url = await startSignIn(app, connection, admin, `&test&lang=${language}`)
        idp.expect(url)
        const page = await come(app, connection, admin, { state: url.searchParams.get('state'), iss: idp.issuer })
        assert.match(page.text, new RegExp(`<html lang="${language}"`))
        assert.match(page.text, untrusted)
        assert.match(page.text, role)
        assert.doesNotMatch(page.text, /<td>[^\n]*lang="en"/)
      }
    })

    it('shows the English notes of tests that an earlier release kept', async (t) => {
      const app = await start(t, engine)
      const body = { kind: 'oidc', name: 'Example Inc.', active: false }
      const { connection_id } = (await app.call('POST', '/connections', { body })).body
      await app.runSql(`
        INSERT INTO sign_in_failures (failure_id, connection_id, failed_at, request_id, reason, detail, claims)
        VALUES ('019a9f3e-0000-7000-8000-000000000001', '${connection_id}', '2026-11-20T09:30:00.000Z', 'r', 'test',
          'It would work.', '[{"claim":"sub","value":null,"note":"Missing."}]')`)
      const [listedFailure] = (await app.call('GET', `/connections/${connection_id}/failures`)).body
      assert.deepEqual(listedFailure.claims, [{ claim: 'sub', value: null, note: 'Missing.', notes: [] }])
      assert.deepEqual([listedFailure.test_outcome, listedFailure.test_reason], [null, null])
    })

    it('is for administrators with the permission, in the browser and the session that began it', async (t) => {
      const idp = await startIdentityProvider(t)
      idp.lies = { claims: ada }
      const app = await start(t, engine, { env })
      const connection = await connect(app, idp, draft)
      const path = `/login?connection=${connection.connection_id}&test`
      const anonymous = await get(app, path, new Map())
      assert.equal(anonymous.status, 303)
      assert.match(anonymous.headers.location ?? '', /^login\?return_to=/)
      const user = await signedIn(app, 'user')
      assert.equal((await get(app, path, user)).status, 403)
      const admin = await signedIn(app, 'root', { role: 'admin' })
      const other = await signedIn(app, 'second', { role: 'admin' })
      const started = async () => {
        const url = await startSignIn(app, connection, admin, '&test')
        idp.expect(url)
        return { state: url.searchParams.get('state'), iss: idp.issuer }
      }
      const begun = await started()
      assert.equal((await come(app, connection, new Map(), begun)).status, 400, 'another browser')
      const company = [...admin].filter(([name]) => /company/.test(name))
      assert.ok(company.length > 0, [...admin.keys()].join())
      for (const [whose, jar] of [
        ['no session', new Map(company)],
        ['another administrator', new Map([...other, ...company])],
        ['a user', new Map([...user, ...company])],
      ] as const) {
        const back = await started()
        const page = await come(app, connection, jar, back)
        assert.equal(page.status, 409, whose)
        assert.doesNotMatch(page.text, /ada@example\.com/)
      }
      // The administrator loses the role while the browser is away.
      const late = await started()
      const { user_id } = (await me(app, admin)).body
      assert.equal((await app.call('PATCH', `/users/${user_id}`, { body: { role: 'user' } })).status, 200)
      const page = await come(app, connection, admin, late)
      assert.notEqual(page.status, 200)
      assert.equal((await app.call('GET', '/users?username=ada@example.com')).body.length, 0)
      assert.deepEqual(
        (await failures(app, connection)).map(({ reason }) => reason),
        [],
      )
    })

    it('names the user who would sign in, without touching the identity', async (t) => {
      const idp = await startIdentityProvider(t)
      idp.lies = { claims: ada }
      const app = await start(t, engine, { env })
      const connection = await connect(app, idp, companyDomains)
      const url = await startSignIn(app, connection, new Map())
      const jar: Jar = new Map()
      const first = await startSignIn(app, connection, jar)
      assert.notEqual(first.searchParams.get('state'), url.searchParams.get('state'))
      idp.expect(first)
      await come(app, connection, jar, { state: first.searchParams.get('state'), iss: idp.issuer })
      const { user_id } = (await me(app, jar)).body
      const identity = (await app.call('GET', `/users/${user_id}/identities`)).text
      const admin = await signedIn(app, 'root', { role: 'admin' })
      const test = await startSignIn(app, connection, admin, '&test')
      idp.expect(test)
      const page = await come(app, connection, admin, { state: test.searchParams.get('state'), iss: idp.issuer })
      assert.match(page.text, /ada@example\.com signs in/)
      assert.equal((await app.call('GET', `/users/${user_id}/identities`)).text, identity)
      assert.equal((await me(app, admin)).body.username, 'root')
    })

    it('cannot be asked for with a password where the connection has none', async (t) => {
      const idp = await startIdentityProvider(t)
      const app = await start(t, engine, { env })
      const connection = await connect(app, idp, draft)
      const admin = await signedIn(app, 'root', { role: 'admin' })
      const cookie = [...admin].map(([name, value]) => `${name}=${value}`).join('; ')
      const fields = { connection_id: connection.connection_id, purpose: 'test', username: 'a', password: 'b' }
      const page = await app.call('POST', '/login', {
        key: null,
        headers: { ...browser, cookie, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
      })
      assert.equal(page.status, 404, page.text)
    })

    it('waits, as linking does, until the user has added the factor that is required', async (t) => {
      const idp = await startIdentityProvider(t)
      const networks = { ROLLBOOK_IDP_ALLOWED_NETWORKS: '127.0.0.1' }
      const app = await start(t, engine, { env: { ...env, ...networks, ROLLBOOK_SECOND_FACTOR: 'required' } })
      const connection = await connect(app, idp, draft)
      const directory = await app.call('POST', '/connections', {
        body: { kind: 'ldap', name: 'Directory', servers: ['ldap://127.0.0.1:9'], user_base: 'dc=example,dc=com' },
      })
      assert.equal(directory.status, 201, directory.text)
      const admin = await signedIn(app, 'root', { role: 'admin' })
      const begun = await get(app, `/login?connection=${connection.connection_id}&test`, admin)
      assert.equal(begun.status, 303, begun.text)
      assert.match(begun.headers.location ?? '', /^login\?return_to=/)
      const cookie = [...admin].map(([name, value]) => `${name}=${value}`).join('; ')
      const { connection_id } = directory.body
      for (const [purpose, status] of [
        ['test', 409],
        ['link', 303],
      ] as const) {
        const sent = await app.call('POST', '/login', {
          key: null,
          headers: { ...browser, cookie, 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({ connection_id, purpose, username: 'ada', password: 'b' }).toString(),
        })
        assert.equal(sent.status, status, sent.text)
      }
      assert.deepEqual([await failures(app, connection), await failures(app, directory.body)], [[], []])
    })
  })
}
