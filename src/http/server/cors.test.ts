import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyEngine, type Started, start } from '../../../test/harness.ts'
import { createPerson, openBrowser, password, signIn } from '../../../test/people.ts'

const engine = anyEngine
const page = 'https://app.example.com'
const env = { ROLLBOOK_CORS_ORIGINS: `${page}, http://localhost:5173` }
/** Headers that no response to another origin may have. */
const opening = ['access-control-allow-origin', 'access-control-allow-credentials', 'access-control-allow-methods']

const preflight = (app: Started, path: string, origin: string, headers: Record<string, string> = {}) =>
  app.call('OPTIONS', path, { key: null, headers: { origin, 'access-control-request-method': 'PATCH', ...headers } })

describe('pages of other origins', () => {
  it('get no CORS headers by default, and OPTIONS lists the methods for all callers', async (t) => {
    const app = await start(t, engine)
    const preflighted = await preflight(app, '/users', page)
    assert.deepEqual([preflighted.status, preflighted.headers.allow], [405, 'GET, HEAD, POST'])
    const read = await app.call('GET', '/users', { headers: { origin: page } })
    assert.equal(read.status, 200)
    for (const { headers } of [preflighted, read]) {
      for (const name of opening) assert.equal(headers[name], undefined)
      assert.doesNotMatch(headers.vary ?? '', /origin/)
    }
  })

  it('can send preflight requests if their origin is configured', async (t) => {
    const app = await start(t, engine, { env })
    const preflighted = { 'access-control-request-headers': 'authorization,if-match' }
    const id = '019a9f3e-0000-7000-8000-000000000000'
    for (const [path, methods] of [
      ['/users', 'GET, HEAD, POST'],
      [`/users/${id}`, 'DELETE, GET, HEAD, PATCH'],
      [`/groups/${id}/members/${id}`, 'DELETE, PUT'],
      ['/me?dry_run=true', 'DELETE, GET, HEAD, PATCH'],
      ['/token', 'POST'],
    ] as const) {
      const { status, headers, text } = await preflight(app, path, page, preflighted)
      assert.deepEqual([status, text], [204, ''], path)
      assert.equal(headers['access-control-allow-origin'], page)
      assert.equal(headers['access-control-allow-methods'], methods)
      assert.match(headers['access-control-allow-headers'] ?? '', /authorization, x-api-key, content-type, if-match/)
      assert.equal(headers['access-control-max-age'], '7200')
      assert.match(headers.vary ?? '', /^origin\b/)
      assert.equal(headers['access-control-allow-credentials'], undefined)
    }
  })

  it('can read responses and refusals, with the relevant headers, if their origin is configured', async (t) => {
    const app = await start(t, engine, { env })
    const answers = [
      await app.call('GET', '/users?limit=1', { headers: { origin: 'http://localhost:5173' } }),
      await app.call('POST', '/users', { headers: { origin: 'http://localhost:5173' }, body: {} }),
      await app.call('GET', '/users', { headers: { origin: 'http://localhost:5173' }, key: null }),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 422, 401],
    )
    for (const { headers } of answers) {
      assert.equal(headers['access-control-allow-origin'], 'http://localhost:5173')
      assert.match(
        headers['access-control-expose-headers'] ?? '',
        /\betag, link, location, total-count, total-count-estimated\b/,
      )
      assert.match(headers.vary ?? '', /\borigin$/)
    }
    assert.equal(answers[0]?.headers.vary, 'accept, accept-encoding, origin')
  })

  it('are recognized by their whole origin, and by nothing that only looks like it', async (t) => {
    const app = await start(t, engine, { env })
    const others = [
      'https://app.example.com.evil.example',
      'https://evil.example/https://app.example.com',
      'http://app.example.com',
      'https://app.example.com:8443',
      'https://APP.example.com',
      'https://example.com',
      'https://sub.app.example.com',
      'null',
      '*',
      '',
    ]
    for (const origin of others) {
      const preflighted = await preflight(app, '/users', origin)
      const read = await app.call('GET', '/users', { headers: { origin } })
      assert.deepEqual([preflighted.status, read.status], [405, 200], origin)
      for (const { headers } of [preflighted, read]) {
        for (const name of opening) assert.equal(headers[name], undefined, origin)
        // A cache must not serve one origin's response to another.
        assert.match(headers.vary ?? '', /\borigin\b/)
      }
    }
  })

  it('never act with a session cookie, and cannot sign users in', async (t) => {
    const app = await start(t, engine, { env })
    await createPerson(app, { username: 'grace' })
    const { cookie } = await openBrowser(app, 'grace')
    const headers = { cookie, origin: page, 'sec-fetch-site': 'cross-site' }
    const read = await app.call('GET', '/me', { key: null, headers })
    assert.equal(read.headers['access-control-allow-credentials'], undefined)
    const write = await app.call('PATCH', '/me', { key: null, headers, body: { first_name: 'x' } })
    assert.deepEqual([write.status, write.body.code], [403, 'cross_origin'])
    const entered = await signIn(app, 'grace', password, { origin: page, 'sec-fetch-site': 'cross-site' })
    assert.deepEqual([entered.status, entered.headers['access-control-allow-origin']], [403, undefined])
  })

  it('have no access to pages, health, or paths that do not exist', async (t) => {
    const app = await start(t, engine, { env })
    for (const path of ['/health/live', '/docs', '/openapi.json', '/login', '/nowhere']) {
      const read = await app.call('GET', path, { key: null, headers: { origin: page } })
      const preflighted = await preflight(app, path, page)
      assert.deepEqual(
        [preflighted.status === 405, preflighted.status === 404],
        [path !== '/nowhere', path === '/nowhere'],
        path,
      )
      for (const { headers } of [read, preflighted]) {
        for (const name of opening) assert.equal(headers[name], undefined, path)
      }
    }
  })
})
