import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { identityHeaderNames } from '../../src/forward-auth/identity.ts'

// nginx and Caddy run in proxies.test.ts; these two have no package that a test could install.
const configurations = {
  'nginx/rollbook/product.conf': [/proxy_set_header (remote-[\w-]+)/g, /\$upstream_http_(remote_\w+)/g],
  'traefik/dynamic.yml': [/^ +(remote-[\w-]+): ''/gm, /^ +(remote_\w+): ''/gm],
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
