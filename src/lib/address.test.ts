import assert from 'node:assert/strict'
import { isIPv6 } from 'node:net'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { networkOf, networksOf, nowhere } from './address.ts'

describe('the network of an address', () => {
  const cases: [address: string, network: string, site?: string][] = [
    ['192.0.2.7', '192.0.2.7'],
    ['127.0.0.1', '127.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:DB8:0001:0002::', '2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8:0:0::/64', '2001:db8:0::/48'],
    ['::1', '0:0:0:0::/64', '0:0:0::/48'],
    ['::', '0:0:0:0::/64', '0:0:0::/48'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64', 'fe80:0:0::/48'],
    ['fe80::2%lo', 'fe80:0:0:0::/64', 'fe80:0:0::/48'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:0207', '192.0.2.7'],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
    ['64:ff9b::192.0.2.7', '192.0.2.7'],
    ['64:ff9b:1::192.0.2.7', '64:ff9b:1:0::/64', '64:ff9b:1::/48'],
    ['2001:db8::192.0.2.7', '2001:db8:0:0::/64', '2001:db8:0::/48'],
  ]
  for (const [address, network, site] of cases) {
    it(`of ${address} is ${network}`, () => {
      assert.deepEqual(networksOf(address), { network, ...(site !== undefined && { site }) })
    })
  }

  it('is the same for everything that is not an address: invented texts are no new networks', () => {
    const texts = ['', 'unknown', '_hidden', '192.0.2', '192.0.2.7:80', '[::1]', '1:2:3', '::1::', 'ffff:'.repeat(9)]
    assert.deepEqual([...new Set(texts.map(networkOf))], [nowhere])
  })

  it('does not depend on the last 64 bits, nor on how an address is written', () => {
    const group = fc.integer({ min: 0, max: 0xffff })
    fc.assert(
      fc.property(
        fc.tuple(group, group, group, group),
        fc.array(group, { minLength: 4, maxLength: 4 }),
        (net, host) => {
          fc.pre(net.some((part) => part !== 0) && net[0] !== 0x64)
          const hex = (groups: number[], width: number) => groups.map((part) => part.toString(16).padStart(width, '0'))
          const ways = [
            hex([...net, ...host], 0).join(':'),
            hex([...net, ...host], 4)
              .join(':')
              .toUpperCase(),
            `${hex(net, 0).join(':')}::`,
            new URL(`http://[${hex([...net, ...host], 0).join(':')}]`).hostname.slice(1, -1),
          ]
          assert.ok(ways.every(isIPv6), ways.join(' '))
          assert.deepEqual([...new Set(ways.map(networkOf))], [`${hex(net, 0).join(':')}::/64`])
        },
      ),
    )
  })
})
