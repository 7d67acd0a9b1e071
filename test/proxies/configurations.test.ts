import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { identityHeaderNames } from '../../src/forward-auth/identity.ts'

// nginx and Caddy run in proxies.test.ts; these two have no package that a test could install.
const configurations = {
  'nginx/rollbook/product.conf': [/proxy_set_header (remote-[\w-]+)/g, /\$upstream_http_(remote_\w+)/g],
  'traefik/dynamic.yml': [/^ +(remote-[\w-]+): (?:""|'')$/gm, /^ +(remote_\w+): (?:""|'')$/gm],
  'envoy/envoy.yaml': [/remove: (remote-[\w-]+)/g, /exact: (remote-[\w-]+)/g],
}

describe('the configurations for proxies', () => {
  for (const [file, lists] of Object.entries(configurations)) {
    it(`take every identity header from the caller and set every one: ${file}`, () => {
      const text = readFileSync(join(import.meta.dirname, '../../deploy', file), 'utf8').toLowerCase()
      for (const list of lists) {
        const names = [...text.matchAll(list)].map(([, name = '']) => name.replaceAll('_', '-'))
        assert.deepEqual(names.toSorted(), identityHeaderNames.toSorted())
      }
    })
  }

  it('upgrade nothing but websockets: Traefik, Envoy', () => {
    const folder = join(import.meta.dirname, '../../deploy')
    const traefik = readFileSync(join(folder, 'traefik/dynamic.yml'), 'utf8')
    const [, refused = ''] = /HeaderRegexp\(`Upgrade`, `\(\?i\)([^`]+)`\)/.exec(traefik) ?? []
    const isRefused = (protocol: string) => new RegExp(refused, 'i').test(protocol)
    for (const protocol of ['websocket', 'WebSocket']) assert.ok(!isRefused(protocol), protocol)
    for (const protocol of ['h2c', 'HTTP/2.0', 'TLS/1.3', 'websocket, h2c', 'h2c,websocket', 'connect-udp']) {
      assert.ok(isRefused(protocol), protocol)
    }
    const envoy = readFileSync(join(folder, 'envoy/envoy.yaml'), 'utf8')
    const upgraded = [...envoy.matchAll(/upgrade_type: (.+)/g)].map(([, protocol]) => protocol)
    assert.deepEqual(upgraded, ['websocket'])
  })

  it('hand on no header in which a key can stand: Traefik, Envoy', () => {
    const folder = join(import.meta.dirname, '../../deploy')
    const traefik = readFileSync(join(folder, 'traefik/dynamic.yml'), 'utf8')
    const [, taken = ''] =
      /without-key:\n +headers:\n +customRequestHeaders:\n((?: +[\w-]+: ""\n)+)/.exec(traefik) ?? []
    assert.deepEqual(taken.match(/[\w-]+(?=:)/g), ['X-API-Key', 'Authorization'])
    const envoy = readFileSync(join(folder, 'envoy/envoy.yaml'), 'utf8')
    const toProduct = envoy.split(/- match:/).filter((route) => /route: \{ cluster: orchard/.test(route))
    assert.equal(toProduct.length, 2)
    for (const route of toProduct) assert.match(route, /request_headers_to_remove: \[x-api-key, authorization\]/)
  })

  it('copy every identity header to the product: Traefik, Caddy', () => {
    const folder = join(import.meta.dirname, '../../deploy')
    const traefik = readFileSync(join(folder, 'traefik/dynamic.yml'), 'utf8').toLowerCase()
    const lists = [...traefik.matchAll(/\[(remote-[^\]]+)\]/g)].map(([, list = '']) => list.split(', '))
    assert.equal(lists.length, 2)
    const caddy = readFileSync(join(folder, 'caddy/Caddyfile'), 'utf8').toLowerCase()
    lists.push((/copy_headers (.*)/.exec(caddy)?.[1] ?? '').split(' '))
    for (const list of lists) assert.deepEqual(list.toSorted(), identityHeaderNames.toSorted())
  })
})
