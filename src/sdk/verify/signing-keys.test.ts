// Takes long for its size.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { exportJWK } from 'jose'
import { makeSigningKey, publicJwk, startIssuer, type TestIssuer } from '../../../test/verify/issuer.ts'
import { passTime } from '../../../test/verify/verifying.ts'
import { createVerifier, type VerifyError } from './index.ts'

async function start(t: TestContext) {
  const issuer = await startIssuer(t)
  const troubles: Error[] = []
  const verifier = createVerifier({ issuer: issuer.url, whenCut: 'open', onTrouble: (error) => troubles.push(error) })
  const statusOf = async (token: string) =>
    verifier.verify({ headers: { authorization: `Bearer ${token}` }, method: 'GET' }).then(
      () => 200,
      (error: VerifyError) => error.status,
    )
  return { issuer, troubles, statusOf }
}

const jwksAsked = (issuer: TestIssuer) => issuer.requestCount('/.well-known/jwks.json')

describe('signing keys', () => {
  it('are fetched once for many tokens at the same time', async (t) => {
    const { issuer, statusOf } = await start(t)
    const tokens = await Promise.all(Array.from({ length: 20 }, () => issuer.token()))
    assert.deepEqual(new Set(await Promise.all(tokens.map(statusOf))), new Set([200]))
    assert.equal(jwksAsked(issuer), 1)
  })

  it('are not fetched repeatedly for made-up key ids', async (t) => {
    const { issuer, statusOf } = await start(t)
    for (let i = 0; i < 50; i++) assert.equal(await statusOf(await issuer.token({}, { kid: `made-up-${i}` })), 401)
    assert.equal(jwksAsked(issuer), 1)
  })

  it('that are new are found without a restart', async (t) => {
    const { issuer, statusOf } = await start(t)
    assert.equal(await statusOf(await issuer.token()), 200)
    const next = await makeSigningKey('key-2')
    issuer.keySet = { keys: [await publicJwk(next)] }
    const token = await issuer.token({}, {}, next)
    passTime(t, 5000)
    assert.equal(await statusOf(token), 200)
    assert.equal(await statusOf(await issuer.token()), 401, 'a key that is not published any more')
  })

  it('that are no longer published end cached tokens too', async (t) => {
    const { issuer, statusOf } = await start(t)
    const before = await issuer.token()
    for (const _time of [1, 2, 3]) assert.equal(await statusOf(before), 200)
    const next = await makeSigningKey('key-2')
    issuer.keySet = { keys: [await publicJwk(next)] }
    const after = await issuer.token({}, {}, next)
    passTime(t, 5000)
    assert.equal(await statusOf(after), 200)
    assert.equal(await statusOf(before), 401)
  })

  it('that cannot be fetched lead to 503, and are soon fetched again', async (t) => {
    const { issuer, troubles, statusOf } = await start(t)
    const real = issuer.keySet
    issuer.keySet = (response) => response.writeHead(500).end()
    const token = await issuer.token()
    assert.equal(await statusOf(token), 503)
    assert.equal(await statusOf(token), 503)
    assert.equal(jwksAsked(issuer), 1, 'a server in trouble is not asked by each request')
    assert.match(String(troubles[0]), /signing keys/)
    issuer.keySet = real
    passTime(t, 1050)
    assert.equal(await statusOf(token), 200)
  })

  const unusable: Record<string, (issuer: TestIssuer) => Promise<TestIssuer['keySet']>> = {
    'a redirect to somebody else': async () => (response) =>
      response.writeHead(302, { location: '/auth/other.json' }).end(),
    'an answer without an end': async ({ key }) => {
      const bodyStart = JSON.stringify({ keys: [await publicJwk(key)] }).slice(0, -1)
      return (response) => {
        response.write(bodyStart)
        const timer = setInterval(() => response.write(' '.repeat(16_384)), 1)
        response.on('close', () => clearInterval(timer))
      }
    },
    'more keys than anybody has': async ({ key }) => ({ keys: Array(33).fill(await publicJwk(key)) }),
    'no key set': async () => (response) => response.end('[]'),
    'no JSON': async () => (response) => response.end('<html>'),
  }
  for (const [name, make] of Object.entries(unusable)) {
    it(`are not taken from ${name}`, async (t) => {
      const { issuer, statusOf } = await start(t)
      const [token, keySet] = [await issuer.token(), await make(issuer)]
      issuer.keySet = keySet
      assert.equal(await statusOf(token), 503)
      assert.equal(issuer.requestCount('/other.json'), 0)
    })
  }

  it('may be of two kinds at once, each for tokens that name its algorithm', async (t) => {
    const { issuer, statusOf } = await start(t)
    const other = await makeSigningKey('key-2', 'ES256')
    issuer.keySet = { keys: [await publicJwk(issuer.key), await publicJwk(other)] }
    assert.equal(await statusOf(await issuer.token({}, { alg: 'ES256' }, other)), 200)
    assert.equal(await statusOf(await issuer.token()), 200)
    const [head, body, signature] = (await issuer.token({}, { alg: 'ES256' }, other)).split('.')
    const header = JSON.parse(Buffer.from(head as string, 'base64url').toString())
    for (const change of [{ alg: 'EdDSA' }, { kid: 'key-1' }, { alg: 'HS256' }, { alg: 'none' }]) {
      const forged = Buffer.from(JSON.stringify({ ...header, ...change })).toString('base64url')
      assert.equal(await statusOf(`${forged}.${body}.${signature}`), 401, JSON.stringify(change))
    }
  })

  it('are Ed25519 keys; other kinds under the same name are ignored', async (t) => {
    const { issuer, statusOf } = await start(t)
    const [jwk, privateJwk] = [await publicJwk(issuer.key), await exportJWK(issuer.key.privateKey)]
    for (const change of [
      { use: 'enc' },
      { alg: 'ES256' },
      { kty: 'oct', k: 'c2VjcmV0' },
      { kid: 7 },
      { d: privateJwk.d },
    ]) {
      const { issuer: other, statusOf: statusOfOther } = await start(t)
      other.keySet = { keys: [{ ...jwk, ...change }] }
      assert.equal(await statusOfOther(await other.token({}, {}, issuer.key)), 401, JSON.stringify(Object.keys(change)))
    }
    assert.equal(await statusOf(await issuer.token()), 200)
  })
})
