import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newestRecord, recordsOf } from '../../../test/audit-records.ts'
import { type Answer, adminKey, createUser, engines, type Request, type Started, start } from '../../../test/harness.ts'
import { sharedApp } from '../../../test/shared-app.ts'
import { system } from '../../core/actor.ts'
import { prepareSecrets } from '../../store/secrets/rotation.ts'
import { pruneDeliveries } from './dispatch-prune.ts'
import { signingSecrets } from './secrets.ts'
import { findEndpoint } from './store.ts'

const url = 'https://receiver.example/hooks'
const encryptionSecret = 'a-secret-that-seals-what-is-read-back'
const secretConfig = { keyEncryptionSecret: encryptionSecret, keyEncryptionSecretPrevious: undefined }
const nobodys = '01a1f8a3-ee02-7386-8d99-56b674796122'

async function createEndpoint(app: Started, members: Record<string, unknown> = {}): Promise<Answer['body']> {
  const response = await app.call('POST', '/webhooks', { body: { url, ...members } })
  assert.equal(response.status, 201, response.text)
  return response.body
}

async function keyWith(app: Started, ...permissions: string[]): Promise<string> {
  const response = await app.call('POST', '/keys', { body: { name: 'test', permissions } })
  assert.equal(response.status, 201, response.text)
  return response.body.key
}

async function rowOf(app: Started, endpointId: string) {
  const row = await findEndpoint(app.storage.db, endpointId)
  assert.ok(row)
  return row
}

const refusal = ({ status, body }: Answer) => [status, body.code, body.errors?.[0]?.pointer, body.errors?.[0]?.code]

for (const engine of engines) {
  describe(`webhook endpoints on ${engine.name}`, () => {
    const shared = sharedApp(engine)

    it('are shown with their secret when they are created, and never again', async (t) => {
      const clock = () => Date.UTC(2026, 10, 20)
      const app = await start(t, engine, { clock })
      const body = { url: 'HTTPS://Receiver.Example', description: 'CRM', event_types: ['user.*', 'key.revoked'] }
      const response = await app.call('POST', '/webhooks', { body })
      assert.equal(response.status, 201)
      const { secret, ...endpoint } = response.body
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      const path = `/webhooks/${endpoint.endpoint_id}`
      assert.deepEqual(endpoint, {
        endpoint_id: endpoint.endpoint_id,
        ...body,
        url: 'https://receiver.example/',
        active: true,
        state: 'active',
        failure: null,
        disabled_reason: null,
        failing_since: null,
        previous_secret_expires_at: null,
        created_at: '2026-11-20T00:00:00.000Z',
        updated_at: '2026-11-20T00:00:00.000Z',
      })
      assert.deepEqual([response.headers.location, response.headers.etag], [`/auth${path}`, '"1"'])
      const [one, all] = [await app.call('GET', path), await app.call('GET', '/webhooks')]
      assert.deepEqual([one.body, all.body], [endpoint, [endpoint]])
      for (const { text } of [one, all]) assert.ok(!text.includes(secret.slice(6)))
      const unchanged = await app.call('GET', path, { headers: { 'if-none-match': '"1"' } })
      assert.equal(unchanged.status, 304)
    })

    it('are refused if the request is invalid, with a pointer, and nothing is created', async () => {
      const app = await shared()
      const before = await newestRecord(app)
      const cases: [body: unknown, fault: string][] = [
        [{}, '#/url missing_member'],
        [{ url: '' }, '#/url too_short'],
        [{ url: 7 }, '#/url wrong_type'],
        [{ url: `https://a.example/${'x'.repeat(2048)}` }, '#/url too_long'],
        [{ url, secret: 'whsec_AAAA' }, '#/secret unknown_member'],
        [{ url, active: true }, '#/active unknown_member'],
        [{ url, description: 'x'.repeat(257) }, '#/description too_long'],
        [{ url, description: 'two\nlines' }, '#/description control_character'],
        [{ url, event_types: [] }, '#/event_types too_few'],
        [{ url, event_types: 'user.*' }, '#/event_types wrong_type'],
        [{ url, event_types: ['user.*', 'user.*'] }, '#/event_types repeated'],
        [{ url, event_types: ['user.*', 'user.exploded'] }, '#/event_types/1 not_one_of'],
        [{ url, event_types: ['*'] }, '#/event_types/0 not_one_of'],
        [{ url, event_types: ['webhook.test'] }, '#/event_types/0 not_one_of'],
      ]
      for (const [body, fault] of cases) {
        const [status, code, ...where] = refusal(await app.call('POST', '/webhooks', { body }))
        assert.deepEqual([status, code, where.join(' ')], [422, 'validation_failed', fault], JSON.stringify(body))
      }
      assert.deepEqual((await app.call('GET', '/webhooks')).body, [])
      assert.ok((await recordsOf(app, before)).every(({ action }) => action !== 'webhook.created'))
    })

    it('cannot point to internal addresses, or to anything but https, when they are created or changed', async () => {
      const app = await shared()
      const { endpoint_id } = await createEndpoint(app)
      const urls = [
        ...['http://receiver.example/', 'ftp://receiver.example/', 'file:///etc/passwd', 'javascript:alert(1)', '//x/'],
        ...['https://user:word@receiver.example/', 'https://user@receiver.example/', 'https://receiver.example/#part'],
        ...['https://127.0.0.1/', 'https://127.1/', 'https://2130706433/', 'https://0x7f.1/', 'https://0177.0.0.1/'],
        ...['https://10.0.0.1/', 'https://192.168.1.1/', 'https://172.16.0.1/', 'https://169.254.169.254/latest/'],
        ...[
          'https://0.0.0.0/',
          'https://100.64.0.1/',
          'https://[::1]/',
          'https://[::]/',
          'https://[::ffff:127.0.0.1]/',
        ],
        ...['https://[fd00::1]/', 'https://[fe80::1]/', 'https://[64:ff9b::7f00:1]/', 'https://[2002:7f00:1::]/'],
        ...[
          'https://１２７.0.0.1/',
          'https://127。0。0。1/',
          'https://receiver.example:99999/',
          'nonsense',
          'https://',
        ],
      ]
      for (const wrong of urls) {
        const created = await app.call('POST', '/webhooks', { body: { url: wrong } })
        assert.deepEqual(refusal(created).slice(0, 3), [422, 'validation_failed', '#/url'], wrong)
        assert.ok(!created.text.includes('user:word'))
        const changed = await app.call('PATCH', `/webhooks/${endpoint_id}`, { body: { url: wrong } })
        assert.deepEqual(refusal(changed).slice(0, 3), [422, 'validation_failed', '#/url'], wrong)
      }
      assert.equal((await app.call('GET', '/webhooks')).body.length, 1)
      assert.equal((await rowOf(app, endpoint_id)).url, url)
    })

    it('are changed in the given members, and then have another ETag', async (t) => {
      const clock = { now: Date.UTC(2026, 10, 20) }
      const app = await start(t, engine, { clock: () => clock.now })
      const { secret: _, ...created } = await createEndpoint(app, { event_types: ['user.*'] })
      const path = `/webhooks/${created.endpoint_id}`
      clock.now += 1000
      const body = { description: 'CRM', event_types: null, url: 'https://other.example/' }
      const response = await app.call('PATCH', path, { body })
      assert.deepEqual(
        [response.status, response.headers.etag, response.body],
        [200, '"2"', { ...created, ...body, updated_at: '2026-11-20T00:00:01.000Z' }],
      )
      clock.now += 1000
      const same = await app.call('PATCH', path, { body })
      assert.deepEqual([same.headers.etag, same.body], ['"2"', response.body])
    })

    it('are not changed, or deleted, when they have changed since they were read', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_REQUIRE_IF_MATCH: 'true' } })
      const { endpoint_id } = await createEndpoint(app)
      const path = `/webhooks/${endpoint_id}`
      const change = (etag?: string) =>
        app.call('PATCH', path, { body: { description: 'x' }, headers: etag === undefined ? {} : { 'if-match': etag } })
      assert.deepEqual(refusal(await change()).slice(0, 2), [428, 'precondition_required'])
      assert.equal((await change('"1"')).status, 200)
      assert.deepEqual(refusal(await change('"1"')).slice(0, 2), [412, 'precondition_failed'])
      const late = await app.call('DELETE', path, { headers: { 'if-match': '"1"' } })
      assert.deepEqual(refusal(late).slice(0, 2), [412, 'precondition_failed'])
      assert.equal((await app.call('DELETE', path, { headers: { 'if-match': '"2"' } })).status, 200)
    })

    it('are gone when they are deleted, and their deliveries with them', async () => {
      const app = await shared()
      const { endpoint_id } = await createEndpoint(app)
      await app.call('POST', `/webhooks/${endpoint_id}/test`)
      const response = await app.call('DELETE', `/webhooks/${endpoint_id}`)
      assert.deepEqual([response.status, response.body], [200, { endpoint_id, deleted: true }])
      for (const path of ['', '/deliveries', `/deliveries/${nobodys}`]) {
        const { status, body } = await app.call('GET', `/webhooks/${endpoint_id}${path}`)
        assert.deepEqual([status, body.code], [404, 'endpoint_not_found'], path)
      }
      assert.deepEqual((await app.call('GET', '/webhooks')).body, [])
      await pruneDeliveries(app.storage, { actor: system, now: Date.now(), requestId: 'test' })
      for (const table of ['webhook_deliveries', 'webhook_endpoints']) {
        assert.deepEqual(await app.runSql(`SELECT endpoint_id FROM ${table}`), [], table)
      }
    })

    it('leave a log that is deleted in batches, so that no request waits for it; secrets are deleted at once', async () => {
      const app = await shared()
      const { endpoint_id } = await createEndpoint(app)
      await app.runSql(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1200)
        INSERT INTO webhook_deliveries (delivery_id, endpoint_id, event_seq, event_id, order_key, type, status,
          attempt_count, attempts, created_at)
        SELECT 'd' || n, '${endpoint_id}', n, 'e' || n, 'k', 'user.created', 'due', 1, '[]', '' FROM numbers`)
      await app.call('DELETE', `/webhooks/${endpoint_id}`)
      const left = async () => (await app.runSql('SELECT delivery_id FROM webhook_deliveries')).length
      assert.equal(await left(), 1200)
      assert.deepEqual(await app.runSql('SELECT url, secret, previous_secret, active FROM webhook_endpoints'), [
        { url: '', secret: '', previous_secret: null, active: 0 },
      ])
      const request = { actor: system, now: Date.now(), requestId: 'test' }
      assert.equal((await app.storage.change('webhooks.prune', undefined, request)).result, true)
      assert.equal(await left(), 700)
      await pruneDeliveries(app.storage, request)
      assert.equal(await left(), 0)
      assert.deepEqual(await app.runSql('SELECT endpoint_id FROM webhook_endpoints'), [])
    })

    it('are not found by the id of none', async () => {
      const app = await shared()
      for (const id of [nobodys, 'x', "'--", '%00']) {
        const calls: [method: string, path: string, request?: Request][] = [
          ['GET', ''],
          ['PATCH', '', { body: { description: 'x' } }],
          ['DELETE', ''],
          ['POST', '/rotate-secret'],
          ['POST', '/test'],
          ['GET', '/deliveries'],
          ['GET', `/deliveries/${nobodys}`],
          ['POST', `/deliveries/${nobodys}/redeliver`],
        ]
        for (const [method, path, request] of calls) {
          const { status, body } = await app.call(method, `/webhooks/${id}${path}`, request)
          assert.deepEqual([status, body.code], [404, 'endpoint_not_found'], `${method} ${id}${path}`)
        }
      }
    })

    it('are at most 100, even if several are created at the same time', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_RATE_LIMIT: '0' } })
      for (let i = 0; i < 97; i++) await createEndpoint(app)
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => app.call('POST', '/webhooks', { body: { url } })),
      )
      const outcomes = answers.map(({ status, body }) => body.code ?? status).toSorted()
      assert.deepEqual(outcomes, [201, 201, 201, ...Array(5).fill('too_many_endpoints')])
      const [first] = (await app.call('GET', '/webhooks')).body
      assert.equal((await app.call('DELETE', `/webhooks/${first.endpoint_id}`)).status, 200)
      await createEndpoint(app)
    })

    it('receive what happens after their creation, and not what happened before', async () => {
      const app = await shared()
      await createUser(app)
      const { endpoint_id } = await createEndpoint(app)
      const [{ newest } = {}] = await app.runSql('SELECT max(seq) AS newest FROM events')
      assert.ok(Number(newest) > 0)
      assert.equal((await rowOf(app, endpoint_id)).cursor, Number(newest))
    })

    it('that are active again continue where they were when they were disabled', async () => {
      const app = await shared()
      const { endpoint_id } = await createEndpoint(app)
      const { cursor } = await rowOf(app, endpoint_id)
      await app.runSql(`UPDATE webhook_endpoints SET active = 0, disabled_reason = 'failing',
        failing_since = '2026-11-15T00:00:00.000Z', version = 2 WHERE endpoint_id = '${endpoint_id}'`)
      await createUser(app)
      const document = (await app.call('GET', `/webhooks/${endpoint_id}`)).body
      assert.deepEqual([document.active, document.disabled_reason], [false, 'failing'])
      const response = await app.call('PATCH', `/webhooks/${endpoint_id}`, { body: { active: true } })
      const { active, disabled_reason, failing_since } = response.body
      assert.deepEqual([active, disabled_reason, failing_since], [true, null, null])
      assert.equal((await rowOf(app, endpoint_id)).cursor, cursor)
    })

    it('that have failed get a new period after another address, or on request', async () => {
      const app = await shared()
      const { endpoint_id } = await createEndpoint(app)
      for (const body of [{ url: 'https://mended.example/' }, { active: true }]) {
        await app.runSql(`UPDATE webhook_endpoints SET failing_since = '2026-11-15T00:00:00.000Z'`)
        const updated = await app.call('PATCH', `/webhooks/${endpoint_id}`, {
          body: { description: JSON.stringify(body) },
        })
        assert.equal(updated.body.failing_since, '2026-11-15T00:00:00.000Z')
        assert.equal((await app.call('PATCH', `/webhooks/${endpoint_id}`, { body })).body.failing_since, null)
      }
    })
  })

  describe(`the secret of a webhook endpoint on ${engine.name}`, () => {
    const shared = sharedApp(engine)

    const day = 86_400_000

    it('is replaced by rotating; the previous one signs for one more day, and the one before that no longer', async (t) => {
      const clock = { now: Date.UTC(2026, 10, 20) }
      const app = await start(t, engine, { clock: () => clock.now })
      const { endpoint_id, secret: first } = await createEndpoint(app)
      const rotate = () => app.call('POST', `/webhooks/${endpoint_id}/rotate-secret`)
      const signing = async () => signingSecrets(await rowOf(app, endpoint_id), [], clock.now)
      const { status, headers, body } = await rotate()
      assert.deepEqual([status, headers.etag], [200, '"2"'])
      assert.equal(body.previous_secret_expires_at, '2026-11-21T00:00:00.000Z')
      assert.deepEqual(await signing(), [body.secret, first])
      const { secret: third } = (await rotate()).body
      assert.deepEqual(await signing(), [third, body.secret])
      clock.now += day
      assert.deepEqual(await signing(), [third])
    })

    it('ends at once if it may have leaked', async () => {
      const app = await shared()
      const { endpoint_id } = await createEndpoint(app)
      await app.call('POST', `/webhooks/${endpoint_id}/rotate-secret`)
      const path = `/webhooks/${endpoint_id}/rotate-secret`
      const { secret, previous_secret_expires_at } = (await app.call('POST', path, { body: { revoke_previous: true } }))
        .body
      assert.equal(previous_secret_expires_at, null)
      const { previous_secret, ...row } = await rowOf(app, endpoint_id)
      assert.equal(previous_secret, null)
      assert.deepEqual(signingSecrets({ ...row, previous_secret }, [], Date.now()), [secret])
    })

    it('is not found in the store if a secret encrypts it', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_KEY_ENCRYPTION_SECRET: encryptionSecret } })
      const request = { body: { url }, headers: { 'idempotency-key': 'kept' } }
      const { endpoint_id, secret: first } = (await app.call('POST', '/webhooks', request)).body
      const { secret: second } = (await app.call('POST', `/webhooks/${endpoint_id}/rotate-secret`)).body
      assert.deepEqual(signingSecrets(await rowOf(app, endpoint_id), [encryptionSecret], Date.now()), [second, first])
      const stored = await app.stored()
      for (const secret of [first, second]) assert.ok(!stored.includes(secret.slice(6)))
    })

    it('that was stored plain is sealed at the first start with a secret for that', async () => {
      const app = await shared()
      const { endpoint_id, secret: first } = await createEndpoint(app)
      const { secret: second } = (await app.call('POST', `/webhooks/${endpoint_id}/rotate-secret`)).body
      const untouched = await createEndpoint(app)
      const seq = await newestRecord(app)
      await prepareSecrets(app.storage, secretConfig, Date.now())
      const row = await rowOf(app, endpoint_id)
      assert.deepEqual([row.sealed, row.version], [1, 2])
      for (const stored of [row.secret, row.previous_secret]) assert.ok(!stored?.startsWith('whsec_'))
      assert.deepEqual(signingSecrets(row, [encryptionSecret], Date.now()), [second, first])
      const other = await rowOf(app, untouched.endpoint_id)
      assert.deepEqual(signingSecrets(other, [encryptionSecret], Date.now()), [untouched.secret])
      await prepareSecrets(app.storage, secretConfig, Date.now())
      assert.deepEqual(await rowOf(app, endpoint_id), row)
      assert.deepEqual(await recordsOf(app, seq), [])
    })

    it('is shown again to a request that is repeated with its Idempotency-Key, and creates no second endpoint', async () => {
      const app = await shared()
      const request = { body: { url }, headers: { 'idempotency-key': 'one' } }
      const [first, again] = [
        await app.call('POST', '/webhooks', request),
        await app.call('POST', '/webhooks', request),
      ]
      assert.deepEqual([again.status, again.headers['idempotency-replayed'], again.body], [201, 'true', first.body])
      assert.equal((await app.call('GET', '/webhooks')).body.length, 1)
    })

    it('is not in a dry run, which changes nothing', async () => {
      const app = await shared()
      const { endpoint_id } = await createEndpoint(app)
      const [row, seq] = [await rowOf(app, endpoint_id), await newestRecord(app)]
      const path = `/webhooks/${endpoint_id}`
      const calls: [method: string, path: string, body?: unknown][] = [
        ['POST', '/webhooks', { url }],
        ['POST', `${path}/rotate-secret`],
        ['PATCH', path, { active: false }],
        ['POST', `${path}/test`],
        ['DELETE', path],
      ]
      for (const [method, where, body] of calls) {
        const response = await app.call(method, `${where}?dry_run=true`, body === undefined ? {} : { body })
        assert.deepEqual([response.status, response.headers['dry-run']], [200, 'true'], `${method} ${where}`)
        assert.deepEqual([response.body.secret, response.headers.etag], [undefined, undefined])
      }
      assert.deepEqual(await rowOf(app, endpoint_id), row)
      assert.deepEqual(await recordsOf(app, seq), [])
      assert.deepEqual(await app.runSql('SELECT delivery_id FROM webhook_deliveries'), [])
    })
  })

  describe(`no caller gains access through webhooks on ${engine.name}`, () => {
    const shared = sharedApp(engine)

    it('by having events sent that they may not read', async () => {
      const app = await shared()
      const { endpoint_id } = await createEndpoint(app, { event_types: ['key.*'] })
      const [writer, reader] = [
        await keyWith(app, 'webhooks:write'),
        await keyWith(app, 'webhooks:write', 'events:read'),
      ]
      const path = `/webhooks/${endpoint_id}`
      const attacks: [method: string, path: string, body: unknown][] = [
        ['POST', '/webhooks', { url }],
        ['PATCH', path, { url: 'https://mine.example/' }],
        ['PATCH', path, { event_types: null }],
        ['PATCH', path, { active: true }],
      ]
      const row = await rowOf(app, endpoint_id)
      for (const [method, where, body] of attacks) {
        const response = await app.call(method, where, { body, key: writer })
        assert.deepEqual(refusal(response).slice(0, 2), [403, 'permission_denied'], JSON.stringify(body))
      }
      assert.deepEqual(await rowOf(app, endpoint_id), row)
      assert.equal((await app.call('GET', '/webhooks')).body.length, 1)
      for (const [method, where, body] of attacks) {
        const { status } = await app.call(method, where, { body, key: reader })
        assert.ok(status < 300, `${method} ${JSON.stringify(body)}`)
      }
      for (const body of [{ description: 'x' }, { active: false }])
        assert.equal((await app.call('PATCH', path, { body, key: writer })).status, 200)
    })

    it('by seeing endpoints with the right to change them, or changing them with the right to see them', async () => {
      const app = await shared()
      const { endpoint_id } = await createEndpoint(app)
      const [writer, reader] = [await keyWith(app, 'webhooks:write'), await keyWith(app, 'webhooks:read')]
      for (const path of ['', `/${endpoint_id}`, `/${endpoint_id}/deliveries`]) {
        assert.equal((await app.call('GET', `/webhooks${path}`, { key: writer })).status, 403)
        assert.equal((await app.call('GET', `/webhooks${path}`, { key: reader })).status, 200)
      }
      for (const path of ['', '/rotate-secret', '/test'].map((rest) => `/webhooks/${endpoint_id}${rest}`)) {
        const response = await app.call(path.endsWith(endpoint_id) ? 'DELETE' : 'POST', path, { key: reader })
        assert.equal(response.status, 403)
      }
    })
  })

  describe(`actions on webhook endpoints on ${engine.name}`, () => {
    const shared = sharedApp(engine)

    it('are recorded, one record for each action, without a secret', async () => {
      const app = await shared()
      const seq = await newestRecord(app)
      const created = await createEndpoint(app, {
        url: 'https://receiver.example/a?token=hush',
        event_types: ['user.*'],
      })
      const path = `/webhooks/${created.endpoint_id}`
      await app.call('PATCH', path, { body: { description: 'CRM', event_types: null } })
      await app.call('PATCH', path, { body: { url: 'https://receiver.example/a?token=shush' } })
      await app.call('PATCH', path, { body: {} })
      const { secret } = (await app.call('POST', `${path}/rotate-secret`)).body
      const { delivery_id } = (await app.call('POST', `${path}/test`)).body
      await app.call('DELETE', path)
      const records = await recordsOf(app, seq)
      const [{ key_id } = {}] = await app.runSql('SELECT key_id FROM api_keys')
      for (const { actor, target, outcome } of records) {
        assert.deepEqual([actor.kind, actor.id, outcome], ['api_key', key_id, 'success'])
        assert.deepEqual(target, { kind: 'webhook', id: created.endpoint_id, name: 'receiver.example' })
      }
      const document = 'https://receiver.example/a?…'
      assert.deepEqual(
        records.map(({ action, changes, details }) => [action, changes, details]),
        [
          [
            'webhook.created',
            {
              url: { before: null, after: document },
              event_types: { before: null, after: ['user.*'] },
              active: { before: null, after: true },
            },
            {},
          ],
          [
            'webhook.updated',
            { description: { before: '', after: 'CRM' }, event_types: { before: ['user.*'], after: null } },
            {},
          ],
          ['webhook.updated', { url: 'changed' }, {}],
          ['webhook.updated', {}, {}],
          ['webhook.secret_rotated', { secret: 'changed' }, {}],
          ['webhook.tested', {}, { delivery_id }],
          [
            'webhook.deleted',
            {
              url: { before: document, after: null },
              description: { before: 'CRM', after: null },
              active: { before: true, after: null },
            },
            {},
          ],
        ],
      )
      const recorded = JSON.stringify(await app.runSql('SELECT who, what FROM audit_records'))
      for (const hidden of [created.secret, secret, 'hush', adminKey]) assert.ok(!recorded.includes(hidden))
    })
  })
}
