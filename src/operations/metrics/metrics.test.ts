import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { beginSignIn, codeOf, finishSignIn, personWithPhone } from '../../../test/factors.ts'
import { anyEngine, createUser, engines, start } from '../../../test/harness.ts'
import { createPerson, password, signIn } from '../../../test/people.ts'
import { scrape } from '../../../test/scrape.ts'

const getUser = 'get_user_users__user_id__get'
const requests = 'rollbook_http_requests_total'

for (const engine of engines) {
  describe(`metrics on ${engine.name}`, () => {
    it('count requests by operation and status, and never contain request data', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app)
      const missing = '019a9f3e-0000-7000-8000-00000000abcd'
      await app.call('GET', `/users/${user_id}`)
      await app.call('GET', `/users/${user_id}`)
      await app.call('GET', `/users/${missing}`)
      await app.call('GET', '/users/secret-path-of-somebody/and/more')
      await app.call('GET', '/docs/problems')
      const found = await scrape(app)
      assert.equal(found.value(requests, { operation: getUser, status: '200' }), 2)
      assert.equal(found.value(requests, { operation: getUser, status: '404' }), 1)
      assert.equal(found.value(requests, { operation: 'unknown', status: '404' }), 1)
      assert.equal(found.value(requests, { operation: '/docs/problems', status: '200' }), 1)
      for (const secret of [String(user_id), missing, 'secret-path']) assert.ok(!found.text.includes(secret))
    })

    it('report zero before the first fault, because Prometheus only sees increases', async (t) => {
      const app = await start(t, engine)
      const found = await scrape(app)
      assert.ok(found.samples.length > 100)
      assert.doesNotMatch(found.text, / NaN$/m)
      for (const operation of [getUser, '/docs/problems']) {
        assert.equal(found.value(requests, { operation, status: '500' }), 0, operation)
      }
      const durations = found.samples.filter(({ name }) => name === 'rollbook_http_request_duration_seconds_count')
      assert.ok(
        !durations.some(({ labels }) => labels.status === '5xx'),
        'a dozen series for each would be for nothing',
      )
    })

    it('report how long requests took, in buckets that add up', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app)
      for (let i = 0; i < 5; i++) await app.call('GET', `/users/${user_id}`)
      const found = await scrape(app)
      const name = 'rollbook_http_request_duration_seconds'
      const labels = { operation: getUser, status: '2xx' }
      const buckets = found.samples.filter(
        (one) => one.name === `${name}_bucket` && one.labels.operation === getUser && one.labels.status === '2xx',
      )
      assert.deepEqual(
        buckets.map(({ value }) => value),
        buckets.map(({ value }) => value).toSorted((a, b) => a - b),
      )
      assert.equal(buckets.at(-1)?.labels.le, '+Inf')
      assert.equal(buckets.at(-1)?.value, 5)
      assert.equal(found.value(`${name}_count`, labels), 5)
      const sum = found.value(`${name}_sum`, labels) ?? 0
      assert.ok(sum > 0 && sum < 60, `${sum} seconds`)
    })

    it('stay as many series however many paths, ids and headers are tried', async (t) => {
      const app = await start(t, engine)
      const series = async () =>
        (await scrape(app)).samples
          .filter(({ name }) => name.startsWith('rollbook_http_request'))
          .map(({ name, labels }) => name + JSON.stringify(labels))
          .toSorted()
      const attack = async (round: number) => {
        for (let i = 0; i < 30; i++) {
          await app.call('GET', `/users/019a9f3e-0000-7000-8000-${String(round * 100 + i).padStart(12, '0')}`)
          await app.call('GET', `/nothing/${round}/${i}`)
          await app.call('GET', `/login?x=${round}-${i}`, { key: null })
          await app.call('POST', `/keys/${round}${i}/rotate`)
        }
      }
      await series()
      await attack(0)
      const before = await series()
      await attack(1)
      assert.deepEqual(await series(), before)
    })

    it('count sign-ins by method, second steps that fail, and users with a factor', async (t) => {
      const clock = { now: Date.now() }
      const app = await start(t, engine, { clock: () => clock.now })
      const { username, phone } = await personWithPhone(app, clock.now)
      clock.now += 60_000
      const challenge = await beginSignIn(app, username)
      const wrong = codeOf(phone.secret, clock.now - 3_600_000)
      assert.equal((await finishSignIn(app, challenge, { code: wrong })).status, 401)
      assert.equal((await finishSignIn(app, challenge, { recovery_code: 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA' })).status, 401)
      const code = codeOf(phone.secret, clock.now)
      assert.equal((await finishSignIn(app, challenge, { code })).status, 201)
      const found = await scrape(app)
      const methods = (method: string) => found.value('rollbook_sign_ins_by_method_total', { method })
      // One of them to add the phone.
      assert.deepEqual(['pwd', 'otp', 'mfa', 'pop'].map(methods), [2, 1, 1, 0])
      assert.equal(found.value('rollbook_second_factor_failures_total', { kind: 'totp' }), 1)
      assert.equal(found.value('rollbook_second_factor_failures_total', { kind: 'recovery_code' }), 1)
      assert.equal(found.value('rollbook_users_with_factor', { kind: 'totp' }), 1)
      assert.equal(found.value('rollbook_users_with_factor', { kind: 'any' }), 1)
    })

    it('count sign-ins by how they end, on the page too', async (t) => {
      const app = await start(t, engine)
      const { username } = await createPerson(app)
      await signIn(app, username)
      await signIn(app, username, 'not the password')
      await app.call('POST', '/login', {
        key: null,
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams({ username, password }).toString(),
      })
      const found = await scrape(app)
      assert.equal(found.value('rollbook_sign_ins_total', { outcome: 'succeeded' }), 2)
      assert.equal(found.value('rollbook_sign_ins_total', { outcome: 'failed' }), 1)
      assert.equal(found.value('rollbook_sign_ins_total', { outcome: 'throttled' }), 0)
      // One to create the user, three to sign in.
      assert.equal(found.value('rollbook_hashes_total'), 4)
    })

    it('report the newest audit record and event, and changes waiting for their number', async (t) => {
      const app = await start(t, engine)
      await createUser(app)
      await app.storage.settleJournal()
      const before = await scrape(app)
      assert.equal(before.value('rollbook_store_readable'), 1)
      const [heads] = await app.runSql(
        'SELECT (SELECT max(seq) FROM audit_records) AS audit, (SELECT max(seq) FROM events) AS events',
      )
      assert.equal(before.value('rollbook_audit_records_total'), Number(heads?.audit))
      assert.equal(before.value('rollbook_events_total'), Number(heads?.events))
      assert.equal(before.value('rollbook_journal_pending'), engine.name === 'PostgreSQL' ? 0 : undefined)
    })

    it('report for each credential whether the cache had it', async (t) => {
      const app = await start(t, engine)
      const first = await scrape(app)
      await app.call('GET', '/roles')
      await app.call('GET', '/roles')
      const then = await scrape(app)
      const grown = (result: string) =>
        (then.value('rollbook_credential_lookups_total', { result }) ?? 0) -
        (first.value('rollbook_credential_lookups_total', { result }) ?? 0)
      assert.deepEqual([grown('hit'), grown('miss')], [3, 0])
    })
  })
}

describe('metrics', () => {
  const engine = anyEngine

  it('require metrics:read', async (t) => {
    const app = await start(t, engine)
    const make = async (permission: string) =>
      (await app.call('POST', '/keys', { body: { name: permission, permissions: [permission] } })).body.key as string
    assert.equal((await app.call('GET', '/metrics', { key: await make('metrics:read') })).status, 200)
    assert.equal((await app.call('GET', '/metrics', { key: await make('users:read') })).status, 403)
    assert.equal((await app.call('GET', '/metrics', { key: null })).status, 401)
  })

  it('count passwords that were refused because the queue was full', async (t) => {
    const env = { ROLLBOOK_HASH_CONCURRENCY: '1', ROLLBOOK_HASH_QUEUE: '2' }
    const app = await start(t, engine, { env, realHashes: true })
    const { username } = await createPerson(app)
    const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(app, username)))
    const refused = answers.filter(({ status }) => status === 503).length
    const found = await scrape(app)
    assert.ok(refused > 0)
    assert.equal(found.value('rollbook_hash_refused_total'), refused)
    assert.equal(found.value('rollbook_sign_ins_total', { outcome: 'refused' }), refused)
    assert.equal(found.value('rollbook_hash_waiting_limit'), 2)
    assert.equal(found.value('rollbook_hash_waiting'), 0)
  })

  it('belong to one application, even if several run in one process', async (t) => {
    const [one, other] = [await start(t, engine), await start(t, engine)]
    await one.call('GET', '/roles')
    await one.call('GET', '/roles')
    const labels = { operation: 'list_roles_roles_get', status: '200' }
    assert.equal((await scrape(one)).value(requests, labels), 2)
    assert.equal((await scrape(other)).value(requests, labels), undefined)
  })

  it('are compressed if the client accepts it', async (t) => {
    const app = await start(t, engine)
    const base = await app.listen()
    const { request } = await import('node:http')
    const headers = { 'x-api-key': 'the-key-of-the-tests-0123456789abcdef', 'accept-encoding': 'gzip' }
    const [encoding, body] = await new Promise<[string | undefined, Buffer]>((resolve, reject) => {
      const sent = request(`${base}/metrics`, { headers }, async (response) => {
        resolve([response.headers['content-encoding'], Buffer.concat(await response.toArray())])
      })
      sent.on('error', reject).end()
    })
    assert.equal(encoding, 'gzip')
    assert.match(gunzipSync(body).toString(), /^rollbook_build_info\{.*\} 1$/m)
  })
})
