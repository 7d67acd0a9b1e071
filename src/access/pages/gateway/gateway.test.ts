// Takes long for its size.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { adminKey, anyEngine, type Engine, engines, type Started, start } from '../../../../test/harness.ts'
import { exchange } from '../../../../test/http/raw-client.ts'
import { serveHttp } from '../../../../test/http-server.ts'
import { waitUntil } from '../../../../test/nodes/nodes.ts'
import { createOrganization } from '../../../../test/organizations.ts'
import { createPerson, openBrowser } from '../../../../test/people.ts'
import { navigation, openSocket, refusedSocket, send } from '../../../../test/proxies/client.ts'
import {
  assertNothingForged,
  extendedHeaders,
  forgedHeaders,
  sendThrough,
  websocketHandshake,
} from '../../../../test/proxies/forged-headers.ts'
import { eventStream, type Product, startProduct } from '../../../../test/proxies/product.ts'
import { stallMs } from '../../../../test/time-limit.ts'
import { sessionCookies } from '../../../http/request/cookies.ts'

type Setup = { app: Started; product: Product; origin: string; port: number }
type Routes = Parameters<typeof startProduct>[1]

async function startGateway(t: TestContext, engine: Engine, routes: Routes = {}, env = {}): Promise<Setup> {
  const product = await startProduct(t, routes)
  const app = await start(t, engine, { env: { ROLLBOOK_UPSTREAM: product.origin, ...env } })
  const { origin, port } = new URL(await app.listen())
  return { app, product, origin, port: Number(port) }
}

async function signedIn(app: Started, members: Record<string, string> = {}) {
  const person = await createPerson(app, members)
  const { cookie, session_id } = await openBrowser(app, person.username)
  return { person, cookie, session_id }
}

const redirect = 'manual'
const ourCookies = sessionCookies({ publicUrl: undefined }).names

for (const engine of engines) {
  describe(`the gateway on ${engine.name}`, () => {
    it('shows the page of a silent product in the look of the user’s organization', async (t) => {
      const { app, product, origin } = await startGateway(t, engine)
      const organization_id = await createOrganization(app)
      await app.call('PUT', `/organizations/${organization_id}/branding`, { body: { name: 'Acme Reports' } })
      const { cookie } = await signedIn(app, { organization_id })
      await product.close()
      const { status, text } = await send(`${origin}/orders`, { headers: { ...navigation, cookie } })
      assert.deepEqual([status, /<title>[^<]* · ([^<]*)<\/title>/.exec(text)?.[1]], [502, 'Acme Reports'])
    })

    it('passes on preflights without an identity, if configured so, and nothing else without a credential', async (t) => {
      const preflight = { origin: 'https://shop.example', 'access-control-request-method': 'PUT' }
      const closed = await startGateway(t, engine)
      const before = await send(`${closed.origin}/orders`, { method: 'OPTIONS', headers: preflight })
      assert.equal(before.status, 401)
      const { app, product, origin } = await startGateway(t, engine, {}, { ROLLBOOK_PASS_PREFLIGHTS: 'true' })
      const { cookie } = await signedIn(app)
      const headers = { ...preflight, 'remote-user': 'admin', remote_user: 'admin' }
      await send(`${origin}/orders`, { method: 'OPTIONS', headers })
      const [seen] = product.received
      assert.deepEqual([seen?.method, seen?.headers.origin], ['OPTIONS', 'https://shop.example'])
      assert.deepEqual(
        Object.keys(seen?.headers ?? {}).filter((name) => name.startsWith('remote')),
        [],
      )
      const { origin: _, ...withoutOrigin } = preflight
      const refused: [string, string, Record<string, string>][] = [
        ['GET', '/orders', preflight],
        ['POST', '/orders', preflight],
        ['OPTIONS', '/orders', withoutOrigin],
        ['OPTIONS', '/orders', { origin: preflight.origin }],
        ['OPTIONS', '/orders', { ...preflight, cookie: 'rollbook=wrong' }],
        ['OPTIONS', '/orders', { ...preflight, authorization: 'Bearer wrong' }],
        ['GET', '/orders', { ...preflight, 'x-http-method-override': 'OPTIONS', 'x-forwarded-method': 'OPTIONS' }],
      ]
      for (const [method, path, sent] of refused) {
        assert.equal(
          (await send(`${origin}${path}`, { method, headers: sent })).status,
          401,
          `${method} ${JSON.stringify(sent)}`,
        )
      }
      assert.equal(product.received.length, 1)
      await send(`${origin}/orders`, {
        method: 'OPTIONS',
        headers: { ...preflight, cookie, 'sec-fetch-site': 'same-origin' },
      })
      assert.notEqual(product.received.at(1)?.headers['remote-user'] ?? '', '')
    })

    it('sends a signed-out browser to the sign-in page and back, and returns 401 to a program', async (t) => {
      const { product, origin } = await startGateway(t, engine)
      const page = await send(`${origin}/orders?page=2`, { headers: navigation })
      assert.equal(page.status, 302)
      assert.equal(page.headers.location, '/auth/login?return_to=%2Forders%3Fpage%3D2')
      assert.equal(page.headers['cache-control'], 'no-store')
      const data = await send(`${origin}/orders`)
      assert.deepEqual([data.status, data.json().code], [401, 'credential_missing'])
      assert.match(data.headers['www-authenticate'] ?? '', /^Bearer/)
      const script = await send(`${origin}/orders`, { headers: { ...navigation, 'sec-fetch-mode': 'cors' } })
      assert.equal(script.status, 401)
      const write = await send(`${origin}/orders`, { method: 'POST', headers: navigation })
      assert.equal(write.status, 401)
      const endedResponse = await send(origin, { headers: { ...navigation, cookie: 'rollbook=ended' } })
      assert.deepEqual([endedResponse.status, endedResponse.headers.location], [302, '/auth/login?return_to=%2F'])
      assert.deepEqual(product.received, [])
    })

    it('refuses a wrong credential, and two credentials', async (t) => {
      const { app, product, origin } = await startGateway(t, engine)
      const { cookie } = await signedIn(app)
      const attempts = [
        [401, { cookie: 'rollbook=nonsense' }],
        [401, { 'x-api-key': 'rb_nonsense' }],
        [401, { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' }],
        [401, { authorization: 'Basic YTpi' }],
        [400, { cookie, 'x-api-key': adminKey }],
        [400, { cookie, authorization: `Bearer ${adminKey}` }],
      ] as const
      for (const [status, headers] of attempts) {
        assert.equal((await fetch(origin, { headers })).status, status, JSON.stringify(headers))
      }
      assert.deepEqual(product.received, [])
    })

    it('tells the product who is calling in its own headers only, and passes on no credential', async (t) => {
      const { app, product, origin, port } = await startGateway(t, engine)
      const { person, cookie } = await signedIn(app, {
        username: 'grüße%',
        email: 'g@example.com',
        first_name: 'Grace',
        last_name: 'Hopper, RADM',
      })
      await app.call('POST', '/attributes', { body: { name: 'department', type: 'string', in_header: true } })
      const attributes = { department: 'Sales, North' }
      assert.equal((await app.call('PATCH', `/users/${person.user_id}`, { body: { attributes } })).status, 200)
      const forged = [
        'Remote-User: admin',
        'remote_user: admin',
        'REMOTE-GROUPS: admin',
        'Remote-Foo: 1',
        'Remote-Acr: aal3',
        'Remote-Auth-Time: 9',
        'Remote-Amr: mfa',
        'Remote-Actor: root',
      ]
      const { answers } = await exchange(port, [
        [
          'GET /orders?q=a+b%20c HTTP/1.1',
          'Host: orchard.example.com',
          `Cookie: theme=dark; ${cookie}; ${ourCookies
            .slice(2)
            .map((name) => `${name}=x`)
            .join('; ')}; lang=en`,
          ...forged,
          'Connection: close, Remote-User, Remote-Groups, X-Keep',
          'X-Keep: dropped, as was asked',
          'X-Forwarded-For: 203.0.113.7',
          'X-Forwarded-Proto: https',
          'Proxy-Authorization: Basic YTpi',
          '',
          '',
        ].join('\r\n'),
      ])
      assert.equal(answers[0]?.status, 200)
      const [{ url, headers, rawHeaders }] = product.received as [Product['received'][0]]
      assert.equal(url, '/orders?q=a+b%20c')
      const identity = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('remote')))
      const [session] = (await app.call('GET', `/users/${person.user_id}/sessions`)).body
      assert.deepEqual(identity, {
        'remote-user': 'gr%C3%BC%C3%9Fe%25',
        'remote-user-id': person.user_id,
        'remote-email': 'g@example.com',
        'remote-name': 'Grace Hopper%2C RADM',
        'remote-groups': 'user',
        'remote-permissions': '',
        'remote-client': '',
        'remote-attributes': 'department=Sales%2C%20North',
        'remote-auth-time': String(Math.floor(Date.parse(session.auth_time) / 1000)),
        'remote-amr': 'pwd',
        'remote-acr': 'aal1',
        'remote-actor': '',
        'remote-actor-id': '',
        'remote-organization': '',
        'remote-organization-name': '',
      })
      assert.equal(headers.cookie, 'theme=dark; lang=en')
      assert.equal(headers.host, 'orchard.example.com')
      assert.equal(headers['x-forwarded-for'], '127.0.0.1')
      assert.equal(headers['x-forwarded-proto'], 'http')
      const names = rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase())
      assert.equal(new Set(names).size, names.length)
      for (const name of ['x-keep', 'proxy-authorization']) assert.ok(!names.includes(name), name)

      const key = await fetch(`${origin}/orders`, {
        headers: { 'x-api-key': adminKey, authorization: `Bearer ${adminKey}` },
      })
      const got = ((await key.json()) as { headers: Record<string, string> }).headers
      assert.equal(got['remote-user'], '')
      assert.match(got['remote-client'] ?? '', /^[\da-f-]{36}$/)
      assert.equal(got['remote-permissions'], '*')
      assert.ok(!('x-api-key' in got) && !('authorization' in got))

      const token = await app.call('POST', '/token', {
        key: null,
        headers: { cookie, 'sec-fetch-site': 'same-origin' },
      })
      const bearer = `Bearer ${token.body.access_token}`
      const byToken = await fetch(`${origin}/orders`, { headers: { authorization: bearer } })
      const seen = ((await byToken.json()) as { headers: Record<string, string> }).headers
      assert.deepEqual([seen['remote-user-id'], seen.authorization], [person.user_id, bearer])
    })

    it('passes on no header that a product could mistake for one of its own, however it is spelt', async (t) => {
      const { app, product, port } = await startGateway(t, engine)
      const { person, cookie } = await signedIn(app)
      for (const forged of [...forgedHeaders, extendedHeaders]) {
        for (const more of [
          ['Connection: close'],
          websocketHandshake,
          ['Connection: close, Remote-User, Remote.User'],
        ]) {
          for (const version of more === websocketHandshake ? ['1.1'] : ['1.1', '1.0']) {
            const lines = [`GET /live HTTP/${version}`, 'Host: a', ...forged, `Cookie: ${cookie}`, ...forged, ...more]
            const { status, seen } = await sendThrough(port, product, lines)
            assert.ok(seen !== undefined, `${status} ${forged[0]}`)
            assertNothingForged(seen, person.username)
          }
        }
      }
    })

    it('passes on what only a proxy in front can know, if that proxy is trusted', async (t) => {
      const headers = { 'x-api-key': adminKey, 'x-forwarded-port': '8443', 'x-forwarded-user': 'x', 'x-custom': 'kept' }
      for (const [trusted, port] of [
        ['127.0.0.1', '8443'],
        ['192.0.2.1', undefined],
      ] as const) {
        const { product, origin } = await startGateway(t, engine, {}, { ROLLBOOK_TRUSTED_PROXIES: trusted })
        await send(origin, { headers })
        const seen = product.received[0]?.headers
        assert.deepEqual([seen?.['x-forwarded-port'], seen?.['x-forwarded-user']], [port, undefined])
        assert.equal(seen?.['x-custom'], 'kept')
      }
    })

    it('keeps its own path in every spelling, and leaves all others to the product', async (t) => {
      const { app, product, origin } = await startGateway(t, engine)
      const { cookie } = await signedIn(app)
      const own = [
        '/auth',
        '/auth/',
        '/auth/nothing',
        '/auth/verify',
        '/%61uth/nothing',
        '/auth/%2e%2e',
        '/auth?x',
        '/auth/me',
      ]
      for (const path of own) {
        const { status } = await send(origin, { path })
        assert.ok([302, 401, 404].includes(status), `${path} ${status}`)
      }
      const wrongMethod = await fetch(`${origin}/auth/users`, { method: 'DELETE' })
      assert.deepEqual([wrongMethod.status, wrongMethod.headers.get('allow')], [405, 'GET, HEAD, POST'])
      assert.deepEqual(product.received, [])

      const others = [
        '/authors',
        '/login',
        '/users',
        '/a%2Fb',
        '/a//b',
        '/a;b=c',
        '/?API_KEY=1',
        '/x/auth/users',
        '/a%2eb/[...slug]/.well-known/x..y',
        '/100%25/gr%C3%BC%C3%9Fe/%20a%27b?q=%2e%2e/\\&r=//x',
      ]
      for (const path of others) {
        assert.equal((await send(origin, { path, headers: { cookie } })).status, 200, path)
      }
      assert.deepEqual(
        product.received.map(({ url }) => url),
        others,
      )
    })

    it('refuses a path that the product could read as a different one, or as one of ours', async (t) => {
      const { app, product, origin, port } = await startGateway(t, engine)
      const { cookie } = await signedIn(app)
      const dots = ['/a/./b', '/./a', '/a/.', '/a/..', '/a/../../x', '/..;/x', '/a/.;p=1/b', '/a/%2e/b', '/a/%2E%2e/x']
      const encoded = [
        '/%2e/auth/users',
        '/x%2f..%2fy',
        '/a/%252e%252e/b',
        '/a/.%2e%3bp/b',
        '/a/.%09./b',
        '/a%00b',
        '/%zz',
      ]
      const slashes = ['//evil.example/x', '/\\evil.example', '/a\\b', '/a%5cb', '/a%255cb', '/%5c%5cevil.example']
      const own = [
        '/AUTH',
        '/Auth/users',
        '/auth%2fusers',
        '/%61uth%2Fusers',
        '/auth;x/users',
        '/auth;x',
        '/;/auth/users',
      ]
      const alsoOwn = [
        '/%41UTH/users',
        '/auth%3bx',
        '//auth',
        '/%2fauth/users',
        '/auth%20/users',
        '/auth./users',
        '/au%09th',
      ]
      const others = ['/a"b', '/a{b}', '/a#/auth', '/?x#/auth', 'http://x/AUTH/users', 'http://x/a/../b', '*']
      for (const path of [...dots, ...encoded, ...slashes, ...own, ...alsoOwn, ...others]) {
        const { status, headers, text } = await send(origin, { path, headers: { cookie } })
        assert.deepEqual([status, headers['content-type']], [400, 'application/problem+json; charset=utf-8'], path)
        assert.equal(JSON.parse(text).code, 'malformed_request')
      }
      const lines = ['Host: a', `Cookie: ${cookie}`]
      for (const [path, more] of [
        ['/gr\xfc\xdfe', ['Connection: close']],
        ['/a/./b', websocketHandshake],
        ['/%2e/auth/users', websocketHandshake],
        ['/AUTH/users', websocketHandshake],
      ] as const) {
        const { answers } = await exchange(port, [
          `GET ${path} HTTP/1.1\r\n${[...lines, ...more].join('\r\n')}\r\n\r\n`,
        ])
        assert.equal(answers[0]?.status, 400, path)
      }
      assert.deepEqual(product.received, [])
      const page = await send(origin, { path: '/a/./b', headers: { ...navigation, cookie } })
      assert.deepEqual([page.status, page.headers['content-type']], [400, 'text/html; charset=utf-8'])
    })

    it('passes every method and streams bodies of any type and size both ways', async (t) => {
      const { app, product, origin } = await startGateway(t, engine)
      const { cookie } = await signedIn(app)
      const headers = { cookie, 'sec-fetch-site': 'same-origin' }
      for (const method of ['PUT', 'DELETE', 'OPTIONS', 'PROPFIND', 'REPORT']) {
        assert.equal((await fetch(`${origin}/x`, { method, headers })).status, 200, method)
      }
      const forms = [
        ['application/json', '{"not json'],
        ['application/x-www-form-urlencoded', 'a=1'],
        ['multipart/form-data; boundary=x', '--x--'],
        ['application/octet-stream', 'x'.repeat(1_000_000)],
      ] as const
      for (const [type, body] of forms) {
        const reply = await fetch(`${origin}/x`, {
          method: 'POST',
          headers: { ...headers, 'content-type': type },
          body,
        })
        const { body: got, headers: seen } = (await reply.json()) as { body: string; headers: Record<string, string> }
        assert.equal(got, body)
        assert.equal(seen['content-type'], type)
      }
      const empty = await fetch(`${origin}/x`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'text/plain' },
      })
      assert.equal(empty.status, 200)
      const packed = await fetch(`${origin}/x`, {
        method: 'POST',
        headers: { ...headers, 'content-encoding': 'gzip' },
        body: 'x',
      })
      assert.equal(packed.status, 200)
      assert.equal(product.received.at(-1)?.headers['content-encoding'], 'gzip')
      const trace = await fetch(`${origin}/x`, { method: 'HEAD', headers })
      assert.equal(trace.headers.get('x-product'), 'orchard')
    })

    it('adds none of its headers to responses of the product, and removes its own cookies from them', async (t) => {
      const { app, origin } = await startGateway(t, engine, {
        '/page': (_request, response) =>
          response
            .writeHead(201, {
              'content-type': 'text/html',
              'x-frame-options': 'SAMEORIGIN',
              connection: 'close, x-hop',
              'x-hop': '1',
              'set-cookie': [
                'theme=dark; Path=/',
                'rollbook=stolen; Path=/',
                'ROLLBOOK =x',
                '=rollbook=x; Path=/',
                ...ourCookies.map((name) => `${name}=x; Path=/`),
                'rollbook2=kept',
              ],
            })
            .end('<p>hello'),
        '/away': (request, response) =>
          response.writeHead(302, { location: `http://127.0.0.1:${request.socket.localPort}/page` }).end(),
        '/elsewhere': (_request, response) => response.writeHead(302, { location: 'https://example.com/' }).end(),
      })
      const { cookie } = await signedIn(app)
      const reply = await fetch(`${origin}/page`, { headers: { cookie } })
      assert.equal(reply.status, 201)
      assert.deepEqual(reply.headers.getSetCookie(), ['theme=dark; Path=/', 'rollbook2=kept'])
      assert.equal(reply.headers.get('x-frame-options'), 'SAMEORIGIN')
      for (const name of ['content-security-policy', 'cache-control', 'x-content-type-options', 'x-hop']) {
        assert.equal(reply.headers.get(name), null, name)
      }
      assert.match(reply.headers.get('x-request-id') ?? '', /./)
      const away = await fetch(`${origin}/away`, { headers: { cookie }, redirect })
      assert.equal(away.headers.get('location'), '/page')
      const elsewhere = await fetch(`${origin}/elsewhere`, { headers: { cookie }, redirect })
      assert.equal(elsewhere.headers.get('location'), 'https://example.com/')
    })

    it('refuses what another site makes a browser do with the cookie, including WebSockets', async (t) => {
      const { app, product, origin } = await startGateway(t, engine)
      const { cookie } = await signedIn(app)
      const foreign = [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site', origin },
        { origin: 'https://evil.example' },
        { origin: 'null' },
        {},
      ]
      for (const headers of foreign) {
        const reply = await fetch(`${origin}/x`, { method: 'POST', headers: { cookie, ...(headers as object) } })
        assert.equal(reply.status, 403, JSON.stringify(headers))
        assert.equal(((await reply.json()) as { code: string }).code, 'cross_origin')
      }
      for (const from of ['https://evil.example', 'null', 'http://sub.127.0.0.1']) {
        assert.equal(await refusedSocket(`${origin}/live`, { cookie, origin: from }), 403)
      }
      assert.deepEqual(product.received, [])
      // Browsers do not send a key on their own.
      const byKey = await fetch(`${origin}/x`, { method: 'POST', headers: { 'x-api-key': adminKey } })
      assert.equal(byKey.status, 200)
    })

    it('passes websockets with the identity, and ends them when the session ends', async (t) => {
      const { app, origin } = await startGateway(t, engine)
      const { person, cookie, session_id } = await signedIn(app)
      const { socket, first } = await openSocket(`${origin}/live?x=1`, {
        cookie,
        origin,
        'Remote-User': 'admin',
        Remote_Groups: 'admin',
      })
      const { url, headers } = first
      assert.equal(url, '/live?x=1')
      assert.deepEqual([headers['remote-user'], headers['remote-groups']], [person.username, 'user'])
      assert.ok(!('cookie' in headers) && !('remote_groups' in headers))
      const echo = once(socket, 'message')
      socket.send('hello')
      assert.equal(String((await echo)[0]), 'hello')

      const closed = once(socket, 'close', { signal: AbortSignal.timeout(1000 + stallMs) })
      const endResponse = await app.call('DELETE', `/users/${person.user_id}/sessions/${session_id}`)
      assert.equal(endResponse.status, 200, endResponse.text)
      assert.equal((await closed)[0], 1008)
      assert.equal(await refusedSocket(`${origin}/live`, { cookie, origin }), 401)
    })

    it('ends WebSockets and event streams of a disabled user, and of no other', async (t) => {
      const { app, origin } = await startGateway(t, engine, { '/events': eventStream })
      const [ada, bob] = [await signedIn(app), await signedIn(app)]
      const one = await openSocket(`${origin}/live`, { cookie: ada.cookie, origin })
      const other = await openSocket(`${origin}/live`, { cookie: bob.cookie, origin })
      const events = await fetch(`${origin}/events`, { headers: { cookie: ada.cookie } })
      const reader = (events.body as ReadableStream<Uint8Array>).getReader()
      assert.equal(Buffer.from((await reader.read()).value ?? []).toString(), 'data: hello\n\n')

      const closed = once(one.socket, 'close', { signal: AbortSignal.timeout(1000 + stallMs) })
      // An interrupted event stream must not look complete.
      const cut = assert.rejects(reader.read())
      const disabled = await app.call('PATCH', `/users/${ada.person.user_id}`, { body: { active: false } })
      assert.equal(disabled.status, 200, disabled.text)
      await Promise.all([closed, cut])
      await sleep(50)
      assert.equal(other.socket.readyState, WebSocket.OPEN)
      other.socket.close()
    })

    it('ends the WebSocket of a key, and of a token made with it, when the key is revoked', async (t) => {
      const { app, origin } = await startGateway(t, engine)
      const { key, key_id } = (await app.call('POST', '/keys', { body: { name: 'sync', permissions: ['users:read'] } }))
        .body
      const { access_token } = (await app.call('POST', '/token', { key })).body
      const sockets = [
        await openSocket(`${origin}/live`, { 'x-api-key': key }),
        await openSocket(`${origin}/live`, { authorization: `Bearer ${access_token}` }),
      ]
      for (const { first } of sockets) assert.equal(first.headers['remote-client'], key_id)
      const closed = sockets.map(({ socket }) => once(socket, 'close', { signal: AbortSignal.timeout(1000 + stallMs) }))
      await app.call('DELETE', `/keys/${key_id}`)
      for (const [code] of await Promise.all(closed)) assert.equal(code, 1008)
    })

    it('holds only a few megabytes for a client that does not read', async (t) => {
      const { app, origin, product } = await startGateway(t, engine)
      const { cookie } = await signedIn(app)
      const { socket } = await openSocket(`${origin}/live`, { cookie, origin })
      socket.pause()
      socket.send('flood')
      await waitUntil('the gateway has given up', 10_000, async () => product.webSockets() === 0)
      let received = 0
      socket.on('message', (data) => {
        received += (data as Buffer).length
      })
      const closed = once(socket, 'close', { signal: AbortSignal.timeout(10_000 + stallMs) })
      socket.resume()
      assert.equal((await closed)[0], 1006)
      assert.ok(received < 48 << 20, `${received} bytes were held`)
    })

    it('reports that the product is away or too slow, and recovers when it is back', async (t) => {
      const { app, origin, product } = await startGateway(
        t,
        engine,
        {
          '/slow': () => {},
          '/broken': (_request, response) => void response.write('half', () => response.destroy()),
        },
        { ROLLBOOK_UPSTREAM_TIMEOUT_SECONDS: '1' },
      )
      const { cookie } = await signedIn(app)
      const headers = { cookie }
      const slow = await fetch(`${origin}/slow`, { headers })
      assert.deepEqual([slow.status, ((await slow.json()) as { code: string }).code], [504, 'upstream_timeout'])
      assert.equal(slow.headers.get('cache-control'), 'no-store')
      // A response that cannot be finished must not look complete.
      const broken = await fetch(`${origin}/broken`, { headers })
      await assert.rejects(broken.text())
      assert.equal((await fetch(origin, { headers })).status, 200)
      await product.close()
      const away = await fetch(origin, { headers })
      assert.deepEqual([away.status, ((await away.json()) as { code: string }).code], [502, 'upstream_unavailable'])
      assert.equal(await refusedSocket(`${origin}/live`, { cookie, origin }), 502)
      assert.equal((await fetch(`${origin}/auth/health/ready`)).status, 200)
    })

    it('shows a browser a page when the product is away, and tells every client when to retry', async (t) => {
      const { app, origin, product } = await startGateway(
        t,
        engine,
        {
          '/slow': () => {},
          '/refused': (_request, response) =>
            void response
              .writeHead(502, { 'content-type': 'application/problem+json; charset=utf-8' })
              .end('{"own":1}'),
        },
        { ROLLBOOK_UPSTREAM_TIMEOUT_SECONDS: '1', ROLLBOOK_PRODUCT_NAME: 'Orchard <&>' },
      )
      const { cookie } = await signedIn(app)
      const page = { ...navigation, cookie }
      const own = await send(`${origin}/refused`, { headers: page })
      assert.deepEqual([own.status, own.text, own.headers['retry-after']], [502, '{"own":1}', undefined])
      const slow = await send(`${origin}/slow`, { headers: page })
      await product.close()
      const away = await send(`${origin}/orders?x=1`, { headers: page })
      for (const [{ status, headers, text }, expected] of [
        [slow, 504],
        [away, 502],
      ] as const) {
        assert.deepEqual([status, headers['content-type']], [expected, 'text/html; charset=utf-8'])
        assert.equal(Number(headers['content-length']), Buffer.byteLength(text))
        assert.deepEqual([headers['retry-after'], headers['cache-control']], ['5', 'no-store'])
        assert.match(String(headers['content-security-policy']), /^default-src 'none'; style-src 'self'/)
        assert.match(text, /<h1>Orchard &lt;&amp;&gt; does not respond<\/h1>/)
        assert.ok(text.includes(String(headers['x-request-id'])))
      }
      const [style = ''] = /\/auth\/login\/assets\/[^"]*\.css/.exec(away.text) ?? []
      assert.match((await send(origin + style)).headers['content-type'] ?? '', /^text\/css/)

      const others = [
        { cookie, accept: 'application/json' },
        { cookie },
        { ...page, 'sec-fetch-mode': 'cors' },
        { ...navigation, 'x-api-key': adminKey },
      ]
      for (const headers of others) {
        const reply = await send(origin, { headers: headers as Record<string, string> })
        assert.deepEqual([reply.status, reply.json().code], [502, 'upstream_unavailable'])
        assert.equal(reply.headers['retry-after'], '5')
      }
      assert.match(app.logLines().join('\n'), /"code":"upstream_timeout".*"code":"upstream_unavailable"/s)
    })

    it('shows a page when a form is sent too late, and forwards nothing of it', async (t) => {
      const { product, origin } = await startGateway(t, engine)
      const form = { ...navigation, origin, 'content-type': 'application/x-www-form-urlencoded' }
      for (const headers of [form, { ...form, cookie: 'rollbook=ended' }]) {
        const reply = await send(`${origin}/orders`, { method: 'POST', headers, body: 'a=1' })
        assert.deepEqual([reply.status, reply.headers['content-type']], [401, 'text/html; charset=utf-8'])
        assert.match(reply.headers['www-authenticate'] ?? '', /^Bearer/)
        assert.match(reply.text, /<h1>You are signed out<\/h1>.*href="\/auth\/login"/s)
      }
      assert.deepEqual(product.received, [])
    })

    it('detects that its upstream leads back to itself, and does not loop', async (t) => {
      const { product, origin } = await startGateway(t, engine)
      const headers = { 'x-api-key': adminKey }
      assert.equal((await send(origin, { headers: { ...headers, 'cdn-loop': 'other' } })).status, 200)
      const loop = String(product.received.at(-1)?.headers['cdn-loop'])
      assert.match(loop, /^other, rollbook-/)
      for (const seen of [loop, `${loop}, another`]) {
        const reply = await send(origin, { headers: { ...headers, 'cdn-loop': seen } })
        assert.deepEqual([reply.status, reply.json().code], [502, 'upstream_unavailable'])
      }
      assert.equal(product.received.length, 1)
    })

    it('forgets an event stream when it is over, though its connection stays open', async (t) => {
      const { app, origin } = await startGateway(t, engine, {
        '/events': (_request, response) =>
          void response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: all\n\n'),
      })
      const { person, cookie, session_id } = await signedIn(app)
      const warnings: string[] = []
      const note = ({ message }: Error) => void (/\bclose\b/.test(message) && warnings.push(message))
      process.on('warning', note)
      t.after(() => process.off('warning', note))
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      t.after(() => agent.destroy())
      const connections = new Set<unknown>()
      const read = async (path: string) => {
        const [response] = (await once(get(origin + path, { agent, headers: { cookie } }), 'response')) as [
          IncomingMessage,
        ]
        connections.add(response.socket)
        return text(response)
      }
      for (let i = 0; i < 20; i++) assert.equal(await read('/events'), 'data: all\n\n')
      await sleep(10)
      assert.equal(connections.size, 1)
      assert.deepEqual(warnings, [])
      // The connection is not cut either: another request may be using it by now.
      const endResponse = await app.call('DELETE', `/users/${person.user_id}/sessions/${session_id}`)
      assert.equal(endResponse.status, 200, endResponse.text)
      await sleep(50)
      assert.match(await read('/orders'), /credential_invalid/)
      assert.equal(connections.size, 1)
    })

    it('survives clients that hang up, even while they become a WebSocket', async (t) => {
      const { app, origin, port } = await startGateway(t, engine)
      const { cookie } = await signedIn(app)
      const upgrade = [
        'GET /live HTTP/1.1',
        'Host: a',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
        `Cookie: ${cookie}`,
        '',
        '',
      ].join('\r\n')
      const upload = `POST /x HTTP/1.1\r\nHost: a\r\nX-API-Key: ${adminKey}\r\nContent-Length: 1000\r\n\r\nhalf`
      for (const bytes of [upgrade, upload]) {
        for (let i = 0; i < 30; i++) {
          const socket = connect(port, '127.0.0.1')
          await once(socket, 'connect')
          socket.write(bytes)
          await sleep(i % 5)
          socket.resetAndDestroy()
        }
      }
      await sleep(100)
      assert.equal((await fetch(origin, { headers: { cookie } })).status, 200)
      assert.deepEqual(
        app.logLines().filter((line) => /"level":"(error|fatal)"/.test(line)),
        [],
      )
    })

    it('upgrades only to WebSockets, and answers other requests in HTTP/1.1', async (t) => {
      const { port } = await startGateway(t, engine)
      const lines = ['Host: a', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk']
      const { answers } = await exchange(port, [`GET /auth/health/live HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`])
      assert.equal(answers[0]?.status, 200)
      const body = '{"username":"x","password":"y"}'
      const form = ['Content-Type: application/json', `Content-Length: ${body.length}`]
      const { answers: posted } = await exchange(port, [
        `POST /auth/sessions HTTP/1.1\r\n${[...lines, ...form].join('\r\n')}\r\n\r\n${body}`,
      ])
      assert.equal(posted[0]?.status, 401)
    })

    it('forwards no upgrade to another protocol, which would bypass authentication', async (t) => {
      const { app, product, port } = await startGateway(t, engine)
      const { cookie } = await signedIn(app)
      for (const protocols of [['h2c'], ['h2c', 'websocket'], ['websocket', 'h2c'], ['websocket, h2c']]) {
        product.received.length = 0
        const tries = [
          'GET /orders HTTP/1.1',
          'Host: a',
          `Cookie: ${cookie}`,
          'Connection: Upgrade, HTTP2-Settings',
          ...protocols.map((protocol) => `Upgrade: ${protocol}`),
          'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        ].join('\r\n')
        await exchange(port, [`${tries}\r\n\r\n`, 100, 'GET /reports HTTP/1.1\r\nRemote-User: admin\r\n\r\n'], {
          expected: 2,
          withinMs: 3000,
        })
        for (const { method, url, headers } of product.received) {
          assert.deepEqual([method, url, headers['http2-settings']], ['GET', '/orders', undefined], `${protocols}`)
          assert.ok([undefined, 'websocket'].includes(headers.upgrade), `${protocols} -> ${headers.upgrade}`)
        }
        if (protocols.length === 1) assert.equal(product.received.length, 1, `${protocols}`)
      }
    })

    it('allows a user who must change the password only that page', async (t) => {
      const { app, product, origin } = await startGateway(t, engine)
      const { person } = await signedIn(app)
      const set = await app.call('POST', `/users/${person.user_id}/password`, {
        body: { password: 'a temporary one of eleven', must_change: true },
      })
      assert.equal(set.status, 200, set.text)
      const { cookie } = await openBrowser(app, person.username, 'a temporary one of eleven')
      const page = await send(`${origin}/orders`, { headers: { cookie, ...navigation } })
      assert.equal(page.headers.location, '/auth/change-password?return_to=%2Forders')
      const data = await send(`${origin}/orders`, { headers: { cookie } })
      assert.deepEqual([data.status, data.json().code], [403, 'password_change_required'])
      assert.equal(await refusedSocket(`${origin}/live`, { cookie, origin }), 403)
      assert.deepEqual(product.received, [])
    })
  })
}

describe('the gateway', () => {
  it('forwards nothing to an upstream whose certificate is not valid', async (t) => {
    const requests: unknown[] = []
    const respond = ({ headers }: IncomingMessage, response: ServerResponse) => {
      requests.push(headers)
      response.end()
    }
    const upstream = await serveHttp(t, respond, { secure: true })
    const app = await start(t, anyEngine, { env: { ROLLBOOK_UPSTREAM: upstream.origin } })
    const { origin } = new URL(await app.listen())
    const reply = await send(origin, { headers: { 'x-api-key': adminKey } })
    assert.deepEqual([reply.status, reply.json().code], [502, 'upstream_unavailable'])
    assert.deepEqual(requests, [])
  })

  it('cannot be used if Rollbook takes every path', async (t) => {
    const env = { ROLLBOOK_UPSTREAM: 'http://127.0.0.1:9', ROLLBOOK_BASE_PATH: '/' }
    await assert.rejects(start(t, anyEngine, { env }), { name: 'ConfigError' })
  })
})
