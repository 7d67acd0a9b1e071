import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { callGuard, hostOf, refuseUrl } from './guard.ts'

const strict = { webhookAllowedNetworks: undefined, webhookAllowHttp: false }

/** Known ways to write an address that reach an internal network. */
const inwardHosts: Record<string, string[]> = {
  loopback: [
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '127.255.255.254',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0x7f.1',
    '017700000001',
    '0177.0.0.01',
    '0177.1',
    '127.0.0.1.',
    '１２７.０.０.１',
    '127。0。0。1',
    '①②⑦.0.0.1',
    '%31%32%37.0.0.1',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[0000::0001]',
  ],
  'this host': ['0', '0.0.0.0', '0x0', '00', '0.1.2.3', '[::]', '[::0]'],
  mapped: [
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::FFFF:127.0.0.1]',
    '[0:0:0:0:0:ffff:7f00:0001]',
    '[::ffff:10.1.2.3]',
  ],
  'IPv4-compatible': ['[::127.0.0.1]', '[::7f00:1]', '[::a00:1]'],
  NAT64: [
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b:1::1]',
    '[64:ff9b:1::5db8:d822]',
  ],
  '6to4': ['[2002:7f00:1::]', '[2002:a00:1::1]', '[2002:a9fe:a9fe::]'],
  Teredo: ['[2001::1]', '[2001:0:4136:e378:8000:63bf:3fff:fdd2]'],
  'IPv4 in others': ['[::ffff:0:127.0.0.1]', '[fe80::5efe:127.0.0.1]'],
  private: [
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '192.168.255.255',
    '[fc00::1]',
    '[fd12:3456::1]',
  ],
  'link-local': ['169.254.0.1', '[fe80::1]', '[febf::1]', '[fec0::1]'],
  metadata: [
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '169.254.43518',
    '[::ffff:169.254.169.254]',
    '[fd00:ec2::254]', // AWS
    '[fd20:ce::254]', // Google
    '100.100.100.200', // Alibaba
    '192.0.0.192', // Oracle
    '168.63.129.16', // Azure
  ],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  'documentation and benchmarks': [
    '192.0.2.1',
    '198.51.100.7',
    '203.0.113.9',
    '198.18.0.1',
    '198.19.255.255',
    '[2001:db8::1]',
    '[3fff::1]',
  ],
  'multicast, reserved, broadcast': [
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    '[ff02::1]',
    '[ff0e::1]',
  ],
  unassigned: ['[4000::1]', '[100::1]', '[5f00::1]', '[8000::1]'],
}

describe('the guard of webhooks', () => {
  for (const [what, hosts] of Object.entries(inwardHosts)) {
    it(`refuses ${what}, however it is written`, () => {
      for (const host of hosts) {
        const url = `https://${host}/hooks`
        // What the URL parser rejects as an address is refused for that reason.
        assert.match(refuseUrl(url, strict)?.code ?? 'none', /^url_(address|malformed)$/, url)
        if (URL.canParse(url)) assert.equal(callGuard()(hostOf(new URL(url))), false, url)
      }
    })
  }

  it('refuses scoped addresses, names and nonsense in the place of an address', () => {
    for (const text of [
      'fe80::1%eth0',
      '::1%lo',
      '127.0.0.1%1',
      'localhost',
      '',
      '1.2.3',
      '999.1.1.1',
      '1.1.1.1 ',
      '::ffff:1.2.3',
      '2a00::5efe:127.0.0.1',
      '2a00::200:5efe:10.0.0.1',
    ]) {
      assert.equal(callGuard()(text), false, text)
    }
  })

  it('allows public addresses, including those that IPv6 carries', () => {
    const hosts = [
      '1.1.1.1',
      '93.184.216.34',
      '172.15.255.255',
      '172.32.0.1',
      '100.63.255.255',
      '100.128.0.1',
      '192.167.1.1',
      '223.255.255.255',
      '[2606:4700::1111]',
      '[2a00:1450:4001:80b::200e]',
      '[2001:4860:4860::8888]',
      '[::ffff:1.1.1.1]',
      '[64:ff9b::101:101]',
    ]
    for (const host of hosts) {
      assert.equal(refuseUrl(`https://${host}/`, strict), undefined, host)
      assert.equal(callGuard()(host.replace(/^\[|\]$/g, '')), true, host)
    }
  })

  it('decides the same about every IPv4 address, mapped addresses and NAT64', () => {
    const mayCall = callGuard()
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        assert.equal(mayCall(`::ffff:${address}`), mayCall(address))
        assert.equal(mayCall(`64:ff9b::${address}`), mayCall(address))
      }),
    )
  })

  it('lets the networks through that the configuration allows, in every form, and no others', () => {
    const webhookAllowedNetworks = ['10.1.0.0/16', '127.0.0.1', 'fd00:1::/32', '::1']
    const policy = { webhookAllowedNetworks, webhookAllowHttp: false }
    const allowed = ['10.1.2.3', '0x0a010203', '[::ffff:10.1.2.3]', '127.0.0.1', '2130706433', '[fd00:1::5]', '[::1]']
    const refused = [
      '10.2.0.1',
      '127.0.0.2',
      '[fd00:2::1]',
      '[::2]',
      '[::]',
      '169.254.169.254',
      '192.168.1.1',
      '[fe80::1]',
    ]
    for (const host of allowed) assert.equal(refuseUrl(`https://${host}/`, policy), undefined, host)
    for (const host of refused) assert.equal(refuseUrl(`https://${host}/`, policy)?.code, 'url_address', host)
  })

  it('names the setting that allows a receiver in your own network', () => {
    const detail = (url: string) => refuseUrl(url, strict)?.detail ?? ''
    assert.match(detail('http://hooks.example.com/'), /ROLLBOOK_WEBHOOK_ALLOW_HTTP/)
    assert.match(detail('https://10.0.0.1/'), /ROLLBOOK_WEBHOOK_ALLOWED_NETWORKS/)
  })

  it('refuses URLs that are not https, or not a plain address of a receiver', () => {
    const cases: [url: string, code: string | undefined][] = [
      ['https://hooks.example.com/a?b=c', undefined],
      ['https://hooks.example.com:8443/', undefined],
      ['https://hooks.example.com:80/', undefined],
      ['http://hooks.example.com/', 'url_scheme'],
      ['HTTP://hooks.example.com/', 'url_scheme'],
      ['ftp://hooks.example.com/', 'url_scheme'],
      ['file:///etc/passwd', 'url_scheme'],
      ['gopher://127.0.0.1:6379/_', 'url_scheme'],
      ['javascript:alert(1)', 'url_scheme'],
      ['https://user@hooks.example.com/', 'url_credentials'],
      ['https://user:word@hooks.example.com/', 'url_credentials'],
      ['https://public.example@127.0.0.1/', 'url_credentials'],
      ['https://hooks.example.com/#a', 'url_fragment'],
      ['https://hooks.example.com/#', 'url_fragment'],
      ['https://127.0.0.1#@public.example/', 'url_fragment'],
      ['https://hooks.example.com:22/', 'url_port'],
      ['https://hooks.example.com:25/', 'url_port'],
      ['https://hooks.example.com:0/', 'url_port'],
      ['https://hooks.example.com:70000/', 'url_malformed'],
      ['hooks.example.com', 'url_malformed'],
      ['//hooks.example.com/', 'url_malformed'],
      ['https://', 'url_malformed'],
      ['https://[fe80::1%25eth0]/', 'url_malformed'],
      ['', 'url_malformed'],
    ]
    for (const [url, code] of cases) assert.equal(refuseUrl(url, strict)?.code, code, url)
    assert.equal(refuseUrl('http://hooks.example.com/', { ...strict, webhookAllowHttp: true }), undefined)
    assert.equal(refuseUrl('ftp://hooks.example.com/', { ...strict, webhookAllowHttp: true })?.code, 'url_scheme')
    assert.equal(refuseUrl('http://127.0.0.1/', { ...strict, webhookAllowHttp: true })?.code, 'url_address')
  })

  it('never echoes the URL, which may contain a secret', () => {
    for (const url of ['https://user:s3cret@x.example/', 'http://x.example/s3cret', 'https://x.example:22/s3cret']) {
      assert.ok(!JSON.stringify(refuseUrl(url, strict)).includes('s3cret'))
    }
  })
})
