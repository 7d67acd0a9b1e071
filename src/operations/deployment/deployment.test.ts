import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { adminKey, anyEngine, engines, start } from '../../../test/harness.ts'
import { send } from '../../../test/proxies/client.ts'
import { system } from '../../core/actor.ts'
import { nodeReports } from './node-reports.ts'
import { digestsOf } from './shared-settings.ts'
import { warningsOf } from './warnings.ts'

const key = { 'x-api-key': adminKey }

for (const engine of engines) {
  describe(`the deployment on ${engine.name}`, () => {
    it('returns the release, the store and the addresses', async (t) => {
      const now = Date.UTC(2026, 10, 22)
      const env = {
        ROLLBOOK_PUBLIC_URL: 'https://orchard.example.com/auth',
        ROLLBOOK_TRUSTED_PROXIES: '10.0.0.0/8',
        ROLLBOOK_KEY_ENCRYPTION_SECRET: 'a1b2c3d4'.repeat(8),
      }
      const app = await start(t, engine, { env, clock: () => now, migrates: true })
      const { status, body } = await app.call('GET', '/deployment')
      assert.equal(status, 200)
      const { storage, request: _, version, nodes, ...rest } = body
      assert.match(version, /^\d+\.\d+\.\d+$/)
      assert.deepEqual(rest, {
        node_version: process.versions.node,
        started_at: '2026-11-22T00:00:00.000Z',
        uptime_seconds: 0,
        now: '2026-11-22T00:00:00.000Z',
        stage: 'serving',
        public_url: 'https://orchard.example.com/auth',
        base_path: '/auth',
        session_cookie: '__Host-rollbook',
        trusted_proxies: ['10.0.0.0/8'],
        warnings: [],
      })
      const { age_ms, migrated, version: engineVersion, size_bytes, ...state } = storage
      assert.match(engineVersion, /^\d+\.\d+(\.\d+)?$/)
      assert.ok(size_bytes > 100_000, String(size_bytes))
      assert.deepEqual([nodes.length, nodes[0].host, nodes[0].version, nodes[0].this], [1, hostname(), version, true])
      assert.deepEqual(state, { engine: engine.name === 'SQLite' ? 'sqlite' : 'postgres', ready: true, current: true })
      assert.ok(age_ms >= 0 && migrated.includes('0001-users'))
    })

    it('lists the other nodes as long as they report that they are running', async (t) => {
      const clock = { now: Date.UTC(2026, 10, 22) }
      const app = await start(t, engine, { clock: () => clock.now })
      const node_id = '019a9f3e-0000-7000-8000-000000000000'
      const other = { node_id, host: 'node-b', version: '0.2.1', started_at: '2026-11-21T00:00:00.000Z' }
      const request = () => ({ actor: system, now: clock.now, requestId: 'test' })
      const others = async () => {
        const { nodes } = (await app.call('GET', '/deployment')).body
        return (nodes as { node_id: string; this: boolean }[]).filter((node) => !node.this)
      }
      await app.storage.change('nodes.report', other, request())
      // SQLite has one process, whatever the table says.
      const seen = engine.name === 'SQLite' ? [] : [{ ...other, last_seen_at: '2026-11-22T00:00:00.000Z', this: false }]
      assert.deepEqual(await others(), seen)
      clock.now += 181_000
      assert.deepEqual(await others(), [])
      await app.storage.change('nodes.report', { ...other, node_id: node_id.replace(/0$/, '1') }, request())
      assert.equal((await app.runSql('SELECT * FROM nodes')).length, 1)
      await app.storage.change('nodes.remove', { node_id: node_id.replace(/0$/, '1') }, request())
      assert.deepEqual(await app.runSql('SELECT * FROM nodes'), [])
    })

    it('warns of a node with other settings, with their names only', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_PUBLIC_URL: 'https://orchard.example/auth' } })
      const settings = JSON.stringify(
        digestsOf({ ...app.config, publicUrl: 'https://pear.example/auth', adminKey: undefined }),
      )
      const node_id = '019a9f3e-0000-7000-8000-000000000000'
      const other = { node_id, host: 'node-b', version: '0.3.0', started_at: '2026-11-21T00:00:00.000Z', settings }
      const request = { actor: system, now: Date.now(), requestId: 'test' }
      await app.storage.change('nodes.report', other, request)
      await app.storage.change(
        'nodes.report',
        { ...other, node_id: node_id.replace(/0$/, '1'), settings: undefined },
        request,
      )
      const { warnings } = (await app.call('GET', '/deployment')).body
      const found = warnings.find(({ code }: { code: string }) => code === 'settings_differ')
      if (engine.name === 'SQLite') return assert.equal(found, undefined)
      assert.match(
        found.detail,
        /^This node has other values than node-b for ROLLBOOK_ADMIN_KEY, ROLLBOOK_PUBLIC_URL\. /,
      )
      const lines: string[] = []
      const log = pino({}, { write: (line: string) => lines.push(line) })
      const reports = nodeReports({ storage: app.storage, config: app.config, log })
      const round = { storage: app.storage, config: app.config, request, everyMs: 60_000, mayDelete: false }
      await reports.report(round)
      await reports.report(round)
      assert.equal(lines.filter((line) => line.includes('ROLLBOOK_PUBLIC_URL')).length, 1)
      await app.storage.change('nodes.remove', { node_id }, request)
      await reports.report(round)
      assert.match(lines.at(-1) ?? '', /same settings again/)
      await reports.removeNode(round)
    })

    it('returns what it knows itself when the store does not say which nodes exist', async (t) => {
      const app = await start(t, engine)
      await app.runSql('DROP TABLE nodes')
      const { status, body } = await app.call('GET', '/deployment')
      assert.equal(status, 200)
      assert.deepEqual(
        body.nodes.map((node: { this: boolean }) => node.this),
        [true],
      )
    })
  })
}

describe('the request as the service sees it', () => {
  const engine = anyEngine

  it('is reported as it arrived, and uses the headers of a trusted proxy', async (t) => {
    const app = await start(t, engine, { env: { ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1' } })
    const url = await app.listen()
    const headers = {
      ...key,
      host: 'orchard.example.com',
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-proto': 'https',
    }
    assert.deepEqual((await send(`${url}/deployment`, { headers })).json().request, {
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
      origin: null,
      believed: ['X-Forwarded-For', 'X-Forwarded-Proto'],
    })
    const stripped = await send(`${url}/deployment`, { headers: key, path: '/deployment' })
    assert.deepEqual([stripped.json().request.path, stripped.json().request.prefix], ['/deployment', 'stripped'])
  })

  it('ignores the headers of other proxies, and reports what was ignored', async (t) => {
    const app = await start(t, engine)
    const headers = { ...key, 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' }
    const { request, warnings } = (await send(`${await app.listen()}/deployment`, { headers })).json()
    assert.deepEqual(request.believed, [])
    assert.deepEqual(codesOf(warnings), ['session_cookie_not_secure', 'forwarded_headers_ignored'])
    assert.deepEqual(
      [request.client_address, request.scheme, request.from_trusted_proxy, request.forwarded_for],
      ['127.0.0.1', 'http', false, '203.0.113.7'],
    )
  })
})

const codesOf = (warnings: { code: string }[]) => warnings.map(({ code }) => code)

describe('warnings', () => {
  const request = {
    path: '/auth/deployment',
    prefix: 'kept',
    host: 'orchard.example.com',
    scheme: 'https',
    client_address: '203.0.113.7',
    peer_address: '10.0.0.1',
    from_trusted_proxy: true,
    forwarded_for: '203.0.113.7',
    forwarded_proto: 'https',
    forwarded_host: null,
    origin: null,
    believed: [],
  } as const
  const well = {
    public_url: 'https://orchard.example.com/auth',
    session_cookie: '__Host-rollbook',
    engine: 'sqlite',
    encrypts_secrets: true,
    request: { ...request, believed: [] as string[] },
  } as const
  const local = { host: '127.0.0.1:8080', scheme: 'http', from_trusted_proxy: false, forwarded_for: null } as const

  for (const [rule, seen, codes] of [
    ['nothing, when all is well', {}, []],
    ['a cookie that goes over http as well', { session_cookie: 'rollbook' }, ['session_cookie_not_secure']],
    [
      'an https page in front of a service that knows of none',
      {
        session_cookie: 'rollbook',
        public_url: null,
        request: { ...local, forwarded_proto: null, origin: 'https://a.example' },
      },
      ['session_cookie_not_secure'],
    ],
    ['a proxy that is not named', { request: { from_trusted_proxy: false } }, ['forwarded_headers_ignored']],
    ['another name than the public one', { request: { host: 'other.example' } }, ['public_url_differs']],
    [
      'the name that a proxy was asked for',
      { request: { host: '10.0.0.5:8080', forwarded_host: 'Orchard.example.com' } },
      [],
    ],
    ['nothing, for who asks on the machine itself', { request: { ...local, forwarded_proto: null } }, []],
    [
      'a second-factor policy for a group that does not exist',
      { unknownInPolicy: ['group:Staff'] },
      ['second_factor_policy_unknown'],
    ],
    ['several nodes without a public address', { public_url: null, engine: 'postgres' }, ['public_url_missing']],
    ['secrets in plain text behind a public address', { encrypts_secrets: false }, ['key_encryption_secret_missing']],
    [
      'secrets in plain text in a shared database',
      { public_url: null, engine: 'postgres', encrypts_secrets: false },
      ['public_url_missing', 'key_encryption_secret_missing'],
    ],
    [
      'nothing, for a trial on one machine',
      { public_url: null, encrypts_secrets: false, request: { ...local, forwarded_proto: null } },
      [],
    ],
  ] as const) {
    it(rule, () => {
      assert.deepEqual(
        codesOf(
          warningsOf({ ...well, ...seen, request: { ...well.request, ...('request' in seen ? seen.request : {}) } }),
        ),
        codes,
      )
    })
  }
})
