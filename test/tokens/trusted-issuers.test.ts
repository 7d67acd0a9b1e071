import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { type Engine, engines, type Started, start } from '../harness.ts'
import { serveHttp } from '../http-server.ts'
import { assertWithin } from '../time-limit.ts'
import { assertRefused, bearer, encode, partsOf } from './parts.ts'
import { type OpenProvider, openProvider } from './provider.ts'

const audience = 'https://app.example.com/auth'
const roles = { clerk: ['users:read', 'reports:read'], boss: ['keys:read'] }
const engine = { name: 'SQLite' } as const
const use = (app: Started, token: string, path = '/users?limit=1') => app.call('GET', path, bearer(token))

type Issuer = Record<string, unknown>

async function trusting(t: TestContext, issuers: Issuer[], on: Engine = engine): Promise<Started> {
  const env = {
    ROLLBOOK_PUBLIC_URL: audience,
    ROLLBOOK_RATE_LIMIT: '0',
    ROLLBOOK_ROLES: JSON.stringify(roles),
    ROLLBOOK_TRUSTED_ISSUERS: JSON.stringify(issuers),
  }
  // Looked up at each call: some of these tests turn the clock.
  return start(t, on, { env, clock: () => Date.now() })
}

const entryFor = ({ issuer, jwksUrl }: Pick<OpenProvider, 'issuer' | 'jwksUrl'>, others: Issuer = {}): Issuer => ({
  issuer,
  audience,
  jwks_url: jwksUrl,
  algorithms: ['RS256'],
  roles: { staff: 'clerk', chief: 'boss' },
  ...others,
})

/** An issuer that is no more than a key and what it publishes. */
async function bareIssuer(t: TestContext, respond?: (jwks: string) => RequestListener) {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }] })
  let requests = 0
  const listener = respond?.(jwks) ?? ((_request, response) => void response.end(jwks))
  const { origin: issuer } = await serveHttp(t, (request, response) => {
    requests++
    return listener(request, response)
  })
  const now = Math.floor(Date.now() / 1000)
  const good = { iss: issuer, aud: audience, sub: 'the-service', iat: now, exp: now + 600, roles: ['staff'] }
  return {
    entry: entryFor({ issuer, jwksUrl: `${issuer}/jwks` }, { algorithms: ['ES256'] }),
    requests: () => requests,
    sign: (claims: object = {}, header: object = {}) =>
      new SignJWT({ ...good, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'at+jwt', ...header })
        .sign(privateKey),
  }
}

for (const one of engines) {
  describe(`a token of a trusted issuer on ${one.name}`, () => {
    it('authorizes what the roles of its claims permit, and nothing else', async (t) => {
      const provider = await openProvider(t)
      const app = await trusting(t, [entryFor(provider)], one)
      const token = await provider.tokenFor('reports', audience)
      assert.equal(partsOf(token).header.typ, 'at+jwt')
      assert.equal((await use(app, token)).status, 200)
      for (const [method, path] of [
        ['GET', '/keys'],
        ['POST', '/users'],
      ] as const) {
        const response = await app.call(method, path, {
          ...bearer(token),
          body: method === 'POST' ? { username: 'x' } : undefined,
        })
        assert.deepEqual([response.status, response.body.code], [403, 'permission_denied'])
      }
      const { body } = await app.call('POST', '/introspect', { body: { token } })
      assert.deepEqual(
        [body.active, body.token_type, body.iss, body.sub, body.scope],
        [true, 'access_token', provider.issuer, `${provider.issuer}|reports`, 'users:read reports:read'],
      )
    })
  })
}

describe('a token of a trusted issuer', () => {
  it('without a role that counts here is valid, and permits nothing', async (t) => {
    const provider = await openProvider(t)
    const app = await trusting(t, [entryFor(provider)])
    const reply = await use(app, await provider.tokenFor('nightly', audience))
    assert.deepEqual([reply.status, reply.body.code], [403, 'permission_denied'])
  })

  it('has its roles where the configuration says', async (t) => {
    const provider = await openProvider(t)
    for (const [roles_claim, path] of [
      ['realm.access', '/keys'],
      ['scope_like', '/users?limit=1'],
    ] as const) {
      const app = await trusting(t, [entryFor(provider, { roles_claim })])
      assert.equal((await use(app, await provider.tokenFor('reports', audience), path)).status, 200, roles_claim)
    }
    const issuer = await bareIssuer(t)
    const app = await trusting(t, [{ ...issuer.entry, roles_claim: 'https://example.com/roles' }])
    assert.equal((await use(app, await issuer.sign({ 'https://example.com/roles': ['staff'] }))).status, 200)
    for (const claim of [undefined, null, 7, {}, { staff: true }, [['staff']], 'constructor', ['__proto__'], 'Staff']) {
      const reply = await use(app, await issuer.sign({ 'https://example.com/roles': claim }))
      assert.equal(reply.status, 403, JSON.stringify(claim))
    }
  })

  it('cannot be exchanged for one of ours, nor act as a user, nor be revoked here', async (t) => {
    const issuer = await bareIssuer(t)
    const app = await trusting(t, [issuer.entry])
    const token = await issuer.sign()
    assert.equal((await app.call('POST', '/token', bearer(token))).body.code, 'token_not_exchangeable')
    assert.equal((await app.call('GET', '/me', bearer(token))).body.code, 'user_required')
    const { status, body } = await app.call('POST', '/revoke', { ...bearer(token), body: { token } })
    assert.deepEqual([status, body.errors[0].code], [422, 'not_ours'])
  })

  it('is refused if anything about it differs from the configuration', async (t) => {
    const issuer = await bareIssuer(t)
    const other = await bareIssuer(t)
    const app = await trusting(t, [issuer.entry])
    const now = Math.floor(Date.now() / 1000)
    assert.equal((await use(app, await issuer.sign())).status, 200)
    const cases: [what: string, claims: object, header?: object][] = [
      ['another audience', { aud: 'https://other.example' }],
      ['no audience', { aud: undefined }],
      ['an issuer that nobody trusts', { iss: 'https://other.example' }],
      ['an issuer with a slash', { iss: `${issuer.entry.issuer}/` }],
      ['our own issuer', { iss: audience }],
      ['no issuer', { iss: undefined }],
      ['no subject', { sub: undefined }],
      ['a subject that is no text', { sub: 7 }],
      ['a subject with a line break', { sub: 'a\nb' }],
      ['an endless subject', { sub: 'x'.repeat(300) }],
      ['no end', { exp: undefined }],
      ['a past end', { exp: now - 10 }],
      ['a later beginning', { nbf: now + 60 }],
      ['no time of issue', { iat: undefined }],
      ['a time of issue in the future', { iat: now + 60, exp: now + 600 }],
      ['a time of issue that is no number', { iat: `${now}` }],
      ['a life of ten years', { exp: now + 10 * 365 * 86_400 }],
      ['a life of more than a day', { exp: now + 86_401 }],
      ['a life of years, of which a day is left', { iat: now - 86_400, exp: now + 600 }],
      ['the hash of an access token', { at_hash: 'x' }],
      ['a nonce', { nonce: 'x' }],
      ['an ID token', {}, { typ: 'id_token+jwt' }],
      ['a logout token', {}, { typ: 'logout+jwt' }],
      ['a type that is no text', {}, { typ: 7 }],
      ['an unknown key', {}, { kid: 'two' }],
      ['its own key', {}, { jku: 'https://other.example/jwks' }],
      ['its own key inside', {}, { jwk: { kty: 'EC' } }],
      ['certificates of its own', {}, { x5c: ['MII'] }],
    ]
    for (const [what, claims, header] of cases) assertRefused(await use(app, await issuer.sign(claims, header)), what)
    assertRefused(await use(app, await other.sign({ iss: issuer.entry.issuer })), 'the key of somebody else')
    const [head, body] = (await issuer.sign()).split('.')
    assertRefused(await use(app, `${encode('{"alg":"none"}')}.${body}.`), 'none')
    assertRefused(await use(app, `${encode('{"alg":"HS256","kid":"one"}')}.${body}.${encode('x'.repeat(32))}`), 'HS256')
    assertRefused(await use(app, `${head}.${body}.${encode('x'.repeat(64))}`), 'another signature')
  })

  it('lives for a day at most', async (t) => {
    const issuer = await bareIssuer(t)
    const app = await trusting(t, [issuer.entry])
    const now = Math.floor(Date.now() / 1000)
    for (const [iat, exp] of [
      [now - 60, now - 60 + 86_400],
      [now - 86_000, now + 400],
      [now + 2, now + 600],
    ]) {
      assert.equal((await use(app, await issuer.sign({ iat, exp }))).status, 200)
    }
    const { body } = await use(app, await issuer.sign({ exp: now + 90_000 }))
    assert.match(body.detail, /24 hours/)
  })

  it('must be marked as an access token, by its type or by a claim; no setting accepts an ID token', async (t) => {
    const issuer = await bareIssuer(t)
    const types = ['JWT', 'at+jwt', null]
    const byDefault = await trusting(t, [issuer.entry])
    const named = await trusting(t, [{ ...issuer.entry, token_types: types }])
    const both = [200, 200]
    const [never, whenNamed] = [
      [401, 401],
      [401, 200],
    ]
    const cases: [what: string, typ: string | undefined, claims: object, expected: number[]][] = [
      ['RFC 9068', 'at+jwt', {}, both],
      ['RFC 9068, spelled out', 'application/AT+JWT', {}, both],
      ['nothing but the type JWT', 'JWT', {}, whenNamed],
      ['no type', undefined, {}, whenNamed],
      ['a scope', 'JWT', { scope: 'api' }, both],
      ['a scope without a type', undefined, { scope: 'api' }, both],
      ['scp, as Entra ID and Okta write it', 'JWT', { scp: ['api'] }, both],
      ['a client_id', 'JWT', { client_id: 'x' }, both],
      ['Cognito', undefined, { token_use: 'access', client_id: 'x' }, both],
      ['Keycloak', 'JWT', { typ: 'Bearer', azp: 'x', scope: 'openid' }, both],
      ['Keycloak before 24', 'JWT', { typ: 'Bearer', azp: 'x', nonce: 'x' }, both],
      ['an ID token', 'JWT', { nonce: 'x' }, never],
      ['an ID token of the code flow', 'JWT', { at_hash: 'x' }, never],
      ['an ID token without a type', undefined, { c_hash: 'x' }, never],
      ['an ID token with a scope', 'JWT', { nonce: 'x', scope: 'openid' }, never],
      ['an ID token of Cognito', undefined, { token_use: 'id' }, never],
      ['an ID token of Keycloak', 'JWT', { typ: 'ID', azp: 'x', scope: 'openid' }, never],
      ['an ID token that looks like its type', 'at+jwt', { typ: 'ID' }, never],
      ['an ID token for the client it was issued to', 'JWT', { azp: audience }, never],
      ['the same in a list', 'JWT', { aud: [audience], azp: audience }, never],
      ['a refresh token of Keycloak', 'JWT', { typ: 'Refresh', scope: 'openid' }, never],
      ['a logout token', 'JWT', { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }, never],
      ['a type of its own', 'secevent+jwt', { scope: 'api' }, never],
    ]
    for (const [what, typ, claims, expected] of cases) {
      const token = await issuer.sign(claims, { typ })
      assert.deepEqual([(await use(byDefault, token)).status, (await use(named, token)).status], expected, what)
    }
  })

  it('cannot create an API key that lasts longer than itself', async (t) => {
    const issuer = await bareIssuer(t)
    const env = { ...issuer.entry, roles: { staff: 'admin' } }
    const app = await trusting(t, [env])
    const token = await issuer.sign()
    const create = (expires_at?: string) =>
      app.call('POST', '/keys', { ...bearer(token), body: { name: 'x', permissions: ['users:read'], expires_at } })
    for (const end of [undefined, '2099-01-01T00:00:00Z']) {
      const { status, body } = await create(end)
      assert.deepEqual([status, body.code], [403, 'key_outlives_caller'])
    }
    assert.equal((await create(new Date(Date.now() + 60_000).toISOString())).status, 201)
  })

  it('is refused if its algorithm is not configured, even if the issuer has such a key', async (t) => {
    const provider = await openProvider(t, 'ES256')
    const app = await trusting(t, [entryFor(provider)])
    assertRefused(await use(app, await provider.tokenFor('reports', audience)), 'ES256')
  })

  it('costs one request for the keys, however many arrive at once and afterwards', async (t) => {
    const issuer = await bareIssuer(t)
    const app = await trusting(t, [issuer.entry])
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, i) => issuer.sign({ jti: `${i}` })))
    for (const reply of await Promise.all(tokens.map((token) => use(app, token)))) assert.equal(reply.status, 200)
    const unknown = await Promise.all(tokens.map(() => issuer.sign({}, { kid: crypto.randomUUID() })))
    for (const token of unknown) assertRefused(await use(app, token), 'a key that nobody has')
    assert.equal(issuer.requests(), 1, 'unknown keys make it ask once in half a minute')
  })

  it('gets 503 while the keys cannot be fetched, and is judged soon after', async (t) => {
    const provider = await openProvider(t)
    const app = await trusting(t, [entryFor(provider)])
    const token = await provider.tokenFor('reports', audience)
    await provider.close()
    const reply = await use(app, token)
    assert.deepEqual([reply.status, reply.body.code], [503, 'issuer_unavailable'])
    assert.ok(Number(reply.headers['retry-after']) >= 1)
    const outage = () => {
      const lines = app.logLines().map((line) => JSON.parse(line))
      return lines
        .filter(({ system }) => system === 'trusted_issuer')
        .map(({ level, issuer, cause }) => [level, issuer, cause])
    }
    assert.deepEqual(outage(), [['warn', provider.issuer, 'ECONNREFUSED']])
    await provider.comeBack()
    assert.equal((await use(app, token)).status, 503, 'an issuer that was away is left alone for 5 seconds')
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 5000 })
    assert.equal((await use(app, token)).status, 200)
    assert.deepEqual(outage().slice(1), [['info', provider.issuer, undefined]])
  })

  it('works on while the issuer is away, as long as its keys are known, which is for an hour', async (t) => {
    let isAway = false
    const issuer = await bareIssuer(t, (jwks) => (_request, response) => {
      if (isAway) response.writeHead(503).end()
      else response.end(jwks)
    })
    const app = await trusting(t, [issuer.entry])
    const exp = Math.floor(Date.now() / 1000) + 10_000
    assert.equal((await use(app, await issuer.sign({ exp }))).status, 200)
    isAway = true
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    for (const [minutes, status, requests] of [
      [9, 200, 1],
      [20, 200, 2],
      [29, 200, 2],
      [59, 200, 3],
      [75, 503, 4],
    ] as const) {
      t.mock.timers.setTime(exp * 1000 - 10_000_000 + minutes * 60_000)
      assert.equal((await use(app, await issuer.sign({ exp }))).status, status, `after ${minutes} minutes`)
      assert.equal(issuer.requests(), requests, `after ${minutes} minutes`)
    }
    isAway = false
    t.mock.timers.tick(5000)
    assert.equal((await use(app, await issuer.sign({ exp }))).status, 200)
  })

  it('with a new key of the issuer works from the next request for keys on, and one with the old key no longer', async (t) => {
    const provider = await openProvider(t)
    const app = await trusting(t, [entryFor(provider)])
    const old = await provider.tokenFor('reports', audience)
    assert.equal((await use(app, old)).status, 200)
    await provider.rotate()
    const next = await provider.tokenFor('reports', audience)
    assertRefused(await use(app, next), 'within half a minute of the last request for keys')
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 61_000 })
    assert.equal((await use(app, next)).status, 200)
    assertRefused(await use(app, old), 'the old key')
  })

  const bad: [what: string, answer: (jwks: string) => RequestListener][] = [
    ['redirects', () => (_request, response) => response.writeHead(302, { location: 'https://other.example/' }).end()],
    ['answers an error', (jwks) => (_request, response) => response.writeHead(500).end(jwks)],
    ['answers something else than JSON', () => (_request, response) => void response.end('<html>')],
    ['answers something else than keys', () => (_request, response) => void response.end('{"keys":{}}')],
    [
      'answers half',
      (jwks) => (_request, response) =>
        void response.writeHead(200, { 'content-length': jwks.length }).end(jwks.slice(9)),
    ],
    [
      'answers without an end',
      () => (_request, response) => {
        const more = () => response.write(' '.repeat(65_536)) || response.once('drain', more)
        const timer = setInterval(more, 1)
        response.on('close', () => clearInterval(timer))
      },
    ],
    ['does not answer', () => () => {}],
  ]
  for (const [what, reply] of bad) {
    it(`cannot be judged if the issuer ${what}`, async (t) => {
      const issuer = await bareIssuer(t, reply)
      const app = await trusting(t, [issuer.entry])
      const begun = performance.now()
      const { status, body } = await use(app, await issuer.sign())
      assert.deepEqual([status, body.code], [503, 'issuer_unavailable'])
      assertWithin(6000, begun)
      assert.equal(issuer.requests(), 1)
    })
  }

  it('of one issuer does not depend on the keys of another', async (t) => {
    const [one, other] = [await bareIssuer(t), await bareIssuer(t)]
    const app = await trusting(t, [one.entry, { ...other.entry, roles: {} }])
    assert.equal((await use(app, await one.sign())).status, 200)
    assert.equal((await use(app, await other.sign())).status, 403)
    assertRefused(await use(app, await other.sign({ iss: one.entry.issuer })), 'signed by the other')
    assert.equal(one.requests(), 1)
  })
})
