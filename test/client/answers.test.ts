import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import {
  type ClientOptions,
  ConnectionError,
  etagOf,
  RollbookClient,
  RollbookError,
  UnexpectedAnswerError,
} from '../../src/sdk/client/index.ts'
import { freePort } from '../free-port.ts'
import { adminKey, anyEngine, type Engine, engines, type Started, start } from '../harness.ts'
import { assertWithin } from '../time-limit.ts'
import { startWay, type Way } from './unreliable.ts'

/** One application for all tests of a suite, with a separate connection for each. */
function shared(engine: Engine) {
  let app: Started
  let address: string
  const ends: (() => Promise<void>)[] = []
  before(async () => {
    app = await start({ after: (end: () => Promise<void>) => ends.push(end) } as unknown as TestContext, engine)
    address = await app.listen()
  })
  after(async () => {
    for (const end of ends) await end()
  })
  return async (t: TestContext): Promise<{ app: Started; way: Way; client: RollbookClient }> => {
    const way = await startWay(t, address)
    return { app, way, client: clientOf(way) }
  }
}

function clientOf(way: Way, options: Partial<ClientOptions> = {}): RollbookClient {
  return new RollbookClient({ url: way.url, apiKey: adminKey, ...options })
}

function refusal(code: string) {
  return (error: unknown) => error instanceof RollbookError && error.code === code
}

/** Loses the response to the first request with this method. */
function loseFirst(way: Way, method: string): void {
  let isLost = false
  way.fate = (passing) => {
    if (isLost || passing.method !== method) return 'pass'
    isLost = true
    return 'lose'
  }
}

async function countOf(app: Started, action: string, user_id?: string): Promise<number> {
  const where = user_id === undefined ? '/audit' : `/users/${user_id}/audit`
  const response = await app.call('GET', `${where}?limit=1000&action=${action}`)
  return response.body.length
}

for (const engine of engines) {
  describe(`a client whose responses are lost on ${engine.name}`, () => {
    const startAll = shared(engine)

    it('creates each user exactly once when every third response is lost', async (t) => {
      const { app, way, client } = await startAll(t)
      way.fate = ({ number }) => (number % 3 === 0 ? 'lose' : 'pass')
      const names = Array.from({ length: 150 }, (_, i) => `user-${i}`)
      const created = await inLanes(10, names, (username) => client.users.create({ username }))
      assert.ok(way.passed.length >= 220, 'too few requests: nothing was lost')
      const { body } = await app.call('GET', '/users?sort=created_at')
      assert.deepEqual(body.map((user: { username: string }) => user.username).sort(), names.toSorted())
      assert.deepEqual(
        created.map(({ user_id }) => user_id).sort(),
        body.map((user: { user_id: string }) => user.user_id).sort(),
      )
      assert.equal(await countOf(app, 'user.created'), 150)
    })

    it('makes each change by function once, even if its response is lost', async (t) => {
      const { app, way, client } = await startAll(t)
      const { user_id } = await client.users.create({ username: 'counted' })
      way.fate = ({ number }) => (number % 3 === 0 ? 'lose' : 'pass')
      for (let i = 0; i < 12; i += 1) {
        await client.users.update(user_id, ({ last_name }) => ({ last_name: `${last_name}|` }))
      }
      assert.equal((await app.call('GET', `/users/${user_id}`)).body.last_name, '|'.repeat(12))
      assert.equal(await countOf(app, 'user.updated', user_id), 12)
    })
  })
}

describe('a client whose responses are lost', () => {
  const startAll = shared(anyEngine)

  it('recognizes its own change when the response was lost', async (t) => {
    const { app, way, client } = await startAll(t)
    const user = await client.users.create({ username: 'once' })
    loseFirst(way, 'PATCH')
    const changed = await client.users.update(user, { first_name: 'Once', email: 'once@example.com' })
    assert.equal(changed.email, 'once@example.com')
    assert.equal(etagOf(changed), (await app.call('GET', `/users/${user.user_id}`)).headers.etag)
    assert.equal(await countOf(app, 'user.updated', user.user_id), 1)
  })

  it('does not mistake another change for its own', async (t) => {
    const { app, way, client } = await startAll(t)
    const user = await client.users.create({ username: 'raced' })
    way.fate = async ({ method }) => {
      if (method !== 'PATCH') return 'pass'
      way.fate = () => 'pass'
      await app.call('PATCH', `/users/${user.user_id}`, { body: { first_name: 'Theirs' } })
      return 'lose'
    }
    await assert.rejects(client.users.update(user, { first_name: 'Ours' }), refusal('precondition_failed'))
    assert.equal((await client.users.get(user.user_id)).first_name, 'Theirs')
  })

  it('does not report a password as set if that is unknown', async (t) => {
    const { way, client } = await startAll(t)
    const user = await client.users.create({ username: 'secretive' })
    loseFirst(way, 'PATCH')
    await assert.rejects(
      client.users.update(user, { password: 'a moth in relay seventy' }),
      (error) => refusal('precondition_failed')(error) && (error as RollbookError).mayHaveHappened,
    )
  })

  it('reports a deletion whose response was lost, with the end of the grace period', async (t) => {
    const { app, way, client } = await startAll(t)
    const { user_id } = await client.users.create({ username: 'leaving' })
    loseFirst(way, 'DELETE')
    const { deleted, restorable_until } = await client.users.delete(user_id)
    assert.equal(deleted, true)
    assert.equal(restorable_until, (await app.call('GET', '/deleted-users')).body[0].restorable_until)
    assert.equal(way.passed.filter(({ method }) => method === 'DELETE').length, 2)
  })

  it('does not report a deletion of something that did not exist', async (t) => {
    const { way, client } = await startAll(t)
    const nobody = '019a9f3e-0000-7000-8000-000000000000'
    await assert.rejects(client.users.delete(nobody), refusal('user_not_found'))
    // The request did not reach the service, so nothing can have happened.
    way.fate = ({ number }) =>
      number === 2 ? { status: 429, headers: { 'content-type': 'application/problem+json' }, body: tooMany } : 'pass'
    await assert.rejects(client.users.delete(nobody), refusal('user_not_found'))
    assert.equal(way.passed.length, 3)
    loseFirst(way, 'DELETE')
    await assert.rejects(client.users.delete(nobody, { dryRun: true }), refusal('user_not_found'))
  })

  it('revokes, ends and deletes other objects once, whichever response is lost', async (t) => {
    const { way, client } = await startAll(t)
    const { key_id } = await client.keys.create({ name: 'lost', permissions: ['users:read'] })
    const { endpoint_id } = await client.webhooks.create({ url: 'https://receiver.example/lost' })
    loseFirst(way, 'DELETE')
    assert.deepEqual(await client.keys.revoke(key_id), { key_id, revoked: true })
    loseFirst(way, 'DELETE')
    assert.deepEqual(await client.webhooks.delete(endpoint_id), { endpoint_id, deleted: true })
    assert.equal(way.passed.filter(({ method }) => method === 'DELETE').length, 4)
  })

  it('sends the same Idempotency-Key with each try of a POST, and a new one with the next POST', async (t) => {
    const { way, client } = await startAll(t)
    way.fate = ({ number }) => (number <= 2 ? 'lose' : 'pass')
    await client.users.create({ username: 'first' })
    await client.users.create({ username: 'second' })
    await client.users.create({ username: 'third' }, { idempotencyKey: 'of-my-own' })
    const keys = way.passed.map(({ headers }) => headers['idempotency-key'])
    assert.equal(keys.length, 5)
    assert.match(String(keys[0]), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.deepEqual([keys[1], keys[2], keys[4]], [keys[0], keys[0], 'of-my-own'])
    assert.notEqual(keys[3], keys[0])
  })
})

const tooMany = JSON.stringify({
  type: 'about:blank',
  title: 'Too many requests',
  status: 429,
  detail: 'Later.',
  instance: 'a-proxy',
  code: 'rate_limited',
})

describe('a refused client', () => {
  const startAll = shared(anyEngine)

  it('retries after 429 and 502 to 504, and waits for Retry-After', async (t) => {
    const { way, client } = await startAll(t)
    const problem = { 'content-type': 'application/problem+json' }
    for (const status of [429, 502, 503, 504]) {
      const from = way.passed.length
      way.fate = ({ number }) =>
        number === from + 1 ? (status === 429 ? { status, headers: problem, body: tooMany } : { status }) : 'pass'
      await client.roles.list()
      assert.equal(way.passed.length, from + 2, String(status))
    }
    const from = way.passed.length
    way.fate = ({ number }) => (number === from + 1 ? { status: 503, headers: { 'retry-after': '1' } } : 'pass')
    const before = performance.now()
    await client.roles.list()
    assert.ok(performance.now() - before >= 999)
  })

  it('throws instead of waiting for longer than a minute', async (t) => {
    const { way, client } = await startAll(t)
    const date = new Date(Date.now() + 3_600_000).toUTCString()
    for (const [text, seconds] of [
      ['3600', 3600],
      [date, 3600],
    ] as const) {
      way.fate = () => ({
        status: 429,
        headers: { 'content-type': 'application/problem+json', 'retry-after': text },
        body: tooMany,
      })
      const from = way.passed.length
      await assert.rejects(client.roles.list(), (error: RollbookError) => {
        assert.equal(error.code, 'rate_limited')
        assert.ok(Math.abs((error.retryAfterSeconds ?? 0) - seconds) < 5, String(error.retryAfterSeconds))
        return true
      })
      assert.equal(way.passed.length, from + 1)
    }
  })

  it('retries while the first try is still running', async (t) => {
    const { app, way, client } = await startAll(t)
    const body = JSON.stringify({ username: 'slow', password: 'a moth in relay seventy' })
    // The same request as the client sends, already on its way.
    let first: Promise<unknown> | undefined
    way.fate = ({ headers }) => {
      first ??= app.call('POST', '/users', {
        body,
        key: null,
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${adminKey}`,
          'idempotency-key': String(headers['idempotency-key']),
        },
      })
      return 'pass'
    }
    const user = await client.users.create({ username: 'slow', password: 'a moth in relay seventy' })
    await first
    assert.equal(user.username, 'slow')
    assert.ok(way.passed.length >= 2, 'the first try was over before the client came')
    assert.equal(await countOf(app, 'user.created', user.user_id), 1)
  })

  it('gives up after the allowed retries, and throws the last error', async (t) => {
    const { way, client } = await startAll(t)
    way.fate = () => 'lose'
    await assert.rejects(client.roles.list({ retries: 2 }), ConnectionError)
    assert.equal(way.passed.length, 3)
    way.fate = () => ({ status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' })
    await assert.rejects(
      clientOf(way, { retries: 0 }).roles.list(),
      (error) => error instanceof UnexpectedAnswerError && error.status === 502,
    )
    assert.equal(way.passed.length, 4)
  })

  it('does not retry a permanent refusal', async (t) => {
    const { way, client } = await startAll(t)
    await assert.rejects(client.users.create({ username: '' }), (error: RollbookError) => {
      assert.deepEqual([error.status, error.code, error.errors[0]?.pointer], [422, 'validation_failed', '#/username'])
      assert.equal(error.message, error.detail)
      assert.match(error.requestId, /^[0-9a-f-]{36}$/)
      return true
    })
    await assert.rejects(clientOf(way, { apiKey: 'rb_unknown' }).roles.list(), refusal('credential_invalid'))
    assert.equal(way.passed.length, 2)
  })

  it('includes the detail and each fault in the text of its error', async (t) => {
    const { client } = await startAll(t)
    const textOf = (work: Promise<unknown>) => work.then(() => 'nothing was refused', String)
    assert.match(
      await textOf(client.request('GET', '/users?search=ada')),
      /^RollbookError: There is no parameter "search"\. Did you mean "q"\? Accepted: /,
    )
    const stranger = { username: 'ada', firstname: 'Ada', shoe: '39' } as { username: string }
    assert.equal(
      await textOf(client.users.create(stranger)),
      'RollbookError: There are no members "firstname" and "shoe". Did you mean "first_name" for "firstname"? Accepted: username, password, email, first_name, last_name, role, external_id, locale, kind, expires_at, organization_id, invite, attributes.',
    )
    assert.equal(
      await textOf(client.users.create({ username: 'ada', email: 'nowhere' })),
      'RollbookError: This is not a valid email address.',
    )
    const problem = { type: '', title: '', status: 422, instance: '', code: 'validation_failed' } as const
    const faults = Array.from({ length: 12 }, (_, n) => ({ pointer: `#/m${n}`, code: 'x', detail: `Fault ${n}.` }))
    assert.match(
      String(new RollbookError({ ...problem, detail: '12 faults.', errors: faults })),
      /^RollbookError: 12 faults\. #\/m0: Fault 0\. .*#\/m9: Fault 9\. And 2 more\.$/,
    )
  })

  it('follows no redirect, and does not accept an HTML page as a response', async (t) => {
    const { way, client } = await startAll(t)
    const other = await startWay(t, way.url)
    way.fate = () => ({ status: 307, headers: { location: other.url } })
    await assert.rejects(client.users.create({ username: 'moved' }), UnexpectedAnswerError)
    assert.deepEqual(other.passed, [])
    way.fate = () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html>' })
    await assert.rejects(client.roles.list(), UnexpectedAnswerError)
    await assert.rejects(client.users.list().next(), UnexpectedAnswerError)
  })

  it('accepts only JSON as a response', async (t) => {
    const { way, client } = await startAll(t)
    for (const response of [
      { status: 204 },
      { status: 200, headers: { 'content-type': 'application/x-ndjson' }, body: '{"user_id":"1"}\n' },
      { status: 200, headers: { 'content-type': 'application/json' }, body: 'null' },
    ]) {
      way.fate = () => response
      await assert.rejects(client.users.get('1'), UnexpectedAnswerError)
    }
  })

  it('refuses a URL with a password, and does not repeat it', (t) => {
    t.assert.throws(
      () => new RollbookClient({ url: 'http://ada:hunter2@127.0.0.1/auth' }),
      (error: Error) => error instanceof TypeError && !error.message.includes('hunter2'),
    )
  })

  it('refuses an incomplete URL, with an example', (t) => {
    for (const url of ['', 'auth', 'localhost:8080/auth', 'ftp://127.0.0.1/auth']) {
      t.assert.throws(() => new RollbookClient({ url }), /^TypeError: url must be complete, such as http:\/\/127/)
    }
  })

  it('names the URL and what may be wrong with it', async (t) => {
    const { way } = await startAll(t)
    const { origin } = new URL(way.url)
    way.fate = () => ({ status: 404, headers: { 'content-type': 'application/json' }, body: '{}' })
    const errorAt = (url: string) =>
      new RollbookClient({ url, apiKey: adminKey }).roles.list().catch((error: Error) => error.message)
    assert.match(
      String(await errorAt(origin)),
      new RegExp(`Check the URL ${origin}: it must end in the base path \\(/auth\\)\\.$`),
    )
    assert.match(
      String(await errorAt(way.url.replace('http:', 'https:'))),
      /did not respond: .*\(is it http, not https\?\)$/,
    )
    way.fate = () => ({ status: 301, headers: { location: 'https://orchard.example.com/auth/roles' } })
    assert.match(String(await errorAt(way.url)), /redirects to https:\/\/orchard\.example\.com\/auth\/roles\./)
  })

  it('reports a wrong port within 2 seconds, but waits for a service that has responded before', async (t) => {
    const { way, client } = await startAll(t)
    const port = await freePort()
    const startedAt = performance.now()
    await assert.rejects(
      new RollbookClient({ url: `http://127.0.0.1:${port}/auth`, apiKey: adminKey }).roles.list(),
      (error) => error instanceof ConnectionError && error.message.includes('ECONNREFUSED'),
    )
    assertWithin(2000, startedAt)
    await client.roles.list()
    const cutAt = performance.now()
    way.fate = () => (performance.now() - cutAt < 2500 ? 'lose' : 'pass')
    assert.ok((await client.roles.list()).length > 0)
    assert.ok(performance.now() - cutAt >= 2500)
  })

  it('names the CORS setting in a page of another origin', async (t) => {
    const { way } = await startAll(t)
    const page = { href: 'https://shop.example.com/', origin: 'https://shop.example.com' }
    Object.defineProperty(globalThis, 'location', { value: page, configurable: true })
    t.after(() => Reflect.deleteProperty(globalThis, 'location'))
    way.fate = () => 'lose'
    await assert.rejects(
      clientOf(way, { retries: 0 }).roles.list(),
      /did not respond: .*ROLLBOOK_CORS_ORIGINS name https:\/\/shop\.example\.com\?/,
    )
  })
})

describe('a call', () => {
  const startAll = shared(anyEngine)

  it('has a time limit for each try', async (t) => {
    const { way, client } = await startAll(t)
    way.fate = ({ number }) => (number === 1 ? 'hold' : 'pass')
    assert.ok((await client.roles.list({ timeoutMs: 500 })).length > 0)
    way.fate = () => 'hold'
    await assert.rejects(client.roles.list({ timeoutMs: 50, retries: 0 }), (error: Error) => {
      assert.ok(error instanceof ConnectionError)
      assert.match(error.message, /did not respond within 50 ms/)
      return true
    })
  })

  it('is aborted by its signal before it starts, while it waits for a response, and between two tries', async (t) => {
    const { way, client } = await startAll(t)
    const reason = new Error('nobody wants to know any more')
    await assert.rejects(client.roles.list({ signal: AbortSignal.abort(reason) }), reason)
    for (const fate of ['hold', { status: 503, headers: { 'retry-after': '50' } }] as const) {
      const controller = new AbortController()
      way.fate = () => {
        setTimeout(() => controller.abort(reason), 50)
        return fate
      }
      const before = performance.now()
      await assert.rejects(client.roles.list({ signal: controller.signal }), reason)
      assertWithin(5000, before)
    }
  })

  it('reads the key for each try, and never shows one that cannot be sent', async (t) => {
    const { way } = await startAll(t)
    const keys = [adminKey, adminKey]
    way.fate = ({ number }) => (number === 1 ? 'lose' : 'pass')
    await clientOf(way, { apiKey: () => keys.pop() as string }).roles.list()
    assert.deepEqual(keys, [])
    await assert.rejects(clientOf(way, { apiKey: 'rb_secret\n' }).roles.list(), (error: Error) => {
      assert.ok(error instanceof TypeError)
      assert.doesNotMatch(error.message, /secret/)
      return true
    })
  })

  it('sends the User-Agent, and stays below the prefix for any id', async (t) => {
    const { way } = await startAll(t)
    const client = clientOf(way, { userAgent: 'nightly/1', url: `${way.url}/` })
    await client.users.page()
    assert.equal(way.passed[0]?.headers['user-agent'], 'nightly/1')
    for (const id of ['', '.', '..', undefined as unknown as string]) {
      await assert.rejects(async () => client.users.delete(id), TypeError)
    }
    await assert.rejects(client.users.get('../keys'), refusal('user_not_found'))
    assert.match(way.passed[1]?.path ?? '', /\/users\/\.\.%2Fkeys$/)
    await assert.rejects(client.request('GET', '@elsewhere.example/'), TypeError)
  })

  it('changes nothing in a dry run', async (t) => {
    const { app, client } = await startAll(t)
    const user = await client.users.create({ username: 'kept' })
    assert.equal((await client.users.update(user, { first_name: 'X' }, { dryRun: true })).first_name, 'X')
    const planned = await client.users.update(user, ({ username }) => ({ last_name: username }), { dryRun: true })
    assert.equal(planned.last_name, 'kept')
    assert.equal((await client.users.delete(user.user_id, { dryRun: true })).deleted, false)
    await client.users.create({ username: 'never' }, { dryRun: true })
    const { body } = await app.call(
      'GET',
      `/users?created_after=${encodeURIComponent(new Date(Date.parse(user.created_at) - 1).toISOString())}`,
    )
    assert.deepEqual(body, [JSON.parse(JSON.stringify(user))])
  })
})

describe('an update', () => {
  const startAll = shared(anyEngine)

  it('with a user object is refused if another change came first, wherever the user was read', async (t) => {
    const { client } = await startAll(t)
    const { user_id } = await client.users.create({ username: 'read' })
    const readers = [
      () => client.users.get(user_id),
      () => client.users.byUsername('READ'),
      async () => (await client.users.list({ username: 'read' }).next()).value ?? undefined,
    ]
    for (const [i, read] of readers.entries()) {
      const user = await read()
      assert.ok(user)
      await client.users.update(user_id, { last_name: `of somebody else ${i}` })
      await assert.rejects(client.users.update(user, { first_name: 'Late' }), refusal('precondition_failed'))
      const fresh = await read()
      assert.ok(fresh)
      assert.equal((await client.users.update(fresh, { first_name: `Early ${i}` })).last_name, `of somebody else ${i}`)
    }
  })

  it('by function reads again if another change came first, so that no change is lost', async (t) => {
    const { client } = await startAll(t)
    const { user_id } = await client.users.create({ username: 'shared' })
    const marks = ['a', 'b', 'c', 'd', 'e']
    await Promise.all(
      marks.map((mark) => client.users.update(user_id, ({ last_name }) => ({ last_name: last_name + mark }))),
    )
    assert.deepEqual([...(await client.users.get(user_id)).last_name].sort(), marks)
  })

  it('by function that returns nothing changes nothing', async (t) => {
    const { way, client } = await startAll(t)
    const { user_id } = await client.users.create({ username: 'content' })
    assert.equal((await client.users.update(user_id, () => undefined)).username, 'content')
    assert.deepEqual(
      way.passed.map(({ method }) => method),
      ['POST', 'GET'],
    )
  })

  it('keeps the ETag outside the user object', async (t) => {
    const { app, client } = await startAll(t)
    const user = await client.users.create({ username: 'plain' })
    const { body, headers } = await app.call('GET', `/users/${user.user_id}`)
    assert.deepEqual(JSON.parse(JSON.stringify(user)), body)
    assert.equal(etagOf(user), headers.etag)
    assert.equal(etagOf({ ...user }), undefined)
  })
})

/** Works on all items, `lanes` at a time. */
async function inLanes<T, R>(lanes: number, items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const queue = items.values()
  const results: R[] = []
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const item of queue) results.push(await work(item))
    }),
  )
  return results
}
