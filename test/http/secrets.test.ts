import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeApiKey } from '../../src/lib/api-key.ts'
import { adminKey, engines, start } from '../harness.ts'
import { exchange, key as keyLine, portOf, request, write } from './raw-client.ts'

/** A text that stands nowhere else, and could be a password. */
function canary(name: string): string {
  return `canary-${name}-${crypto.randomUUID()}`
}

for (const engine of engines) {
  describe(`secrets on ${engine.name}`, () => {
    for (const inQuery of ['false', 'true']) {
      it(`writes no secret into the log or a response, wherever it is put, with keys in queries ${inQuery}`, async (t) => {
        const app = await start(t, engine, {
          env: {
            ROLLBOOK_LOG_LEVEL: 'trace',
            ROLLBOOK_API_KEY_IN_QUERY: inQuery,
            ROLLBOOK_HEADERS_TIMEOUT_SECONDS: '1',
            ROLLBOOK_REQUEST_TIMEOUT_SECONDS: '1',
          },
        })
        const port = await portOf(app)
        const canaries: string[] = [adminKey]
        const plant = (name: string) => {
          const text = canary(name)
          canaries.push(text)
          return text
        }
        // A refusal names what is unknown; the log does not.
        const names: string[] = []
        const nameOf = (name: string) => {
          const text = canary(name)
          names.push(text)
          return text
        }
        const wrongKey = makeApiKey()
        const cutKey = makeApiKey().slice(0, -1)
        canaries.push(wrongKey, cutKey)

        const json = (members: object) => JSON.stringify({ username: 'ada', ...members })
        const get = (target: string, lines: string[] = []) => request(`GET /auth${target}`, lines)
        const sent = (lines: string[]) => request('GET /auth/users', lines, '', { key: null })
        const password = () => plant('password')
        const texts = [
          // In credentials.
          sent([`X-API-Key: ${wrongKey}`]),
          sent([`Authorization: Bearer ${wrongKey}`]),
          sent([`X-API-Key: ${cutKey}`]),
          sent([`X-API-Key: ${plant('key')}`]),
          sent([`Authorization: Basic ${plant('basic')}`]),
          sent([`Authorization: ${plant('scheme')}`]),
          sent([keyLine, `Authorization: Bearer ${plant('second')}`]),
          sent([keyLine, `X-API-Key: ${plant('twice')}`]),
          get('/users', [`Cookie: rollbook=${plant('cookie')}`]),
          get('/users', [`Proxy-Authorization: ${plant('proxy')}`]),
          // In URLs.
          get(`/users?API_KEY=${wrongKey}`),
          request(`GET /auth/users?API_KEY=${adminKey}`, [], '', { key: null }),
          get(`/users?api_key=${plant('query')}`),
          get(`/users?${nameOf('parameter')}=1`),
          get(`/users?limit=${plant('limit')}`),
          get(`/users?sort=${plant('sort')}`),
          get(`/users?active=${plant('active')}&created_after=${plant('instant')}`),
          get(`/users?cursor=${plant('cursor')}`),
          get(`/users?q=${plant('q')}&limit=5`),
          get(`/users?password=${plant('url-password')}%zz`),
          get(`/users#${plant('fragment')}`),
          get(`/users/${plant('id')}`),
          get(`/users/%zz${plant('undecodable')}`),
          get(`/users%3fAPI_KEY=${plant('encoded')}`),
          get(`/nowhere/${plant('path')}/${wrongKey}`),
          request(`DELETE /auth/keys/${wrongKey}`),
          request(`POST /auth/keys/${plant('key-id')}/rotate`),
          request(`GET http://admin:${plant('user-info')}@localhost/auth/users`),
          get(`/users/${plant('long')}${'x'.repeat(300)}`),
          // In bodies.
          write(json({ username: 'ada', password: password() })),
          write(json({ password: `${plant('short').slice(0, 14)}` })),
          write(json({ password: 1, passwort: password() })),
          write(json({ [nameOf('member')]: plant('value') })),
          write(json({ x: { [plant('inner')]: [plant('item')] } })),
          write(json({ role: plant('role'), email: plant('email') })),
          write(json({ username: `${plant('username')} \u0000` }).replaceAll(/[^\x20-\x7e]/g, '?')),
          write(json({ password: password() }), [`Idempotency-Key: ${plant('idempotency')}`]),
          write(json({ password: password() }), [], 'POST /auth/users?dry_run=true'),
          write(json({ password: password() }), [], 'PATCH /auth/users/x'),
          write(`{"username":"ada","password":"${password()}"`),
          write(`{"password":"${password()}","password":"${password()}"}`),
          write(`{"${nameOf('name')}":1,"${nameOf('name')}":2,}`),
          write(`{"password":"${password()}\n"}`),
          write(`password=${password()}`),
          write(plant('text')),
          write(`"${plant('string')}"`),
          write(`["${plant('array')}"]`),
          write(json({ password: password() }), ['Content-Type: text/plain']),
          write(json({ password: password() }), [`Content-Type: ${plant('type')}`]),
          write(json({ password: password() }), [`Content-Encoding: ${plant('coding')}`]),
          write(`{"password":"${password()}${'x'.repeat(70_000)}"}`),
          write(
            JSON.stringify({ name: 'a', permissions: [plant('permission')], expires_at: plant('end') }),
            [],
            'POST /auth/keys',
          ),
          write(JSON.stringify({ name: 'a', permissions: ['*'], key: plant('own-key') }), [], 'POST /auth/keys'),
          // In what is not HTTP, or never ends.
          `${plant('method')} / HTTP/1.1\r\n\r\n`,
          `GET / ${plant('version')}\r\n\r\n`,
          `GET / HTTP/1.1\r\nHost: ${plant('host')} x\r\n\r\n`,
          get('/users', [`X-Secret\0: ${plant('header')}`]),
          get('/users', [`X-Request-Id: ${plant('request-id')} x`]),
          get('/users', [`If-None-Match: ${plant('tag')}`, `Accept: ${plant('accept')}`, `Expect: ${plant('expect')}`]),
          get('/users', [`X-Secret: ${plant('huge')}${'x'.repeat(50_000)}`]),
          write(`zz\r\n${plant('chunk')}`, ['Transfer-Encoding: chunked']),
          get('/users', [`X-Secret: ${plant('slow')}`]).slice(0, -2),
          write(json({ password: password() })).slice(0, -3),
        ]
        const created = await exchange(port, [write(json({ username: 'ada', password: password() }))])
        assert.equal(created.answers[0]?.status, 201)
        const errorTexts = [created, ...(await Promise.all(texts.map((text) => exchange(port, [text]))))]

        const { body: creation } = await app.call('POST', '/keys', { body: { name: 'a', permissions: ['*'] } })
        canaries.push(creation.key)
        const rotated = await app.call('POST', `/keys/${creation.key_id}/rotate`, { key: creation.key })
        canaries.push(rotated.body.key)
        const listed = await app.call('GET', '/keys', { key: rotated.body.key })

        const logged = app.logLines().join('\n')
        const responses = JSON.stringify([errorTexts.map(({ answers }) => answers), listed])
        assert.ok(logged.includes('"path":"/auth/users"'), 'the log has lines to look through')
        for (const secret of canaries) {
          assert.ok(!logged.includes(secret), `logged: ${secret}`)
          assert.ok(!responses.includes(secret), `responses: ${secret}`)
        }
        for (const name of names) assert.ok(!logged.includes(name), `logged: ${name}`)
      })
    }

    it('shows of a long part of a path in the log only an id', async (t) => {
      const app = await start(t, engine)
      const id = '019a9f3e-0000-7000-8000-000000000000'
      await app.call('GET', `/users/${id}`)
      await app.call('GET', `/users/${adminKey}`)
      await app.call('GET', '/nowhere/wp-login.php?a=b')
      const paths = app.logLines().map((line) => JSON.parse(line).path)
      assert.deepEqual(paths, [`/auth/users/${id}`, '/auth/users/[long]', '/auth/nowhere/wp-login.php'])
    })

    it('writes one log line for each request, with its id, even if no handler saw it', async (t) => {
      const app = await start(t, engine)
      const port = await portOf(app)
      const texts = [
        request('GET /auth/users'),
        request('GET /auth/%zz'),
        request('PUT /auth/users'),
        'rubbish\r\n\r\n',
      ]
      const ids: (string | undefined)[] = []
      for (const text of texts) {
        const { answers } = await exchange(port, [text])
        ids.push(answers[0]?.headers['x-request-id'])
      }
      const lines = app
        .logLines()
        .map((line) => JSON.parse(line))
        .filter((line) => line.request_id !== undefined)
      assert.deepEqual(
        lines.map((line) => line.request_id),
        ids,
      )
      assert.deepEqual(
        lines.map((line) => line.status),
        [200, 400, 405, 400],
      )
    })
  })
}
