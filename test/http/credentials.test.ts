import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeApiKey } from '../../src/lib/api-key.ts'
import { adminKey, createUser, engines, type Started, start } from '../harness.ts'
import { createPerson, openBrowser } from '../people.ts'
import { assertAnswers, exchange, type Row, request, write } from './raw-client.ts'

const list = 'GET /auth/users?limit=1'

async function createKey(app: Started, members: object = {}): Promise<{ key_id: string; key: string }> {
  const response = await app.call('POST', '/keys', { body: { name: 'a key', permissions: ['users:read'], ...members } })
  assert.equal(response.status, 201, response.text)
  return response.body
}

/** Sends exactly these header lines as credentials. */
const sent = (lines: string[], target = list) => request(target, lines, '', { key: null })

for (const engine of engines) {
  describe(`credentials on ${engine.name}`, () => {
    it('accepts a key as X-API-Key or as a bearer token, the same key both ways', async (t) => {
      const app = await start(t, engine)
      const { key } = await createKey(app)
      await assertAnswers(app, [
        ['X-API-Key', sent([`X-API-Key: ${key}`]), 200],
        ['in other letters', sent([`x-api-KEY: ${key}`]), 200],
        ['with space around', sent([`X-API-Key:  \t ${key}  `]), 200],
        ['Bearer', sent([`Authorization: Bearer ${key}`]), 200],
        ['bearer', sent([`authorization: bearer ${key}`]), 200],
        ['BEARER and spaces', sent([`Authorization: BEARER   ${key} `]), 200],
        ['both', sent([`X-API-Key: ${key}`, `Authorization: Bearer ${key}`]), 200],
        ['the key of the configuration', sent([`Authorization: Bearer ${adminKey}`]), 200],
      ])
    })

    it('refuses a credential of any other form, and never tries another instead', async (t) => {
      const app = await start(t, engine)
      const { key } = await createKey(app)
      const other = makeApiKey()
      const flipped = key.slice(0, 20) + (key[20] === 'a' ? 'b' : 'a') + key.slice(21)
      const shapes = [
        '',
        'rb_',
        'null',
        'undefined',
        key.slice(0, -1),
        key.slice(1),
        key.slice(3),
        `${key}x`,
        `${key}\0`.slice(0, -1).concat('%00'),
        `${key} x`,
        `${key};`,
        `${key},`,
        `${key}, ${key}`,
        `"${key}"`,
        `'${key}'`,
        `<${key}>`,
        `Bearer ${key}`,
        `${key.slice(0, 3)} ${key.slice(3)}`,
        key.toUpperCase(),
        key.toLowerCase(),
        key.replace('rb_', 'rb-'),
        key.replace('rb_', 'RB_'),
        flipped,
        other,
        `rb_${'0'.repeat(49)}`,
        `rb_${'z'.repeat(49)}`,
        `rb_${'é'.repeat(49)}`,
        `${'rb_'.repeat(20)}`,
        '\xff'.repeat(40),
        'a'.repeat(10_000),
        adminKey.slice(1),
        `${adminKey}0`,
        adminKey.toUpperCase(),
        "' OR '1'='1' -- aaaaaaaaaaaaaaaaaaaaaaaaaa",
        '%00',
        '*',
        'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.',
      ]
      const schemes = [
        '',
        'Bearer',
        'Bearer ',
        `Bearer,${key}`,
        `Bearer:${key}`,
        `Bearer=${key}`,
        `Bearer\t${key}`,
        `Bearer ${key} ${key}`,
        `Bearer ${key},`,
        `Bearer "${key}"`,
        `Bearer token=${key}`,
        `Bearer${key}`,
        key,
        `Basic ${Buffer.from(`admin:${key}`).toString('base64')}`,
        `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
        'Basic',
        'Basic !!!',
        `Digest username="${key}"`,
        `ApiKey ${key}`,
        `Token ${key}`,
        'Negotiate oYH',
        `Bearer eyJhbGciOiJub25lIn0.${Buffer.from('{"sub":"admin"}').toString('base64url')}.`,
        `\xff ${key}`,
      ]
      await assertAnswers(app, [
        ['nothing', sent([]), 401],
        ...shapes.map((shape): Row => [`X-API-Key ${shape}`, sent([`X-API-Key: ${shape}`]), 401]),
        ...shapes
          .filter((shape) => shape !== `Bearer ${key}`)
          .map((shape): Row => [`Bearer ${shape}`, sent([`Authorization: Bearer ${shape}`]), 401]),
        ...schemes.map((scheme): Row => [`Authorization ${scheme}`, sent([`Authorization: ${scheme}`]), 401]),
        ['a wrong one beside a right one', sent([`X-API-Key: ${key}`, 'Authorization: Basic eDp5']), 401],
        ['an empty one beside a right one', sent(['X-API-Key:', `Authorization: Bearer ${key}`]), 400],
        ['two different ones', sent([`X-API-Key: ${key}`, `Authorization: Bearer ${adminKey}`]), 400],
        ['a key and a token', sent([`X-API-Key: ${key}`, 'Authorization: Bearer a.b.c']), 400],
        ['one key twice', sent([`X-API-Key: ${key}`, `X-API-Key: ${key}`]), 400],
        ['a cookie', sent([`Cookie: rollbook=${key}; __Host-rollbook=${key}`]), 401],
        ['other headers', sent([`X-Api-Token: ${key}`, `Proxy-Authorization: Bearer ${key}`, `API_KEY: ${key}`]), 401],
        ['a trusted user name', sent(['X-Forwarded-User: admin', 'Remote-User: admin', 'X-Remote-User: admin']), 401],
        ['the user of a URL', sent([], `GET http://admin:${key}@localhost/auth/users`), 401],
        [
          'a key in the body',
          request(
            'POST /auth/users',
            ['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 9'],
            'API_KEY=x',
            { key: null },
          ),
          401,
        ],
      ])
    })

    it('says how to authenticate, and whether a credential was missing or wrong', async (t) => {
      const app = await start(t, engine)
      const missing = await app.call('GET', '/users', { key: null })
      assert.equal(missing.body.code, 'credential_missing')
      assert.equal(missing.headers['www-authenticate'], 'Bearer realm="rollbook"')
      const wrong = await app.call('GET', '/users', { key: makeApiKey() })
      assert.equal(wrong.body.code, 'credential_invalid')
      assert.equal(wrong.headers['www-authenticate'], 'Bearer realm="rollbook", error="invalid_token"')
    })

    it('knows no key in the query unless it is switched on', async (t) => {
      const app = await start(t, engine)
      await assertAnswers(app, [
        ['alone', request(`GET /auth/users?API_KEY=${adminKey}`, [], '', { key: null }), 401],
        ['beside a header', request(`GET /auth/users?API_KEY=${adminKey}`), 422],
        ['beside a wrong header', request(`GET /auth/users?API_KEY=${adminKey}`, [], '', { key: 'X-API-Key: x' }), 401],
      ])
    })

    it('accepts a key in the query if that is enabled, for every operation, and only in that spelling', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_API_KEY_IN_QUERY: 'true' } })
      const { key } = await createKey(app, { permissions: ['*'] })
      const user = await createUser(app)
      const none = { key: null }
      const get = (query: string, lines: string[] = []) => request(`GET /auth/users${query}`, lines, '', none)
      const noBody = ['Content-Length: 0']
      await assertAnswers(app, [
        ['list', get(`?API_KEY=${key}`), 200],
        ['page', get(`?limit=1&API_KEY=${key}&sort=email`), 200],
        ['encoded', get(`?API%5FKEY=${key.replaceAll('_', '%5F')}`), 200],
        ['twice the same', get(`?API_KEY=${key}&API_KEY=${key}`), 200],
        ['the same in a header', get(`?API_KEY=${key}`, [`X-API-Key: ${key}`, `Authorization: Bearer ${key}`]), 200],
        ['a header alone', get('?limit=1', [`X-API-Key: ${key}`]), 200],
        ['after a second question mark', get(`?q=a?b&API_KEY=${key}`), 200],
        ['in a whole URL', request(`GET http://localhost:99999/auth/users?API_KEY=${key}`, [], '', none), 200],
        ['get', get(`/${user.user_id}?API_KEY=${key}`), 200],
        ['keys', request(`GET /auth/keys?API_KEY=${key}`, [], '', none), 200],
        [
          'update',
          request(
            `PATCH /auth/users/${user.user_id}?API_KEY=${key}`,
            ['Content-Type: application/json', 'Content-Length: 2'],
            '{}',
            none,
          ),
          200,
        ],
        ['rehearse', request(`DELETE /auth/users/${user.user_id}?dry_run=true&API_KEY=${key}`, noBody, '', none), 200],
        ['an unknown parameter beside it', get(`?API_KEY=${key}&api_key=x`), 422],
        ['in small letters', get(`?api_key=${key}`), 401],
        ['in brackets', get(`?API_KEY[]=${key}`), 401],
        ['none', get('?limit=1'), 401],
        ['empty', get('?API_KEY='), 401],
        ['without a value', get('?API_KEY'), 401],
        ['wrong', get(`?API_KEY=${makeApiKey()}`), 401],
        ['with more behind', get(`?API_KEY=${key}%00`), 401],
        ['with a line break', get(`?API_KEY=${key}%0d%0aX-API-Key:%20${key}`), 401],
        ['two different ones', get(`?API_KEY=${key}&API_KEY=${adminKey}`), 400],
        ['empty beside a header', get('?API_KEY=', [`X-API-Key: ${key}`]), 400],
        ['another than the header', get(`?API_KEY=${key}`, [`X-API-Key: ${adminKey}`]), 400],
        ['another than the token', get(`?API_KEY=${key}`, [`Authorization: Bearer ${adminKey}`]), 400],
        ['in a path that cannot be decoded', get(`/%zz?API_KEY=${key}`), 400],
        ['in the fragment', get(`#?API_KEY=${key}`), 400],
        [
          'in the body',
          write(`{"username":"a","API_KEY":"${key}"}`, [], 'POST /auth/users').replace(/X-API-Key: .*\r\n/, ''),
          401,
        ],
      ])
    })

    it('leaves the key of a query out of the links that it gives', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_API_KEY_IN_QUERY: 'true' } })
      const { key } = await createKey(app)
      for (let i = 0; i < 3; i++) await createUser(app)
      for (const query of [
        `limit=1&API_KEY=${key}`,
        `API_KEY=${key}&limit=1`,
        `limit=1&API%5fKEY=${key}&sort=username`,
      ]) {
        const page = await app.call('GET', `/users?${query}`, { key: null })
        assert.match(page.headers.link ?? '', /^<\/auth\/users\?[\w=&%-]*cursor=[\w-]+>; rel="next"$/)
        assert.doesNotMatch(page.headers.link ?? '', /API|rb_/i)
        assert.ok(!JSON.stringify(page.headers).includes(key))
      }
    })

    it('makes a repeated write take effect once if its key is in the query', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_API_KEY_IN_QUERY: 'true' } })
      const send = () =>
        app.call('POST', `/users?API_KEY=${adminKey}`, {
          key: null,
          body: { username: 'once' },
          headers: { 'idempotency-key': 'a' },
        })
      const first = await send()
      const second = await send()
      assert.equal(first.status, 201)
      assert.equal(second.headers['idempotency-replayed'], 'true')
      assert.deepEqual(second.body, first.body)
      assert.equal(second.headers.location, `/auth/users/${first.body.user_id}`)
    })

    it('does nothing for a credential that ended while the body was on its way', async (t) => {
      const app = await start(t, engine)
      const port = Number(new URL(await app.listen()).port)
      const { user_id } = await createPerson(app, { username: 'leaver', role: 'admin' })
      await createPerson(app, { role: 'admin' })
      const { cookie } = await openBrowser(app, 'leaver')
      const key = await createKey(app, { permissions: ['users:write'] })
      const body = '{"username":"left behind","role":"user"}'
      const head = (credential: string[]) =>
        request(
          'POST /auth/users',
          [...credential, 'Content-Type: application/json', `Content-Length: ${body.length}`],
          '',
          {
            key: null,
          },
        )
      const { promise: areEnded, resolve: end } = Promise.withResolvers<void>()
      const later = (credential: string[]) => exchange(port, [head(credential), areEnded, body])
      const answers = [later([`Cookie: ${cookie}`, 'Sec-Fetch-Site: same-origin']), later([`X-API-Key: ${key.key}`])]
      await sleep(100)
      assert.equal((await app.call('DELETE', `/users/${user_id}`)).status, 200)
      assert.equal((await app.call('DELETE', `/keys/${key.key_id}`)).status, 200)
      end()
      for (const {
        answers: [response],
      } of await Promise.all(answers))
        assert.equal(response?.status, 401, `${response?.body}`)
      assert.deepEqual((await app.call('GET', '/users?q=left')).body, [])
    })
  })
}
