// Takes long for its size.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeSigningKey, publicJwk, startIssuer, testKey, userClaims } from '../../../test/verify/issuer.ts'
import { startVerifying, until } from '../../../test/verify/verifying.ts'
import { createVerifier } from './index.ts'

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const revocations = [
  { kind: 'session', id: 'session-1' },
  { kind: 'token', id: 'jti-1' },
  { kind: 'signing_key', id: 'key-1' },
  { kind: 'user', id: 'user-1', credentials_version: 4 },
]

describe('an accepted token', () => {
  for (const revocation of revocations) {
    it(`is refused within a second when the feed names its ${revocation.kind}`, async (t) => {
      const { issuer, outcomeOf } = await startVerifying(t)
      const request = bearer(await issuer.token({ jti: 'jti-1' }))
      assert.equal(await outcomeOf(request), '200')
      issuer.revoke({ ...revocation, id: 'another' })
      issuer.revoke(revocation)
      await until(async () => (await outcomeOf(request)) === '401 credential_invalid', 1000)
    })
  }

  it('is refused if it was revoked before this verifier started', async (t) => {
    const issuer = await startIssuer(t)
    issuer.revoke({ kind: 'session', id: 'session-1' })
    const verifier = createVerifier({ issuer: issuer.url, key: testKey })
    t.after(() => verifier.close())
    await until(() => verifier.current())
    const headers = bearer(await issuer.token())
    await assert.rejects(verifier.verify({ headers, method: 'GET' }), { code: 'credential_invalid' })
  })

  it('is not introspected while the feed is current', async (t) => {
    const { issuer, outcomeOf } = await startVerifying(t)
    assert.equal(await outcomeOf(bearer(await issuer.token())), '200')
    assert.equal(issuer.requestCount('/introspect'), 0)
  })
})

describe('when a signing key was revoked', () => {
  it('tokens of the next key are accepted within a second, even if a node does not know it yet', async (t) => {
    const { issuer, outcomeOf } = await startVerifying(t)
    const before = bearer(await issuer.token())
    assert.equal(await outcomeOf(before), '200')
    const next = await makeSigningKey('key-2')
    issuer.revoke({ kind: 'signing_key', id: 'key-1' })
    await until(async () => (await outcomeOf(before)) === '401 credential_invalid')
    const after = bearer(await issuer.token({}, {}, next))
    assert.equal(await outcomeOf(after), '401 credential_invalid', 'so says the node that is behind')
    issuer.keySet = { keys: [await publicJwk(next)] }
    await until(async () => (await outcomeOf(after)) === '200', 1000)
    const [requestCount, begun] = [issuer.requestCount('/.well-known/jwks.json'), performance.now()]
    for (let i = 0; i < 50; i++) await outcomeOf(bearer(await issuer.token({}, { kid: `made-up-${i}` }, next)))
    const [more, most] = [
      issuer.requestCount('/.well-known/jwks.json') - requestCount,
      1 + (performance.now() - begun) / 250,
    ]
    assert.ok(more <= most, `made-up names are no reason to hurry: fetched ${more} times more`)
  })
})

describe('when the feed is disconnected', () => {
  it('a closed verifier asks Rollbook about each token, and responds with 503 if it cannot', async (t) => {
    const { issuer, verifier, troubles, outcomeOf } = await startVerifying(t)
    const token = await issuer.token()
    assert.equal(await outcomeOf(bearer(token)), '200')
    issuer.isCurrent = false
    await until(() => !verifier.current(), 1050)
    assert.equal(await outcomeOf(bearer(token)), '401 credential_invalid', 'Rollbook does not know it')
    issuer.known.set(token, { active: true, token_type: 'access_token', ...userClaims(issuer.url) })
    assert.equal(await outcomeOf(bearer(token)), '200')
    assert.equal(await outcomeOf(bearer(await issuer.token({ aud: 'another' }))), '401 credential_invalid')
    assert.equal(issuer.requestCount('/introspect'), 2, 'what is forged is refused without asking')
    issuer.broken = true
    assert.equal(await outcomeOf(bearer(token)), '503 verification_unavailable')
    assert.match(String(troubles.at(-1)), /does not respond/)
  })

  it('a token that the feed revokes during an introspection is refused, whatever the answer', async (t) => {
    const { issuer, verifier, outcomeOf } = await startVerifying(t)
    const token = await issuer.token()
    issuer.known.set(token, { active: true, token_type: 'access_token', ...userClaims(issuer.url) })
    issuer.isCurrent = false
    await until(() => !verifier.current())
    const { promise, resolve: response } = Promise.withResolvers<void>()
    issuer.delay = promise
    const outcome = outcomeOf(bearer(token))
    await until(() => issuer.requestCount('/introspect') === 1)
    issuer.revoke({ kind: 'session', id: 'session-1' })
    // What follows the revocation on the feed has arrived, so the revocation has.
    issuer.isCurrent = true
    await until(() => verifier.current())
    response()
    assert.equal(await outcome, '401 credential_invalid')
  })

  it('an open verifier accepts tokens until they expire, but never one it knows to be revoked', async (t) => {
    let now = Date.now()
    const { issuer, verifier, outcomeOf } = await startVerifying(t, { whenCut: 'open', clock: () => now })
    const [deleted, here] = [await issuer.token({ sid: 'gone' }), await issuer.token()]
    issuer.revoke({ kind: 'session', id: 'gone' })
    await until(async () => (await outcomeOf(bearer(deleted))) !== '200')
    issuer.broken = true
    issuer.cutFeed()
    await until(() => !verifier.current())
    assert.equal(await outcomeOf(bearer(here)), '200')
    assert.equal(await outcomeOf(bearer(deleted)), '401 credential_invalid')
    assert.equal(issuer.requestCount('/introspect'), 0)
    now += 301_000
    assert.equal(await outcomeOf(bearer(here)), '401 credential_invalid')
  })

  it('it is resumed where it stopped, and missed revocations are delivered', async (t) => {
    const { issuer, verifier, troubles, outcomeOf, hasHeard } = await startVerifying(t)
    await hasHeard()
    issuer.broken = true
    issuer.cutFeed()
    const cut = performance.now()
    await until(() => !verifier.current())
    issuer.revoke({ kind: 'session', id: 'session-1' })
    await until(() => issuer.requestCount('/revocations') >= 4)
    // Pauses of at least 50, 100 and 200 ms.
    assert.ok(performance.now() - cut > 340, 'not without pause')
    issuer.broken = false
    await until(() => verifier.current(), 2000)
    assert.equal(await outcomeOf(bearer(await issuer.token())), '401 credential_invalid')
    const followed = issuer.requests.filter(({ line }) => line === 'GET /revocations')
    assert.equal(followed.at(-1)?.headers['last-event-id'], '1')
    assert.equal(troubles.length, 1, 'told once for one cut')
  })

  it('a silent network makes the verifier reconnect', async (t) => {
    const { issuer, verifier } = await startVerifying(t)
    issuer.isCurrent = false
    await until(() => !verifier.current())
    await until(() => issuer.requestCount('/revocations') >= 2, 5000)
    issuer.isCurrent = true
    await until(() => verifier.current())
  })

  for (const after of ['nothing', 'something'])
    it(`and restarts, as after a restore, everything cached is doubtful: ${after} was revoked since`, async (t) => {
      const { issuer, verifier, outcomeOf, hasHeard } = await startVerifying(t, { cacheSeconds: 300 })
      issuer.known.set('rb_1', { active: true, token_type: 'api_key', sub: 'k', client_id: 'k', permissions: [] })
      for (const id of ['a', 'b', 'c']) issuer.revoke({ kind: 'session', id })
      await hasHeard()
      assert.equal(await outcomeOf({ 'x-api-key': 'rb_1' }), '200')
      issuer.known.clear()
      issuer.restart()
      if (after === 'something') issuer.revoke({ kind: 'session', id: 'd' })
      await until(() => !verifier.current())
      await until(() => verifier.current())
      assert.equal(await outcomeOf({ 'x-api-key': 'rb_1' }), '401 credential_invalid')
      issuer.revoke({ kind: 'session', id: 'session-1' })
      const request = bearer(await issuer.token())
      await until(async () => (await outcomeOf(request)) === '401 credential_invalid', 1000)
    })
})

describe('a closed verifier', () => {
  it('disconnects from the feed and does not reconnect', async (t) => {
    const { issuer, verifier, troubles } = await startVerifying(t)
    verifier.close()
    await until(() => !verifier.current())
    await sleep(400)
    assert.equal(issuer.requestCount('/revocations'), 1)
    assert.deepEqual(troubles, [])
  })
})
