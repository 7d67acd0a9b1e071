/** What the ID token lacks comes from UserInfo, and the secret goes to the provider in the way that it reads. */
import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { ada, type Body, company, companyDomains, failures, type Jar, me, signIn } from '../../../../test/company.ts'
import { anyEngine } from '../../../../test/harness.ts'
import { clientId, type IdentityProvider } from '../../../../test/identity-provider.ts'

const asJson = (status: number, body: unknown) => (_: IncomingMessage, response: ServerResponse) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const count = ({ requestedPaths: asked }: IdentityProvider) => asked.filter((path) => path === '/userinfo').length

describe('the UserInfo endpoint', () => {
  it('is read for an address or a mapped claim that the ID token lacks, and only then', async (t) => {
    const mapping = {
      role_claim: 'realm_access.roles',
      roles: { helpers: 'admin' },
      role_sync: 'sign_in',
      attribute_claims: {},
      expires_at_claim: null,
    }
    const { app, idp, connection } = await company(t, anyEngine, { body: { ...companyDomains, ...mapping } })
    const path = `/connections/${connection.connection_id}`
    assert.equal((await app.call('GET', path)).body.read_userinfo, 'auto')
    const roles = { realm_access: { roles: ['helpers'] } }
    idp.lies = { userinfo: { sub: 'subject-1', ...ada, ...roles } }
    const jar: Jar = new Map()
    assert.equal((await signIn(app, idp, connection, jar)).status, 303)
    const { email, first_name, role } = (await me(app, jar)).body
    assert.deepEqual([email, first_name, role, count(idp)], [ada.email, 'Ada', 'admin', 1])

    const cases: [string, Body, number][] = [
      ['everything is there', { ...ada, ...roles }, 0],
      ['names alone are missing', { email: ada.email, email_verified: true, ...roles }, 0],
      ['no role', { ...ada }, 1],
      ['no address', { ...roles }, 1],
      ['no word about the address', { email: ada.email, ...roles }, 1],
    ]
    for (const [name, claims, requestCount] of cases) {
      const before = count(idp)
      idp.lies.claims = claims
      assert.equal((await signIn(app, idp, connection)).status, 303, name)
      assert.equal(count(idp) - before, requestCount, name)
    }
    for (const [read_userinfo, requestCount] of [
      ['always', 1],
      ['never', 0],
    ] as const) {
      await app.call('PATCH', path, { body: { read_userinfo } })
      const before = count(idp)
      idp.lies.claims = read_userinfo === 'always' ? { ...ada, ...roles } : {}
      assert.equal((await signIn(app, idp, connection)).status, 303)
      assert.equal(count(idp) - before, requestCount, read_userinfo)
    }
    idp.lies.claims = { sub: 'someone else' }
    assert.equal((await signIn(app, idp, connection)).status, 403)
    assert.equal((await failures(app, connection))[0]?.reason, 'not_linked')
  })

  it('keeps no one out whose identity is known, and is named where a sign-in fails without it', async (t) => {
    const { app, idp, connection } = await company(t, anyEngine, { lies: { claims: ada } })
    assert.equal((await signIn(app, idp, connection)).status, 303)
    const broken: Record<string, IdentityProvider['lies']> = {
      'status 500': { handlers: { '/userinfo': asJson(500, {}) } },
      'status 401': {
        handlers: {
          '/userinfo': (_, response) => void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end(),
        },
      },
      null: { handlers: { '/userinfo': asJson(200, null) } },
      'a list': { handlers: { '/userinfo': asJson(200, []) } },
      'a text': { handlers: { '/userinfo': asJson(200, 'x') } },
      'no subject': { handlers: { '/userinfo': asJson(200, { email: ada.email }) } },
      'a subject that is null': { handlers: { '/userinfo': asJson(200, { ...ada, sub: null }) } },
      'no JSON': {
        handlers: {
          '/userinfo': (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
        },
      },
      'a hang-up': { handlers: { '/userinfo': (_, response) => void response.destroy() } },
    }
    for (const [name, lie] of Object.entries(broken)) {
      idp.lies = { ...lie, claims: {} }
      assert.equal((await signIn(app, idp, connection)).status, 303, name)
      const [known] = await failures(app, connection)
      assert.equal(known?.reason, 'claims_incomplete', name)
      assert.match(known.detail, /^The user signed in\. The UserInfo endpoint of the provider cannot be read/, name)
      idp.lies = { ...lie, claims: { sub: 'new here' } }
      assert.equal((await signIn(app, idp, connection)).status, 403, name)
      const [unknown] = await failures(app, connection)
      assert.equal(unknown?.reason, 'not_linked', name)
      assert.match(unknown.detail, /UserInfo endpoint of the provider cannot be read/, name)
    }
    idp.lies = { claims: {}, userinfo: { ...ada, sub: 'another subject' } }
    assert.equal((await signIn(app, idp, connection)).status, 403, 'another person')
    assert.equal((await failures(app, connection))[0]?.reason, 'token_invalid')
  })
})

describe('the client secret', () => {
  const secret = '6f1c2a1e-4b6d-4a58_9a.c3~d2'

  it('is sent by HTTP Basic as it is where it has no characters that RFC 6749 encodes', async (t) => {
    const { app, idp, connection } = await company(t, anyEngine, { lies: { claims: ada } })
    const path = `/connections/${connection.connection_id}`
    const sent: string[] = []
    idp.lies.token = (claims, provider) => provider.sign(claims)
    const secrets = { [secret]: secret, 'a b:c%d+ü/=': 'a+b%3Ac%25d%2B%C3%BC%2F%3D' }
    for (const [client_secret, encoded] of Object.entries(secrets)) {
      await app.call('PATCH', path, { body: { client_secret } })
      assert.equal((await signIn(app, idp, connection)).status, 303)
      sent.push(Buffer.from(idp.authorizations.at(-1)?.split(' ')[1] ?? '', 'base64').toString())
      assert.equal(sent.at(-1), `${clientId}:${encoded}`)
    }
  })

  it('is sent in the form if Basic is refused and the form is offered, or if the setting says so', async (t) => {
    const { app, idp, connection } = await company(t, anyEngine, { lies: { claims: ada } })
    const path = `/connections/${connection.connection_id}`
    const both = ['client_secret_basic', 'client_secret_post']
    const refusals = [
      asJson(401, { error: 'invalid_client' }),
      asJson(400, { error: 'invalid_client' }),
      (_: IncomingMessage, response: ServerResponse) =>
        void response.writeHead(401, { 'www-authenticate': 'Basic' }).end(),
    ]
    for (const refusal of refusals) {
      idp.lies = { claims: ada, metadata: { token_endpoint_auth_methods_supported: both }, refuseBasic: refusal }
      await app.call('PATCH', path, { body: { client_secret: secret, token_endpoint_auth_method: 'auto' } })
      idp.authorizations.length = 0
      assert.equal((await signIn(app, idp, connection)).status, 303)
      assert.equal(idp.exchanges.at(-1)?.get('client_secret'), secret)
      assert.equal((await signIn(app, idp, connection)).status, 303)
      assert.equal(idp.authorizations.length, 1, 'it is remembered')
      await app.call('PATCH', path, { body: { token_endpoint_auth_method: 'client_secret_basic' } })
      assert.equal((await signIn(app, idp, connection)).status, 403)
    }
    idp.lies = { ...idp.lies, metadata: {} }
    await app.call('PATCH', path, { body: { token_endpoint_auth_method: 'auto' } })
    assert.equal((await signIn(app, idp, connection)).status, 403, 'it is not offered')
    const [failure] = await failures(app, connection)
    assert.equal(failure?.reason, 'code_refused')
    assert.match(failure.detail, /invalid_client.*set token_endpoint_auth_method/)
    await app.call('PATCH', path, { body: { token_endpoint_auth_method: 'client_secret_post' } })
    assert.equal((await signIn(app, idp, connection)).status, 303)
    const bad = await app.call('PATCH', path, { body: { token_endpoint_auth_method: 'private_key_jwt' } })
    assert.equal(bad.status, 422)
  })
})
