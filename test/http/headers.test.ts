import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { adminKey, createUser, engines, type Started, start } from '../harness.ts'
import { assertCivil, exchange, key, type Part, portOf, type RawAnswer, request, write } from './raw-client.ts'

async function sender(app: Started): Promise<(text: string | Part[], isHead?: boolean) => Promise<RawAnswer>> {
  const port = await portOf(app)
  return async (text, isHead = false) => {
    const { answers } = await exchange(port, [text].flat(), { isHead })
    return answers[0] as RawAnswer
  }
}

for (const engine of engines) {
  describe(`headers on ${engine.name}`, () => {
    it('sets the same security headers on every response of the API, whatever its status', async (t) => {
      const app = await start(t, engine, {
        env: { ROLLBOOK_REQUIRE_IF_MATCH: 'true', ROLLBOOK_HASH_CONCURRENCY: '1', ROLLBOOK_HASH_QUEUE: '1' },
      })
      const send = await sender(app)
      const { user_id } = await createUser(app, { username: 'ada' })
      const { body: limited } = await app.call('POST', '/keys', { body: { name: 'a', permissions: ['users:read'] } })
      const one = `/auth/users/${user_id}`
      const patch = (...lines: string[]) => write('{}', lines, `PATCH ${one}`)
      const byStatus: Record<number, string> = {
        200: request(`GET ${one}`),
        201: write('{"username":"grace"}'),
        302: request('GET /auth/'),
        304: request(`GET ${one}`, ['If-None-Match: "1"']),
        400: write('{'),
        401: request(`GET ${one}`, [], '', { key: null }),
        403: write('{"username":"a"}').replace(key, `X-API-Key: ${limited.key}`),
        404: request('GET /auth/nowhere'),
        405: request('PUT /auth/users'),
        406: request('GET /auth/users', ['Accept: image/png']),
        409: write('{"username":"ADA"}'),
        412: patch('If-Match: "9"'),
        413: write(`"${'a'.repeat(70_000)}"`),
        414: request(`GET /auth/${'a'.repeat(30_000)}`),
        415: write('{}', ['Content-Type: text/plain']),
        417: request(`GET ${one}`, ['Expect: tea']),
        422: write('{}'),
        428: patch(),
        431: request(`GET ${one}`, Array(300).fill('a:')),
      }
      for (const [status, text] of Object.entries(byStatus)) {
        const response = await send(text)
        assert.equal(response.status, Number(status), response.body)
        assertCivil(response)
      }
      assertCivil(await send('rubbish\r\n\r\n'))
    })

    it('returns 503 with Retry-After and the same headers when too many passwords are waiting', async (t) => {
      const env = { ROLLBOOK_HASH_CONCURRENCY: '1', ROLLBOOK_HASH_QUEUE: '1' }
      const app = await start(t, engine, { env, realHashes: true })
      const create = (i: number) =>
        app.call('POST', '/users', { body: { username: `user-${i}`, password: 'seven grey herons' } })
      const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => create(i)))
      const refused = answers.filter(({ status }) => status !== 201)
      assert.ok(refused.length > 0)
      for (const { status, headers, body } of refused) {
        assert.equal(status, 503)
        assert.equal(body.code, 'overloaded')
        assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
        assert.equal(headers['cache-control'], 'no-store')
        assert.equal(headers['x-request-id'], body.instance)
      }
    })

    it('keeps an X-Request-Id that is safe in a log, and replaces any other', async (t) => {
      const app = await start(t, engine)
      const send = await sender(app)
      const good = ['a', '0', 'a-b_c.d:e', '019a9f3e-0000-7000-8000-000000000000', 'x'.repeat(128)]
      const bad = [
        '',
        'x'.repeat(129),
        'a b',
        'a\tb',
        'a;b',
        'a/b',
        '<b>',
        '"a"',
        '{"a":1}',
        "a'b",
        '\xe9',
        'a,b',
        '%0d%0a',
        '$(id)',
        '#{jndi:ldap://a}',
      ]
      for (const id of good) {
        assert.equal(
          (await send(request('GET /auth/health/live', [`X-Request-Id: ${id}`]))).headers['x-request-id'],
          id,
        )
        const refused = await send(request('GET /auth/nowhere', [`X-Request-Id: ${id}`]))
        assert.equal(JSON.parse(refused.body).instance, id)
        const undecodable = await send(request('GET /auth/%zz', [`X-Request-Id: ${id}`]))
        assert.equal(undecodable.headers['x-request-id'], id)
      }
      for (const id of bad) {
        const response = await send(request('GET /auth/nowhere', [`X-Request-Id: ${id}`]))
        assertCivil(response)
        assert.match(response.headers['x-request-id'] ?? '', /^[0-9a-f-]{36}$/)
      }
      const twice = await send(request('GET /auth/health/live', ['X-Request-Id: a', 'X-Request-Id: b']))
      assert.match(twice.headers['x-request-id'] ?? '', /^[0-9a-f-]{36}$/)
    })

    it('copies nothing that a client sends into a header of the response, nor into the host of a link', async (t) => {
      const app = await start(t, engine)
      const send = await sender(app)
      await createUser(app)
      await createUser(app)
      const attacks = [
        '%0d%0aSet-Cookie:%20a=b',
        '%0aSet-Cookie:%20a=b',
        '%E5%98%8D%E5%98%8ASet-Cookie:%20a=b',
        '%3E;%20rel=%22next%22,%20%3Chttps://evil.example%3E',
        '%22%3E%3Cscript%3E',
      ]
      const host = { host: 'Host: evil.example' }
      for (const attack of attacks) {
        const answers = [
          await send(
            request(
              `GET /auth/users?limit=1&sort=username&created_after=2020-01-01T00:00:00Z&count=true`,
              [],
              '',
              host,
            ),
          ),
          await send(request(`GET /auth/users?limit=1&role=user&q=user&external_id=${attack}`, [], '', host)),
          await send(
            request(`GET /auth/users/${attack}`, [`X-Request-Id: ${attack}`, `If-None-Match: "${attack}"`], '', host),
          ),
          await send(request(`GET /auth/${attack}/..`, [`Origin: https://evil.example`], '', host)),
          await send(
            request('GET /auth/', [`X-Forwarded-Host: evil.example`, `X-Forwarded-Prefix: ${attack}`], '', host),
          ),
          await send(
            write(JSON.stringify({ username: `a${decodeURIComponent(attack)}` }).replaceAll(/[^\x20-\x7e]/g, '?'), [
              `Idempotency-Key: ${attack}`,
            ]),
          ),
        ]
        for (const { status, headers, body } of answers) {
          assert.ok(status < 500, body)
          assert.equal(headers['set-cookie'], undefined)
          assert.equal(headers['access-control-allow-origin'], undefined)
          assert.doesNotMatch(JSON.stringify(headers), /evil\.example|script/)
        }
      }
      const page = await send(request('GET /auth/users?limit=1', [], '', host))
      assert.match(page.headers.link ?? '', /^<\/auth\/users\?limit=1&cursor=[\w-]+>; rel="next"$/)
      const hostile = await app.call('GET', `/users?limit=1&q=${encodeURIComponent('user')}&active=true`)
      assert.match(
        hostile.headers.link ?? '',
        /^<\/auth\/users\?limit=1&q=user&active=true&cursor=[\w-]+>; rel="next"$/,
      )
      const created = await send(write('{"username":"new"}', []).replace('Host: localhost:8080', host.host))
      assert.match(created.headers.location ?? '', /^\/auth\/users\/[0-9a-f-]{36}$/)
    })

    it('builds links from the public URL if there is one', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_PUBLIC_URL: 'https://example.com/product/auth' } })
      const { user_id } = await createUser(app, { username: 'ada' })
      await createUser(app)
      const created = await app.call('POST', '/users', { body: { username: 'grace' } })
      assert.equal(created.headers.location, `https://example.com/product/auth/users/${created.body.user_id}`)
      const page = await app.call('GET', '/users?limit=1', { headers: { host: 'evil.example' } })
      assert.match(page.headers.link ?? '', /^<https:\/\/example\.com\/product\/auth\/users\?limit=1&cursor=[\w-]+>/)
      assert.equal(page.body[0].user_id, user_id)
    })

    it('responds to HEAD like GET, without the body', async (t) => {
      const app = await start(t, engine)
      const send = await sender(app)
      const { user_id } = await createUser(app)
      const paths = [
        '/health/live',
        '/health/ready',
        '/users',
        '/users?limit=1',
        '/users?q=%00',
        '/users?limit=0',
        '/users?cursor=x',
        `/users/${user_id}`,
        '/users/x',
        '/users/%zz',
        '/keys',
        '/openapi.json',
        '/openapi.sdk.json',
        '/docs',
        '/docs/',
        '/',
        '/nowhere',
      ]
      const changing = new Set(['x-request-id', 'date', 'transfer-encoding', 'connection', 'ratelimit'])
      const lasting = ({ headers }: RawAnswer) => Object.entries(headers).filter(([name]) => !changing.has(name))
      for (const path of paths) {
        const get = await send(request(`GET /auth${path}`, ['X-Request-Id: fixed']))
        const head = await send(request(`HEAD /auth${path}`, ['X-Request-Id: fixed']), true)
        assert.equal(head.status, get.status, path)
        if (path === '/openapi.json') continue // Its example is made new each time.
        assert.deepEqual(Object.fromEntries(lasting(head)), Object.fromEntries(lasting(get)), path)
      }
      const refused = await send(request('HEAD /auth/users', [], '', { key: null }), true)
      assert.equal(refused.status, 401)
      assertCivil(refused, true)
    })

    it('returns 405 with all methods that are allowed, for each path and each other method', async (t) => {
      const app = await start(t, engine)
      const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']
      const paths = Object.entries(app.document.paths).map(([template, operations]) => {
        const own = Object.keys(operations).map((method) => method.toUpperCase())
        return { path: template.replace(/\{\w+\}/, 'x'), own: own.includes('GET') ? [...own, 'HEAD'] : own }
      })
      assert.ok(paths.length >= 6)
      for (const { path, own } of paths) {
        for (const method of methods.filter((method) => !own.includes(method))) {
          // A credential makes no difference to it.
          const response = await app.call(method, path, { key: method === 'PUT' ? null : adminKey })
          assert.equal(response.status, 405, `${method} ${path}: ${response.text}`)
          assert.equal(response.headers.allow, own.toSorted().join(', '), `${method} ${path}`)
          if (method !== 'HEAD') assert.equal(response.body.code, 'method_not_allowed')
        }
      }
    })

    it('welcomes no other origin', async (t) => {
      const app = await start(t, engine)
      const origin = { origin: 'https://example.com' }
      const preflight = {
        ...origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-api-key',
      }
      const answers = [
        await app.call('OPTIONS', '/users', { headers: preflight, key: null }),
        await app.call('GET', '/users', { headers: origin }),
        await app.call('GET', '/health/live', { headers: origin, key: null }),
      ]
      assert.deepEqual(
        answers.map(({ status }) => status),
        [405, 200, 200],
      )
      for (const { headers } of answers) {
        assert.deepEqual(
          Object.keys(headers).filter((name) => name.startsWith('access-control')),
          [],
        )
      }
    })
  })
}
