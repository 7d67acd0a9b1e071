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
]

describe('a change by cookie', () => {
  it('is accepted from a page of the same origin alone', () => {
    for (const headers of allowed) refuseCrossOrigin(request(headers), own)
    for (const headers of refused) {
      assert.throws(() => refuseCrossOrigin(request(headers), own), { code: 'cross_origin' }, JSON.stringify(headers))
    }
  })

  it('is accepted from a page of the very host that was asked where nobody has said what we are called', () => {
    const asked = (origin: string) => request({ origin, host: '127.0.0.1:8080' })
    refuseCrossOrigin(asked('http://127.0.0.1:8080'), undefined)
    for (const origin of ['http://127.0.0.1', 'http://127.0.0.1:8081', 'http://localhost:8080', 'null']) {
      assert.throws(() => refuseCrossOrigin(asked(origin), undefined), { code: 'cross_origin' }, origin)
    }
  })

  it('is what any method may make that is not known to be safe', () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS']) refuseCrossOrigin(request({}, method), own)
    for (const method of ['PUT', 'DELETE', 'TRACE', 'get', 'NEW']) {
      assert.throws(() => refuseCrossOrigin(request({}, method), own), { code: 'cross_origin' }, method)
    }
  })

  it('may be begun by a script, which sends none of these headers', () => {
    assert.equal(isCrossOrigin(request({}), own), false)
    assert.equal(isCrossOrigin(request({ 'sec-fetch-site': 'none' }), own), false)
    assert.equal(isCrossOrigin(request({ origin: own }), own), false)
    assert.equal(isCrossOrigin(request({ origin: 'null' }), own), true)
    assert.equal(isCrossOrigin(request({ 'sec-fetch-site': 'same-site' }), own), true)
  })
})
