import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { identityHeaderNames } from '../../src/access/pages/forward-auth/identity.ts'
import { problems } from '../../src/core/errors.ts'
import { forgedHeaders } from './forged-headers.ts'

// nginx and Caddy run in proxies.test.ts; these two have no package that a test could install.
const configurations = {
  'nginx/rollbook/product.conf': [/proxy_set_header (remote-[\w-]+)/g, /\$upstream_http_(remote_\w+)/g],
  'traefik/dynamic.yml': [/^ +(remote-[\w-]+): (?:""|'')$/gm, /^ +(remote_\w+): (?:""|'')$/gm],
  'envoy/envoy.yaml': [/remove: (remote-[\w-]+)/g, /exact: (remote-[\w-]+)/g],
}

const deploy = join(import.meta.dirname, '../../deploy')
const read = (file: string) => readFileSync(join(deploy, file), 'utf8')

type Match = { path?: string; prefix?: string; case_sensitive?: boolean; safe_regex?: { regex: string } }
type Route = { match: Match; route?: object; direct_response?: { status: number }; typed_per_filter_config?: object }
// biome-ignore lint/suspicious/noExplicitAny: the shape is Envoy's.
const envoyManager = (): any =>
  parse(read('envoy/envoy.yaml')).static_resources.listeners[0].filter_chains[0].filters[0].typed_config

/** RE2's expressions as ours; JavaScript has no flag inside of one. */
const re2 = (expression: string) =>
  new RegExp(expression.replace('(?i)', '').replace('[[:cntrl:]]', '[\\x00-\\x1f\\x7f]'), 'i')

/** The first of Envoy's routes that takes a path, as Envoy compares: the whole path, without the query. */
function envoyRoute(path: string): Route {
  const routes = envoyManager().route_config.virtual_hosts[0].routes as Route[]
  const found = routes.find(({ match: { path: exact, prefix, case_sensitive: sensitive = true, safe_regex } }) => {
    const [of, to] = sensitive ? [path, prefix] : [path.toLowerCase(), prefix?.toLowerCase()]
    if (exact !== undefined) return path === exact
    if (to !== undefined) return of.startsWith(to)
    return re2(`^(?:${safe_regex?.regex})$`).test(path)
  })
  return found ?? assert.fail(path)
}

/** Traefik's router for a path, by priority. */
function traefikRouter(path: string): string {
  const { routers } = parse(read('traefik/dynamic.yml')).http as {
    routers: Record<string, { rule: string; priority: number }>
  }
  const takes = (condition: string) => {
    const [, matcher, argument = ''] = /^(\w+)\(`([^`]*)`/.exec(condition.trim()) ?? []
    if (matcher === 'Host') return true
    if (matcher === 'Path') return path === argument
    if (matcher === 'PathPrefix') return path.startsWith(argument)
    if (matcher === 'PathRegexp') return re2(argument).test(path)
    return matcher === 'HeaderRegexp' ? false : assert.fail(condition)
  }
  const all = ({ rule }: { rule: string }) =>
    rule.split('&&').every((part) =>
      part
        .replaceAll(/^ *\((?=Path)|\)(?= *$)(?<=\)\))/g, '')
        .split('||')
        .some(takes),
    )
  const [found] = Object.entries(routers)
    .filter(([, router]) => all(router))
    .toSorted(([, a], [, b]) => b.priority - a.priority)
  return found?.[0] ?? assert.fail(path)
}

const ordinaryPaths = [
  '/orders',
  '/portage',
  '/a.b/...c',
  '/a%20b',
  '/gr%C3%BC%C3%9Fe',
  '/a:b@c,d=e',
  '/100%25',
  '/100%25%20off',
]
const reportPaths = ['/reports', '/reports/2026', '/REPORTS', '/Reports/x', '/rePORTS.json']
/** After the proxy itself has resolved dot segments and decoded what need not be encoded. */
const ambiguousPaths = [
  '/;/reports',
  '/x/..;/reports',
  '/x;p=1/reports',
  '/REPORTS;x',
  '/x%3b/reports',
  '/x/..%3B/reports',
  '/\\reports',
  '/x%5c..%5creports',
  '/%72eports',
  '/%52EPORTS',
  '/%2572eports',
  '/%25%37%32eports',
  '/%257%32eports',
  '/x%e0%80%af..%e0%80%afreports',
  '/x%F0%80%80%AF..%F0%80%80%AFreports',
  '/x%252f..%252freports',
  '/x%c0%af..%c0%afreports',
  '/rep%09orts',
  '/x%2f..%2freports',
  '/x/%2e%2e/reports',
]

describe('the proxy configurations', () => {
  it('ask for the permission of a path in any case of letters, and refuse other spellings: Envoy, Traefik', () => {
    for (const path of ambiguousPaths) {
      assert.equal(envoyRoute(path).direct_response?.status, 400, path)
      assert.equal(traefikRouter(path), 'ambiguous', path)
    }
    const needs = ({ typed_per_filter_config }: Route) => JSON.stringify(typed_per_filter_config ?? {})
    for (const path of reportPaths) {
      assert.match(needs(envoyRoute(path)), /reports:read/, path)
      assert.equal(traefikRouter(path), 'reports', path)
    }
    // Envoy cannot send a query of its own with its question.
    for (const path of ['/admin', '/ADMIN/x']) assert.equal(traefikRouter(path), 'admin', path)
    const { middlewares } = parse(read('traefik/dynamic.yml')).http
    assert.match(middlewares['rollbook-admin'].forwardAuth.address, /\?acr=aal2&max_age=600$/)
    for (const path of ordinaryPaths) {
      const { direct_response, match } = envoyRoute(path)
      assert.deepEqual([direct_response, match.prefix], [undefined, '/'], path)
      assert.equal(traefikRouter(path), 'orchard', path)
    }
    const wellKnown = ['webauthn', 'passkey-endpoints', 'change-password'].map((name) => `/.well-known/${name}`)
    for (const path of ['/auth', '/auth/login', ...wellKnown]) {
      assert.equal(traefikRouter(path), 'rollbook')
      assert.match(JSON.stringify(envoyRoute(path).route), /"cluster":"rollbook"/, path)
    }
    for (const path of wellKnown) assert.ok(read('kubernetes/ingress.yaml').includes(`path: ${path}\n`), path)
    assert.equal(traefikRouter('/authors'), 'orchard')
    const manager = envoyManager()
    assert.deepEqual([manager.normalize_path, manager.merge_slashes], [true, true])
    assert.equal(manager.path_with_escaped_slashes_action, 'REJECT_REQUEST')
  })

  it('show Rollbook the names that it refuses, and nothing that Envoy itself adds', () => {
    const [authz] = envoyManager().http_filters
    type Pattern = { exact?: string; prefix?: string; safe_regex?: { regex: string } }
    const patterns = authz.typed_config.allowed_headers.patterns as Pattern[]
    const isShown = (name: string) =>
      patterns.some(({ exact, prefix, safe_regex }) => {
        if (prefix !== undefined) return name.startsWith(prefix)
        return exact === name || (safe_regex !== undefined && new RegExp(`^(?:${safe_regex.regex})$`).test(name))
      })
    const odd = forgedHeaders.flat().map((header) => (header.split(':')[0] as string).toLowerCase())
    for (const name of odd) if (name.startsWith('remote') || /[^a-z0-9-]/.test(name)) assert.ok(isShown(name), name)
    for (const name of [':path', ':scheme', ':authority', 'x-forwarded-host', 'content-type']) {
      assert.ok(!isShown(name), name)
    }
    // By default Traefik forwards all headers.
    assert.doesNotMatch(read('traefik/dynamic.yml'), /^ +authRequestHeaders/m)
  })

  it('remove headers that make a product serve another path: Envoy, Traefik, nginx, Caddy', () => {
    for (const name of ['X-Original-URL', 'X-Rewrite-URL', 'Proxy', 'Forwarded', 'Client-IP']) {
      assert.match(read('envoy/envoy.yaml'), new RegExp(`- remove: ${name}$`, 'im'))
      assert.match(read('traefik/dynamic.yml'), new RegExp(`^ +${name}: ""$`, 'm'))
      assert.match(read('nginx/rollbook/product.conf'), new RegExp(`^proxy_set_header ${name} +"";$`, 'm'))
      assert.match(read('caddy/Caddyfile'), new RegExp(`^\\s+request_header -${name}$`, 'm'))
    }
  })

  it('respond with a problem document that Rollbook is away, and when to retry, if the proxy can', () => {
    const [mapper] = envoyManager().local_reply_config.mappers
    assert.deepEqual([mapper.status_code, mapper.body_format_override.content_type], [503, 'application/problem+json'])
    const added = mapper.headers_to_add.map(({ header }: { header: { key: string; value: string } }) => header)
    assert.deepEqual(added, [
      { key: 'retry-after', value: '5' },
      { key: 'cache-control', value: 'no-store' },
    ])
    const bodies = [
      mapper.body.inline_string,
      /return 503 '(\{.*rollbook_unavailable.*\})'/.exec(read('nginx/rollbook/refusals.conf'))?.[1],
      /respond `(\{.*\})` 503/.exec(read('caddy/Caddyfile'))?.[1],
    ]
    for (const body of bodies) {
      const { type, title, status, code, detail } = JSON.parse(body)
      assert.deepEqual([type, status, code], ['/auth/docs/problems#rollbook_unavailable', 503, 'rollbook_unavailable'])
      assert.equal(title, problems.rollbook_unavailable[1])
      assert.match(detail, /Retry-After/)
    }
    // Errors at our own path, and failed verifications: the product's errors are its own.
    const path = mapper.filter.or_filter.filters[1].and_filter.filters[1].header_filter.header
    const isOurs = (url: string) => new RegExp(`^(?:${path.string_match.safe_regex.regex})$`).test(url)
    assert.equal(path.name, ':path')
    for (const url of ['/auth', '/auth/login?x=/', '/auth?x']) assert.ok(isOurs(url), url)
    for (const url of ['/authors', '/orders', '/x/auth/']) assert.ok(!isOurs(url), url)
  })

  for (const [file, lists] of Object.entries(configurations)) {
    it(`remove every identity header of the caller and set every one: ${file}`, () => {
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

  it('have the example that the docs show: nginx, Caddy', () => {
    const page = readFileSync(join(deploy, '../docs/second-factors.md'), 'utf8')
    const blocks = [...page.matchAll(/```(nginx|caddyfile)\n([^`]+)```/g)].map(([, kind, text = '']) => ({
      kind,
      text,
    }))
    assert.deepEqual(
      blocks.map(({ kind }) => kind),
      ['nginx', 'caddyfile'],
    )
    for (const { kind, text } of blocks) {
      assert.ok(read(kind === 'nginx' ? 'nginx/orchard.conf' : 'caddy/Caddyfile').includes(text), text)
    }
  })

  it('copy every identity header to the product: Traefik, Caddy', () => {
    const folder = join(import.meta.dirname, '../../deploy')
    const traefik = readFileSync(join(folder, 'traefik/dynamic.yml'), 'utf8').toLowerCase()
    const lists = [...traefik.matchAll(/\[(remote-[^\]]+)\]/g)].map(([, list = '']) => list.split(', '))
    assert.equal(lists.length, 3)
    const caddy = readFileSync(join(folder, 'caddy/Caddyfile'), 'utf8').toLowerCase()
    lists.push((/copy_headers (.*)/.exec(caddy)?.[1] ?? '').split(' '))
    for (const list of lists) assert.deepEqual(list.toSorted(), identityHeaderNames.toSorted())
  })
})
