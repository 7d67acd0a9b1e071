import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines, type Started, start } from '../../../../test/harness.ts'
import {
  handClock,
  makeKey,
  makePerson,
  partsOf,
  signAs,
  signedIn,
  tokenOf,
  withCookie,
} from '../../../../test/tokens/parts.ts'

const query = async (app: Started, token: string, key?: string) => {
  const response = await app.call('POST', '/introspect', { body: { token }, ...(key && { key }) })
  assert.equal(response.status, 200, response.text)
  return response.body
}
const sessionToken = (cookie: string) => cookie.replace('rollbook=', '')
const issuer = 'https://app.example.com/auth'
const env = { ROLLBOOK_ROLES: '{"clerk": ["users:read", "reports:read"]}' }

for (const engine of engines) {
  describe(`introspection on ${engine.name}`, () => {
    it('returns for a key its identity, permissions and expiry', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_PUBLIC_URL: issuer } })
      const { key, key_id } = await makeKey(app, ['users:read', 'keys:read'], { expires_at: '2099-01-01T00:00:00Z' })
      const { iat, ...rest } = await query(app, key)
      assert.ok(Math.abs(iat - Date.now() / 1000) < 60)
      const permissions = ['users:read', 'keys:read']
      const expected = {
        active: true,
        token_type: 'api_key',
        iss: issuer,
        sub: key_id,
        client_id: key_id,
        name: 'test',
      }
      const exp = Date.UTC(2099, 0, 1) / 1000
      assert.deepEqual(rest, { ...expected, permissions, scope: 'users:read keys:read', exp })
      assert.ok(
        !('exp' in (await query(app, (await makeKey(app, ['users:read'])).key))),
        'no end is said of a key without',
      )
    })

    it('returns for a session, and for an access token from it, which user it belongs to', async (t) => {
      const app = await start(t, engine, { env })
      const members = { role: 'clerk', first_name: 'Ada', last_name: 'King', email: 'ada@example.com' }
      const { cookie, user_id, username, session_id } = await signedIn(app, members)
      const token = await tokenOf(app, { ...withCookie(cookie), body: { permissions: ['reports:read'] } })
      const common = {
        active: true,
        iss: 'http://127.0.0.1:0/auth',
        sub: user_id,
        client_id: 'rollbook',
        username,
        email: 'ada@example.com',
        name: 'Ada King',
        role: 'clerk',
        sid: session_id,
        amr: ['pwd'],
        acr: 'aal1',
      }
      const { iat: begun, exp: end, auth_time, ...session } = await query(app, sessionToken(cookie))
      assert.equal(auth_time, begun)
      const all = { permissions: ['users:read', 'reports:read'], scope: 'users:read reports:read' }
      assert.deepEqual(session, { ...common, token_type: 'session', ...all })
      assert.equal(end - begun, 2_592_000)
      const { iat, exp, jti, aud, auth_time: same, ...narrow } = await query(app, token)
      assert.equal(same, auth_time)
      const less = { permissions: ['reports:read'], scope: 'reports:read' }
      assert.deepEqual(narrow, { ...common, token_type: 'access_token', ...less })
      assert.deepEqual({ iat, exp, jti, aud }, pick(partsOf(token).claims))
    })

    it('accepts a form, and unknown members, as RFC 7662 requires', async (t) => {
      const app = await start(t, engine)
      const { key } = await makeKey(app, ['users:read'])
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const body = `token_type_hint=access_token&token=${key}&more=1`
      const response = await app.call('POST', '/introspect', { headers, body })
      assert.deepEqual([response.status, response.body.active], [200, true])
      assert.equal(response.headers['cache-control'], 'no-store')
      const twice = await app.call('POST', '/introspect', { headers, body: `token=${key}&token=x` })
      assert.deepEqual([twice.status, twice.body.code], [400, 'malformed_request'])
      assert.equal((await app.call('POST', '/introspect', { headers, body: '' })).body.code, 'validation_failed')
    })

    it('returns only active: false for everything that is not valid', async (t) => {
      const clock = handClock()
      const app = await start(t, engine, { clock: clock.read, env })
      const deleted = await makeKey(app, ['users:read'])
      await app.call('DELETE', `/keys/${deleted.key_id}`)
      const short = await makeKey(app, ['users:read'], { expires_at: new Date(clock.now + 1000).toISOString() })
      const person = await signedIn(app)
      const disabled = await signedIn(app)
      await app.call('PATCH', `/users/${disabled.user_id}`, { body: { active: false } })
      const token = await tokenOf(app, withCookie(person.cookie))
      const { header, claims } = partsOf(token)
      assert.equal((await query(app, token)).active, true)
      clock.now += 306_000
      const cases = [
        ...[
          deleted.key,
          short.key,
          disabled.cookie.slice(9),
          token,
          `${token.slice(0, -4)}AAAA`,
          'x',
          'rb_',
          ' ',
          '.',
          '..',
        ],
        ...['a.b.c', person.session_id, person.user_id, person.cookie, 'x'.repeat(60_000), '\u0000', '💥'],
        await signAs(app, { ...header, alg: 'none' }, claims),
        await signAs(app, header, { ...claims, exp: claims.exp + 9000, iat: claims.iat + 300, aud: 'others' }),
      ]
      for (const one of cases) assert.deepEqual(await query(app, one), { active: false }, one.slice(0, 80))
    })

    it('reports the session of a user who must change the password as not active', async (t) => {
      const app = await start(t, engine)
      const person = await makePerson(app)
      const password = 'a temporary word of the tests'
      await app.call('POST', `/users/${person.user_id}/password`, { body: { password, must_change: true } })
      const response = await app.call('POST', '/sessions', { key: null, body: { username: person.username, password } })
      assert.equal(response.status, 201, response.text)
      const cookie = /rollbook=[^;]+/.exec(String(response.headers['set-cookie']))?.[0] ?? ''
      assert.deepEqual(await query(app, sessionToken(cookie)), { active: false })
      const refused = await app.call('POST', '/token', withCookie(cookie))
      assert.deepEqual([refused.status, refused.body.code], [403, 'password_change_required'])
    })

    it('needs the permission', async (t) => {
      const app = await start(t, engine)
      const { key } = await makeKey(app, ['users:read', 'keys:write'])
      const denied = await app.call('POST', '/introspect', { key, body: { token: key } })
      assert.deepEqual([denied.status, denied.body.code], [403, 'permission_denied'])
      assert.equal((await query(app, key, (await makeKey(app, ['tokens:introspect'])).key)).active, true)
    })

    it('counts as a use of the key or session', async (t) => {
      const clock = handClock()
      const env = { ROLLBOOK_SESSION_IDLE_SECONDS: '600' }
      const app = await start(t, engine, { clock: clock.read, env })
      const { cookie } = await signedIn(app)
      const { key, key_id } = await makeKey(app, ['users:read'])
      for (let i = 0; i < 4; i++) {
        clock.now += 500_000
        for (const token of [sessionToken(cookie), key]) assert.equal((await query(app, token)).active, true)
      }
      const keys: { key_id: string; last_used_at: string }[] = (await app.call('GET', '/keys')).body
      assert.equal(Date.parse(keys.find((one) => one.key_id === key_id)?.last_used_at ?? ''), clock.now)
      clock.now += 601_000
      assert.deepEqual(await query(app, sessionToken(cookie)), { active: false })
    })
  })
}

function pick({ iat, exp, jti, aud }: ReturnType<typeof partsOf>['claims']) {
  return { iat, exp, jti, aud }
}
