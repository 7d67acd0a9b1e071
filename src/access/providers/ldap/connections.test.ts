/** Connections to a directory, through the API. */
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { browser, type Jar, password as localPassword, signedIn, storeCookies } from '../../../../test/company.ts'
import { addPhone } from '../../../../test/factors.ts'
import { createUser, type Engine, engines, type Started, start } from '../../../../test/harness.ts'
import { entry, type Lie, result, startLyingDirectory } from '../../../../test/lying-directory.ts'
import { skip as noPostgres, twoNodes, waitUntil } from '../../../../test/nodes/nodes.ts'
import { cookiesOf } from '../../../../test/people.ts'
import { selfSigned } from '../../../../test/proxies/certificate.ts'
import { connectionTo, findSlapd, person, type Slapd, service, startSlapd } from '../../../../test/slapd.ts'
import { assertWithin } from '../../../../test/time-limit.ts'

type Body = Record<string, unknown>

const skip = (await findSlapd()) === undefined ? 'no slapd' : false
let slapd: Slapd
before(async () => {
  const started = skip === false ? await startSlapd() : undefined
  if (started) slapd = started
})
after(() => slapd?.stop())

const env = { ROLLBOOK_IDP_ALLOWED_NETWORKS: '127.0.0.1', ROLLBOOK_RATE_LIMIT: '0' }

function settings(changes: Body = {}): Body {
  return { ...connectionTo(slapd), servers: [slapd.secureUrl], ca_certificate: selfSigned.cert, ...changes }
}

async function company(t: TestContext, engine: Engine, changes: Body = {}, clock?: () => number) {
  const app = await start(t, engine, { env, ...(clock && { clock }) })
  const created = await app.call('POST', '/connections', { body: settings(changes) })
  assert.equal(created.status, 201, created.text)
  return { app, connection: created.body as { connection_id: string } }
}

function trial(app: Started, { connection_id }: { connection_id: string }, body: Body = {}) {
  return app.call('POST', `/connections/${connection_id}/test`, { body })
}

for (const engine of engines) {
  describe(`connections to a directory on ${engine.name}`, { skip }, () => {
    it('have the defaults of their preset, and never return the password', async (t) => {
      const { app, connection } = await company(t, engine)
      const { body } = await app.call('GET', `/connections/${connection.connection_id}`)
      assert.deepEqual(
        [body.preset, body.subject_attribute, body.group_source, body.has_bind_password, body.redirect_uri],
        ['openldap', 'entryUUID', 'member', true, undefined],
      )
      const active = { preset: 'active_directory', name: 'Active', servers: ['ldaps://dc1.example.com'], bind_dn: null }
      const { bind_password: _, ...withoutPassword } = settings(active)
      const created = await app.call('POST', '/connections', { body: withoutPassword })
      assert.deepEqual(
        [
          created.body.subject_attribute,
          created.body.group_source,
          created.body.username_attribute,
          created.body.has_bind_password,
        ],
        ['objectGUID', 'token_groups', 'sAMAccountName', false],
      )
      const everything = (await app.call('GET', '/connections')).text + (await app.call('GET', '/audit')).text
      assert.doesNotMatch(everything, /service password/)
    })

    it('refuse settings that cannot be right', async (t) => {
      const app = await start(t, engine, { env })
      const wrong: [string, Body, string][] = [
        ['servers', { servers: ['ldap://ldap.example.com'] }, 'tls_required'],
        ['servers', { servers: ['https://ldap.example.com'] }, 'url_malformed'],
        ['servers', { servers: ['ldaps://user:pass@ldap.example.com'] }, 'url_malformed'],
        ['servers', { servers: ['ldaps://ldap.example.com/dc=example'] }, 'url_malformed'],
        ['servers', { servers: ['ldaps://ldap.example.com'], start_tls: true }, 'start_tls_conflict'],
        ['user_filter', { user_filter: '(uid=ada)' }, 'placeholder_missing'],
        ['user_filter', { user_filter: '(uid={username}' }, 'filter_invalid'],
        ['user_filter', { user_filter: '(uid={username}))(|(cn=*' }, 'filter_invalid'],
        ['group_filter', { group_filter: '(objectClass=' }, 'filter_invalid'],
        ['group_filter', { group_filter: '(cn={username})' }, 'placeholder_unknown'],
        ['user_bind_name', { user_bind_name: 'uid=ada' }, 'placeholder_missing'],
        ['user_bind_name', { user_bind_name: '{username}@example.com' }, 'not_both'],
        ['ca_certificate', { ca_certificate: 'nonsense' }, 'certificate_invalid'],
        ['ca_certificate', { ca_certificate: selfSigned.key }, 'certificate_invalid'],
        ['issuer', { issuer: 'https://id.example.com' }, 'member_of_another_kind'],
      ]
      for (const [member, changes, code] of wrong) {
        const { status, body, text } = await app.call('POST', '/connections', { body: settings(changes) })
        assert.equal(status, 422, text)
        const fault = body.errors.find((one: { pointer: string }) => one.pointer.startsWith(`#/${member}`))
        assert.equal(fault?.code, code, text)
      }
    })

    it('are tried before the first sign-in: the server, an entry, and the user that would result', async (t) => {
      const { app, connection } = await company(t, engine, {
        active: false,
        role_claim: 'groups',
        roles: { engineers: 'user' },
      })
      const reached = await trial(app, connection)
      assert.equal(reached.body.outcome, 'reachable', reached.text)
      assert.match(reached.body.detail, /Connected to ldaps:\/\/localhost/)
      const ada = await trial(app, connection, { username: 'ada' })
      assert.equal(ada.body.outcome, 'creates', ada.text)
      assert.equal(ada.body.user.role, 'user')
      assert.match(ada.body.detail, /has the entry uid=ada,ou=people.*not queried \(referrals: 1\)/)
      const claims = new Map(ada.body.claims.map((one: { claim: string; value: string }) => [one.claim, one.value]))
      assert.match(String(claims.get('groups')), /everyone/)
      const unknown = await trial(app, connection, { username: 'nobody' })
      assert.deepEqual([unknown.body.outcome, unknown.body.reason], ['refused', 'wrong_password'])
      assert.match(unknown.body.detail, /No entry matches/)
    })

    it('say in words what is wrong with a directory', async (t) => {
      const { app, connection } = await company(t, engine)
      const path = `/connections/${connection.connection_id}`
      const detailWith = async (body: Body) => {
        assert.equal((await app.call('PATCH', path, { body })).status, 200)
        const { body: response } = await trial(app, connection)
        assert.equal(response.outcome, 'refused')
        return response.detail as string
      }
      assert.match(await detailWith({ ca_certificate: null }), /SELF_SIGNED.*ca_certificate/)
      assert.match(await detailWith({ ca_certificate: selfSigned.cert, bind_password: 'wrong' }), /refuses bind_dn/)
      const dead = { servers: ['ldaps://127.0.0.1:1'], bind_password: 'x' }
      assert.match(await detailWith(dead), /ECONNREFUSED/)
      const refused = await app.call('PATCH', path, { body: { servers: ['ldaps://evil.example.com'] } })
      assert.equal(refused.body.errors[0].pointer, '#/bind_password', 'it must not be sent to another server')
    })

    it('ask the directory only for callers who may change connections', async (t) => {
      const { app, connection } = await company(t, engine)
      const permissions = ['connections:read', 'users:read']
      const { key } = (await app.call('POST', '/keys', { body: { name: 'reader', permissions } })).body
      const path = `/connections/${connection.connection_id}/test`
      assert.equal((await app.call('POST', path, { key, body: { username: 'ada' } })).status, 403)
      assert.equal((await app.call('POST', path, { key, body: { claims: { sub: 'x' } } })).status, 200)
    })
  })

  describe(`signing in with a directory on ${engine.name}`, { skip }, () => {
    it('creates the user at the first sign-in, and recognizes them by their entry afterwards', async (t) => {
      const roles = { role_claim: 'groups', roles: { engineers: 'user' } }
      const { app, connection } = await company(t, engine, roles)
      const first = await enter(app, connection, 'ada')
      assert.equal(first.status, 201, first.text)
      const again = await enter(app, connection, 'ada@example.com')
      assert.equal(again.status, 201, again.text)
      assert.equal(again.body.user_id, first.body.user_id)
      const { body: user } = await app.call('GET', `/users/${first.body.user_id}`)
      assert.deepEqual(
        [user.username, user.email, user.first_name, user.last_name, user.has_password],
        ['ada@example.com', 'ada@example.com', 'Ada', 'Example', false],
      )
      const { body: identities } = await app.call('GET', `/users/${first.body.user_id}/identities`)
      assert.match(identities[0].subject, /^[0-9a-f-]{36}$/)
      assert.deepEqual(
        [first.body.amr, Date.now() - Date.parse(first.body.auth_time) < 60_000],
        [['sso'], true],
        'a password was typed just now',
      )
    })

    it('is tried with a password by an administrator before it goes live, and wrong ones are counted', async (t) => {
      const { app, connection } = await company(t, engine, { active: false })
      const admin = await signedIn(app, 'root', { role: 'admin' })
      const cookie = [...admin].map(([name, value]) => `${name}=${value}`).join('; ')
      const headers = { cookie, accept: 'text/html', 'sec-fetch-site': 'same-origin' }
      const page = await app.call('GET', `/login?connection=${connection.connection_id}&test`, { key: null, headers })
      assert.match(page.text, /name="purpose" value="test"/)
      const send = (secret: string, sent: Record<string, string> = headers) => {
        const fields = { ...connection, purpose: 'test', username: 'ada', password: secret }
        const { connection_id, purpose, username, password } = fields
        return app.call('POST', '/login', {
          key: null,
          headers: { ...sent, 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({ connection_id, purpose, username, password }).toString(),
        })
      }
      const right = await send(person('ada').password)
      assert.match(right.text, /The test is complete[\s\S]*A user would be created/, right.text)
      const { cookie: _, ...strange } = headers
      assert.equal((await send(person('ada').password, strange)).status, 404)
      for (let n = 0; n < 10; n += 1) assert.match((await send('wrong')).text, /wrong_password|too many/i)
      assert.equal((await send('wrong')).status, 429)
      assert.equal((await app.call('GET', '/users')).body.length, 1)
    })

    it('keeps nothing of the password', async (t) => {
      const { app, connection } = await company(t, engine)
      assert.equal((await enter(app, connection, 'ada')).status, 201)
      assert.equal((await enter(app, connection, 'ada', 'a secret that is wrong')).status, 401)
      const stored = await app.stored()
      for (const text of [person('ada').password, 'a secret that is wrong', service.password.repeat(2)]) {
        assert.equal(stored.includes(text), false)
        assert.equal(app.logLines().join().includes(text), false)
      }
    })

    it('refuses an unknown name, a wrong password, two entries and a disabled account alike', async (t) => {
      const { app, connection } = await company(t, engine)
      const tries = [
        ['nobody', 'x'],
        ['ada', 'x'],
        ['user13@example.com', person('user13').password],
        ['*', person('ada').password],
        ['ada)(uid=*', person('ada').password],
        ['ada\0', person('ada').password],
        ['ada', `${person('ada').password}\0`],
      ] as const
      const answers = []
      for (const [name, secret] of tries) {
        const { status, body } = await enter(app, connection, name, secret)
        answers.push(JSON.stringify({ status, ...body, instance: '' }))
      }
      assert.deepEqual([...new Set(answers)].length, 1, answers.join('\n'))
      assert.match(answers[0] ?? '', /"status":401.*sign_in_failed/)
      const reasons = (await app.call('GET', `/connections/${connection.connection_id}/failures`)).body
      const details = reasons.map(({ detail }: { detail: string }) => detail).join('\n')
      for (const words of [/No entry matches/, /The password is wrong/, /Several entries match/]) {
        assert.match(details, words)
      }
      assert.equal((await app.call('GET', '/users?q=nobody')).text.includes('nobody'), false)
    })

    it('never joins a local user by a name or an address alone', async (t) => {
      const { app, connection } = await company(t, engine, { trusted_domains: [], provisioning_domains: [] })
      const local = await createUser(app, { username: 'ada', email: 'ada@example.com', password: localPassword })
      const refused = await enter(app, connection, 'ada')
      assert.deepEqual([refused.status, refused.body.code], [409, 'connection_conflict'], refused.text)
      assert.match(refused.body.detail, /link the account on the page \/link/)
      const unknown = await enter(app, connection, 'grace')
      assert.deepEqual([unknown.status, unknown.body.code], [403, 'connection_refused'], unknown.text)
      const { body: records } = await app.call('GET', '/audit?limit=2')
      assert.deepEqual(
        records.map(({ action }: { action: string }) => action),
        ['session.created', 'session.created'],
      )
      // The same user, who is signed in, confirms with the account before it is linked.
      const jar: Jar = new Map()
      storeCookies(
        jar,
        await app.call('POST', '/sessions', { key: null, body: { username: 'ada', password: localPassword } }),
      )
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const confirm = (name: string) =>
        app.call('POST', '/sessions/current/reauthentication', {
          key: null,
          headers: { ...browser, cookie },
          body: { connection_id: connection.connection_id, username: name, password: person(name).password },
        })
      const own = await confirm('ada')
      assert.deepEqual([own.status, own.body.code], [409, 'connection_conflict'], own.text)
      const foreign = await confirm('grace')
      assert.deepEqual([foreign.status, foreign.body.code], [403, 'confirmation_failed'], foreign.text)
      assert.equal((await app.call('GET', `/users/${local.user_id}/identities`)).body.length, 0)
    })

    it('counts failures, and makes further attempts wait', async (t) => {
      const { app, connection } = await company(t, engine)
      const codes: string[] = []
      for (let tries = 0; tries < 12; tries++) codes.push((await enter(app, connection, 'ada', 'wrong')).body.code)
      assert.ok(codes.includes('too_many_attempts'), codes.join())
      // Each of them leaves one record.
      const { body } = await app.call('GET', '/audit?limit=12')
      const records = body.map((record: { action: string; code: string; details: { method: string } }) => [
        record.action,
        record.code,
        record.details.method,
      ])
      assert.deepEqual(
        records,
        codes.toReversed().map((code) => ['session.created', code, 'sso']),
      )
      // Locked like a user of ours: the record says why the right password is refused.
      await app.runSql("UPDATE sign_in_throttles SET failures = 100, allowed_at = '1970-01-01T00:00:00.000Z'")
      assert.equal((await enter(app, connection, 'ada')).body.code, 'sign_in_failed')
      const { body: last } = await app.call('GET', '/audit?limit=1')
      assert.deepEqual([last[0].code, last[0].details.reason], ['sign_in_failed', 'locked'])
    })

    it('answers in time when the directory hangs, counts nothing then, and leaves other sign-ins alone', async (t) => {
      const { app, connection } = await company(t, engine)
      const local = await createUser(app, { username: 'local', password: 'analytical engine no. 1' })
      await slapd.freeze()
      try {
        const started = performance.now()
        let answered = 0
        const hanging = Promise.all(
          ['ada', 'grace', 'mallory'].map((name) => enter(app, connection, name).finally(() => answered++)),
        )
        const body = { username: 'local', password: 'analytical engine no. 1' }
        const mine = await app.call('POST', '/sessions', { key: null, body })
        assert.equal(mine.status, 201, mine.text)
        assert.equal(mine.body.user_id, local.user_id)
        assert.equal(answered, 0, 'a local sign-in does not wait for the directory')
        for (const { status, body: response } of await hanging) {
          assert.deepEqual([status, response.code], [503, 'provider_unavailable'])
        }
        assertWithin(14_000, started)
        // The circuit breaker: after three timeouts no sign-in waits for the server, which took five seconds each.
        const begun = performance.now()
        for (let i = 0; i < 3; i++) assert.equal((await enter(app, connection, 'ada')).status, 503)
        assertWithin(3000, begun)
      } finally {
        slapd.thaw()
      }
    })

    it('confirms a recent authentication with the password of the directory, and only with the own account', async (t) => {
      const clock = { now: Date.now() }
      const mapping = { role_claim: 'groups', roles: { engineers: 'admin' }, role_sync: 'sign_in' }
      const { app, connection } = await company(t, engine, mapping, () => clock.now)
      const { connection_id } = connection
      const ada = browserAfter(app, await enter(app, connection, 'ada'))
      await enter(app, connection, 'grace')
      const key = { name: 'nightly', permissions: ['users:read'] }
      clock.now += 601_000
      const confirm = (proof: object, query = '') =>
        ada('POST', `/sessions/current/reauthentication${query}`, { connection_id, ...proof })
      const right = { username: 'ada', password: person('ada').password }
      assert.equal((await ada('POST', '/keys', key)).body.code, 'reauthentication_required')
      const foreign = { username: 'grace', password: person('grace').password }
      const none = '019a9f3e-0000-7000-8000-000000000000'
      for (const [proof, status, code] of [
        [{ ...right, password: 'wrong' }, 403, 'confirmation_failed'],
        [{ ...right, password: `${right.password}\0` }, 403, 'confirmation_failed'],
        [{ ...right, username: '*' }, 403, 'confirmation_failed'],
        [foreign, 403, 'confirmation_failed'],
        [{ password: right.password }, 422, 'validation_failed'],
        [{ username: 'ada', code: '123456' }, 422, 'validation_failed'],
        [{ ...right, connection_id: none }, 404, 'connection_not_found'],
      ] as const) {
        const refused = await confirm(proof)
        assert.deepEqual([refused.status, refused.body.code], [status, code], JSON.stringify(proof) + refused.text)
      }
      assert.equal((await confirm(right, '?dry_run=true')).status, 200)
      assert.equal((await ada('POST', '/keys', key)).body.code, 'reauthentication_required')
      const confirmed = await confirm(right)
      assert.equal(confirmed.status, 200, confirmed.text)
      assert.ok(confirmed.body.amr.includes('sso'), confirmed.text)
      assert.equal((await ada('POST', '/keys', key)).status, 201)
      const [record] = (await app.call('GET', `/audit?action=session.reauthenticated`)).body
      assert.equal(record?.details.method, 'directory')

      // Who has a second factor needs it.
      clock.now += 601_000
      await confirm(right)
      const browser = { call: (method: string, path: string, { body }: Body = {}) => ada(method, path, body as object) }
      await addPhone(browser as never, clock.now)
      const tooLittle = await confirm(right)
      assert.deepEqual([tooLittle.status, tooLittle.body.code], [403, 'confirmation_failed'])
    })

    it('asks for the second factor of the user afterwards', async (t) => {
      const { app, connection } = await company(t, engine)
      const begun = await enter(app, connection, 'ada')
      const cookie = cookiesOf(begun)
      const browser = {
        call: (method: string, path: string, { body }: { body?: object } = {}) =>
          app.call(method, path, { key: null, headers: { cookie, 'sec-fetch-site': 'same-origin' }, body }),
      }
      await addPhone(browser as never, Date.now())
      const next = await enter(app, connection, 'ada')
      assert.deepEqual([next.status, next.body.code], [401, 'second_factor_required'], next.text)
      assert.ok(next.body.methods.includes('totp'))
    })
  })
}

for (const engine of engines) {
  describe(`the form of the sign-in page with a directory on ${engine.name}`, { skip }, () => {
    const password = 'analytical engine no. 1'

    const send = (app: Started, username: string, secret: string) =>
      app.call('POST', '/login', {
        key: null,
        headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ username, password: secret }).toString(),
      })
    /** What a page shows, without what the visitor entered and the id of the request. */
    const outcomeOf = ({ status, text }: { status: number; text: string }, username: string) =>
      `${status} ${text.replaceAll(`value="${username}"`, '').replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '')}`

    it('signs in users of the directory and users with a password here', async (t) => {
      const { app } = await company(t, engine)
      const { user_id } = await createUser(app, { username: 'local', password })
      for (const [name, secret] of [
        ['ada', person('ada').password],
        ['ada@example.com', person('ada').password],
        ['local', password],
      ] as const) {
        const { status, headers, text } = await send(app, name, secret)
        assert.deepEqual([status, headers.location], [303, 'login'], text)
      }
      const sessions = await app.call('GET', `/users/${user_id}/sessions`)
      assert.equal(sessions.body.length, 1, 'of the local user')
      // A password here is the only one that counts, whatever the directory says about the name.
      await createUser(app, { username: 'grace', password })
      assert.equal((await send(app, 'grace', person('grace').password)).status, 401)
      assert.equal((await send(app, 'grace', password)).status, 303)
    })

    it('never reveals whether a name is one of the directory, of a user here, or of no one', async (t) => {
      const steps: string[] = []
      const lie: Lie = (message) => {
        if (message.kind !== 'other') steps.push(message.kind)
        if (message.kind === 'bind') return result(message.id, 'bind', message.name.startsWith('cn=rollbook') ? 0 : 49)
        if (message.kind !== 'search') return undefined
        const found = message.bytes.includes('ada') ? [entry(message.id, person('ada').dn, { entryUUID: ['ada'] })] : []
        return [...found, result(message.id, 'search')]
      }
      const { url } = await startLyingDirectory(t, lie)
      const { app, connection } = await company(t, engine, { servers: [url], ca_certificate: null })
      await createUser(app, { username: 'local', password })
      await createUser(app, { username: 'without' })
      const path = `/connections/${connection.connection_id}`
      const tries = async (secret: string) => {
        const outcomes = []
        for (const name of ['ada', 'local', 'without', 'nobody']) {
          steps.length = 0
          const response = outcomeOf(await send(app, name, secret), name)
          outcomes.push(`${steps.join()} ${response}`)
        }
        return outcomes
      }
      for (const secret of ['wrong', 'x'.repeat(2000), 'x'.repeat(5000), 'a\u0000b', 'a\nb']) {
        const outcomes = await tries(secret)
        assert.equal(new Set(outcomes).size, 1, outcomes.join('\n'))
        assert.match(outcomes[0] ?? '', secret.length > 4096 ? /^ 401/ : /^bind,search,bind 401/)
      }
      const failures = (await app.call('GET', `${path}/failures`)).body as { detail: string }[]
      assert.equal(failures.length, 3, 'the directory was asked about a real name')
      // Until they are held up, together.
      const held = []
      for (let count = 0; count < 8; count++) held.push(await tries('wrong'))
      for (const outcomes of held) assert.equal(new Set(outcomes).size, 1, outcomes.join('\n'))
      assert.match(held.at(-1)?.[0] ?? '', /^ 429/)
    })

    it('fails alike for all names while the directory does not respond, and lets the right password of a user here in', async (t) => {
      const dead = { servers: ['ldap://127.0.0.1:1'], ca_certificate: null }
      const { app } = await company(t, engine, dead)
      await createUser(app, { username: 'local', password })
      const outcomes = []
      for (const name of ['ada', 'local', 'nobody']) outcomes.push(outcomeOf(await send(app, name, 'wrong'), name))
      assert.match(outcomes[0] ?? '', /^503/)
      assert.equal(new Set(outcomes).size, 1, outcomes.join('\n'))
      assert.equal((await send(app, 'local', password)).status, 303)
    })

    it('asks the one directory that is for the name, by its domain if it has some', async (t) => {
      const { app, connection } = await company(t, engine, { domains: ['example.com'] })
      assert.equal((await send(app, 'ada@example.com', person('ada').password)).status, 303)
      assert.equal((await send(app, 'ada@elsewhere.example', 'x')).status, 401)
      assert.equal((await send(app, 'ada', person('ada').password)).status, 303)
      const other = await app.call('POST', '/connections', {
        body: settings({ name: 'Other', domains: ['other.example'] }),
      })
      assert.equal(other.status, 201, other.text)
      assert.equal((await send(app, 'ada', person('ada').password)).status, 401, 'two directories may have the name')
      assert.equal((await send(app, 'ada@example.com', person('ada').password)).status, 303)
      await app.call('PATCH', `/connections/${connection.connection_id}`, { body: { active: false } })
      assert.equal((await send(app, 'ada@example.com', person('ada').password)).status, 401)
    })
  })
}

/** The browser in which a user has just signed in. */
function browserAfter(app: Started, begun: Awaited<ReturnType<Started['call']>>) {
  const headers = { cookie: cookiesOf(begun), 'sec-fetch-site': 'same-origin' }
  return (method: string, path: string, body?: object) => app.call(method, path, { key: null, headers, body })
}

function enter(app: Started, { connection_id }: { connection_id: string }, username: string, secret?: string) {
  const body = { connection_id, username, password: secret ?? person(username.split('@')[0] ?? '').password }
  return app.call('POST', '/sessions', { key: null, body })
}

describe('a directory and two nodes', { skip: skip || noPostgres }, () => {
  it('signs in at one node with the connection that the other one made, and ends at both', async (t) => {
    const [first, second] = await twoNodes(t, env)
    const created = await first.call('POST', '/connections', { body: settings() })
    assert.equal(created.status, 201, created.text)
    const begun = await enter(second, created.body, 'ada')
    assert.equal(begun.status, 201, begun.text)
    const headers = { cookie: cookiesOf(begun) }
    assert.equal((await first.call('GET', '/me', { key: null, headers })).status, 200)
    await first.call('PATCH', `/connections/${created.body.connection_id}`, { body: { active: false } })
    assert.equal((await enter(second, created.body, 'ada')).body.code, 'connection_not_found')
    await waitUntil('the session has ended', 2000, async () => {
      return (await second.call('GET', '/me', { key: null, headers })).status === 401
    })
  })
})
