import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { clientAddresses } from './client-address.ts'

const request = (remoteAddress: string, forwarded?: string) =>
  ({
    raw: { socket: { remoteAddress } },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as FastifyRequest

describe('the address of a client', () => {
  it('is that of the connection if no proxy is trusted, whatever a header says', () => {
    const { of, isFromTrustedProxy } = clientAddresses([])
    assert.equal(of(request('192.0.2.1', '203.0.113.9')), '192.0.2.1')
    assert.equal(of(request('::ffff:192.0.2.1')), '192.0.2.1')
    assert.equal(isFromTrustedProxy(request('127.0.0.1')), false)
  })

  it('is the last one that a trusted proxy has seen', () => {
    const { of, isFromTrustedProxy } = clientAddresses(['10.0.0.0/8', '127.0.0.1', 'fd00::/8'])
    const cases: [string, string | undefined, string][] = [
      ['10.1.2.3', '203.0.113.9', '203.0.113.9'],
      ['10.1.2.3', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
      ['10.1.2.3', '1.1.1.1, 203.0.113.9, 10.9.9.9', '203.0.113.9'],
      ['::ffff:10.1.2.3', '203.0.113.9:4711', '203.0.113.9'],
      ['fd00::1', '[2001:db8::7]:443', '2001:db8::7'],
      ['127.0.0.1', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
      ['127.0.0.1', undefined, '127.0.0.1'],
      ['127.0.0.1', 'unknown', '127.0.0.1'],
      ['127.0.0.1', '203.0.113.9, nonsense', '127.0.0.1'],
      ['192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ]
    for (const [peer, header, expected] of cases) assert.equal(of(request(peer, header)), expected, `${header}`)
    assert.equal(isFromTrustedProxy(request('fd12::1')), true)
    assert.equal(isFromTrustedProxy(request('11.0.0.1')), false)
  })
})
