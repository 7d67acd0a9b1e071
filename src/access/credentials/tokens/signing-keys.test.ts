import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { engines, type Started, start } from '../../../../test/harness.ts'
import { assertRefused, bearer, handClock, makeKey, partsOf, signAs, tokenOf } from '../../../../test/tokens/parts.ts'
import { createLog } from '../../../app/log.ts'
import { prepareSecrets } from '../../../store/secrets/rotation.ts'
import { createTokens } from './tokens.ts'

type SigningKey = { kid: string; state: string; signs_from: string; expires_at: string | null }

const day = 86_400_000
const minute = 60_000
const published = async (app: Started): Promise<string[]> =>
  (await app.call('GET', '/.well-known/jwks.json', { key: null })).body.keys.map(({ kid }: SigningKey) => kid)
const list = async (app: Started): Promise<SigningKey[]> => (await app.call('GET', '/signing-keys')).body
const kidOf = (token: string) => partsOf(token).header.kid
const works = async (app: Started, token: string) => (await app.call('GET', '/keys', bearer(token))).status === 200
const stored = (app: Started) => app.runSql('SELECT kid, private_key, sealed FROM signing_keys ORDER BY created_at')

const [secretA, secretB] = ['the-first-secret-of-the-tests-0123456789', 'the-second-secret-of-the-tests-012345678']

for (const engine of engines) {
  describe(`signing keys on ${engine.name}`, () => {
    it('are created at the first start, and stay', async (t) => {
      const app = await start(t, engine)
      const [key, ...others] = await list(app)
      assert.equal(key?.state, 'signing')
      assert.deepEqual(others, [])
      assert.deepEqual(await published(app), [key?.kid])
      assert.ok(!JSON.stringify(key).includes('"d"'))
      await app.tokens.tend(Date.now())
      assert.deepEqual(await published(app), [key?.kid])
    })

    it('are followed by the next when they have signed for 90 days: published 15 minutes before it signs', async (t) => {
      const clock = handClock()
      const app = await start(t, engine, { clock: clock.read, env: { ROLLBOOK_RATE_LIMIT: '0' } })
      const begun = clock.now
      const [first] = await published(app)
      const at = async (ms: number) => {
        clock.now = begun + ms
        await app.tokens.tend(clock.now)
        return { signs: kidOf(await tokenOf(app)), published: await published(app) }
      }
      assert.deepEqual(await at(90 * day - 16 * minute), { signs: first, published: [first] })
      const due = await at(90 * day - 15 * minute)
      const [second] = due.published
      assert.deepEqual(due, { signs: first, published: [second, first] })
      assert.deepEqual(
        (await list(app)).map(({ state }) => state),
        ['next', 'signing'],
      )
      assert.deepEqual(await at(90 * day - 1), { signs: first, published: [second, first] })
      const last = await tokenOf(app)
      assert.deepEqual(await at(90 * day), { signs: second, published: [second, first] })
      assert.deepEqual(
        (await list(app)).map(({ state }) => state),
        ['signing', 'retired'],
      )
      clock.now += 4 * minute
      assert.ok(await works(app, last), 'the last token of the old key')
      assert.deepEqual(await at(90 * day + 10 * minute - 1), { signs: second, published: [second, first] })
      assert.deepEqual(await at(90 * day + 10 * minute), { signs: second, published: [second] })
      assert.deepEqual(
        (await stored(app)).map(({ kid }) => kid),
        [second],
      )
      assert.equal((await at(180 * day - 15 * minute)).published.length, 2)
    })

    it('are never rotated if configured so', async (t) => {
      const clock = handClock()
      const app = await start(t, engine, { clock: clock.read, env: { ROLLBOOK_SIGNING_KEY_DAYS: '0' } })
      clock.now += 5000 * day
      await app.tokens.tend(clock.now)
      assert.equal((await published(app)).length, 1)
    })

    it('can be followed before their time, without refusing any token, and once however often it is asked for', async (t) => {
      const clock = handClock()
      const app = await start(t, engine, { clock: clock.read })
      const token = await tokenOf(app)
      const { status, body } = await app.call('POST', '/signing-keys/rotate')
      assert.deepEqual([status, body.state], [200, 'next'])
      assert.equal((await app.call('POST', '/signing-keys/rotate', { body: {} })).body.kid, body.kid)
      assert.deepEqual(await published(app), [body.kid, kidOf(token)])
      assert.ok(await works(app, token))
      assert.equal(kidOf(await tokenOf(app)), kidOf(token))
      clock.now += 15 * minute
      assert.equal(kidOf(await tokenOf(app)), body.kid)
      assert.deepEqual((await app.call('GET', '/revocations')).body.revocations, [])
    })

    it('are replaced at once in an emergency, and what they have signed or will sign is refused', async (t) => {
      const app = await start(t, engine)
      const old = await tokenOf(app)
      const { header, claims } = partsOf(old)
      const stolen = await signAs(app, header, { ...claims, jti: 'forged' })
      await app.call('POST', '/signing-keys/rotate')
      const both = await published(app)
      for (const token of [old, stolen]) assert.ok(await works(app, token))
      const { status, body } = await app.call('POST', '/signing-keys/rotate', { body: { revoke_previous: true } })
      assert.deepEqual([status, body.state], [200, 'signing'])
      for (const token of [old, stolen]) assertRefused(await app.call('GET', '/keys', bearer(token)), 'an old token')
      assert.deepEqual(await published(app), [body.kid])
      assert.ok(await works(app, await tokenOf(app)))
      const { revocations } = (await app.call('GET', '/revocations')).body
      assert.deepEqual(
        revocations.map(({ kind, id }: { kind: string; id: string }) => [kind, id]),
        both.map((kid) => ['signing_key', kid]),
      )
    })

    it('change nothing in a dry run', async (t) => {
      const app = await start(t, engine)
      const before = await list(app)
      for (const revoke_previous of [false, true]) {
        const path = '/signing-keys/rotate?dry_run=true'
        assert.equal((await app.call('POST', path, { body: { revoke_previous } })).status, 200)
      }
      assert.deepEqual(await list(app), before)
    })

    it('can be rotated only with the permission', async (t) => {
      const app = await start(t, engine)
      const { key } = await makeKey(app, ['tokens:introspect', 'keys:write'])
      for (const [method, path] of [
        ['GET', '/signing-keys'],
        ['POST', '/signing-keys/rotate'],
      ] as const) {
        assert.equal((await app.call(method, path, { key })).body.code, 'permission_denied')
      }
      const { key: enough } = await makeKey(app, ['signing_keys:write'])
      assert.equal((await app.call('POST', '/signing-keys/rotate', { key: enough })).status, 200)
    })

    it('change their algorithm with the setting, one after the other, while tokens of both are accepted', async (t) => {
      const clock = handClock()
      const app = await start(t, engine, { clock: clock.read })
      const [first] = await published(app)
      const node = (tokenAlgorithm: 'EdDSA' | 'ES256') =>
        createTokens({
          ...partsFor(app),
          config: { ...app.config, tokenAlgorithm },
          clock: clock.read,
        })
      const [es256, eddsa] = [await node('ES256'), await node('EdDSA')]
      const old = await tokenOf(app)
      await es256.tend(clock.now)
      await eddsa.tend(clock.now)
      await app.tokens.tend(clock.now)
      const { keys } = app.tokens.jwks(clock.now)
      assert.deepEqual(
        keys.map(({ kty, crv, alg, use }) => [kty, crv, alg, use]),
        [
          ['EC', 'P-256', 'ES256', 'sig'],
          ['OKP', 'Ed25519', 'EdDSA', 'sig'],
        ],
      )
      assert.equal(kidOf(await tokenOf(app)), first)
      clock.now += 15 * minute
      await es256.tend(clock.now)
      assert.equal((await published(app)).length, 2, 'the setting is met')
      const token = await tokenOf(app)
      const { header, claims } = partsOf(token)
      assert.deepEqual(header, { alg: 'ES256', typ: 'at+jwt', kid: keys[0]?.kid })
      assert.ok(await works(app, token))
      // RFC 7518 §3.4, as any other library verifies it.
      const [head, body, signature = ''] = token.split('.')
      const key = createPublicKey({ key: keys[0] as never, format: 'jwk' })
      assert.ok(
        verify(
          'sha256',
          Buffer.from(`${head}.${body}`),
          { key, dsaEncoding: 'ieee-p1363' },
          Buffer.from(signature, 'base64url'),
        ),
      )
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      for (const change of [{ alg: 'EdDSA' }, { kid: first }, { alg: 'HS256' }]) {
        const forged = `${part({ ...header, ...change })}.${part(claims)}.${signature}`
        assertRefused(await app.call('GET', '/keys', bearer(forged)), JSON.stringify(change))
      }
      assert.ok(partsOf(old).header.alg === 'EdDSA')
      const { body: next } = await app.call('POST', '/signing-keys/rotate')
      assert.equal(next.public_key.alg, 'EdDSA', 'this node is configured so')
    })

    it('are of the configured kind from the first start on', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_TOKEN_ALGORITHM: 'ES256' }, migrates: true })
      assert.equal(partsOf(await tokenOf(app)).header.alg, 'ES256')
      assert.ok(await works(app, await tokenOf(app)))
      const { keys } = (await app.call('GET', '/.well-known/jwks.json', { key: null })).body
      assert.deepEqual(Object.keys(keys[0]).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
      const [listed] = (await app.call('GET', '/signing-keys')).body
      assert.deepEqual(listed.public_key, keys[0])
    })

    it('are encrypted at rest if a secret is configured', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_KEY_ENCRYPTION_SECRET: secretA } })
      await app.call('POST', '/signing-keys/rotate')
      const rows = await stored(app)
      assert.deepEqual(
        rows.map(({ sealed }) => sealed),
        [1, 1],
      )
      for (const { private_key } of rows) assert.match(String(private_key), /^[\w-]+$/)
      assert.ok(!(await app.stored()).includes('"d":'))
      assert.ok(await works(app, await tokenOf(app)))
    })

    it('are served by a node that has them in memory even while another encrypts them', async (t) => {
      const app = await start(t, engine)
      const token = await tokenOf(app)
      const start2 = async (secret?: string) => {
        const config = configWith(app, secret)
        await prepareSecrets(app.storage, config, Date.now())
        return createTokens({ ...partsFor(app), config })
      }
      const sealing = await start2(secretA)
      assert.deepEqual(
        (await stored(app)).map(({ sealed }) => sealed),
        [1],
      )
      await app.tokens.tend(Date.now())
      assert.ok(await works(app, await tokenOf(app)))
      assert.equal((await sealing.verify(token, Date.now())).kind, 'own')
      await assert.rejects(start2(), { name: 'OperatorError', exitCode: 78, message: /1 signing key/ })
      await assert.rejects(start2(secretB), { name: 'OperatorError', exitCode: 78, message: /1 signing key/ })
    })

    it('do not open in the place of another', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_KEY_ENCRYPTION_SECRET: secretA } })
      await app.call('POST', '/signing-keys/rotate')
      const [first, second] = await stored(app)
      await app.runSql(`UPDATE signing_keys SET private_key = '${first?.private_key}' WHERE kid = '${second?.kid}'`)
      await setImmediate() // Reads of one turn of the event loop see one state of the store.
      const again = prepareSecrets(app.storage, configWith(app, secretA), Date.now())
      await assert.rejects(again, /^OperatorError/)
    })

    it('are the same when several nodes start at once', async (t) => {
      const app = await start(t, engine)
      await app.runSql('DELETE FROM signing_keys')
      const nodes = await Promise.all([1, 2, 3, 4].map(() => createTokens({ ...partsFor(app), config: app.config })))
      const kids = nodes.flatMap((node) => node.jwks(Date.now()).keys.map(({ kid }) => kid))
      assert.equal(kids.length, 4)
      assert.equal(new Set(kids).size, 1)
      await Promise.all(nodes.map((node) => node.tend(Date.now() + 90 * day)))
      assert.equal((await stored(app)).length, 2)
    })

    it('of another node are loaded as soon as a token arrives that one of them has signed', async (t) => {
      const app = await start(t, engine)
      const other = await createTokens({ ...partsFor(app), config: app.config })
      const [kid] = await published(app)
      // As if another node had just created it.
      const { key_id } = await makeKey(app, ['keys:read'])
      const { key } = { key: await other.makeKey() }
      const now = new Date().toISOString()
      await app.runSql(
        `INSERT INTO signing_keys (kid, public_key, private_key, sealed, created_at, signs_from, retired_at, expires_at)
         VALUES ('${key.kid}', '${key.public_key}', '${key.private_key}', 0, '${now}', '${now}', NULL, NULL)`,
      )
      await other.reload()
      const actor = { kind: 'api_key', id: key_id, name: '', permissions: ['keys:read'] } as const
      const { access_token } = await other.issue(actor, { now: Date.now(), endsAtMs: Number.POSITIVE_INFINITY })
      assert.deepEqual([kidOf(access_token), (await published(app)).length], [key.kid, 1])
      assert.ok(await works(app, access_token))
      assert.deepEqual(await published(app), [key.kid, kid])
    })
  })
}

function partsFor(app: Started) {
  const issuer = () => 'http://127.0.0.1:0/auth'
  const [clock, log] = [Date.now, createLog('silent')]
  return { storage: app.storage, issuer, origin: () => 'http://127.0.0.1:0', clock, log, outages: app.outages }
}

function configWith(app: Started, keyEncryptionSecret: string | undefined) {
  return { ...app.config, keyEncryptionSecret }
}
