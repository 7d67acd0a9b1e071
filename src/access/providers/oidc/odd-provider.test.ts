/** A provider whose documents have odd members after the setup: its failures are its own, and users can always sign out. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ada,
  type Body,
  browser,
  company,
  companyDomains,
  failures,
  get,
  type Jar,
  me,
  signIn,
  storeCookies,
} from '../../../../test/company.ts'
import { type Answer, anyEngine, type Started } from '../../../../test/harness.ts'
import { clientId, type Lies } from '../../../../test/identity-provider.ts'

const odd: readonly unknown[] = [
  undefined,
  null,
  '',
  5,
  true,
  [],
  {},
  'no address',
  'javascript:alert(1)',
  'http://203.0.113.9/',
]

type Setup = Awaited<ReturnType<typeof company>>

/** Another version of the connection, so that nothing read before is used. */
async function forget({ app, connection }: Setup): Promise<void> {
  const path = `/connections/${connection.connection_id}`
  const { position } = (await app.call('GET', path)).body
  assert.equal((await app.call('PATCH', path, { body: { position: position + 1 } })).status, 200)
}

let tokens = 0
const order = (issuer: string, more: Body) => ({
  iss: issuer,
  iat: Math.floor(Date.now() / 1000),
  jti: `order-${++tokens}`,
  ...more,
})

async function logOut({ app, idp, connection }: Setup): Promise<Answer> {
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const logout_token = await idp.signAs('logout+jwt', order(idp.issuer, { aud: clientId, sub: 'no one', events }))
  return app.call('POST', `/connections/${connection.connection_id}/backchannel-logout`, {
    key: null,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token }).toString(),
  })
}

async function revoke(
  { app, idp, connection }: Setup,
  sub_id: Body = { format: 'opaque', id: 'no one' },
): Promise<Answer> {
  const aud = connection.redirect_uri.replace(/callback$/, 'global-token-revocation')
  return app.call('POST', `/connections/${connection.connection_id}/global-token-revocation`, {
    key: null,
    headers: { authorization: `Bearer ${await idp.sign(order(idp.issuer, { aud }))}` },
    body: { sub_id },
  })
}

const press = ({ app, connection }: Setup) => get(app, `/login?connection=${connection.connection_id}`, new Map())

async function signOut(app: Started, jar: Jar): Promise<Answer> {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await app.call('POST', '/logout', { key: null, headers: { ...browser, cookie } })
  storeCookies(jar, response)
  return response
}

describe('a provider with odd documents', () => {
  const claims = { ...ada, sid: 'session-1' }
  const options = { lies: { claims }, body: { ...companyDomains, sign_out_there: true } }

  it('fails at what needs an endpoint of its configuration, which is recorded, and at nothing else', async (t) => {
    const setup = await company(t, anyEngine, options)
    const { app, idp, connection } = setup
    assert.equal((await signIn(app, idp, connection)).status, 303)
    for (const member of ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'] as const) {
      for (const value of odd) {
        const name = `${member}: ${JSON.stringify(value)}`
        idp.lies = { claims, metadata: { [member]: value } }
        await forget(setup)
        const before = (await failures(app, connection)).length
        const button = await press(setup)
        const [loggedOut, revoked] = [await logOut(setup), await revoke(setup)]
        const isNeeded = member !== 'userinfo_endpoint'
        assert.equal(button.status, isNeeded ? 503 : 303, name)
        const needsKeys = member === 'jwks_uri'
        assert.deepEqual([loggedOut.status, revoked.status], needsKeys ? [503, 503] : [200, 404], name)
        if (isNeeded) assert.equal(button.headers['retry-after'], '30', name)
        const all = await failures(app, connection)
        assert.equal(Math.min(all.length - before, 1), Number(isNeeded && before < 100), name)
        if (isNeeded) assert.match(all[0]?.detail ?? '', new RegExp(`publishes (no|a) ${member}`), name)
      }
    }
  })

  it('signs users out here, whatever its configuration says or is', async (t) => {
    const setup = await company(t, anyEngine, options)
    const { app, idp, connection } = setup
    const config = '/.well-known/openid-configuration'
    const documents: Lies[] = ['null', '[]', '5', '""', '', '<html></html>', '{}'].map((text) => ({
      handlers: {
        [config]: (_, response) => {
          response.writeHead(200, { 'content-type': 'application/json' }).end(text)
        },
      },
    }))
    const members: Lies[] = odd.map((end_session_endpoint) => ({ metadata: { end_session_endpoint } }))
    for (const [n, lie] of [...members, ...documents].entries()) {
      const name = JSON.stringify(lie.metadata ?? n)
      idp.lies = { claims }
      await forget(setup)
      const jar: Jar = new Map()
      assert.equal((await signIn(app, idp, connection, jar)).status, 303, name)
      const session = jar.get('rollbook-session')
      idp.lies = { claims, ...lie }
      await forget(setup)
      const out = await signOut(app, jar)
      assert.equal(out.status, 303, name)
      assert.equal((await me(app, new Map([['rollbook-session', session ?? '']]))).status, 401, name)
      const isMissing = lie.metadata !== undefined && lie.metadata.end_session_endpoint === undefined
      if (isMissing) continue
      const [last] = await failures(app, connection)
      assert.equal(last?.reason, 'provider_unreachable', name)
      assert.match(last.detail, lie.metadata ? /end_session_endpoint/ : /cannot be read/, name)
    }
    const failed = (await app.call('GET', '/audit?action=session.created&outcome=failure')).body
    assert.deepEqual(failed, [], 'no sign-in failed')
    idp.lies = { claims, metadata: { end_session_endpoint: `${idp.issuer}/out` } }
    await forget(setup)
    const jar: Jar = new Map()
    await signIn(app, idp, connection, jar)
    assert.match((await signOut(app, jar)).text, /\/out\?post_logout_redirect_uri=/)
  })

  it('fails at sign-ins and orders whose keys cannot be read, once for all that strangers send', async (t) => {
    const setup = await company(t, anyEngine, options)
    const { app, idp, connection } = setup
    const key = idp.publicKey
    const documents: unknown[] = [null, [], 5, '', {}, { keys: null }, { keys: 'x' }, { keys: {} }, { keys: [null] }]
    for (const value of [null, '', 5, 'javascript:alert(1)', []]) {
      for (const member of ['n', 'e', 'kty']) documents.push({ keys: [{ ...key, [member]: value }] })
    }
    for (const document of [...documents, { keys: [] }]) {
      const name = JSON.stringify(document)
      idp.lies = {
        claims,
        handlers: {
          '/jwks': (_, response) => {
            response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
          },
        },
      }
      await forget(setup)
      const back = await signIn(app, idp, connection)
      assert.ok([403, 503].includes(back.status), `${name}: ${back.status}`)
      const before = (await failures(app, connection)).length
      const statuses = [(await logOut(setup)).status, (await revoke(setup)).status]
      // A readable set without a usable key does not have the key of the token.
      const isSet = /"keys":\[(\]|\{)/.test(name)
      assert.ok(
        statuses.every((status) => status === 503 || (isSet && [400, 401].includes(status))),
        `${name}: ${statuses}`,
      )
      for (let n = 0; n < 3; n++) await logOut(setup)
      const failureCount = (await failures(app, connection)).length - before
      assert.ok(failureCount <= 2, `${name}: ${failureCount} failures`)
    }
  })

  it('is refused, not a fault of ours, with odd responses of the token endpoint and odd claims', async (t) => {
    const setup = await company(t, anyEngine, options)
    const { app, idp, connection } = setup
    assert.equal((await signIn(app, idp, connection)).status, 303)
    const answers: unknown[] = [null, [], 5, '', {}]
    for (const member of ['access_token', 'id_token', 'token_type', 'expires_in', 'scope']) {
      for (const value of [null, '', 5, [], {}])
        answers.push({ access_token: 'a', token_type: 'Bearer', [member]: value })
    }
    for (const reply of answers) {
      idp.lies = {
        handlers: {
          '/token': (_, response) => {
            response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
          },
        },
      }
      assert.equal((await signIn(app, idp, connection)).status, 403, JSON.stringify(reply))
    }
    const values = [null, '', 5, -1, 1e300, 0.5, true, [], [null], {}, 'javascript:alert(1)', '\ud800', 'a\0b']
    const members = [
      'sub',
      'aud',
      'exp',
      'iat',
      'nbf',
      'auth_time',
      'azp',
      'sid',
      'amr',
      'acr',
      'email',
      'email_verified',
    ]
    for (const member of [...members, 'given_name', '_claim_names', 'hasgroups', '__proto__']) {
      for (const value of values) {
        idp.lies = { claims: Object.fromEntries([...Object.entries(claims), [member, value]]) }
        const { status } = await signIn(app, idp, connection)
        assert.ok([303, 403, 409].includes(status), `${member}: ${JSON.stringify(value)}: ${status}`)
      }
    }
    // A moment that is still to come is not more recent than now.
    idp.lies = { claims: { ...claims, auth_time: Math.floor(Date.now() / 1000) + 86_400 } }
    const jar: Jar = new Map()
    assert.equal((await signIn(app, idp, connection, jar)).status, 303)
    const { auth_time } = (await me(app, jar)).body.session ?? {}
    assert.ok(auth_time === undefined || Date.parse(auth_time) <= Date.now())
  })
})
