import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { startIssuer, testKey } from '../../../test/verify/issuer.ts'
import { until } from '../../../test/verify/verifying.ts'
import { guard as onExpress } from './express.ts'
import { guard as onFastify } from './fastify.ts'
import { guard as onFetch } from './fetch.ts'
import { guard as onHono } from './hono.ts'
import { createVerifier, type RouteNeeds, type Verifier, type VerifierOptions } from './index.ts'

const issuer = 'https://orchard.example.com/auth'

/** Mistakes that JavaScript allows. */
const misunderstood: Record<string, unknown>[] = [
  { whenCut: 'close' },
  { whenCut: null },
  { whencut: 'closed' },
  { whenCut: 'Open', key: undefined },
  { audiance: 'https://api.example.com' },
  { audience: '' },
  { audience: null, key: null },
  { audience: ['https://a.example.com', 'https://b.example.com'] },
  { allowHttp: 'false', url: 'http://10.0.0.1/auth' },
  { allowHttp: 1, url: 'http://10.0.0.1/auth' },
  { key: '' },
  { key: ' ' },
  { key: null },
  { key: ['rb_1'] },
  { origin: 'https://orchard.example.com' },
  { origins: 'https://orchard.example.com' },
  { origins: ['https://orchard.example.com/'] },
  { origins: ['*'] },
  { origins: ['null'] },
  { origins: [undefined] },
  { cacheSeconds: '10' },
  { cacheSeconds: Number.NaN },
  { cacheSeconds: 301 },
  { cacheSeconds: null },
  { onTrouble: 'console' },
  { fetch: {} },
  { clock: 0 },
  { issuer: '' },
  { issuer: undefined },
  { issuer: new URL(issuer) },
]

describe('a verifier', () => {
  for (const options of misunderstood) {
    it(`is not created with ${JSON.stringify(options)}`, () => {
      const input = { issuer, key: 'rb_1', ...options } as VerifierOptions
      assert.throws(() => createVerifier(input), TypeError)
    })
  }

  it('accepts nothing but an options object', () => {
    for (const input of [undefined, null, issuer, [issuer]]) {
      assert.throws(() => createVerifier(input as unknown as VerifierOptions), TypeError)
    }
  })

  it('whose key function returns nothing responds with 503, and sends no request', async (t) => {
    const stand = await startIssuer(t)
    for (const found of [undefined, '', null]) {
      const key = (() => found) as () => string
      const verifier = createVerifier({ issuer: stand.url, key, onTrouble: () => {} })
      t.after(() => verifier.close())
      await assert.rejects(verifier.verify({ headers: { 'x-api-key': 'rb_2' } }), { status: 503 })
    }
    assert.deepEqual(stand.requests, [])
  })

  for (const [how, onTrouble] of Object.entries({
    throws: () => {
      throw new Error('the log is full')
    },
    rejects: async () => {
      throw new Error('the log is away')
    },
  }))
    it(`continues when its onTrouble ${how}`, async (t) => {
      const warn = t.mock.method(console, 'warn', () => {})
      const stand = await startIssuer(t)
      stand.broken = true
      const verifier = createVerifier({ issuer: stand.url, key: testKey, onTrouble })
      t.after(() => verifier.close())
      await assert.rejects(verifier.verify({ headers: { 'x-api-key': 'rb_2' } }), { status: 503 })
      await until(() => warn.mock.callCount() === 2)
      assert.match(String(warn.mock.calls[0]?.arguments[0]), /the log is/)
      stand.broken = false
      await until(() => verifier.current())
    })
})

const unclear: unknown[][] = [
  [undefined],
  [null],
  [''],
  [' '],
  [7],
  [true],
  [['reports:read']],
  [{ permissions: 'reports:read' }],
  [{ permissions: ['reports:read'] }],
  [{ permission: ['reports:read'] }],
  [{ permission: undefined }],
  [{ permission: '' }],
  [{ role: undefined, permission: 'reports:read' }],
  [{ roles: ['admin'] }],
  [{ permission: 'reports:read', scope: 'x' }],
  [() => {}],
  ['reports:read', 'reports:write'],
]

async function anybody(t: TestContext): Promise<{ verifier: Verifier; request: { headers: Record<string, string> } }> {
  const stand = await startIssuer(t)
  const verifier = createVerifier({ issuer: stand.url, whenCut: 'open' })
  return { verifier, request: { headers: { authorization: `Bearer ${await stand.token({ permissions: ['*'] })}` } } }
}

describe('a route', () => {
  it('with malformed needs fails when it is defined, with every adapter', async (t) => {
    const { verifier, request } = await anybody(t)
    const onNone = (...needs: []) => verifier.verify(request, ...needs)
    const makers = { express: onExpress(verifier), fastify: onFastify(verifier), hono: onHono(verifier) }
    for (const needs of unclear as [][]) {
      for (const [name, requires] of Object.entries(makers)) {
        assert.throws(() => requires(...needs), TypeError, `${name} ${JSON.stringify(needs)}`)
      }
      await assert.rejects(onNone(...needs), TypeError, `verify ${JSON.stringify(needs)}`)
      if (needs.length > 1) continue
      const [first] = needs as unknown[]
      assert.throws(() => onFetch(verifier)(first as RouteNeeds, () => new Response('in')), TypeError)
    }
  })

  it('whose guard was not called accepts no request', async (t) => {
    const { verifier, request } = await anybody(t)
    for (const requires of [onExpress(verifier), onFastify(verifier), onHono(verifier)]) {
      const asHandler = requires as unknown as (...input: unknown[]) => unknown
      assert.throws(() => asHandler(request, {}, () => assert.fail('it went on')), TypeError)
    }
  })

  it('requires what it states: a permission as a string, a role, both, or nothing', async (t) => {
    const { verifier, request } = await anybody(t)
    await verifier.verify(request)
    await verifier.verify(request, {})
    await verifier.verify(request, 'reports:read')
    await verifier.verify(request, { permission: 'reports:read', role: 'analyst' })
    await assert.rejects(verifier.verify(request, { role: 'admin' }), { code: 'permission_denied' })
  })
})
