import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { engines, start } from '../../../../test/harness.ts'
import {
  assertRefused,
  bearer,
  handClock,
  makeKey,
  partsOf,
  signedIn,
  tokenOf,
  withCookie,
} from '../../../../test/tokens/parts.ts'

const publicUrl = 'https://app.example.com/auth'

for (const engine of engines) {
  describe(`access tokens on ${engine.name}`, () => {
    it('say which key it is and what it may do, for 5 minutes, as defined in RFC 9068', async (t) => {
      const clock = handClock()
      const app = await start(t, engine, { clock: clock.read, env: { ROLLBOOK_PUBLIC_URL: publicUrl } })
      const { key, key_id } = await makeKey(app, ['users:read', 'keys:read'])
      const response = await app.call('POST', '/token', { key })
      assert.equal(response.status, 200)
      assert.equal(response.headers['cache-control'], 'no-store')
      const { access_token, ...rest } = response.body
      assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 300 })
      const { header, claims } = partsOf(access_token)
      const { jti, ...others } = claims
      assert.match(jti, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
      const [published] = app.tokens.jwks(clock.now).keys
      assert.deepEqual(header, { alg: 'EdDSA', typ: 'at+jwt', kid: published?.kid })
      const iat = clock.now / 1000
      assert.deepEqual(others, {
        iss: publicUrl,
        aud: 'https://app.example.com',
        sub: key_id,
        client_id: key_id,
        permissions: ['users:read', 'keys:read'],
        iat,
        exp: iat + 300,
      })
    })

    it('say for a user the role, the session and the version of the credentials', async (t) => {
      const env = { ROLLBOOK_ROLES: '{"clerk": ["users:read", "reports:read"]}' }
      const app = await start(t, engine, { env })
      const { user_id, username, session_id, cookie } = await signedIn(app, { role: 'clerk' })
      const { claims } = partsOf(await tokenOf(app, withCookie(cookie)))
      const { sub, client_id, role, sid, permissions, credentials_version } = claims
      assert.deepEqual(
        { sub, client_id, role, sid, permissions, credentials_version, username: claims.username },
        {
          sub: user_id,
          client_id: 'rollbook',
          role: 'clerk',
          sid: session_id,
          permissions: ['users:read', 'reports:read'],
          credentials_version: 0,
          username,
        },
      )
    })

    it('can be verified by anyone with the published keys, which may be cached for 5 minutes', async (t) => {
      const app = await start(t, engine)
      const response = await app.call('GET', '/.well-known/jwks.json', { key: null })
      assert.equal(response.headers['cache-control'], 'public, max-age=300')
      assert.match(response.headers['content-type'] ?? '', /^application\/jwk-set\+json/)
      assert.deepEqual(Object.keys(response.body.keys[0]).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x'])
      const token = await tokenOf(app)
      const { payload } = await jwtVerify(token, createLocalJWKSet(response.body), { typ: 'at+jwt' })
      assert.deepEqual(payload.permissions, ['*'])
      const etag = response.headers.etag as string
      const again = await app.call('GET', '/.well-known/jwks.json', { key: null, headers: { 'if-none-match': etag } })
      assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag])
    })

    it('name their issuer and its endpoints, as defined in RFC 8414', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_PUBLIC_URL: publicUrl } })
      const { body } = await app.call('GET', '/.well-known/oauth-authorization-server', { key: null })
      assert.equal(body.issuer, publicUrl)
      assert.equal(body.jwks_uri, `${publicUrl}/.well-known/jwks.json`)
      assert.deepEqual(body.response_types_supported, [])
    })

    it('do what the caller may do, or less on request, but never more', async (t) => {
      const app = await start(t, engine)
      const { key } = await makeKey(app, ['users:read', 'keys:read'])
      const may = async (token: string) => [
        (await app.call('GET', '/users?limit=1', bearer(token))).status,
        (await app.call('GET', '/keys', bearer(token))).status,
        (await app.call('POST', '/users', { ...bearer(token), body: { username: 'x' } })).status,
      ]
      assert.deepEqual(await may(await tokenOf(app, { key })), [200, 200, 403])
      assert.deepEqual(await may(await tokenOf(app, { key, body: { permissions: ['users:read'] } })), [200, 403, 403])
      for (const permissions of [['users:write'], ['users:read', '*'], ['*']]) {
        const { status, body } = await app.call('POST', '/token', { key, body: { permissions } })
        assert.deepEqual([status, body.code], [403, 'permission_not_grantable'])
      }
      const { status, body } = await app.call('POST', '/token', { body: { permissions: ['users:read', 'users:raed'] } })
      assert.deepEqual([status, body.errors[0].pointer], [422, '#/permissions/1'])
    })

    it('can have no permission at all, and still say who calls', async (t) => {
      const app = await start(t, engine)
      const token = await tokenOf(app, { body: { permissions: [] } })
      assert.deepEqual(partsOf(token).claims.permissions, [])
      const response = await app.call('GET', '/keys', bearer(token))
      assert.deepEqual([response.status, response.body.code], [403, 'permission_denied'])
      const { body } = await app.call('POST', '/introspect', { body: { token } })
      assert.deepEqual([body.active, body.permissions, body.scope], [true, [], ''])
      const { cookie, user_id } = await signedIn(app, { role: 'admin' })
      const own = await tokenOf(app, { ...withCookie(cookie), body: { permissions: [] } })
      const me = await app.call('GET', '/me', bearer(own))
      assert.deepEqual([me.status, me.body.user_id], [200, user_id])
      assert.equal((await app.call('GET', '/users?limit=1', bearer(own))).status, 403)
    })

    it('of a caller with full access can be narrowed to a few permissions', async (t) => {
      const app = await start(t, engine)
      const token = await tokenOf(app, { body: { permissions: ['keys:read'] } })
      assert.equal((await app.call('GET', '/keys', bearer(token))).status, 200)
      assert.equal((await app.call('GET', '/users', bearer(token))).status, 403)
    })

    it('cannot be exchanged for others, which would prolong them forever', async (t) => {
      const app = await start(t, engine)
      const { cookie } = await signedIn(app, { role: 'admin' })
      for (const token of [await tokenOf(app), await tokenOf(app, withCookie(cookie))]) {
        const { status, body } = await app.call('POST', '/token', bearer(token))
        assert.deepEqual([status, body.code], [403, 'token_not_exchangeable'])
      }
    })

    it('end with the key they were issued to, even if they could last longer', async (t) => {
      const clock = handClock()
      const app = await start(t, engine, { clock: clock.read })
      const expires_at = new Date(clock.now + 100_500).toISOString()
      const { key } = await makeKey(app, ['keys:read'], { expires_at })
      const response = await app.call('POST', '/token', { key })
      assert.equal(response.body.expires_in, 100)
      clock.now += 100_500
      assertRefused(await app.call('GET', '/keys', bearer(response.body.access_token)), 'after the end of the key')
      clock.now -= 1
      assertRefused(await app.call('POST', '/token', { key }), 'in the last millisecond')
    })

    it('end with the session that they were issued to, by time too', async (t) => {
      const clock = handClock()
      const app = await start(t, engine, { clock: clock.read, env: { ROLLBOOK_SESSION_SECONDS: '600' } })
      const { cookie } = await signedIn(app, { role: 'admin' })
      clock.now += 500_000
      const response = await app.call('POST', '/token', withCookie(cookie))
      assert.equal(response.body.expires_in, 100)
    })

    it('are not given to another site that makes a browser request one', async (t) => {
      const app = await start(t, engine)
      const { cookie } = await signedIn(app)
      for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, {}]) {
        const { status, body } = await app.call('POST', '/token', { key: null, headers: { cookie, ...headers } })
        assert.deepEqual([status, body.code], [403, 'cross_origin'])
      }
    })

    it('live as long as is configured, and are for the audience that is configured', async (t) => {
      const env = { ROLLBOOK_TOKEN_SECONDS: '60', ROLLBOOK_TOKEN_AUDIENCE: 'product-api' }
      const app = await start(t, engine, { env })
      const response = await app.call('POST', '/token')
      assert.equal(response.body.expires_in, 60)
      assert.equal(partsOf(response.body.access_token).claims.aud, 'product-api')
      assert.equal((await app.call('GET', '/keys', bearer(response.body.access_token))).status, 200)
    })
  })
}
