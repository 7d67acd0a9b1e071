import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, adminKey, engines, type Started, start } from '../../../../test/harness.ts'
import { exchange } from '../../../../test/http/raw-client.ts'
import { createPerson, openBrowser } from '../../../../test/people.ts'
import { navigation } from '../../../../test/proxies/client.ts'
import { extendedHeaders, forgedHeaders } from '../../../../test/proxies/forged-headers.ts'
import { identityHeaderNames } from './identity.ts'

const trusting = {
  ROLLBOOK_PUBLIC_URL: 'https://orchard.example.com/auth',
  ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1',
  ROLLBOOK_RETURN_ORIGINS: 'https://shop.example.com',
  ROLLBOOK_ROLES: '{"analyst": ["reports:read"], "clerk": ["reports:read", "orders:write"]}',
}
const login = 'https://orchard.example.com/auth/login'
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'MKCALENDAR', 'QUERY']
const dialects = ['/verify/nginx', '/verify/forward-auth', '/verify/envoy/orders'] as const

type Headers = Record<string, string>

const send = (app: Started, path: string, headers: Headers = {}, method = 'GET'): Promise<Answer> =>
  app.call(method, path, { key: null, headers })

async function cookieOf(app: Started, members: Record<string, string> = {}): Promise<string> {
  return (await openBrowser(app, (await createPerson(app, members)).username)).cookie
}

/** Traefik 3's request: always GET, with these headers in addition to the original ones. */
const traefik = (target: string, headers: Headers = {}, method = 'GET'): Headers => ({
  'x-forwarded-method': method,
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'orchard.example.com',
  'x-forwarded-uri': target,
  'x-forwarded-for': '203.0.113.7',
  'x-forwarded-port': '443',
  'x-forwarded-server': 'edge',
  'accept-encoding': 'gzip',
  ...headers,
})

/** Envoy's request with allowed_headers as in deploy/envoy: the original method and path, and no body. */
const envoy = (headers: Headers = {}): Headers => ({
  host: 'orchard.example.com',
  'content-length': '0',
  'x-envoy-internal': 'true',
  'x-forwarded-for': '203.0.113.7',
  'x-forwarded-proto': 'https',
  ...headers,
})

for (const engine of engines) {
  describe(`forward-auth on ${engine.name}`, () => {
    it('lets preflights pass without an identity, if configured so, as a trusted proxy describes them', async (t) => {
      const preflight = { origin: 'https://shop.example', 'access-control-request-method': 'PUT' }
      const methodHeaders = { 'x-original-method': 'OPTIONS', 'x-forwarded-method': 'OPTIONS' }
      const open = await start(t, engine, { env: { ...trusting, ROLLBOOK_PASS_PREFLIGHTS: 'true' } })
      const distrusting = { ...trusting, ROLLBOOK_TRUSTED_PROXIES: '192.0.2.1', ROLLBOOK_PASS_PREFLIGHTS: 'true' }
      const others = [await start(t, engine, { env: trusting }), await start(t, engine, { env: distrusting })]
      for (const path of dialects) {
        const method = path.includes('envoy') ? 'OPTIONS' : 'GET'
        const passed = await send(open, path, { ...methodHeaders, ...preflight }, method)
        assert.equal(passed.status, 200, path)
        for (const name of identityHeaderNames) assert.equal(passed.headers[name], '', name)
        const narrowed = await send(open, `${path}?role=admin`, { ...methodHeaders, ...preflight }, method)
        assert.equal(narrowed.status, 200)
        for (const app of others)
          assert.notEqual((await send(app, path, { ...methodHeaders, ...preflight }, method)).status, 200, path)
        for (const sent of [
          preflight,
          { ...methodHeaders, origin: preflight.origin },
          { ...methodHeaders, ...preflight, cookie: 'a=b' },
          { ...methodHeaders, ...preflight, authorization: 'Bearer wrong' },
        ]) {
          assert.notEqual((await send(open, path, sent, 'GET')).status, 200, `${path} ${JSON.stringify(sent)}`)
        }
      }
    })

    it('identifies the caller in all dialects and for every kind of credential', async (t) => {
      const app = await start(t, engine, { env: trusting })
      const person = await createPerson(app, { username: 'Jürgen', email: 'j@example.com', role: 'clerk' })
      const { cookie, call } = await openBrowser(app, person.username)
      const token = (await call('POST', '/token')).body.access_token
      const identityOf = ({ headers }: Answer) => identityHeaderNames.map((name) => headers[name]).toSpliced(8, 1)
      const permissions = 'reports:read orders:write'
      const who = ['J%C3%BCrgen', person.user_id, 'j@example.com', '', 'clerk', permissions, '', '']
      const [session] = (await call('GET', '/sessions')).body
      const authTime = String(Math.floor(Date.parse(session.auth_time) / 1000))
      for (const dialect of dialects) {
        for (const headers of [{ cookie }, { authorization: `Bearer ${token}` }] as Headers[]) {
          const response = await send(app, dialect, headers)
          assert.deepEqual([response.status, response.text], [200, ''], dialect)
          assert.deepEqual(identityOf(response), [...who, 'pwd', 'aal1', '', '', '', ''])
          assert.equal(response.headers['remote-auth-time'], authTime)
        }
        const byKey = await send(app, dialect, { 'x-api-key': adminKey })
        assert.equal(byKey.status, 200)
        const [user, userId, , , groups, all, client, , ...how] = identityOf(byKey)
        assert.deepEqual([user, userId, groups, all, ...how], ['', '', '', '*', '', '', '', '', '', ''])
        assert.equal(byKey.headers['remote-auth-time'], '')
        assert.match(client ?? '', /^[\da-f-]{36}$/)
      }
    })

    it('tells the attributes that are defined so, as the user has them now', async (t) => {
      const app = await start(t, engine, { env: trusting })
      for (const [name, in_header] of [
        ['department', true],
        ['secret', false],
      ] as const) {
        const created = await app.call('POST', '/attributes', { body: { name, type: 'string', in_header } })
        assert.equal(created.status, 201, created.text)
      }
      const person = await createPerson(app)
      const { cookie } = await openBrowser(app, person.username)
      const set = (attributes: object) => app.call('PATCH', `/users/${person.user_id}`, { body: { attributes } })
      const notified = async () =>
        Promise.all(
          dialects.map(async (dialect) => {
            const { status, headers } = await send(app, dialect, { cookie })
            return `${status} ${headers['remote-attributes']}`
          }),
        )
      assert.deepEqual(await notified(), ['200 ', '200 ', '200 '])
      await set({ department: 'Käse, Wurst', secret: 'x' })
      assert.deepEqual([...new Set(await notified())], ['200 department=K%C3%A4se%2C%20Wurst'])
      await app.call('PATCH', '/attributes/secret', { body: { in_header: true } })
      assert.deepEqual([...new Set(await notified())], ['200 department=K%C3%A4se%2C%20Wurst,secret=x'])
      await app.call('DELETE', '/attributes/department')
      assert.deepEqual([...new Set(await notified())], ['200 secret=x'])
    })

    it('refuses a header that a product could mistake for one of ours, for proxies that cannot remove it', async (t) => {
      const app = await start(t, engine, { env: trusting })
      const port = Number(new URL(await app.listen()).port)
      const identity = forgedHeaders.flat().filter((header) => /^remote/i.test(header))
      const exact = identity.filter((header) => /^[a-z-]+:/i.test(header))
      const aboutCaller = ['X_Forwarded_For: x', 'X.Forwarded-Proto: x', 'x~real-ip: x', 'X_FORWARDED_HOST: x']
      const aboutPath = ['X_Original_URL: /x', 'X.Original-URI: /x', 'x_rewrite_url: /x', 'Client_IP: x']
      const refused = [
        ...identity.filter((header) => !exact.includes(header)),
        ...extendedHeaders,
        ...aboutCaller,
        ...aboutPath,
      ]
      assert.ok(exact.length >= 7 && refused.length > 100)
      const others = [
        'Remote-Address: x',
        'X-Forwarded-Server: x',
        'X-Real-IP: x',
        'X-Original-URL: /x',
        'client_id: x',
        'X.Custom: x',
      ]
      const statusOf = async (dialect: string, headers: readonly string[]) => {
        const lines = [
          `GET /auth${dialect} HTTP/1.1`,
          'Host: a',
          `X-API-Key: ${adminKey}`,
          'Connection: close',
          ...headers,
        ]
        const [response] = (await exchange(port, [`${lines.join('\r\n')}\r\n\r\n`])).answers
        return [response?.headers['rollbook-status'] ?? response?.status.toString(), response?.headers['rollbook-code']]
      }
      for (const dialect of dialects) {
        assert.deepEqual(await statusOf(dialect, [...exact, ...others]), ['200', undefined], dialect)
        // One dialect represents all: they share the check.
        for (const header of dialect === '/verify/nginx' ? refused : refused.slice(0, 3)) {
          const [status] = await statusOf(dialect, [header])
          assert.equal(status, '400', `${dialect} ${header}`)
        }
      }
      assert.deepEqual(await statusOf('/verify/nginx', ['Remote.User: admin']), ['400', 'malformed_header'])
    })

    it('accepts every method, and ignores bodies', async (t) => {
      const app = await start(t, engine, { env: trusting })
      const port = Number(new URL(await app.listen()).port)
      const odd = ['Content-Type: application/x-odd', 'Content-Encoding: gzip', 'Content-Length: 5']
      for (const dialect of dialects) {
        for (const method of methods) {
          const headers = [`X-API-Key: ${adminKey}`, 'Host: a', 'Connection: close', ...(method === 'GET' ? [] : odd)]
          const request = `${method} /auth${dialect} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${method === 'GET' ? '' : 'hello'}`
          const { answers } = await exchange(port, [request], { isHead: method === 'HEAD' })
          assert.equal(answers[0]?.status, 200, `${method} ${dialect}`)
        }
      }
    })

    it('refuses a wrong credential, two credentials, and none', async (t) => {
      const app = await start(t, engine, { env: trusting })
      const cookie = await cookieOf(app)
      const wrong: [Headers, status: number, code: string][] = [
        [{}, 401, 'credential_missing'],
        [{ cookie: '__Host-rollbook=nonsense' }, 401, 'credential_invalid'],
        [{ 'x-api-key': 'nonsense' }, 401, 'credential_invalid'],
        [{ authorization: 'Basic YTpi' }, 401, 'credential_invalid'],
        [{ authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' }, 401, 'credential_invalid'],
        [{ cookie, 'x-api-key': adminKey }, 400, 'ambiguous_credentials'],
      ]
      for (const dialect of dialects) {
        for (const [headers, status, code] of wrong) {
          const response = await send(app, dialect, headers)
          assert.equal(response.status, status === 400 && dialect === '/verify/nginx' ? 403 : status, code)
          assert.equal(response.body.code, code)
          if (status === 401) assert.match(response.headers['www-authenticate'] ?? '', /^Bearer/)
          for (const name of identityHeaderNames) assert.ok(!(name in response.headers), name)
        }
      }
    })

    it('forgets a session at once when it ends', async (t) => {
      const app = await start(t, engine, { env: trusting })
      const { user_id, username } = await createPerson(app)
      const { cookie } = await openBrowser(app, username)
      for (const dialect of dialects) assert.equal((await send(app, dialect, { cookie })).status, 200)
      await app.call('PATCH', `/users/${user_id}`, { body: { active: false } })
      for (const dialect of dialects) assert.equal((await send(app, dialect, { cookie })).status, 401)
    })

    it('redirects browsers to sign in as Caddy and Traefik ask, and returns 401 to scripts', async (t) => {
      const app = await start(t, engine, { env: trusting })
      const page = await send(app, '/verify/forward-auth', traefik('/orders?page=2', navigation))
      assert.deepEqual([page.status, page.headers.location], [302, `${login}?return_to=%2Forders%3Fpage%3D2`])
      assert.equal(page.headers['cache-control'], 'no-store')
      const head = await send(app, '/verify/forward-auth', traefik('/orders', navigation, 'HEAD'))
      assert.equal(head.status, 302)
      const endedResponse = await send(
        app,
        '/verify/forward-auth',
        traefik('/', { ...navigation, cookie: '__Host-rollbook=x' }),
      )
      assert.equal(endedResponse.status, 302)
      const scripts: [Headers, method: string][] = [
        [{}, 'GET'],
        [{ accept: 'application/json' }, 'GET'],
        [{ ...navigation, 'sec-fetch-mode': 'cors' }, 'GET'],
        [{ accept: 'text/html', 'x-requested-with': 'XMLHttpRequest' }, 'GET'],
        [{ ...navigation, 'x-api-key': 'wrong' }, 'GET'],
        [{ ...navigation, authorization: 'Bearer wrong' }, 'GET'],
        [navigation, 'POST'],
        [navigation, 'OPTIONS'],
      ]
      for (const [headers, method] of scripts) {
        const response = await send(app, '/verify/forward-auth', traefik('/orders', headers, method))
        assert.equal(response.status, 401, JSON.stringify(headers))
        assert.equal(response.headers['content-type'], 'application/problem+json; charset=utf-8')
      }
    })

    it('gives nginx only 200, 401 and 403, and the rest in headers', async (t) => {
      const app = await start(t, engine, { env: trusting })
      const question = { 'x-original-uri': '/orders?page=2', 'x-original-method': 'GET' }
      const page = await send(app, '/verify/nginx', { ...navigation, ...question })
      assert.deepEqual([page.status, page.headers.location], [401, undefined])
      assert.equal(page.headers['rollbook-login'], `${login}?return_to=%2Forders%3Fpage%3D2`)
      assert.equal(page.headers['rollbook-code'], 'credential_missing')
      const script = await send(app, '/verify/nginx', question)
      assert.deepEqual([script.status, script.headers['rollbook-login']], [401, undefined])

      const faults: [path: string, headers: Headers, meant: string][] = [
        ['/verify/nginx?unknown=1', {}, '422'],
        ['/verify/nginx', { host: 'a b' }, '400'],
        ['/verify/nginx', { 'x-filler': 'x'.repeat(17_000) }, '431'],
        ['/verify/nginx', { expect: 'the unexpected' }, '417'],
        [`/verify/nginx?role=${'x'.repeat(25_000)}`, {}, '414'],
      ]
      for (const [path, headers, meant] of faults) {
        const response = await send(app, path, { 'x-api-key': adminKey, ...headers })
        assert.deepEqual([response.status, response.headers['rollbook-status']], [403, meant], response.text)
        assert.equal(response.headers['rollbook-code'], JSON.parse(response.text).code)
      }
    })

    it('fails closed when the storage fails, and says so', async (t) => {
      const app = await start(t, engine, { env: trusting })
      await app.runSql('ALTER TABLE api_keys RENAME TO keys_elsewhere')
      const [nginx, forwarded] = [
        await send(app, '/verify/nginx', { 'x-api-key': adminKey, ...navigation }),
        await send(app, '/verify/forward-auth', { 'x-api-key': adminKey, ...navigation }),
      ]
      assert.equal(nginx.status, 403)
      assert.match(nginx.headers['rollbook-status'] ?? '', /^50[03]$/)
      assert.equal(forwarded.status, Number(nginx.headers['rollbook-status']))
      assert.ok(!('remote-user' in nginx.headers) && !('remote-user' in forwarded.headers))
    })

    it("uses Envoy's path after its own, whatever that is, and its query as the caller's", async (t) => {
      const app = await start(t, engine, { env: trusting })
      const targets: [target: string, returnTo: string][] = [
        ['/orders?page=2&role=admin&permission=x', '/orders?page=2&role=admin&permission=x'],
        ['', '/'],
        ['/', '/'],
        ['/verify/envoy/x', '/verify/envoy/x'],
        ['/a%20b/%C3%A4', '/a%20b/%C3%A4'],
        [`/${'long/'.repeat(100)}`, `/${'long/'.repeat(100)}`],
      ]
      const cookie = await cookieOf(app)
      for (const [target, returnTo] of targets) {
        const page = await send(app, `/verify/envoy${target}`, envoy(navigation))
        assert.deepEqual(
          [page.status, page.headers.location],
          [302, `${login}?return_to=${encodeURIComponent(returnTo)}`],
          target,
        )
        assert.equal((await send(app, `/verify/envoy${target}`, envoy({ cookie }))).status, 200)
        assert.equal((await send(app, `/verify/envoy${target}`, envoy())).status, 401)
      }
      const headers = envoy({ cookie, 'content-type': 'application/x-www-form-urlencoded' })
      assert.equal((await send(app, '/verify/envoy/orders', headers, 'POST')).status, 403)
      assert.equal(
        (await send(app, '/verify/envoy/orders', { ...headers, 'sec-fetch-site': 'same-origin' }, 'POST')).status,
        200,
      )
      // A path that cannot be decoded could be read in two ways.
      assert.equal((await send(app, '/verify/envoy/%zz', envoy({ cookie }))).status, 400)
    })

    it('sends users back only to our own origin or an allowed one', async (t) => {
      const app = await start(t, engine, { env: trusting })
      const returnTo = async (target: string, headers: Headers = {}) => {
        const response = await send(app, '/verify/forward-auth', traefik(target, { ...navigation, ...headers }))
        assert.equal(response.status, 302)
        const url = new URL(response.headers.location ?? '')
        assert.equal(url.origin + url.pathname, login)
        return url.searchParams.get('return_to')
      }
      assert.equal(await returnTo('/x', { 'x-forwarded-host': 'shop.example.com' }), 'https://shop.example.com/x')
      // With several proxies: a path leads to our own origin, whatever its name.
      assert.equal(await returnTo('/x', { 'x-forwarded-host': 'orchard.example.com, evil.example' }), '/x')
      const elsewhere: [target: string, headers?: Headers][] = [
        ['/x', { 'x-forwarded-host': 'evil.example' }],
        ['/x', { 'x-forwarded-proto': 'http' }],
        ['/x', { 'x-forwarded-host': 'orchard.example.com@evil.example' }],
        ['//evil.example/x'],
        ['/\\evil.example/x'],
        ['/%5c%5cevil.example'],
        ['/.//evil.example'],
        ['https://evil.example/x'],
        ['@evil.example'],
        ['.evil.example'],
        ['javascript:alert(1)'],
        ['/\tx'],
        ['', {}],
      ]
      for (const [target, headers] of elsewhere) assert.equal(await returnTo(target, headers), null, target)
    })

    it('trusts what configured proxies say about a request, and no others', async (t) => {
      const env = { ...trusting, ROLLBOOK_TRUSTED_PROXIES: '10.0.0.0/8' }
      const app = await start(t, engine, { env })
      const page = await send(app, '/verify/forward-auth', traefik('/orders', navigation))
      assert.deepEqual([page.status, page.headers.location], [302, login])
      const nginx = await send(app, '/verify/nginx', { ...navigation, 'x-original-uri': '/orders' })
      assert.equal(nginx.headers['rollbook-login'], login)
    })

    it('refuses changes that another site makes a browser send, even if only the proxy calls them a change', async (t) => {
      for (const proxies of ['127.0.0.1', '10.0.0.0/8']) {
        const app = await start(t, engine, { env: { ...trusting, ROLLBOOK_TRUSTED_PROXIES: proxies } })
        const cookie = await cookieOf(app)
        const changes: [path: string, headers: Headers, method?: string][] = [
          ['/verify/nginx', { 'x-original-method': 'POST' }],
          ['/verify/nginx', { 'x-original-method': 'POST', origin: 'https://evil.example' }],
          ['/verify/nginx', { 'x-original-method': 'post', 'sec-fetch-site': 'cross-site' }],
          ['/verify/forward-auth', traefik('/orders', {}, 'DELETE')],
          ['/verify/forward-auth', traefik('/orders', { 'sec-fetch-site': 'same-site' }, 'PUT')],
          ['/verify/envoy/orders', envoy(), 'PATCH'],
          ['/verify/forward-auth', { 'x-forwarded-method': 'GET' }, 'POST'],
          ['/verify/nginx', { 'sec-websocket-key': 'x', origin: 'https://evil.example' }],
          ['/verify/forward-auth', { 'sec-websocket-key': 'x', 'sec-fetch-site': 'cross-site' }],
        ]
        for (const [path, headers, method] of changes) {
          const response = await send(app, path, { cookie, ...headers }, method)
          assert.deepEqual(
            [response.status, response.body.code],
            [403, 'cross_origin'],
            `${path} ${JSON.stringify(headers)}`,
          )
          const own = { ...headers, origin: 'https://orchard.example.com', 'sec-fetch-site': 'same-origin' }
          assert.equal((await send(app, path, { cookie, ...own }, method)).status, 200)
          assert.equal((await send(app, path, { ...headers, 'x-api-key': adminKey }, method)).status, 200)
        }
      }
    })

    it('narrows by role, one of several, and by permission, all of several', async (t) => {
      const app = await start(t, engine, { env: trusting })
      const [admin, clerk, analyst, user] = [
        await cookieOf(app, { role: 'admin' }),
        await cookieOf(app, { role: 'clerk' }),
        await cookieOf(app, { role: 'analyst' }),
        await cookieOf(app),
      ]
      const rows: [query: string, allowed: string[]][] = [
        ['?role=analyst', [analyst]],
        ['?role=analyst&role=clerk', [analyst, clerk]],
        ['?permission=reports:read', [analyst, clerk, admin]],
        ['?permission=reports:read&permission=orders:write', [clerk, admin]],
        ['?role=admin&permission=reports:read', [admin]],
        ['?permission=nobody:has', [admin]],
        ['?permission=*', [admin]],
      ]
      for (const dialect of ['/verify/nginx', '/verify/forward-auth']) {
        for (const [query, allowed] of rows) {
          for (const cookie of [admin, clerk, analyst, user]) {
            const response = await send(app, dialect + query, { cookie })
            assert.equal(response.status, allowed.includes(cookie) ? 200 : 403, query)
          }
        }
        // A key has permissions but no role.
        assert.equal((await send(app, `${dialect}?permission=orders:write`, { 'x-api-key': adminKey })).status, 200)
        assert.equal((await send(app, `${dialect}?role=admin`, { 'x-api-key': adminKey })).status, 403)
        // Narrowing does not matter without a credential.
        assert.equal((await send(app, `${dialect}?role=user`)).status, 401)
      }
      for (const query of ['?roles=admin', '?role=amdin', '?role=', '?permission=', '?permission=reports', '?x']) {
        const response = await send(app, `/verify/forward-auth${query}`, { cookie: admin })
        assert.deepEqual([response.status, response.body.code], [422, 'validation_failed'], query)
        assert.equal((await send(app, `/verify/nginx${query}`, { cookie: admin })).status, 403, query)
      }
    })

    it('sends a user who must change the password to that page, and allows nothing else', async (t) => {
      const app = await start(t, engine, { env: trusting })
      const { user_id, username } = await createPerson(app)
      const temporary = 'a temporary one of eleven'
      await app.call('POST', `/users/${user_id}/password`, { body: { password: temporary, must_change: true } })
      const { cookie } = await openBrowser(app, username, temporary)
      const place = 'https://orchard.example.com/auth/change-password?return_to=%2Forders'
      const caddy = await send(app, '/verify/forward-auth', traefik('/orders', { ...navigation, cookie }))
      assert.deepEqual([caddy.status, caddy.headers.location], [302, place])
      const nginx = await send(app, '/verify/nginx', { ...navigation, cookie, 'x-original-uri': '/orders' })
      assert.deepEqual([nginx.status, nginx.headers['rollbook-login']], [403, place])
      for (const dialect of dialects) {
        const response = await send(app, dialect, { cookie })
        assert.deepEqual([response.status, response.body.code], [403, 'password_change_required'])
        assert.ok(!('rollbook-login' in response.headers))
      }
    })
  })
}
