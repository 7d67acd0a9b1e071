import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { FastifyReply } from 'fastify'
import { adminKey, createUser, engines, start } from '../../../test/harness.ts'
import { AppError } from '../../core/errors.ts'
import { buckets } from './rate-limit.ts'

const noon = Date.UTC(2026, 10, 20, 12)
const password = 'the sky above the port was grey'

/** Collects the headers of a reply, and says whether the request passed. */
function caller(bucket: ReturnType<typeof buckets>) {
  const headers: Record<string, string> = {}
  const reply = {
    header(name: string, value: string) {
      headers[name] = value
      return reply
    },
  } as unknown as FastifyReply
  const passes = (name: string, now: number): boolean => {
    try {
      bucket.countRequest(name, now, reply)
      return true
    } catch (error) {
      if (error instanceof AppError && error.code === 'rate_limited') return false
      throw error
    }
  }
  return { headers, passes }
}

describe('a token bucket', () => {
  it('never allows more than a full bucket and what has flowed in since, however requests are spread', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.integer({ min: 0, max: 300_000 }), { maxLength: 300 }),
        (perMinute, moments) => {
          const { passes } = caller(buckets(perMinute))
          const passed = moments.toSorted((a, b) => a - b).filter((at) => passes('one', noon + at))
          for (const from of passed) {
            for (const to of passed.filter((at) => at >= from)) {
              const many = passed.filter((at) => at >= from && at <= to).length
              assert.ok(many <= perMinute + (perMinute * (to - from)) / 60_000 + 0.01)
            }
          }
        },
      ),
      { numRuns: 50 },
    )
  })

  it('allows all requests that keep to the rate, and reports correctly how many are left', () => {
    for (const perMinute of [1, 3, 7, 60, 6000]) {
      const { passes, headers } = caller(buckets(perMinute))
      for (let i = 0; i < perMinute; i++) {
        assert.ok(passes('one', noon), `${i + 1} of ${perMinute}`)
        assert.match(headers.ratelimit ?? '', new RegExp(`^"default";r=${perMinute - i - 1};t=\\d+$`))
      }
      assert.equal(passes('one', noon), false)
      for (let i = 1; i <= 200; i++) assert.ok(passes('one', noon + Math.ceil((i * 60_000) / perMinute)), `${i}`)
      assert.equal(headers['ratelimit-policy'], `"default";q=${perMinute};w=60`)
    }
  })

  it('says after how many seconds the next request is allowed', () => {
    const { passes, headers } = caller(buckets(4))
    for (let i = 0; i < 4; i++) passes('one', noon)
    assert.equal(passes('one', noon + 100), false)
    assert.equal(headers.ratelimit, '"default";r=0;t=15')
    assert.ok(passes('one', noon + 15_000))
  })

  it('keeps callers apart, and remembers them across a minute in which it forgets others', () => {
    const bucket = buckets(2)
    const { passes } = caller(bucket)
    assert.ok(passes('one', noon) && passes('one', noon + 59_000) && passes('other', noon))
    assert.ok(passes('one', noon + 59_500))
    assert.equal(passes('one', noon + 60_001), false)
  })

  it('uses no more memory, however many callers there are', () => {
    const bucket = buckets(10, 1000)
    const { passes } = caller(bucket)
    for (let i = 0; i < 20_000; i++) {
      passes(`caller ${i}`, noon + i)
      assert.ok(bucket.size() <= 2000)
    }
    for (let i = 0; i < 10; i++) passes('late', noon + 400_000)
    assert.ok(bucket.size() < 1010)
  })

  it('makes no caller wait for a clock that was set back', () => {
    const { passes } = caller(buckets(1))
    passes('one', noon + 86_400_000)
    assert.ok(passes('one', noon))
    assert.equal(passes('one', noon), false)
  })
})

for (const engine of engines) {
  describe(`the rate limit on ${engine.name}`, () => {
    const env = { ROLLBOOK_RATE_LIMIT: '5', ROLLBOOK_TRUSTED_PROXIES: '127.0.0.1' }
    const clock = () => noon
    const from = (address: string) => ({ key: null, headers: { 'x-forwarded-for': address } })

    it('does not apply to API keys by default, and sends them no limit', async (t) => {
      const app = await start(t, engine, { env, clock })
      for (let i = 0; i < 20; i++) {
        const response = await app.call('GET', '/users')
        assert.equal(response.status, 200)
        assert.equal(response.headers.ratelimit, undefined)
      }
    })

    it('applies to each API key separately if configured', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_RATE_LIMIT_API_KEYS: '4' }, clock })
      const created = await app.call('POST', '/keys', { body: { name: 'other', permissions: ['users:read'] } })
      const statuses = []
      for (let i = 0; i < 5; i++) statuses.push((await app.call('GET', '/users')).status)
      assert.deepEqual(statuses, [200, 200, 200, 429, 429])
      const other = await app.call('GET', '/users', { key: created.body.key })
      assert.equal(other.headers['ratelimit-policy'], '"default";q=4;w=60')
      assert.equal(other.headers.ratelimit, '"default";r=3;t=15')
    })

    it('applies to each network without a valid credential, whatever it sends, and returns 429 with Retry-After', async (t) => {
      const app = await start(t, engine, { env, clock })
      const wrongKey = { key: 'rb_wrong', headers: { 'x-forwarded-for': '2001:db8::2' } }
      const answers = [
        await app.call('GET', '/users', from('2001:db8::1')),
        await app.call('GET', '/users', wrongKey),
        await app.call('GET', '/openapi.json', from('2001:db8::3')),
        await app.call('GET', '/nothing/here', from('2001:db8::3')),
        await app.call('POST', '/sessions', { ...from('2001:db8::4'), body: { username: 'ada', password } }),
        await app.call('GET', '/users', wrongKey),
        await app.call('GET', '/users', wrongKey),
      ]
      assert.deepEqual(
        answers.map(({ status }) => status),
        [401, 401, 200, 404, 401, 401, 429],
      )
      const last = answers.at(-1)
      assert.equal(last?.body.code, 'rate_limited')
      assert.equal(last?.headers['retry-after'], '12')
      assert.equal(last?.headers.ratelimit, '"default";r=0;t=12')
      assert.equal((await app.call('GET', '/users', from('2001:db8:0:1::1'))).status, 401)
      // Requests of its neighbors do not limit a valid credential.
      const valid = { key: adminKey, headers: { 'x-forwarded-for': '2001:db8::1' } }
      assert.equal((await app.call('GET', '/users', valid)).status, 200)
    })

    it('is shared by all sessions and access tokens of a user, and by no other user', async (t) => {
      const app = await start(t, engine, { env, clock })
      const signIn = async (username: string, address: string) => {
        const response = await app.call('POST', '/sessions', { ...from(address), body: { username, password } })
        const set = response.headers['set-cookie'] as unknown as string[]
        return { cookie: set.map((line) => line.split(';')[0]).join('; '), 'sec-fetch-site': 'same-origin' }
      }
      for (const username of ['ada', 'grace']) await createUser(app, { username, password, role: 'admin' })
      const sessions = []
      for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) sessions.push(await signIn('ada', address))
      const fetchMe = async (headers: Record<string, string>) => {
        const response = await app.call('GET', '/me', { key: null, headers })
        return [response.status, response.headers.ratelimit]
      }
      const created = await app.call('POST', '/token', { key: null, headers: sessions[0] ?? {} })
      assert.equal(created.status, 200)
      const refused = [429, '"default";r=0;t=12']
      const left = (remaining: number) => `"default";r=${remaining};t=${(5 - remaining) * 12}`
      assert.deepEqual(await fetchMe({ authorization: `Bearer ${created.body.access_token}` }), [200, left(3)])
      assert.deepEqual(await fetchMe(sessions[1] ?? {}), [200, left(2)])
      assert.deepEqual(await fetchMe(sessions[2] ?? {}), [200, left(1)])
      assert.deepEqual(await fetchMe(sessions[0] ?? {}), [200, left(0)])
      for (const headers of [...sessions, { authorization: `Bearer ${created.body.access_token}` }]) {
        assert.deepEqual(await fetchMe(headers), refused)
      }
      assert.deepEqual(await fetchMe(await signIn('ada', '203.0.113.4')), refused)
      assert.deepEqual(await fetchMe(await signIn('grace', '203.0.113.1')), [200, left(4)])
    })

    it('never applies to health checks, the docs and forward-auth', async (t) => {
      const app = await start(t, engine, { env, clock })
      for (let i = 0; i < 12; i++) {
        for (const path of ['/health/live', '/health/ready', '/docs', '/docs/problems']) {
          const response = await app.call('GET', path, from('203.0.113.3'))
          assert.deepEqual([path, response.status, response.headers.ratelimit], [path, 200, undefined])
        }
      }
    })

    it('is off at 0', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_RATE_LIMIT: '0' }, clock })
      for (let i = 0; i < 20; i++) {
        const response = await app.call('GET', '/users', { key: null })
        assert.deepEqual([response.status, response.headers.ratelimit], [401, undefined])
      }
    })
  })
}
