import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { problems } from '../../src/core/errors.ts'
import { sessionCookies } from '../../src/http/request/cookies.ts'
import { codeOf, personWithPhone } from '../factors.ts'
import { freePort } from '../free-port.ts'
import { adminKey, anyEngine, type Started, start } from '../harness.ts'
import { exchange } from '../http/raw-client.ts'
import { actAs } from '../impersonation.ts'
import { createPerson, openBrowser, password } from '../people.ts'
import { assertWithin } from '../time-limit.ts'
import { type Answered, navigation, openSocket, refusedSocket, send } from './client.ts'
import { findProxy } from './find.ts'
import {
  assertNothingForged,
  extendedHeaders,
  forgedHeaders,
  sendThrough,
  websocketHandshake,
} from './forged-headers.ts'
import { type Product, startProduct } from './product.ts'
import { type ProxyKind, proxyKinds, startProxy } from './proxy.ts'

// What a proxy makes of our answers does not depend on the store.
const engine = anyEngine

type Routes = Parameters<typeof startProduct>[1]
type Setup = { app: Started; product: Product; origin: string; said: () => string }

async function startBehind(t: TestContext, kind: ProxyKind, routes: Routes = {}, clock = Date.now): Promise<Setup> {
  const product = await startProduct(t, routes)
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const env = {
    ROLLBOOK_PUBLIC_URL: `${origin}/auth`,
    ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1',
    ROLLBOOK_ROLES: '{"analyst": ["reports:read"]}',
  }
  const app = await start(t, engine, { env, clock })
  const rollbook = Number(new URL(await app.listen()).port)
  const said = await startProxy(t, kind, { proxy: port, rollbook, product: product.port })
  return { app, product, origin, said }
}

async function signedIn(app: Started, members: Record<string, string> = {}) {
  const person = await createPerson(app, members)
  const { cookie, session_id } = await openBrowser(app, person.username)
  return { person, cookie, session_id }
}

/** What servers may make of a path: one that takes it as it is, one that is lenient with it, and one that decodes twice. */
function readings(url: string): string[] {
  const path = url.split('?', 1)[0] as string
  const once = leniently(path)
  return [path.toLowerCase(), once, leniently(once)]
}

function leniently(path: string): string {
  const decoded = path
    .replaceAll(/(?:%c0|%e0%80|%f0%80%80)%a([ef])/gi, (_, last) => (last.toLowerCase() === 'f' ? '/' : '.'))
    .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('\\', '/')
    .replaceAll('#', '%23')
    .toLowerCase()
    .replaceAll(/;[^/]*/g, '')
  return new URL(decoded.replaceAll(/\/+/g, '/'), 'http://a').pathname
}

function assertAway({ status, headers, text, json }: Answered, message = text): void {
  assert.deepEqual([status, headers['content-type']], [503, 'application/problem+json'], message)
  assert.match(headers['retry-after'] ?? '', /^\d+$/, message)
  assert.equal(headers['cache-control'], 'no-store')
  const { type, title, status: problemStatus, code } = json()
  assert.deepEqual(
    [type, problemStatus, code],
    ['/auth/docs/problems#rollbook_unavailable', 503, 'rollbook_unavailable'],
  )
  assert.equal(title, problems.rollbook_unavailable[1])
}

for (const kind of proxyKinds) {
  const skip = (await findProxy(kind.name)) === undefined && `there is no ${kind.name}`
  describe(`behind ${kind.name} that ${kind.prefix} the prefix`, { skip }, () => {
    it('tells the product who is calling, and nothing that the caller claims about that', async (t) => {
      const now = Date.now()
      const { app, product, origin } = await startBehind(t, kind, {}, () => now)
      const { person, cookie } = await signedIn(app, {
        username: 'jürgen{env.HOME}',
        first_name: '$host {http.request.host}',
        last_name: 'Müller, "Dr."',
        role: 'analyst',
      })
      await app.call('POST', '/attributes', { body: { name: 'department', type: 'string', in_header: true } })
      const attributes = { department: 'Sales, North' }
      assert.equal((await app.call('PATCH', `/users/${person.user_id}`, { body: { attributes } })).status, 200)
      const reply = await send(`${origin}/orders?q=a+b%20c&d=%E4`, {
        headers: {
          cookie: `theme=dark; ${cookie}; lang=en`,
          'Remote-User': 'admin',
          'remote-groups': 'admin',
          'Remote-Client': 'a key',
          'Remote-Attributes': 'department=Board',
          'Remote-Auth-Time': '1',
          'Remote-Amr': 'pwd otp mfa',
          'Remote-Acr': 'aal2',
          'Remote-Actor': 'root',
          'Remote-Other': 'x',
          Remote_User: 'admin',
          REMOTE_GROUPS: 'admin',
          'X-Forwarded-User': 'x',
          'X-Forwarded-For': '203.0.113.7',
          'X-Original-Method': 'GET',
        },
      })
      assert.equal(reply.status, 200, reply.text)
      const [{ url, headers, rawHeaders }] = product.received as [Product['received'][0]]
      assert.equal(url, '/orders?q=a+b%20c&d=%E4')
      const remoteHeaders = Object.entries(headers).filter(([name, value]) => /^remote/i.test(name) && value !== '')
      assert.deepEqual(Object.fromEntries(remoteHeaders), {
        'remote-user': 'j%C3%BCrgen%7Benv.HOME%7D',
        'remote-user-id': person.user_id,
        'remote-name': '$host %7Bhttp.request.host%7D M%C3%BCller%2C %22Dr.%22',
        'remote-groups': 'analyst',
        'remote-permissions': 'reports:read',
        'remote-attributes': 'department=Sales%2C%20North',
        'remote-auth-time': String(Math.floor(now / 1000)),
        'remote-amr': 'pwd',
        'remote-acr': 'aal1',
        ...(kind.name === 'nginx' && { 'remote-other': 'x' }),
      })
      const names = rawHeaders
        .filter((name, i) => i % 2 === 0 && /^remote/i.test(name))
        .map((name) => name.toLowerCase())
      assert.equal(new Set(names).size, names.length)
      assert.equal(headers['x-forwarded-for'], '127.0.0.1')
      assert.equal(headers.host, new URL(origin).host)
      assert.match(headers.cookie ?? '', /^theme=dark; *lang=en$/)
    })

    it('names the administrator to the product, and hides their session from it', async (t) => {
      const { app, product, origin } = await startBehind(t, kind)
      const { grace, acting } = await actAs(app)
      const { status, text } = await send(`${origin}/orders`, { headers: { cookie: `${acting.cookie}; theme=dark` } })
      assert.equal(status, 200, text)
      const [{ headers }] = product.received as [Product['received'][0]]
      assert.deepEqual(
        [headers['remote-user'], headers['remote-actor'], headers['remote-actor-id']],
        ['ada', 'grace', grace.user_id],
      )
      if (kind.name === 'nginx' || kind.name === 'caddy') assert.equal(headers.cookie?.trim(), 'theme=dark')
    })

    it('passes no header that a product could read as an identity header, however it is spelt', async (t) => {
      const { app, product, origin } = await startBehind(t, kind)
      const { person, cookie } = await signedIn(app)
      const { host, port } = new URL(origin)
      const send = (version: string, headers: readonly string[]) =>
        sendThrough(Number(port), product, [`GET /orders HTTP/${version}`, `Host: ${host}`, ...headers])
      const around = (forged: readonly string[], more: readonly string[]) => [
        ...forged,
        `Cookie: ${cookie}`,
        ...forged,
        ...more,
      ]
      for (const forged of forgedHeaders) {
        for (const [version, more] of [
          ['1.1', ['Connection: close']],
          ['1.0', []],
          ['1.1', [...websocketHandshake, `Origin: ${origin}`]],
        ] as const) {
          const { status, seen } = await send(version, around(forged, more))
          assert.ok(seen !== undefined, `${forged[1]} HTTP/${version}: ${status}`)
          assertNothingForged(seen, person.username)
        }
      }
      // nginx cannot take these out; Rollbook refuses them.
      for (const forged of extendedHeaders) {
        const { status, seen } = await send('1.1', around([forged], ['Connection: close']))
        if (seen === undefined) assert.deepEqual([status, kind.name], [400, 'nginx'], forged)
        else assertNothingForged(seen, person.username)
      }
      // A trailer comes after the question.
      const chunked = ['Transfer-Encoding: chunked', 'Trailer: Remote-User, Remote.User', `Origin: ${origin}`]
      const body = '1\r\nx\r\n0\r\nRemote-User: forged\r\nRemote.User: forged\r\n\r\n'
      product.received.length = 0
      const lines = ['POST /orders HTTP/1.1', `Host: ${host}`, `Cookie: ${cookie}`, 'Connection: close', ...chunked]
      await exchange(Number(port), [`${lines.join('\r\n')}\r\n\r\n${body}`])
      for (const { trailers } of product.received) assert.deepEqual(trailers, [])
    })

    it('passes on access tokens, and keeps sessions and keys from the product', async (t) => {
      const { app, product, origin } = await startBehind(t, kind)
      const { person, cookie } = await signedIn(app)
      const key = (await app.call('POST', '/keys', { body: { name: 'sync', permissions: ['users:read'] } })).body
      for (const headers of [{ 'x-api-key': key.key }, { authorization: `Bearer ${key.key}` }]) {
        assert.equal((await send(`${origin}/orders`, { headers })).status, 200)
        const seen = product.received.at(-1)?.headers ?? {}
        assert.equal(seen['remote-client'], key.key_id)
        assert.equal(seen['remote-permissions'], 'users:read')
        assert.ok(!seen['remote-user'] && !seen.authorization && !seen['x-api-key'])
      }
      await send(origin, { headers: { cookie } })
      assert.ok(!product.received.at(-1)?.headers.cookie)
      const token = await app.call('POST', '/token', {
        key: null,
        headers: { cookie, 'sec-fetch-site': 'same-origin' },
      })
      const authorization = `Bearer ${token.body.access_token}`
      assert.equal((await send(`${origin}/orders`, { headers: { authorization } })).status, 200)
      const seen = product.received.at(-1)?.headers
      assert.deepEqual([seen?.['remote-user-id'], seen?.authorization], [person.user_id, authorization])
    })

    it('keeps a key that the operator chose from the product, in any form except that of a token', async (t) => {
      const { product, origin } = await startBehind(t, kind)
      for (const authorization of [`Bearer ${adminKey}`, `bearer ${adminKey}`, `BEARER   ${adminKey}`]) {
        const { status, text } = await send(`${origin}/orders`, { headers: { authorization } })
        assert.equal(status, 200, text)
        const seen = product.received.at(-1)
        assert.equal(seen?.headers['remote-permissions'], '*')
        assert.ok(!seen?.rawHeaders.join('\n').includes(adminKey), authorization)
      }
    })

    it('keeps the session from the product however the cookie is written, and whatever is planted beside it', async (t) => {
      const { app, product, origin } = await startBehind(t, kind)
      const { person, cookie } = await signedIn(app)
      const [, token = ''] = /\brollbook=([^;]+)/.exec(cookie) ?? []
      assert.ok(token.length > 20)
      const names = sessionCookies({ publicUrl: undefined }).names.slice(1)
      const spellings = [
        `rollbook=${token}`,
        `theme=dark;rollbook=${token};lang=en`,
        `theme=dark;\trollbook=${token}`,
        `theme=dark; rollbook =${token}`,
        `theme=dark;\u00a0rollbook\t= ${token}; lang=en`,
        `rollbook=${token}; __Host-rollbook=planted`,
        `__Host-rollbook=${token}; rollbook=${token}; theme=dark`,
        `rollbook-device=${token}; rollbook=${token}; xrollbook=kept`,
        `rollbook=${token}; ${names.map((name) => `theme=dark; ${name}=${token}`).join('; ')}; lang=en`,
        `rollbook=${token}; ${names.map((name) => `__Host-${name}=${token}`).join('; ')}; theme=dark`,
      ]
      for (const spelling of spellings) {
        product.received.length = 0
        await send(`${origin}/orders`, { headers: { cookie: spelling } })
        const [seen] = product.received
        assert.equal(seen?.headers['remote-user'], person.username, spelling)
        assert.ok(!seen?.rawHeaders.join('\n').includes(token), `${spelling} -> ${seen?.headers.cookie}`)
        for (const kept of ['theme=dark', 'lang=en', 'xrollbook=kept']) {
          assert.equal(seen?.headers.cookie?.includes(kept) ?? false, spelling.includes(kept), spelling)
        }
      }
    })

    it('refuses two credentials, and asks the product nothing', async (t) => {
      const { app, product, origin } = await startBehind(t, kind)
      const { cookie } = await signedIn(app)
      for (const headers of [
        { cookie, 'x-api-key': adminKey },
        { cookie, authorization: `Bearer ${adminKey}` },
        { cookie: `${cookie}; rollbook=planted` },
      ]) {
        const reply = await send(`${origin}/orders`, { headers: headers as Record<string, string> })
        assert.deepEqual([reply.status, reply.json().code], [400, 'ambiguous_credentials'])
        assert.match(reply.headers['content-type'] ?? '', /^application\/problem\+json/)
      }
      assert.deepEqual(product.received, [])
    })

    it('sends a browser to the sign-in page and back to where it was; signing out takes effect at once', async (t) => {
      const { app, product, origin } = await startBehind(t, kind)
      const { username } = await createPerson(app)
      const asked = await send(`${origin}/orders?page=2&q=%C3%A4`, { headers: navigation })
      assert.equal(asked.status, 302)
      const signInPage = asked.headers.location ?? ''
      assert.equal(signInPage, `${origin}/auth/login?return_to=%2Forders%3Fpage%3D2%26q%3D%25C3%25A4`)
      const page = await send(signInPage, { headers: navigation })
      assert.equal(page.status, 200)
      assert.match(page.text, /<form/)

      const returnTo = new URL(signInPage).searchParams.get('return_to') as string
      const form = new URLSearchParams({ username, password, return_to: returnTo }).toString()
      const entered = await send(`${origin}/auth/login`, {
        method: 'POST',
        headers: { ...navigation, origin, 'content-type': 'application/x-www-form-urlencoded' },
        body: form,
      })
      assert.equal(entered.status, 303, entered.text)
      const cookie = (entered.headers['set-cookie'] ?? []).map((line) => line.split(';', 1)[0]).join('; ')
      const back = new URL(entered.headers.location ?? '', `${origin}/auth/login`)
      assert.equal(back.href, `${origin}/orders?page=2&q=%C3%A4`)
      const orders = await send(back.href, { headers: { ...navigation, cookie } })
      assert.equal(orders.status, 200)
      assert.equal(product.received.at(-1)?.headers['remote-user'], username)

      const out = await send(`${origin}/auth/sessions/current`, { method: 'DELETE', headers: { cookie, origin } })
      assert.equal(out.status, 200, out.text)
      const before = product.received.length
      assert.equal((await send(back.href, { headers: { ...navigation, cookie } })).status, 302)
      const data = await send(back.href, { headers: { cookie } })
      assert.deepEqual([data.status, data.json().code], [401, 'credential_invalid'])
      assert.equal(product.received.length, before)
    })

    it('returns 401 with a challenge to programs, for any method, without a request to the product', async (t) => {
      const { product, origin } = await startBehind(t, kind)
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PROPFIND']) {
        const { status, headers } = await send(`${origin}/orders`, { method })
        assert.equal(status, 401, method)
        assert.match(String(headers['www-authenticate']), /^Bearer realm="rollbook"/, method)
      }
      const problem = await send(`${origin}/orders`)
      assert.match(problem.headers['content-type'] ?? '', /^application\/problem\+json/)
      assert.equal(problem.json().code, 'credential_missing')
      for (const headers of [{ 'x-api-key': 'rb_nonsense' }, { authorization: 'Basic YTpi' }]) {
        assert.equal(
          (await send(origin, { headers: { ...navigation, ...headers } as Record<string, string> })).status,
          401,
        )
      }
      assert.deepEqual(product.received, [])
    })

    it('leaves Rollbook reachable under its prefix, with and without a slash', async (t) => {
      const { product, origin } = await startBehind(t, kind)
      assert.deepEqual((await send(`${origin}/auth/health/ready`)).json(), { status: 'ok' })
      assert.equal((await send(`${origin}/auth/docs`)).status, 200)
      assert.equal((await send(`${origin}/auth/users`, { headers: { 'x-api-key': adminKey } })).status, 200)
      for (const path of ['/auth', '/auth/']) {
        const { status, headers } = await send(origin + path)
        assert.deepEqual([status, headers.location], [302, '/auth/docs'], path)
      }
      const known = (name: string) => send(`${origin}/.well-known/${name}`)
      assert.deepEqual((await known('webauthn')).status, 404)
      assert.deepEqual((await known('webauthn')).json().code, 'not_found')
      assert.deepEqual((await known('passkey-endpoints')).json().code, 'not_found')
      assert.equal((await known('change-password')).headers.location, '/auth/change-password')
      assert.deepEqual(product.received, [])
    })

    it('accepts the rows of an import, however many there are', async (t) => {
      const { app, origin } = await startBehind(t, kind)
      const headers = { 'x-api-key': adminKey, 'content-type': 'application/x-ndjson' }
      // More than a body may have elsewhere, in few rows.
      const body = `{"username":"ada"}\n${`${' '.repeat(9999)}\n`.repeat(150)}{"username":"grace"}\n`
      const { status, text } = await send(`${origin}/auth/users/import`, { method: 'POST', headers, body })
      assert.equal(status, 200, text)
      assert.equal(JSON.parse(text).created, 2)
      assert.equal((await app.call('GET', '/users')).body.length, 2)
    })

    it('refuses what another site makes a browser do, and allows what its own pages do', async (t) => {
      const { app, product, origin } = await startBehind(t, kind)
      const { cookie } = await signedIn(app)
      const body = 'x'.repeat(200_000)
      for (const from of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }, {}]) {
        const headers = { cookie, ...(from as Record<string, string>) }
        const { status } = await send(`${origin}/orders`, { method: 'POST', headers, body })
        assert.equal(status, 403)
      }
      assert.deepEqual(product.received, [])
      for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain']) {
        const headers = { cookie, origin, 'content-type': type, 'content-encoding': 'gzip', expect: '100-continue' }
        const { status, text } = await send(`${origin}/orders`, { method: 'POST', headers, body })
        assert.equal(status, 200, text)
        const got = JSON.parse(text)
        assert.deepEqual([got.body, got.headers['content-encoding']], [body, 'gzip'])
      }
    })

    it('passes websockets with the identity, to pages of the same origin', async (t) => {
      const { app, product, origin } = await startBehind(t, kind)
      const { person, cookie } = await signedIn(app)
      assert.equal(await refusedSocket(`${origin}/live`, { origin }), 401)
      assert.equal(await refusedSocket(`${origin}/live`, { cookie, origin: 'https://evil.example' }), 403)
      assert.deepEqual(product.received, [])
      const { socket, first } = await openSocket(`${origin}/live`, { cookie, origin, 'Remote-User': 'admin' })
      assert.equal(first.headers['remote-user'], person.username)
      const echo = once(socket, 'message')
      socket.send('hello')
      assert.equal(String((await echo)[0]), 'hello')
      socket.terminate()
    })

    it('forwards no upgrade to another protocol, which would bypass authentication', async (t) => {
      const { app, product, origin } = await startBehind(t, kind)
      const { cookie } = await signedIn(app)
      const { host, port } = new URL(origin)
      const wishes = [['h2c'], ['h2c', 'websocket'], ['websocket', 'h2c'], ['websocket, h2c'], ['', 'h2c'], ['TLS/1.3']]
      for (const protocols of wishes) {
        product.received.length = 0
        const responses = [
          'GET /orders HTTP/1.1',
          `Host: ${host}`,
          `Cookie: ${cookie}`,
          'Connection: Upgrade, HTTP2-Settings',
          ...protocols.map((protocol) => `Upgrade: ${protocol}`),
          'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
        ].join('\r\n')
        const smuggled = `GET /reports HTTP/1.1\r\nHost: ${host}\r\nRemote-User: admin\r\n\r\n`
        const { answers } = await exchange(Number(port), [`${responses}\r\n\r\n`, 300, smuggled], {
          expected: 2,
          withinMs: 800,
        })
        const wished = product.received.flatMap(({ rawHeaders }) =>
          rawHeaders.filter((_, i) => i % 2 === 1 && /^(upgrade|http2-settings)$/i.test(rawHeaders[i - 1] ?? '')),
        )
        assert.ok(
          wished.every((protocol) => protocol === 'websocket'),
          `${protocols} -> ${wished}`,
        )
        assert.ok(
          !product.received.some(({ method, url }) => method === 'unasked' || url === '/reports'),
          `${protocols}`,
        )
        if (protocols.length === 1) assert.equal(answers[0]?.status, 200, `${protocols}`)
      }
    })

    it('does not let a caller remove the identity with Connection and pass as another user', async (t) => {
      const { app, product, origin } = await startBehind(t, kind)
      const { person, cookie } = await signedIn(app)
      for (const connection of [
        'close, Remote-User',
        'remote-user,Remote-Client, close',
        'close, Cookie',
        'Remote-Groups',
      ]) {
        product.received.length = 0
        const { status } = await send(origin, { headers: { cookie, connection, 'remote-user': 'admin' } })
        // Without that line of the configuration Caddy would drop the header, and the product refuse every request.
        const users = product.received.map(({ headers }) => headers['remote-user'])
        assert.deepEqual([status, users], kind.name === 'nginx' ? [200, [person.username]] : [400, []], connection)
      }
    })

    it('lets no request past while Rollbook fails or is away', async (t) => {
      const { app, product, origin } = await startBehind(t, kind)
      await app.runSql('ALTER TABLE api_keys RENAME TO keys_elsewhere')
      for (const headers of [{ 'x-api-key': adminKey }, { 'x-api-key': adminKey, ...navigation }]) {
        assert.ok((await send(origin, { headers })).status >= 500)
      }
      assert.deepEqual(product.received, [])

      const ports = { proxy: await freePort(), rollbook: await freePort(), product: product.port }
      await startProxy(t, kind, ports)
      for (const path of ['/orders', '/reports', '/auth', '/auth/login', '/auth/users/import']) {
        for (const method of ['GET', 'POST']) {
          const headers = { 'remote-user': 'admin', cookie: 'rollbook=x' }
          assertAway(await send(`http://127.0.0.1:${ports.proxy}${path}`, { method, headers }), `${method} ${path}`)
        }
      }
      assert.deepEqual(product.received, [])
    })

    it('leaves the errors of the product to the product, and does not respond for it when it is away', async (t) => {
      const { app, product, origin } = await startBehind(t, kind, {
        '/fails': (_request, response) => void response.writeHead(500, { 'x-product': 'failed' }).end('mine'),
        '/busy': (_request, response) => void response.writeHead(503, { 'retry-after': '99' }).end('busy'),
      })
      const { cookie } = await signedIn(app)
      const failed = await send(`${origin}/fails`, { headers: { cookie } })
      assert.deepEqual([failed.status, failed.text, failed.headers['x-product']], [500, 'mine', 'failed'])
      const busy = await send(`${origin}/busy`, { headers: { cookie } })
      assert.deepEqual([busy.status, busy.text, busy.headers['retry-after']], [503, 'busy', '99'])
      await product.close()
      const away = await send(`${origin}/orders`, { headers: { cookie } })
      assert.equal(away.status, 502)
      assert.ok(!away.text.includes('rollbook'), away.text)
      assert.equal((await send(`${origin}/auth/health/ready`)).status, 200)
    })

    it('lets no request past, and none wait forever, while Rollbook hangs', async (t) => {
      const product = await startProduct(t)
      const hanging = createServer((socket) => socket.on('error', () => socket.destroy()).resume())
      hanging.listen(0, '127.0.0.1')
      await once(hanging, 'listening')
      t.after(() => hanging.close())
      const rollbook = (hanging.address() as AddressInfo).port
      const ports = { proxy: await freePort(), rollbook, product: product.port }
      await startProxy(t, kind, ports, '1s')
      const startedAt = performance.now()
      assertAway(await send(`http://127.0.0.1:${ports.proxy}/orders`, { headers: { 'remote-user': 'admin' } }))
      assertWithin(5000, startedAt)
      assert.deepEqual(product.received, [])
    })

    it('asks for the permission of a path in every spelling of it', async (t) => {
      const { app, product, origin } = await startBehind(t, kind)
      const [other, analyst] = [await signedIn(app), await signedIn(app, { role: 'analyst' })]
      for (const path of ['/reports', '/reports/2026?x=1']) {
        const refused = await send(origin + path, { headers: { cookie: other.cookie } })
        assert.deepEqual([refused.status, refused.json().code], [403, 'permission_denied'])
        assert.equal((await send(origin + path, { headers: { cookie: analyst.cookie } })).status, 200)
      }
      const spellings = [
        '/REPORTS',
        '/Reports/2026',
        '/rePORTS%2f1',
        '/%52EPORTS',
        '/;/reports',
        '/;x=1/REPORTS',
        '/x/..;/reports',
        '/x/..;p=1/Reports',
        '/.;/reports',
        '/reports;x',
        '/REPORTS;x=1/y',
        '/x;/../reports',
        '/%3b/reports',
        '/x/..%3B/reports',
        '/x/%2e%2e;/reports',
        '/x/%252e%252e/reports',
        '/x%252f..%252freports',
        '/%2572eports',
        '/%25%37%32eports',
        '/%257%32eports',
        '/x%e0%80%af..%e0%80%afreports',
        '/x%F0%80%80%AF..%F0%80%80%AFreports',
        '/reports/../x',
        '/reports/.',
        '/reports/..',
        '/rep%09orts',
        '/%0areports',
        '/x%c0%af..%c0%afreports',
        '/%c0%ae%c0%ae/reports',
        '/%72eports',
        '/%72%65ports/1',
        '//reports',
        '///reports/1',
        '/./reports',
        '/x/../reports',
        '/x/%2e%2e/reports',
        '/x%2f..%2freports',
        '/%2freports',
        '/%2Freports',
        '/reports%2f1',
        '/\\reports',
        '/x\\..\\reports',
        '/x%5c..%5creports',
        '/auth/../reports',
        '/auth/%2e%2e/reports',
        '/auth%2f..%2freports',
        '/%61uth/../reports',
        '//auth/../reports',
        '/reports/',
        '/reports?permission=',
        '/reports%00',
        '/x#/../reports',
        '/x/#/../../reports?#',
      ]
      product.received.length = 0
      for (const path of spellings) {
        await send(origin, { path, headers: { cookie: other.cookie } })
        const reached = product.received
          .flatMap(({ url }) => readings(url))
          .filter((url) => /^\/reports(\/|$)/.test(url))
        assert.deepEqual(reached, [], path)
      }
      for (const path of ['/REPORTS', '/Reports/2026']) {
        assert.equal((await send(origin, { path, headers: { cookie: analyst.cookie } })).status, 200, path)
      }
      const ordinary = [
        '/a.b/.well-known/...x?q=../;//',
        '/100%25/gr%C3%BC%C3%9Fe',
        '/100%25%20off',
        '/@a:b/~c,d=e&f+g!(h)*$',
        '/%20a',
      ]
      for (const path of ordinary) {
        assert.equal((await send(origin, { path, headers: { cookie: other.cookie } })).status, 200, path)
        assert.equal(product.received.at(-1)?.url, path)
      }
      for (const header of ['X-Original-URL', 'X-Rewrite-URL']) {
        await send(origin, { headers: { cookie: other.cookie, [header]: '/reports' } })
        assert.ok(!product.received.at(-1)?.rawHeaders.includes('/reports'), header)
      }
    })

    it('lets no request past without a credential, by any spelling of a path', async (t) => {
      const { product, origin } = await startBehind(t, kind)
      const paths = [
        '/%61uth/../orders',
        '//auth',
        '//auth/../orders',
        '/auth%2f',
        '/auth%2f..%2forders',
        '/auth/../orders',
        '/auth/..%2forders',
        '/auth/%2e%2e/orders',
        '/auth/..;/orders',
        '/auth\\..\\orders',
        '/authors',
        '/AUTH/orders',
        '/_rollbook',
        '/_rollbook/reports',
        'http://evil.example/auth/../orders',
      ]
      for (const path of paths) {
        const { status } = await send(origin, { path })
        assert.ok(status < 500, `${path}: ${status}`)
      }
      assert.deepEqual(product.received, [])
    })

    it('needs a second factor within the last ten minutes below /admin, and brings a browser back', async (t) => {
      let now = Date.now()
      const { app, product, origin } = await startBehind(t, kind, {}, () => now)
      const { username, phone, browser } = await personWithPhone(app, now)
      const forged = { 'Remote-Acr': 'aal2', 'Remote-Auth-Time': String(Math.floor(now / 1000)), Remote_Acr: 'aal2' }
      const as = (cookie: string, path = '/admin/users?page=2') => ({
        page: () => send(origin + path, { headers: { ...navigation, ...forged, cookie } }),
        data: () => send(origin + path, { headers: { ...forged, cookie } }),
        post: (to: string, fields: Record<string, string>) =>
          send(new URL(to, `${origin}/auth/confirm`).href, {
            method: 'POST',
            headers: { ...navigation, origin, cookie, 'content-type': 'application/x-www-form-urlencoded' },
            body: new URLSearchParams(fields).toString(),
          }),
      })
      const strong = as(browser.cookie)
      assert.equal((await strong.page()).status, 200)
      const seen = product.received.at(-1)?.headers ?? {}
      assert.deepEqual(
        ['user', 'auth-time', 'amr', 'acr'].map((name) => seen[`remote-${name}`]),
        [username, String(Math.floor(now / 1000)), 'pwd otp mfa', 'aal2'],
      )

      now += 601_000
      product.received.length = 0
      const page = await strong.page()
      const confirm = `${origin}/auth/confirm?return_to=%2Fadmin%2Fusers%3Fpage%3D2&acr=aal2`
      assert.deepEqual([page.status, page.headers.location], [302, confirm])
      for (const path of ['/admin', '/ADMIN/x', '/%61dmin']) {
        const data = await as(browser.cookie, path).data()
        assert.deepEqual([data.status, data.json().code], [401, 'insufficient_user_authentication'], path)
        const challenge = /error="insufficient_user_authentication", acr_values="aal2", max_age="600"/
        assert.match(data.headers['www-authenticate'] ?? '', challenge)
      }
      assert.deepEqual(product.received, [])
      assert.equal((await as(browser.cookie, '/orders').page()).status, 200)
      const shown = await send(confirm, { headers: { ...navigation, cookie: browser.cookie } })
      assert.match(shown.text, /id="code"/)
      const return_to = /name="return_to" value="([^"]+)"/.exec(shown.text)?.[1] ?? ''
      const confirmed = await strong.post('confirm', { code: codeOf(phone.secret, now), return_to })
      assert.deepEqual([confirmed.status, confirmed.headers.location], [303, '/admin/users?page=2'])
      assert.equal((await strong.page()).status, 200)
      const key = await send(`${origin}/admin`, { headers: { 'x-api-key': adminKey } })
      assert.deepEqual([key.status, key.json().code], [403, 'permission_denied'])

      // With the password alone, however often it is entered.
      const { cookie } = await signedIn(app)
      const plain = as(cookie)
      product.received.length = 0
      const target = (await plain.page()).headers.location ?? ''
      assert.equal(target, confirm)
      assert.equal((await plain.post('confirm', { password, return_to: '/admin' })).status, 303)
      assert.equal((await plain.page()).headers.location, confirm)
      const offered = await send(confirm, { headers: { ...navigation, cookie } })
      const addFactor = new URL(offered.headers.location ?? '', confirm).href
      assert.deepEqual(
        [offered.status, addFactor],
        [303, `${origin}/auth/add-factor?return_to=%2Fadmin%2Fusers%3Fpage%3D2`],
      )
      const offer = await send(addFactor, { headers: { ...navigation, cookie } })
      assert.match(offer.text, /Set up an authenticator app/)
      assert.deepEqual(product.received, [])
    })

    it('sends a user who must change the password to that page', async (t) => {
      const { app, product, origin } = await startBehind(t, kind)
      const { person } = await signedIn(app)
      const temporary = 'a temporary one of eleven'
      await app.call('POST', `/users/${person.user_id}/password`, { body: { password: temporary, must_change: true } })
      const { cookie } = await openBrowser(app, person.username, temporary)
      const page = await send(`${origin}/orders`, { headers: { ...navigation, cookie } })
      assert.deepEqual(
        [page.status, page.headers.location],
        [302, `${origin}/auth/change-password?return_to=%2Forders`],
      )
      const data = await send(`${origin}/orders`, { headers: { cookie } })
      assert.deepEqual([data.status, data.json().code], [403, 'password_change_required'])
      assert.deepEqual(product.received, [])
    })
  })
}
