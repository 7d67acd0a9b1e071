import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { adminKey, engines, start } from '../../test/harness.ts'
import { ask } from '../../test/proxies/client.ts'

const key = { 'x-api-key': adminKey }

for (const engine of engines) {
  describe(`the deployment on ${engine.name}`, () => {
    it('tells the release, the store and the addresses', async (t) => {
      const now = Date.UTC(2026, 10, 22)
      const env = { ROLLBOOK_PUBLIC_URL: 'https://orchard.example.com/auth', ROLLBOOK_TRUSTED_PROXIES: '10.0.0.0/8' }
      const app = await start(t, engine, { env, clock: () => now })
      const { status, body } = await app.call('GET', '/deployment')
      assert.equal(status, 200)
      const { storage, request: _, version, ...rest } = body
      assert.match(version, /^\d+\.\d+\.\d+$/)
      assert.deepEqual(rest, {
        node_version: process.versions.node,
        started_at: '2026-11-22T00:00:00.000Z',
        now: '2026-11-22T00:00:00.000Z',
        stage: 'serving',
        public_url: 'https://orchard.example.com/auth',
        base_path: '/auth',
        session_cookie: '__Host-rollbook',
        trusted_proxies: ['10.0.0.0/8'],
      })
      const { age_ms, migrated, ...state } = storage
      assert.deepEqual(state, { engine: engine.name === 'SQLite' ? 'sqlite' : 'postgres', ready: true, current: true })
      assert.ok(age_ms >= 0 && migrated.includes('0001-users'))
    })
  })
}

describe('the request as the service sees it', () => {
  const [engine] = engines

  it('is told as it arrived, and believes a proxy that is trusted', async (t) => {
    const app = await start(t, engine, { env: { ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1' } })
    const url = await app.listen()
    const headers = {
      ...key,
      host: 'orchard.example.com',
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-proto': 'https',
    }
    assert.deepEqual((await ask(`${url}/deployment`, { headers })).json().request, {
      path: '/auth/deployment',
      prefix: 'kept',
      host: 'orchard.example.com',
      scheme: 'https',
      client_address: '203.0.113.7',
      peer_address: '127.0.0.1',
      from_trusted_proxy: true,
      forwarded_for: '203.0.113.7',
      forwarded_proto: 'https',
      forwarded_host: null,
    })
    const stripped = await ask(`${url}/deployment`, { headers: key, path: '/deployment' })
    assert.deepEqual([stripped.json().request.path, stripped.json().request.prefix], ['/deployment', 'stripped'])
  })

  it('does not believe anybody else, and says what was not believed', async (t) => {
    const app = await start(t, engine)
    const headers = { ...key, 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' }
    const { request } = (await ask(`${await app.listen()}/deployment`, { headers })).json()
    assert.deepEqual(
      [request.client_address, request.scheme, request.from_trusted_proxy, request.forwarded_for],
      ['127.0.0.1', 'http', false, '203.0.113.7'],
    )
  })
})
