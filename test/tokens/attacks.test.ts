import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cases } from '../cases.ts'
import { engines, type Started, start } from '../harness.ts'
import { serveHttp } from '../http-server.ts'
import { assertRefused, bearer, encode, handClock, partsOf, signAs, tokenOf } from './parts.ts'

const use = (app: Started, token: string) => app.call('GET', '/keys', bearer(token))

async function accepts(app: Started, token: string): Promise<void> {
  const response = await use(app, token)
  assert.equal(response.status, 200, response.text)
}

async function publicKeyOf(app: Started): Promise<{ x: string; kid: string }> {
  return (await app.call('GET', '/.well-known/jwks.json', { key: null })).body.keys[0]
}

/** A token like the given one, by a key that is not ours. */
function signedElsewhere(header: object, claims: object, alg = 'EdDSA'): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  const input = `${encode(JSON.stringify({ ...header, alg }))}.${encode(JSON.stringify(claims))}`
  return `${input}.${sign(null, Buffer.from(input), privateKey).toString('base64url')}`
}

for (const engine of engines) {
  describe(`an access token on ${engine.name}`, () => {
    it('is refused if its algorithm is none, in any spelling, with or without a signature', async (t) => {
      const app = await start(t, engine)
      const token = await tokenOf(app)
      const { header, claims } = partsOf(token)
      const [, body, signature] = token.split('.')
      await accepts(app, token)
      for (const alg of ['none', 'None', 'NONE', 'nOnE', '']) {
        const head = encode(JSON.stringify({ ...header, alg }))
        for (const end of ['', `${signature}`]) assertRefused(await use(app, `${head}.${body}.${end}`), `${alg} ${end}`)
        assertRefused(await use(app, await signAs(app, { ...header, alg }, claims)), `${alg}, signed by our key`)
      }
      const { alg: _, ...without } = header
      assertRefused(await use(app, await signAs(app, without, claims)), 'no alg')
    })

    it('is refused when it is signed by HMAC with the public key as the secret, in any of its forms', async (t) => {
      const app = await start(t, engine)
      const { header, claims } = partsOf(await tokenOf(app))
      const { x, kid, ...rest } = await publicKeyOf(app)
      const spki = `-----BEGIN PUBLIC KEY-----\n${Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(x, 'base64url')]).toString('base64')}\n-----END PUBLIC KEY-----\n`
      for (const secret of [
        x,
        Buffer.from(x, 'base64url'),
        spki,
        spki.trim(),
        JSON.stringify({ x, kid, ...rest }),
        kid,
        '',
      ]) {
        for (const [alg, hash] of [
          ['HS256', 'sha256'],
          ['HS384', 'sha384'],
          ['HS512', 'sha512'],
        ] as const) {
          const input = `${encode(JSON.stringify({ ...header, alg }))}.${encode(JSON.stringify(claims))}`
          const mac = createHmac(hash, secret).update(input).digest('base64url')
          assertRefused(await use(app, `${input}.${mac}`), `${alg} with ${secret}`)
        }
      }
    })

    it('is refused if a claim or header says that it is meant for others, even if our key has signed it', async (t) => {
      const app = await start(t, engine)
      const { header, claims } = partsOf(await tokenOf(app))
      await accepts(app, await signAs(app, header, claims))
      const cases: [what: string, header: object, claims: object][] = [
        ['another audience', {}, { aud: 'https://other.example' }],
        ['several audiences without ours', {}, { aud: ['https://other.example', 'x'] }],
        ['no audience', {}, { aud: undefined }],
        ['another issuer', {}, { iss: 'https://other.example/auth' }],
        ['our issuer with a slash', {}, { iss: `${claims.iss}/` }],
        ['our issuer in a list', {}, { iss: [claims.iss] }],
        ['no issuer', {}, { iss: undefined }],
        ['an ID token', { typ: 'JWT' }, {}],
        ['a logout token', { typ: 'logout+jwt' }, {}],
        ['no type', { typ: undefined }, {}],
        ['no end', {}, { exp: undefined }],
        ['an end that is a text', {}, { exp: String(claims.exp) }],
        ['no beginning', {}, { iat: undefined }],
        ['no id', {}, { jti: undefined }],
        ['no subject', {}, { sub: undefined }],
        ['no client', {}, { client_id: undefined }],
        ['no permissions', {}, { permissions: undefined }],
        ['somebody else as subject', {}, { sub: '01a1f8a3-ee02-7386-8d99-56b674796122' }],
        ['a key that does not exist', {}, { client_id: '01a1f8a3-ee02-7386-8d99-56b674796122' }],
        ['a session that does not exist', {}, { sid: '01a1f8a3-ee02-7386-8d99-56b674796122' }],
        ['a lifetime beyond ours', {}, { iat: claims.iat - 400 }],
        ['an unknown key', { kid: 'x'.repeat(43) }, {}],
        ['no key', { kid: undefined }, {}],
        ['a key that is no text', { kid: { $ne: '' } }, {}],
        ['a key named like a member of every object', { kid: 'constructor' }, {}],
        ['an algorithm of the same family', { alg: 'Ed25519' }, {}],
        ['unencoded payload', { b64: false, crit: ['b64'] }, {}],
        ['an extension', { crit: ['exp'], exp: 1 }, {}],
        ['an empty list of extensions', { crit: [] }, {}],
        ['a header of no meaning', { zip: 'DEF' }, {}],
      ]
      for (const [what, head, body] of cases) {
        assertRefused(await use(app, await signAs(app, { ...header, ...head }, { ...claims, ...body })), what)
      }
    })

    it('is refused if it brings its own key, and its links are not fetched', async (t) => {
      const app = await start(t, engine)
      let visits = 0
      const { origin } = await serveHttp(t, (_request, response) => {
        visits++
        response.end('{"keys":[]}')
      })
      const url = `${origin}/jwks.json`
      const { header, claims } = partsOf(await tokenOf(app))
      const { privateKey, publicKey } = generateKeyPairSync('ed25519')
      const jwk = publicKey.export({ format: 'jwk' })
      for (const own of [{ jku: url }, { jwk }, { x5u: url }, { x5c: ['MII'] }, { jku: url, jwk, kid: 'mine' }]) {
        const input = `${encode(JSON.stringify({ ...header, ...own }))}.${encode(JSON.stringify(claims))}`
        const theirs = `${input}.${sign(null, Buffer.from(input), privateKey).toString('base64url')}`
        assertRefused(await use(app, theirs), `${Object.keys(own)} by their key`)
        assertRefused(await use(app, await signAs(app, { ...header, ...own }, claims)), `${Object.keys(own)} by ours`)
      }
      assertRefused(await use(app, signedElsewhere(header, claims)), 'another key under our name')
      assert.equal(visits, 0)
    })

    it('is refused after its end and before its beginning, except for the 5 seconds that clocks may differ', async (t) => {
      const clock = handClock()
      const app = await start(t, engine, { clock: clock.read })
      const begun = clock.now
      const token = await tokenOf(app)
      const { header, claims } = partsOf(token)
      const later = await signAs(app, header, { ...claims, nbf: claims.iat + 60 })
      const early = await signAs(app, header, { ...claims, iat: claims.iat + 60, exp: claims.exp })
      const cases = [
        ['a token', token, 0],
        ['one that is not valid yet', later, 55],
        ['one of the future', early, 55],
      ] as const
      for (const second of [0, 54, 55, 60, 299, 300, 304, 305, 306, 3600, 86_400]) {
        clock.now = begun + second * 1000
        for (const [what, one, from] of cases) {
          const reply = await use(app, one)
          if (second >= from && second < 300) assert.equal(reply.status, 200, `${what} after ${second} s`)
          else assertRefused(reply, `${what} after ${second} s`)
        }
      }
    })

    it('is refused if any one bit of it is flipped', async (t) => {
      const app = await start(t, engine)
      const token = await tokenOf(app)
      await accepts(app, token)
      const bytes = Buffer.from(token)
      const flip = fc.record({ at: fc.nat(bytes.length - 1), bit: fc.nat(6) })
      // Also in the last characters, whose spare bits a forgiving decoder passes over.
      const last = Array.from(
        { length: 28 },
        (_, i) => [{ at: bytes.length - 1 - (i % 4), bit: i >> 2 }] as [{ at: number; bit: number }],
      )
      await fc.assert(
        fc.asyncProperty(flip, async ({ at, bit }) => {
          const changed = Buffer.from(bytes)
          changed.writeUInt8(changed.readUInt8(at) ^ (1 << bit), at)
          const text = changed.toString('latin1')
          // A header field cannot hold every byte, and what begins or ends with a space is that without it.
          fc.pre(/^[\x21-\x7e]+$/.test(text))
          const { status, body } = await use(app, text)
          assert.deepEqual([status, body.code], [401, 'credential_invalid'], text)
        }),
        { numRuns: cases(400), examples: last },
      )
    })

    it('is refused when it is cut anywhere, has parts too few or too many, or is written in another way', async (t) => {
      const app = await start(t, engine)
      const token = await tokenOf(app)
      const [head = '', body = '', signature = ''] = token.split('.')
      for (let length = token.length - 1; length > 0; length -= 13) {
        assertRefused(await use(app, token.slice(0, length)), `${length} characters`)
      }
      const others = [
        head,
        `${head}.${body}`,
        `${head}${body}${signature}`,
        `${head}..${signature}`,
        `.${body}.${signature}`,
        `${head}.${body}.`,
        '..',
        `${token}.`,
        `.${token}`,
        `${token}.${signature}`,
        `${head}.${head}.${body}.${body}.${signature}`,
        `${token}=`,
        `${token}==`,
        `${head}=.${body}.${signature}`,
        `${token}A`,
        `${head}.${body}.${signature}${signature}`,
        `${head}.${body}A.${signature}`,
        `${encode('null')}.${body}.${signature}`,
        `${encode('[]')}.${body}.${signature}`,
        `${encode('{')}.${body}.${signature}`,
        `${head}.${encode('null')}.${signature}`,
        'eyJ.eyJ.eyJ',
        'eyJhbGciOiJFZERTQSJ9.e30.',
      ] as const
      for (const one of others) assertRefused(await use(app, one), one)
    })

    it('is refused when it is huge, before anything is computed', async (t) => {
      const app = await start(t, engine)
      const { header, claims } = partsOf(await tokenOf(app))
      const huge = await signAs(app, header, { ...claims, padding: 'x'.repeat(9000) })
      assertRefused(await use(app, huge), 'in a header')
      for (const size of [9000, 60_000]) {
        const token = await signAs(app, header, { ...claims, padding: 'x'.repeat(size) }).then((one) =>
          one.slice(0, 65_000),
        )
        const reply = await app.call('POST', '/introspect', { body: { token } })
        assert.deepEqual([reply.status, reply.body], [200, { active: false }], `${size}`)
      }
    })

    it('must not be sent with another credential', async (t) => {
      const app = await start(t, engine)
      const token = await tokenOf(app)
      const reply = await app.call('GET', '/keys', { headers: { authorization: `Bearer ${token}` } })
      assert.deepEqual([reply.status, reply.body.code], [400, 'ambiguous_credentials'])
    })

    it('counts for nothing as X-API-Key', async (t) => {
      const app = await start(t, engine)
      assertRefused(await app.call('GET', '/keys', { key: await tokenOf(app) }), 'as a key')
    })
  })
}
