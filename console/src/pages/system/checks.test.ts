import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checksOf, formatBytes, formatUptime } from './checks.ts'

const request = {
  path: '/auth/deployment',
  prefix: 'kept',
  host: 'orchard.example.com',
  scheme: 'https',
  client_address: '203.0.113.7',
  peer_address: '10.0.0.3',
  from_trusted_proxy: true,
  forwarded_for: '203.0.113.7',
  forwarded_proto: 'https',
  forwarded_host: null,
  origin: null,
  believed: ['X-Forwarded-For', 'X-Forwarded-Proto'],
} as const
const known = {
  request: { ...request, believed: [...request.believed] },
  public_url: 'https://orchard.example.com/auth',
  base_path: '/auth',
  session_cookie: '__Host-rollbook',
}
const url = 'https://orchard.example.com/auth'
type Known = typeof known

function complaints(change: Partial<Known>, seen: Partial<Known['request']> = {}, at = url) {
  return checksOf({ ...known, ...change, request: { ...known.request, ...seen } } as Parameters<typeof checksOf>[0], at)
    .filter(({ advice }) => advice !== undefined)
    .map(({ name, advice, setting }) => [name, advice, setting])
}

describe('how the service sees a request', () => {
  it('is in order behind a trusted proxy, whether it keeps the prefix or not', () => {
    assert.deepEqual(complaints({}), [])
    assert.deepEqual(complaints({}, { path: '/deployment', prefix: 'stripped' as never }), [])
    assert.deepEqual(complaints({ public_url: 'https://orchard.example.com/auth/' }), [])
    const direct = { scheme: 'http', host: '127.0.0.1:8080', forwarded_for: null, forwarded_proto: null } as never
    const plain = { public_url: null as never, session_cookie: 'rollbook' }
    assert.deepEqual(complaints(plain, direct, 'http://127.0.0.1:8080/auth'), [])
  })

  it('needs the proxy to be trusted if its headers are ignored', () => {
    const seen = { from_trusted_proxy: false, scheme: 'http' as never, client_address: '10.0.0.3' }
    assert.deepEqual(complaints({}, seen), [
      ['scheme', 'trust_proxy', 'ROLLBOOK_TRUSTED_PROXIES=10.0.0.3'],
      ['address', 'trust_proxy', undefined],
    ])
  })

  it('needs a proxy that sends X-Forwarded-Proto if nothing says https', () => {
    assert.deepEqual(complaints({}, { scheme: 'http' as never, forwarded_proto: null as never }), [
      ['scheme', 'send_proto', undefined],
    ])
  })

  it('needs the public URL if the prefix, the host or the scheme differs outside', () => {
    const setting = 'ROLLBOOK_PUBLIC_URL=https://orchard.example.com/api/auth'
    const outside = 'https://orchard.example.com/api/auth'
    const plain = { public_url: null as never, session_cookie: 'rollbook' }
    assert.deepEqual(complaints(plain, { host: 'rollbook:8080' }, outside), [
      ['host', 'pass_host', setting],
      ['links', 'set_public_url', undefined],
      ['cookie', 'set_public_url', undefined],
    ])
  })

  it('is reported as unencrypted on plain http in a network, but not on localhost', () => {
    const plain = { public_url: null as never, session_cookie: 'rollbook' }
    const direct = { scheme: 'http', host: '192.168.1.20:8080', forwarded_for: null, forwarded_proto: null } as never
    assert.deepEqual(complaints(plain, direct, 'http://192.168.1.20:8080/auth'), [['cookie', 'use_https', undefined]])
  })
})

describe('sizes and times', () => {
  it('are written with the two largest units', () => {
    assert.equal(formatBytes(0, 'en'), '0 byte')
    assert.equal(formatBytes(432_608, 'en'), '433 kB')
    assert.equal(formatBytes(1_104_000_000, 'de'), '1,1\u00a0GB')
    assert.equal(formatUptime(0, 'en'), '0 seconds')
    assert.equal(formatUptime(61, 'en'), '1 minute 1 second')
    assert.equal(formatUptime(3 * 86_400 + 7200 + 59, 'en'), '3 days 2 hours')
    assert.equal(formatUptime(86_400 + 59, 'en'), '1 day')
  })
})
