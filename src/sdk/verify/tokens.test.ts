import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import { exportJWK, exportSPKI } from 'jose'
import { makeSigningKey, publicJwk, startIssuer, type TestIssuer, userClaims } from '../../../test/verify/issuer.ts'
import { createVerifier, type Verifier, type VerifierOptions, VerifyError } from './index.ts'

type Setup = { issuer: TestIssuer; verifier: Verifier }

async function start(t: TestContext, options: Partial<VerifierOptions> = {}): Promise<Setup> {
  const issuer = await startIssuer(t)
  return { issuer, verifier: createVerifier({ issuer: issuer.url, whenCut: 'open', ...options }) }
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` }, method: 'GET' })

async function refusalOf(work: Promise<unknown>): Promise<VerifyError> {
  const error = await work.then(
    () => assert.fail('it was accepted'),
    (error) => error,
  )
  assert.ok(error instanceof VerifyError, error)
  return error
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('an access token', () => {
  it('identifies the caller and their permissions', async (t) => {
    const { issuer, verifier } = await start(t)
    const caller = await verifier.verify(bearer(await issuer.token()))
    const { kind, id, user_id, username, role, permissions, claims } = caller
    assert.deepEqual(
      { kind, id, user_id, username, role, permissions },
      {
        kind: 'user',
        id: 'user-1',
        user_id: 'user-1',
        username: 'ada',
        role: 'analyst',
        permissions: ['reports:read'],
      },
    )
    assert.equal(claims.sid, 'session-1')
    assert.equal(caller.has('reports:read'), true)
    assert.equal(caller.has('reports:write'), false)
  })

  it('of an API key is a program, not a user', async (t) => {
    const { issuer, verifier } = await start(t)
    const token = await issuer.token({ sub: 'key-9', client_id: 'key-9', sid: undefined, permissions: ['*'] })
    const caller = await verifier.verify(bearer(token), { permission: 'anything:at-all' })
    assert.equal(caller.kind, 'api_key')
    assert.equal(caller.id, 'key-9')
    assert.equal(caller.user_id, undefined)
  })

  it('of a personal key is its owner, but no user who has signed in', async (t) => {
    const { issuer, verifier } = await start(t)
    const token = await issuer.token({ client_id: 'key-9', sid: undefined })
    const caller = await verifier.verify(bearer(token))
    assert.deepEqual([caller.kind, caller.id, caller.user_id, caller.key_id], ['user', 'user-1', 'user-1', 'key-9'])
    await assert.rejects(verifier.verify(bearer(token), { max_age: 600 }), { code: 'permission_denied' })
  })

  it('creates a separate caller for each request, so that a handler cannot promote the next one', async (t) => {
    const { issuer, verifier } = await start(t)
    const token = await issuer.token({ nested: { list: ['a'] } })
    // The second use is cached.
    for (const _time of [1, 2]) await verifier.verify(bearer(token))
    const caller = await verifier.verify(bearer(token))
    assert.throws(() => (caller.permissions as string[]).push('*'), TypeError)
    Object.assign(caller, { role: 'admin', permissions: ['*'] })
    ;(caller.claims.nested as { list: string[] }).list.push('b')
    const next = await verifier.verify(bearer(token))
    assert.deepEqual([next.role, next.permissions, next.claims.nested], ['analyst', ['reports:read'], { list: ['a'] }])
    assert.equal(caller.has('*'), false)
  })

  it('without the permission or role of a route is refused, with its name', async (t) => {
    const { issuer, verifier } = await start(t)
    const request = bearer(await issuer.token())
    await verifier.verify(request, { permission: 'reports:read', role: 'analyst' })
    const refusal = await refusalOf(verifier.verify(request, { permission: 'reports:write' }))
    assert.deepEqual([refusal.status, refusal.code], [403, 'permission_denied'])
    assert.equal(
      refusal.headers['www-authenticate'],
      'Bearer realm="rollbook", error="insufficient_scope", scope="reports:write"',
    )
    assert.equal((await refusalOf(verifier.verify(request, { role: 'admin' }))).code, 'permission_denied')
  })

  it('is refused, with what to get, if its user was not authenticated as a route asks', async (t) => {
    const issuedAt = Math.floor(Date.now() / 1000) * 1000
    let now = issuedAt
    const { issuer, verifier } = await start(t, { clock: () => now })
    const withClaims = async (claims: object) => bearer(await issuer.token({ ...claims }))
    const weak = await withClaims({ auth_time: now / 1000 - 400, amr: ['pwd'], acr: 'aal1' })
    const strong = await withClaims({ auth_time: now / 1000 - 400, amr: ['pwd', 'otp', 'mfa'], acr: 'aal2' })
    const silent = await withClaims({})
    const needs = { max_age: 600, acr: 'aal2' } as const
    await verifier.verify(strong, needs)
    await verifier.verify(strong, { ...needs, permission: 'reports:read' })
    await verifier.verify(weak, { max_age: 600, acr: 'aal1' })
    for (const [request, wanted] of [
      [weak, needs],
      [silent, needs],
      [silent, { max_age: 600 }],
      [silent, { acr: 'aal1' }],
      [strong, { max_age: 399 }],
    ] as const) {
      const { status, code } = await refusalOf(verifier.verify(request, wanted))
      assert.deepEqual([status, code], [401, 'insufficient_user_authentication'])
    }
    // RFC 9470 §3.
    const refusal = await refusalOf(verifier.verify(weak, needs))
    assert.equal(
      refusal.headers['www-authenticate'],
      'Bearer realm="rollbook", error="insufficient_user_authentication", acr_values="aal2", max_age="600"',
    )
    now += 200_000
    await verifier.verify(strong, needs)
    now += 1000
    assert.equal((await refusalOf(verifier.verify(strong, needs))).code, 'insufficient_user_authentication')
    const key = await withClaims({ sub: 'key-9', client_id: 'key-9', sid: undefined })
    assert.equal((await refusalOf(verifier.verify(key, { max_age: 600 }))).code, 'permission_denied')
  })

  it('of no route is checked against a misspelt need', async (t) => {
    const { issuer, verifier } = await start(t)
    const request = bearer(await issuer.token())
    for (const needs of [
      { max_age: 0 },
      { max_age: '600' },
      { max_age: undefined },
      { acr: 'mfa' },
      { acr: undefined },
      { maxAge: 600 },
    ]) {
      await assert.rejects(verifier.verify(request, needs as never), TypeError)
    }
  })

  it('is refused after it expires, even if it was accepted before', async (t) => {
    let now = Date.now()
    const { issuer, verifier } = await start(t, { clock: () => now })
    const request = bearer(await issuer.token())
    await verifier.verify(request)
    now += 299_000
    await verifier.verify(request)
    now += 1000
    assert.equal((await refusalOf(verifier.verify(request))).message, 'The token has expired.')
    assert.equal((await refusalOf(verifier.verify(request))).message, 'The token has expired.')
  })
})

/** Each creates a token that must be refused, with what an attacker can know. */
const forgeries: Record<string, (issuer: TestIssuer) => Promise<string> | string> = {
  'alg none': (issuer) => `${part({ alg: 'none', typ: 'at+jwt', kid: 'key-1' })}.${part(claimsOf(issuer))}.`,
  'alg None, with the signature of another token': async (issuer) => {
    const [, , signature] = (await issuer.token()).split('.')
    return `${part({ alg: 'None', typ: 'at+jwt', kid: 'key-1' })}.${part(claimsOf(issuer))}.${signature}`
  },
  'HS256 with the public key as PEM for the secret': async (issuer) =>
    hmac(issuer, await exportSPKI(issuer.key.publicKey)),
  'HS256 with the public key as JWK for the secret': async (issuer) =>
    hmac(issuer, JSON.stringify(await publicJwk(issuer.key))),
  'HS256 with the bytes of the public key for the secret': async (issuer) => {
    const { x } = await exportJWK(issuer.key.publicKey)
    return hmac(issuer, Buffer.from(x as string, 'base64url'))
  },
  'a key of their own under our name': async (issuer) => issuer.token({}, {}, await makeSigningKey('key-1')),
  'a key of their own, given as jwk': async (issuer) => {
    const key = await makeSigningKey('key-1')
    return issuer.token({}, { jwk: await exportJWK(key.publicKey) }, key)
  },
  'our key, and a jwk beside it': async (issuer) => issuer.token({}, { jwk: await exportJWK(issuer.key.publicKey) }),
  'jku to keys of their own': (issuer) => issuer.token({}, { jku: `${issuer.url}/evil.json` }),
  'x5u to a certificate of their own': (issuer) => issuer.token({}, { x5u: `${issuer.url}/evil.pem` }),
  'an unknown kid': (issuer) => issuer.token({}, { kid: 'key-2' }),
  'a kid that is a property of every object': (issuer) => issuer.token({}, { kid: '__proto__' }),
  'no kid': (issuer) => issuer.token({}, { kid: undefined as unknown as string }),
  'another issuer': (issuer) => issuer.token({ iss: 'https://evil.example.net/auth' }),
  'the issuer with a slash more': (issuer) => issuer.token({ iss: `${issuer.url}/` }),
  'no issuer': (issuer) => issuer.token({ iss: undefined }),
  'another audience': (issuer) => issuer.token({ aud: 'https://another-product.example.com' }),
  'no audience': (issuer) => issuer.token({ aud: undefined }),
  'another type: an ID token': (issuer) => issuer.token({}, { typ: 'JWT' }),
  'no type': (issuer) => issuer.token({}, { typ: undefined as unknown as string }),
  expired: (issuer) => issuer.token({ iat: seconds(-400), exp: seconds(-100) }),
  'without an end': (issuer) => issuer.token({ exp: undefined }),
  'an end that is no number': (issuer) => issuer.token({ exp: '9999999999' }),
  'not valid yet': (issuer) => issuer.token({ nbf: seconds(100) }),
  'with the life of a day': (issuer) => issuer.token({ exp: seconds(86_400) }),
  'without an id of its own': (issuer) => issuer.token({ jti: undefined }),
  'without permissions': (issuer) => issuer.token({ permissions: undefined }),
  'permissions that are a text': (issuer) => issuer.token({ permissions: '*' }),
  'a client that is neither Rollbook nor the key itself': (issuer) => issuer.token({ client_id: 'another' }),
  'such a client, without a user': (issuer) =>
    issuer.token({ client_id: 'another', sid: undefined, username: undefined }),
  'five parts, as an encrypted one': (issuer) =>
    `${part({ alg: 'dir', enc: 'A256GCM' })}..a.${part(claimsOf(issuer))}.b`,
  'parts that are no JSON': () => 'a.b.c',
  'a critical header that nobody knows': (issuer) => critical(issuer),
}

const seconds = (later: number) => Math.floor(Date.now() / 1000) + later
const claimsOf = (issuer: TestIssuer) => ({ ...userClaims(issuer.url), iat: seconds(0), exp: seconds(300), jti: 'j' })

function hmac(issuer: TestIssuer, secret: string | Buffer): string {
  const input = `${part({ alg: 'HS256', typ: 'at+jwt', kid: 'key-1' })}.${part(claimsOf(issuer))}`
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}

async function critical(issuer: TestIssuer): Promise<string> {
  const header = part({ alg: 'EdDSA', typ: 'at+jwt', kid: 'key-1', crit: ['exp'], exp: 1 })
  const input = `${header}.${part(claimsOf(issuer))}`
  const signature = await crypto.subtle.sign('Ed25519', issuer.key.privateKey, Buffer.from(input))
  return `${input}.${Buffer.from(signature).toString('base64url')}`
}

describe('a forged token', () => {
  for (const [name, forge] of Object.entries(forgeries)) {
    it(`is refused: ${name}`, async (t) => {
      const { issuer, verifier } = await start(t)
      const request = bearer(await forge(issuer))
      for (const _again of [1, 2]) {
        const refusal = await refusalOf(verifier.verify(request))
        assert.deepEqual([refusal.status, refusal.code], [401, 'credential_invalid'])
        assert.equal(refusal.headers['www-authenticate'], 'Bearer realm="rollbook", error="invalid_token"')
      }
      assert.equal(issuer.requestCount('/evil.json') + issuer.requestCount('/evil.pem'), 0)
      await verifier.verify(bearer(await issuer.token()))
    })
  }

  it('is refused with any single bit flipped, even after the real token was accepted', async (t) => {
    const { issuer, verifier } = await start(t)
    const token = await issuer.token()
    for (const _time of [1, 2, 3]) await verifier.verify(bearer(token))
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    let flipped = 0
    for (let i = 0; i < token.length; i++) {
      const value = alphabet.indexOf(token[i] as string)
      if (value === -1) continue
      const other = alphabet[value ^ (1 << (i % 6))]
      await refusalOf(verifier.verify(bearer(token.slice(0, i) + other + token.slice(i + 1))))
      flipped += 1
    }
    assert.equal(flipped, token.length - 2)
  })
})

describe('a refusal', () => {
  it("is a problem document with Rollbook's codes and titles, ready to send", async (t) => {
    const { issuer, verifier } = await start(t)
    const response = (await refusalOf(verifier.verify({ headers: {}, method: 'GET' }))).toResponse()
    assert.equal(response.status, 401)
    assert.equal(response.headers.get('content-type'), 'application/problem+json; charset=utf-8')
    assert.equal(response.headers.get('www-authenticate'), 'Bearer realm="rollbook"')
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.deepEqual(await response.json(), {
      type: `${issuer.url}/docs/problems#credential_missing`,
      title: 'A credential is required',
      status: 401,
      detail:
        'The request has no credential. Send an access token or an API key as `Authorization: Bearer …`, or sign in.',
      code: 'credential_missing',
    })
  })
})

describe('a verifier without a key', () => {
  it('requires whenCut: open, because revoked tokens stay valid until they expire', () => {
    const issuer = 'https://orchard.example.com/auth'
    assert.throws(() => createVerifier({ issuer }), /whenCut: 'open'/)
    assert.throws(() => createVerifier({ issuer, key: undefined, whenCut: 'closed' }), /whenCut: 'open'/)
    assert.throws(() => createVerifier({ issuer, key: '' }), /empty/)
    assert.equal(createVerifier({ issuer, whenCut: 'open' }).current(), false)
  })

  it('accepts only tokens, and requests nothing but the signing keys', async (t) => {
    const { issuer, verifier } = await start(t)
    await verifier.verify(bearer(await issuer.token()))
    for (const headers of [{ 'x-api-key': 'rb_1' }, { cookie: 'rollbook=s1' }] as Record<string, string>[]) {
      assert.equal((await refusalOf(verifier.verify({ headers, method: 'GET' }))).code, 'credential_invalid')
    }
    assert.deepEqual(
      issuer.requests.map(({ line }) => line),
      ['GET /.well-known/jwks.json'],
    )
  })
})

describe('the URL of Rollbook', () => {
  it('may differ from the issuer in tokens', async (t) => {
    const name = 'https://orchard.example.com/auth'
    const { issuer, verifier } = await start(t)
    const inside = createVerifier({ issuer: name, url: issuer.url, whenCut: 'open' })
    const token = await issuer.token({ iss: name, aud: 'https://orchard.example.com' })
    assert.equal((await inside.verify(bearer(token))).id, 'user-1')
    assert.equal((await refusalOf(inside.verify(bearer(await issuer.token())))).code, 'credential_invalid')
    assert.equal((await refusalOf(verifier.verify(bearer(token)))).code, 'credential_invalid')
  })

  it('uses https, loopback, or a network that the operator trusts', () => {
    const make =
      (issuer: string, more: Partial<VerifierOptions> = {}) =>
      () =>
        createVerifier({ issuer, whenCut: 'open', ...more })
    const [internal, publicUrl] = ['http://rollbook:8080/auth', 'https://orchard.example.com/auth']
    for (const url of ['http://localhost:1/auth', 'http://127.0.0.1:1', 'http://[::1]:1/auth', publicUrl]) make(url)()
    for (const url of [
      internal,
      'http://127.0.0.1.evil.net',
      'ftp://localhost',
      'http://localhost.evil.net',
      'nonsense',
    ]) {
      assert.throws(make(url), TypeError, url)
    }
    assert.throws(make(publicUrl, { url: internal }), TypeError)
    make(publicUrl, { url: internal, allowHttp: true })()
    for (const url of ['https://u:p@example.com/auth', 'https://example.com/auth?x', 'https://example.com/#x']) {
      assert.throws(make(url), TypeError, url)
    }
  })
})
