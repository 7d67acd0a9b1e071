import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newestRecord, recordsOf } from '../../../test/audit-records.ts'
import { type Answer, engines, type Started, start } from '../../../test/harness.ts'

const nobodys = '01a1f8a3-ee02-7386-8d99-56b674796122'

async function createEndpoint(app: Started): Promise<string> {
  const response = await app.call('POST', '/webhooks', { body: { url: 'https://receiver.example/hooks' } })
  assert.equal(response.status, 201, response.text)
  return `/webhooks/${response.body.endpoint_id}`
}

async function sendTest(app: Started, endpoint: string): Promise<string> {
  const response = await app.call('POST', `${endpoint}/test`)
  assert.equal(response.status, 202, response.text)
  return response.body.delivery_id
}

/** Finishes a delivery as the dispatcher would, so that tests of the routes need not wait for it. */
function finish(app: Started, status: 'delivered' | 'dead', deliveryId: string) {
  const attempt = { attempted_at: '2026-11-20T00:00:01.000Z', duration_ms: 12, response_body: 'no', error: null }
  const attempts = JSON.stringify([{ ...attempt, response_status: 500 }])
  return app.runSql(`UPDATE webhook_deliveries SET status = '${status}', attempt_count = 10, next_attempt_at = NULL,
    finished_at = '2026-11-20T00:00:02.000Z', attempts = '${attempts}' WHERE delivery_id = '${deliveryId}'`)
}

const idsIn = ({ body }: Answer): string[] => body.map(({ delivery_id }: { delivery_id: string }) => delivery_id)

for (const engine of engines) {
  describe(`the delivery log of a webhook endpoint on ${engine.name}`, () => {
    it('has what was sent to this endpoint only, newest first, page by page', async (t) => {
      const app = await start(t, engine)
      const [endpoint, other] = [await createEndpoint(app), await createEndpoint(app)]
      const sent: string[] = []
      for (let i = 0; i < 5; i++) sent.unshift(await sendTest(app, endpoint))
      await sendTest(app, other)
      const whole = await app.call('GET', `${endpoint}/deliveries`)
      assert.deepEqual([idsIn(whole), whole.headers.link], [sent, undefined])
      const found: string[] = []
      let next: string | undefined = `${endpoint}/deliveries?limit=2`
      for (let pages = 0; next !== undefined && pages < 5; pages++) {
        const page: Answer = await app.call('GET', next)
        found.push(...idsIn(page))
        next = /^<\/auth(\S+)>; rel="next"$/.exec(page.headers.link ?? '')?.[1]
        assert.equal(next === undefined, found.length === 5)
      }
      assert.deepEqual(found, sent)
    })

    it('shows deliveries in one state, and continues with them on the next page', async (t) => {
      const app = await start(t, engine)
      const endpoint = await createEndpoint(app)
      const sent: string[] = []
      for (let i = 0; i < 4; i++) sent.unshift(await sendTest(app, endpoint))
      for (const id of sent.slice(0, 3)) await finish(app, 'dead', id)
      const dead = await app.call('GET', `${endpoint}/deliveries?status=dead&limit=2`)
      assert.deepEqual(idsIn(dead), sent.slice(0, 2))
      const [, next] = /^<\/auth(\S+)>; rel="next"$/.exec(dead.headers.link ?? '') ?? []
      assert.deepEqual(idsIn(await app.call('GET', next ?? '')), [sent[2]])
      assert.deepEqual(idsIn(await app.call('GET', `${endpoint}/deliveries?status=due`)), [sent[3]])
      assert.deepEqual(idsIn(await app.call('GET', `${endpoint}/deliveries?status=queued`)), [])
    })

    it('refuses invalid parameters', async (t) => {
      const app = await start(t, engine)
      const endpoint = await createEndpoint(app)
      const cases: [query: string, status: number, code: string][] = [
        ['cursor=x', 400, 'bad_cursor'],
        [`cursor=${nobodys.toUpperCase()}`, 400, 'bad_cursor'],
        ['limit=0', 422, 'validation_failed'],
        ['limit=1001', 422, 'validation_failed'],
        ['status=lost', 422, 'validation_failed'],
        ['order=up', 422, 'validation_failed'],
      ]
      for (const [query, status, code] of cases) {
        const response = await app.call('GET', `${endpoint}/deliveries?${query}`)
        assert.deepEqual([response.status, response.body.code], [status, code], query)
      }
    })

    it('shows the attempts of one delivery, and none of another endpoint', async (t) => {
      const app = await start(t, engine)
      const [endpoint, other] = [await createEndpoint(app), await createEndpoint(app)]
      const id = await sendTest(app, endpoint)
      await finish(app, 'dead', id)
      const { body } = await app.call('GET', `${endpoint}/deliveries/${id}`)
      const { created_at, ...delivery } = body
      assert.match(created_at, /^\d{4}-/)
      assert.deepEqual(delivery, {
        delivery_id: id,
        endpoint_id: endpoint.split('/').at(-1),
        event_id: id,
        type: 'webhook.test',
        status: 'dead',
        attempt_count: 10,
        next_attempt_at: null,
        finished_at: '2026-11-20T00:00:02.000Z',
        attempts: [
          {
            attempted_at: '2026-11-20T00:00:01.000Z',
            duration_ms: 12,
            response_status: 500,
            response_body: 'no',
            error: null,
          },
        ],
      })
      for (const path of [`${other}/deliveries/${id}`, `${endpoint}/deliveries/${nobodys}`]) {
        assert.equal((await app.call('GET', path)).body.code, 'delivery_not_found')
        const repeated = await app.call('POST', `${path}/redeliver`)
        assert.deepEqual([repeated.status, repeated.body.code], [404, 'delivery_not_found'])
      }
    })
  })

  describe(`manual sending to a webhook endpoint on ${engine.name}`, () => {
    it('tests it with an event that only says that it is a test', async (t) => {
      const app = await start(t, engine, { clock: () => Date.UTC(2026, 10, 20) })
      const endpoint = await createEndpoint(app)
      const response = await app.call('POST', `${endpoint}/test`)
      const { delivery_id, endpoint_id, status, next_attempt_at } = response.body
      assert.deepEqual([status, next_attempt_at], ['due', '2026-11-20T00:00:00.000Z'])
      assert.equal(response.headers.location, `/auth${endpoint}/deliveries/${delivery_id}`)
      const [row = {}] = await app.runSql('SELECT body FROM webhook_deliveries')
      assert.deepEqual(JSON.parse(String(row.body)), {
        specversion: '1.0',
        id: delivery_id,
        source: `http://127.0.0.1:${app.config.port}/auth`,
        type: 'webhook.test',
        subject: endpoint_id,
        time: '2026-11-20T00:00:00.000Z',
        timestamp: '2026-11-20T00:00:00.000Z',
        datacontenttype: 'application/json',
        data: { endpoint_id },
      })
    })

    it('repeats what arrived or was given up, with the same webhook-id, and not what is in progress', async (t) => {
      const app = await start(t, engine)
      const endpoint = await createEndpoint(app)
      const id = await sendTest(app, endpoint)
      const path = `${endpoint}/deliveries/${id}/redeliver`
      const early = await app.call('POST', path)
      assert.deepEqual([early.status, early.body.code], [409, 'delivery_in_progress'])
      for (const status of ['delivered', 'dead'] as const) {
        await finish(app, status, id)
        const seq = await newestRecord(app)
        const tried = await app.call('POST', `${path}?dry_run=true`)
        assert.deepEqual([tried.status, tried.body.status], [200, 'due'])
        assert.equal((await app.call('GET', `${endpoint}/deliveries/${id}`)).body.status, status)
        const response = await app.call('POST', path)
        const { event_id, attempt_count, finished_at } = response.body
        assert.deepEqual([response.status, response.body.status], [202, 'due'])
        assert.deepEqual([event_id, attempt_count, finished_at], [id, 0, null])
        const records = await recordsOf(app, seq)
        assert.deepEqual(
          records.map(({ action, target, details }) => [action, target?.id, details]),
          [['delivery.repeated', response.body.endpoint_id, { delivery_id: id, event_id: id, type: 'webhook.test' }]],
        )
        assert.equal((await app.call('POST', path)).body.code, 'delivery_in_progress')
      }
    })

    it('repeats once for one Idempotency-Key', async (t) => {
      const app = await start(t, engine)
      const endpoint = await createEndpoint(app)
      const headers = { 'idempotency-key': 'one' }
      const [first, again] = [
        await app.call('POST', `${endpoint}/test`, { headers }),
        await app.call('POST', `${endpoint}/test`, { headers }),
      ]
      assert.deepEqual([again.status, again.body], [202, first.body])
      assert.equal((await app.call('GET', `${endpoint}/deliveries`)).body.length, 1)
    })

    it('is refused while the endpoint is not active', async (t) => {
      const app = await start(t, engine)
      const endpoint = await createEndpoint(app)
      const id = await sendTest(app, endpoint)
      await finish(app, 'dead', id)
      await app.call('PATCH', endpoint, { body: { active: false } })
      for (const path of ['/test', `/deliveries/${id}/redeliver`]) {
        const { status, body } = await app.call('POST', endpoint + path)
        assert.deepEqual([status, body.code], [409, 'endpoint_inactive'], path)
      }
    })

    it('sends at once what waits for its next attempt, when the endpoint is reactivated', async (t) => {
      const app = await start(t, engine, { clock: () => Date.UTC(2026, 10, 20) })
      const endpoint = await createEndpoint(app)
      const id = await sendTest(app, endpoint)
      for (const body of [{ active: true }, { url: 'https://mended.example/' }]) {
        await app.runSql(`UPDATE webhook_deliveries SET next_attempt_at = '2026-11-20T23:00:00.000Z'`)
        await app.call('PATCH', endpoint, { body: { description: JSON.stringify(body) } })
        const next = async () => (await app.call('GET', `${endpoint}/deliveries/${id}`)).body.next_attempt_at
        assert.equal(await next(), '2026-11-20T23:00:00.000Z')
        await app.call('PATCH', endpoint, { body })
        assert.equal(await next(), '2026-11-20T00:00:00.000Z')
      }
    })
  })
}
