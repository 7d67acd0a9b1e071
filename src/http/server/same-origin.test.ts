import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { isCrossOrigin, refuseCrossOrigin } from './same-origin.ts'

const own = 'https://app.example.com'
const request = (headers: Record<string, string>, method = 'POST') =>
  ({ method, headers: { host: 'app.example.com', ...headers } }) as unknown as FastifyRequest

const allowed: Record<string, string>[] = [
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'same-origin', origin: own },
  { origin: own },
]
const refused: Record<string, string>[] = [
  {},
  { 'sec-fetch-site': 'cross-site', origin: own },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'none' },
  { 'sec-fetch-site': 'same-origin, cross-site' },
  { origin: 'null' },
  { origin: 'https://evil.example' },
  { origin: 'https://app.example.com.evil.example' },
  { origin: 'https://app.example.com:8443' },
  { origin: 'http://app.example.com' },
  { origin: 'https://evil.example', host: 'evil.example' },
  { origin: 'https://ada@app.example.com' },
  { origin: 'https://app.example.com:443' },
  { origin: 'https://app.example.com/' },
  { origin: 'https://app.example.com.' },
  { origin: 'HTTPS://APP.EXAMPLE.COM' },
]

describe('a change by cookie', () => {
  it('is accepted only from a page of the same origin', () => {
    for (const headers of allowed) refuseCrossOrigin(request(headers), own)
    for (const headers of refused) {
      assert.throws(() => refuseCrossOrigin(request(headers), own), { code: 'cross_origin' }, JSON.stringify(headers))
    }
  })

  it('is accepted from a page of the requested host if no public URL is configured', () => {
    const requestFrom = (origin: string) => request({ origin, host: '127.0.0.1:8080' })
    refuseCrossOrigin(requestFrom('http://127.0.0.1:8080'), undefined)
    for (const origin of ['http://127.0.0.1', 'http://127.0.0.1:8081', 'http://localhost:8080', 'null']) {
      assert.throws(() => refuseCrossOrigin(requestFrom(origin), undefined), { code: 'cross_origin' }, origin)
    }
  })

  it('compares scheme, host and port of that address, and accepts an origin only in its one spelling', () => {
    const cases: [host: string, proto: string | undefined, own: string, others: string[]][] = [
      ['app.example.com', undefined, 'http://app.example.com', ['https://app.example.com']],
      ['app.example.com', 'https', 'https://app.example.com', ['http://app.example.com', 'https://app.example.com.']],
      ['app.example.com', 'https, http', 'https://app.example.com', ['http://app.example.com']],
      ['app.example.com:443', 'https', 'https://app.example.com', ['https://app.example.com:443']],
      ['App.Example.com', 'wss', 'https://app.example.com', ['https://App.Example.com', 'wss://app.example.com']],
      [
        'app.example.com:80',
        'https',
        'https://app.example.com:80',
        ['https://app.example.com', 'http://app.example.com'],
      ],
      ['[::1]:8080', undefined, 'http://[::1]:8080', ['http://[0:0:0:0:0:0:0:1]:8080', 'http://::1:8080']],
      ['app.example.com.', undefined, 'http://app.example.com.', ['http://app.example.com']],
    ]
    for (const [host, proto, own, others] of cases) {
      const requestFrom = (origin: string) =>
        request({ origin, host, ...(proto !== undefined && { 'x-forwarded-proto': proto }) })
      refuseCrossOrigin(requestFrom(own), undefined)
      const withMore = [
        own.replace('//', '//ada@'),
        own.replace('//', '//ada:x@'),
        `${own}/`,
        `${own}#`,
        `${own}, ${own}`,
      ]
      for (const origin of [...others, ...withMore, 'null', '', own.toUpperCase()]) {
        assert.throws(
          () => refuseCrossOrigin(requestFrom(origin), undefined),
          { code: 'cross_origin' },
          `${origin} at ${host}`,
        )
        assert.equal(isCrossOrigin(requestFrom(origin), undefined), true, `${origin} at ${host}`)
      }
    }
    for (const host of ['ada@app.example.com', 'app.example.com/', 'app.example.com?', '', 'a b']) {
      const requestFrom = request({ origin: 'http://app.example.com', host })
      assert.throws(() => refuseCrossOrigin(requestFrom, undefined), { code: 'cross_origin' }, host)
    }
    const unknown = request({ origin: 'http://app.example.com', 'x-forwarded-proto': 'constructor' })
    assert.throws(() => refuseCrossOrigin(unknown, undefined), { code: 'cross_origin' })
  })

  it('can be made by any method that is not known to be safe', () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS']) refuseCrossOrigin(request({}, method), own)
    for (const method of ['PUT', 'DELETE', 'TRACE', 'get', 'NEW']) {
      assert.throws(() => refuseCrossOrigin(request({}, method), own), { code: 'cross_origin' }, method)
    }
  })

  it('can be made by a script, which sends none of these headers', () => {
    assert.equal(isCrossOrigin(request({}), own), false)
    assert.equal(isCrossOrigin(request({ 'sec-fetch-site': 'none' }), own), false)
    assert.equal(isCrossOrigin(request({ origin: own }), own), false)
    assert.equal(isCrossOrigin(request({ origin: 'null' }), own), true)
    assert.equal(isCrossOrigin(request({ 'sec-fetch-site': 'same-site' }), own), true)
  })
})
