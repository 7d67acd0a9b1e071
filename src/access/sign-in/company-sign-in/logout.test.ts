/** A company signs its people out, and they sign out of it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SignJWT } from 'jose'
import {
  ada,
  type Body,
  browser,
  company,
  companyDomains,
  connect,
  get,
  type Jar,
  me,
  signIn,
} from '../../../../test/company.ts'
import { engines, onlyPostgres, type Started, start } from '../../../../test/harness.ts'
import { clientId, startIdentityProvider } from '../../../../test/identity-provider.ts'
import { assertWithin } from '../../../../test/time-limit.ts'

const event = { 'http://schemas.openid.net/event/backchannel-logout': {} }
const seconds = () => Math.floor(Date.now() / 1000)

let tokens = 0
const logoutClaims = (issuer: string, more: Body = {}) => {
  const claims = { iss: issuer, aud: clientId, iat: seconds(), jti: `logout-${++tokens}`, events: event, ...more }
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
}

const send = (app: Started, connection_id: string, logout_token: string) =>
  app.call('POST', `/connections/${connection_id}/backchannel-logout`, {
    key: null,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token }).toString(),
  })

const revoke = (app: Started, connection_id: string, token: string, sub_id: Body) =>
  app.call('POST', `/connections/${connection_id}/global-token-revocation`, {
    key: null,
    headers: { authorization: `Bearer ${token}` },
    body: { sub_id },
  })

for (const engine of engines) {
  describe(`a back-channel logout on ${engine.name}`, () => {
    it('ends the session or the account that it names, its tokens, and nothing else', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: { ...ada, sid: 'session-1' } } })
      const { connection_id } = connection
      const other = await connect(app, idp, { name: 'Other', ...companyDomains, trusted_domains: ['example.com'] })
      const [one, two, elsewhere]: Jar[] = [new Map(), new Map(), new Map()]
      await signIn(app, idp, connection, one)
      idp.lies = { claims: { ...ada, sid: 'session-2' } }
      await signIn(app, idp, connection, two)
      idp.lies = { claims: { ...ada, sid: 'session-1' } }
      assert.equal((await signIn(app, idp, other, elsewhere)).status, 303)
      const cookie = [...(one as Jar)].map(([name, value]) => `${name}=${value}`).join('; ')
      const { access_token } = (await app.call('POST', '/token', { key: null, headers: { ...browser, cookie } })).body
      const withToken = () =>
        app.call('GET', '/me', { key: null, headers: { authorization: `Bearer ${access_token}` } })
      assert.equal((await withToken()).status, 200)

      const done = await send(
        app,
        connection_id,
        await idp.signAs('logout+jwt', logoutClaims(idp.issuer, { sid: 'session-1' })),
      )
      assert.deepEqual([done.status, done.text, done.headers['cache-control']], [200, '', 'no-store'], done.text)
      const alive = async () =>
        Promise.all([one, two, elsewhere].map(async (jar) => (await me(app, jar as Jar)).status))
      assert.deepEqual(await alive(), [401, 200, 200])
      assert.equal((await withToken()).status, 401)

      const bySub = await idp.signAs('logout+jwt', logoutClaims(idp.issuer, { sub: 'subject-1' }))
      assert.equal((await send(app, connection_id, bySub)).status, 200)
      assert.deepEqual(await alive(), [401, 401, 200])
      const nobody = await idp.signAs('logout+jwt', logoutClaims(idp.issuer, { sub: 'nobody', exp: seconds() + 60 }))
      assert.equal((await send(app, connection_id, nobody)).status, 200)
      const [record] = (await app.call('GET', '/audit?action=sign_in_connection.signed_out')).body
      assert.equal(record.details.by, 'backchannel_logout')
    })

    it('is refused when anything about its token is wrong, and used once', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      const { connection_id } = connection
      const jar: Jar = new Map()
      await signIn(app, idp, connection, jar)
      const sub = 'subject-1'
      const liar = await startIdentityProvider(t)
      const claims = (more: Body) => logoutClaims(idp.issuer, { sub, ...more })
      const none = (payload: Body) => {
        const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
        return `${part({ alg: 'none', typ: 'logout+jwt' })}.${part(payload)}.`
      }
      const shared = new TextEncoder().encode('shared'.repeat(8))
      const wrong: Record<string, string> = {
        'another type': await idp.signAs('JWT', claims({})),
        'no type': await idp.sign(claims({})),
        'another issuer': await idp.signAs('logout+jwt', claims({ iss: 'https://elsewhere.example' })),
        'another audience': await idp.signAs('logout+jwt', claims({ aud: 'another' })),
        'a nonce': await idp.signAs('logout+jwt', claims({ nonce: 'n' })),
        'no events': await idp.signAs('logout+jwt', claims({ events: undefined })),
        'another event': await idp.signAs('logout+jwt', claims({ events: { 'https://example.com/other': {} } })),
        'an event that is no object': await idp.signAs('logout+jwt', claims({ events: Object.keys(event) })),
        'an old token': await idp.signAs('logout+jwt', claims({ iat: seconds() - 200 })),
        'a token of the future': await idp.signAs('logout+jwt', claims({ iat: seconds() + 600 })),
        'an expired token': await idp.signAs('logout+jwt', claims({ exp: seconds() - 100 })),
        'no jti': await idp.signAs('logout+jwt', claims({ jti: undefined })),
        'no iat': await idp.signAs('logout+jwt', claims({ iat: undefined })),
        'neither sub nor sid': await idp.signAs('logout+jwt', claims({ sub: undefined })),
        'a sub that is no text': await idp.signAs('logout+jwt', claims({ sub: 1 })),
        'the key of another provider': await liar.signAs('logout+jwt', claims({})),
        'alg none': none(claims({})),
        HS256: await new SignJWT(claims({})).setProtectedHeader({ alg: 'HS256', typ: 'logout+jwt' }).sign(shared),
        'no token': 'x',
      }
      for (const [name, token] of Object.entries(wrong)) {
        const refused = await send(app, connection_id, token)
        assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_request'], `${name}: ${refused.text}`)
        assert.equal(refused.headers['cache-control'], 'no-store')
        assert.equal((await me(app, jar)).status, 200, name)
      }
      const token = await idp.signAs('logout+jwt', claims({}))
      assert.equal((await send(app, connection_id, token)).status, 200)
      assert.equal((await me(app, jar)).status, 401)
      await signIn(app, idp, connection, jar)
      assert.equal((await send(app, connection_id, token)).status, 400, 'a replay ends no new session')
      assert.equal((await me(app, jar)).status, 200)
    })
  })

  describe(`a Global Token Revocation on ${engine.name}`, () => {
    it('ends everything of an account, named in each format, with a token for this address alone', async (t) => {
      const { app, idp, connection } = await company(t, engine, { lies: { claims: ada } })
      const { connection_id } = connection
      const endpoint = `${connection.redirect_uri.replace(/callback$/, '')}global-token-revocation`
      const claims = (more: Body = {}) => ({
        iss: idp.issuer,
        aud: endpoint,
        iat: seconds(),
        jti: `r-${++tokens}`,
        ...more,
      })
      const typ = 'global-token-revocation+jwt'
      const formats = [
        { format: 'iss_sub', iss: idp.issuer, sub: 'subject-1' },
        { format: 'email', email: 'Ada@Example.com' },
        { format: 'opaque', id: 'subject-1' },
      ]
      for (const sub_id of formats) {
        const jar: Jar = new Map()
        await signIn(app, idp, connection, jar)
        const wrong = [
          await idp.signAs(typ, claims({ aud: clientId })),
          await idp.signAs(typ, claims({ iss: 'https://elsewhere.example' })),
          await idp.signAs('logout+jwt', claims()),
          await idp.signAs(typ, claims({ iat: seconds() - 500 })),
          await (await startIdentityProvider(t)).signAs(typ, claims()),
        ]
        for (const token of wrong) {
          const refused = await revoke(app, connection_id, token, sub_id)
          assert.equal(refused.status, 401, refused.text)
          assert.match(String(refused.headers['www-authenticate']), /invalid_token/)
        }
        assert.equal((await me(app, jar)).status, 200)
        const token = await idp.signAs(typ, claims())
        assert.equal((await revoke(app, connection_id, token, { format: 'phone' })).status, 400)
        const done = await revoke(app, connection_id, token, sub_id)
        assert.deepEqual([done.status, done.text], [204, ''])
        assert.equal((await me(app, jar)).status, 401)
        assert.equal((await revoke(app, connection_id, token, sub_id)).status, 401, 'a replay')
      }
      const records = (await app.call('GET', '/audit?action=sign_in_connection.signed_out')).body as Body[]
      const by = 'global_token_revocation'
      const expected = formats.map(() => ({ by, sessions_ended: 1 }))
      assert.deepEqual(
        records.map(({ details }) => details),
        expected,
      )
      const nobody = await revoke(app, connection_id, await idp.signAs(typ, claims()), { format: 'opaque', id: 'x' })
      assert.equal(nobody.status, 404)
      const jar: Jar = new Map()
      await signIn(app, idp, connection, jar)
      for (const iss of ['https://elsewhere.example', `${idp.issuer}/`, idp.issuer.toUpperCase()]) {
        const sub_id = { format: 'iss_sub', iss, sub: 'subject-1' }
        const other = await revoke(app, connection_id, await idp.signAs(typ, claims()), sub_id)
        assert.equal(other.status, 404, 'an account of another issuer')
      }
      assert.equal((await me(app, jar)).status, 200)
    })
  })

  describe(`the API document about the calls of providers on ${engine.name}`, () => {
    it('has examples that can be sent as they are, and that say what is missing: the signature', async (t) => {
      const { app, connection } = await company(t, engine)
      const expected = [
        ['backchannel-logout', 400, 'invalid_request'],
        ['global-token-revocation', 401, 'invalid_token'],
      ] as const
      for (const [name, status, error] of expected) {
        const described = app.document.paths[`/connections/{connection_id}/${name}`]?.post
        assert.ok(described, name)
        const { content } = described.requestBody as { content: Record<string, { example: Record<string, string> }> }
        for (const [type, { example }] of Object.entries(content)) {
          const body = type === 'application/json' ? example : String(new URLSearchParams(example))
          const bearer = name === 'global-token-revocation' && { authorization: 'Bearer eyJhbGciOiJSUzI1NiJ9.e30.c2ln' }
          const sent = (id: string) =>
            app.call('POST', `/connections/${id}/${name}`, {
              key: null,
              headers: { 'content-type': type, ...bearer },
              body,
            })
          const refused = await sent(connection.connection_id)
          assert.deepEqual([refused.status, refused.body.error], [status, error], refused.text)
          const unknown = await sent('019a9f3e-0000-7000-8000-000000000000')
          assert.deepEqual([unknown.status, unknown.body.code], [404, 'connection_not_found'], unknown.text)
        }
      }
    })
  })

  describe(`signing out on ${engine.name}`, () => {
    it('continues at the provider if the connection says so, with the ID token that only this browser can open', async (t) => {
      const { app, idp, connection } = await company(t, engine, {
        lies: { claims: ada, metadata: { end_session_endpoint: 'https://id.example/logout' } },
      })
      const jar: Jar = new Map()
      const signOut = async () => {
        await signIn(app, idp, connection, jar)
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
        return app.call('POST', '/logout', {
          key: null,
          headers: { ...browser, cookie, 'content-type': 'application/x-www-form-urlencoded' },
          body: '',
        })
      }
      assert.equal((await signOut()).status, 303)
      await app.call('PATCH', `/connections/${connection.connection_id}`, { body: { sign_out_there: true } })
      const stored = await app.stored()
      const left = await signOut()
      assert.equal(left.status, 200, left.text)
      const [, href = ''] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(left.text) ?? []
      const url = new URL(href.replaceAll('&amp;', '&'))
      assert.deepEqual([url.origin, url.pathname], ['https://id.example', '/logout'])
      const hint = url.searchParams.get('id_token_hint') ?? ''
      assert.match(hint, /^ey[\w-]+\.ey/)
      assert.equal(stored.includes(hint), false)
      assert.equal(url.searchParams.get('client_id'), clientId)
      assert.match(url.searchParams.get('post_logout_redirect_uri') ?? '', /\/auth\/logout$/)
      assert.equal((await get(app, '/me', jar)).status, 401)
    })
  })
}

for (const engine of onlyPostgres) {
  describe(`two nodes on ${engine.name}`, () => {
    it('end a session within a second, whichever hears of it', async (t) => {
      const idp = await startIdentityProvider(t)
      idp.lies = { claims: ada }
      const env = {
        ROLLBOOK_IDP_ALLOWED_NETWORKS: '127.0.0.1',
        ROLLBOOK_RATE_LIMIT: '0',
        ROLLBOOK_PUBLIC_URL: 'http://localhost:8080/auth',
      }
      const first = await start(t, engine, { env })
      const second = await start(t, engine, { env, beside: first })
      const connection = await connect(first, idp, companyDomains)
      const jar: Jar = new Map()
      await signIn(first, idp, connection, jar)
      assert.equal((await me(second, jar)).status, 200)
      const token = await idp.signAs('logout+jwt', logoutClaims(idp.issuer, { sub: 'subject-1' }))
      assert.equal((await send(first, connection.connection_id, token)).status, 200)
      const since = performance.now()
      while ((await me(second, jar)).status === 200) assertWithin(1000, since, 'The logout')
      assert.equal((await send(second, connection.connection_id, token)).status, 400, 'a replay on the other node')
    })
  })
}
