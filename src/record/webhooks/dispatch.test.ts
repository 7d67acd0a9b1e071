// Takes long for its size.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { createUser, engines, onlyPostgres } from '../../../test/harness.ts'
import { stoppedClock } from '../../../test/stopped-clock.ts'
import { assertWithin } from '../../../test/time-limit.ts'
import {
  attemptsOf,
  createEndpoint,
  type Dispatching,
  deliveriesOf,
  eventually,
  isDelivered,
  lagOf,
  source,
  startApp,
} from '../../../test/webhooks/dispatching.ts'
import { startReceiver } from '../../../test/webhooks/receiver.ts'
import { system } from '../../core/actor.ts'
import type { Outcome } from './dispatch-outcomes.ts'
import { pruneDeliveries } from './dispatch-prune.ts'

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

async function update(app: Dispatching, userId: unknown, body: unknown): Promise<void> {
  assert.equal((await app.call('PATCH', `/users/${userId}`, { body })).status, 200)
}

/** A dispatcher that sends nothing: the test plays the node. */
const elsewhere = 'http://127.0.0.1:9999/'

/** What a node reports about a claimed delivery. */
function outcome(delivery_id: string, claimed_until: string, response_status: number, url = elsewhere): Outcome {
  const attempt = { attempted_at: '', duration_ms: 1, response_status, error: null, response_body: '' }
  return { delivery_id, claimed_until, url, attempt, retry_after_ms: undefined, spread: 0 }
}

/** The newest delivery. */
async function newestOf(app: Dispatching, endpointId: string): Promise<string> {
  return (await deliveriesOf(app, endpointId))[0]?.delivery_id as string
}

async function endpointOf(app: Dispatching, id: string) {
  return (await app.call('GET', `/webhooks/${id}`)).body
}

for (const engine of engines) {
  describe(`webhooks on ${engine.name}`, () => {
    it('are what the feed shows, signed so that the public library verifies it', async (t) => {
      const app = await startApp(t, engine)
      const receiver = await startReceiver(t)
      const { secret, endpoint_id } = await createEndpoint(app, { url: receiver.url })
      app.dispatch()
      const user = await createUser(app, { username: 'ada', first_name: 'Ada' })
      await eventually('the event', () => receiver.received.length === 1)
      const [{ headers, body, event }] = receiver.received as [(typeof receiver.received)[0]]
      const verified = new Webhook(secret).verify(body, headers) as typeof event
      assert.deepEqual(verified.data, user)
      assert.deepEqual([event.type, event.subject, event.source], ['user.created', user.user_id, source])
      assert.equal(event.timestamp, event.time)
      assert.equal(headers['webhook-id'], event.id)
      assert.equal(headers['content-type'], 'application/json')
      assert.match(headers['user-agent'] ?? '', /^Rollbook\//)
      assert.throws(() => new Webhook(secret).verify(`${body} `, headers))
      await eventually('delivered', async () => (await deliveriesOf(app, endpoint_id))[0]?.status === 'delivered')
    })

    it('are signed with both secrets during the overlap of a rotation, and only with the new one after it', async (t) => {
      const clock = stoppedClock(Date.now())
      const app = await startApp(t, engine, { clock })
      const receiver = await startReceiver(t)
      const first = await createEndpoint(app, { url: receiver.url })
      const rotated = await app.call('POST', `/webhooks/${first.endpoint_id}/rotate-secret`, { body: {} })
      assert.equal(rotated.status, 200, rotated.text)
      app.dispatch()
      await createUser(app)
      await eventually('the event', () => receiver.received.length === 1)
      const [during] = receiver.received as [(typeof receiver.received)[0]]
      for (const secret of [first.secret, rotated.body.secret]) new Webhook(secret).verify(during.body, during.headers)
      await clock.pass(25 * hour)
      await createUser(app)
      await eventually('another event', () => receiver.received.length === 2)
      assert.equal(during.headers['webhook-signature']?.split(' ').length, 2)
      assert.equal(receiver.received[1]?.headers['webhook-signature']?.split(' ').length, 1)
    })

    it('go only to endpoints that want their type, and leave nothing behind elsewhere', async (t) => {
      const app = await startApp(t, engine)
      const receiver = await startReceiver(t)
      const { endpoint_id } = await createEndpoint(app, { url: receiver.url, event_types: ['key.*', 'user.updated'] })
      app.dispatch()
      const user = await createUser(app)
      await update(app, user.user_id, { first_name: 'Grace' })
      await app.call('POST', '/keys', { body: { name: 'k', permissions: ['users:read'] } })
      await eventually('two events', () => receiver.received.length === 2)
      assert.deepEqual(receiver.received.map(({ event }) => event.type).toSorted(), ['key.created', 'user.updated'])
      assert.equal((await deliveriesOf(app, endpoint_id)).length, 2)
    })

    it('arrive in order for each user, whatever fails in between, and each at least once', async (t) => {
      const clock = stoppedClock()
      const app = await startApp(t, engine, { clock })
      // Every other request fails, each time in another way.
      const receiver = await startReceiver(t, (_, count) => {
        if (count % 2 === 0) return 200
        return count % 3 === 0 ? (response) => response.destroy() : 500
      })
      await createEndpoint(app, { url: receiver.url })
      app.dispatch()
      const users = await Promise.all(Array.from({ length: 5 }, () => createUser(app)))
      for (let round = 0; round < 4; round++) {
        await Promise.all(users.map(({ user_id }) => update(app, user_id, { first_name: `n${round}` })))
      }
      await app.storage.settleJournal()
      const isDone = async () => {
        await clock.pass(10 * minute)
        return isDelivered(app)
      }
      await eventually('everything', isDone, 60_000)
      for (const { user_id } of users) {
        const own = receiver.received
          .filter(({ event }) => event.subject === user_id)
          .map(({ event }) => event.sequence)
        assert.deepEqual(own, own.toSorted(), 'none before an earlier one')
        assert.equal(new Set(own).size, 5)
      }
    })

    it('are retried for days, and then given up; those behind them continue', async (t) => {
      const clock = stoppedClock()
      const app = await startApp(t, engine, { clock })
      const receiver = await startReceiver(t, ({ event }) => (event.type === 'user.created' ? 503 : 204))
      const { endpoint_id } = await createEndpoint(app, { url: receiver.url })
      app.dispatch()
      const user = await createUser(app)
      await update(app, user.user_id, { first_name: 'Ada' })
      const begun = clock()
      const sentAfter: number[] = []
      while (sentAfter.length < 10) {
        await eventually('an attempt', () => receiver.received.length > sentAfter.length)
        sentAfter.push(clock() - begun)
        await eventually('written down', async () => {
          const found = (await deliveriesOf(app, endpoint_id)).find(({ type }) => type === 'user.created')
          return found?.attempt_count === sentAfter.length
        })
        const found = (await deliveriesOf(app, endpoint_id)).find(({ type }) => type === 'user.created')
        if (found?.next_attempt_at) await clock.pass(Date.parse(found.next_attempt_at) - clock())
      }
      const planned = [0, 5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, day]
      sentAfter.forEach((time, i) => {
        const waited = time - (sentAfter[i - 1] ?? 0)
        const least = planned[i] as number
        assert.ok(waited >= least && waited <= 1.2 * least + 1, `attempt ${i + 1} after ${waited} ms`)
      })
      await clock.pass(5 * minute) // The endpoint is left alone for a while.
      await eventually('what waited', () => receiver.received.length === 11)
      assert.equal(receiver.received[10]?.event.type, 'user.updated')
      assert.equal(new Set(receiver.received.slice(0, 10).map(({ headers }) => headers['webhook-id'])).size, 1)
      const statuses = (await deliveriesOf(app, endpoint_id)).map(({ status }) => status)
      await eventually('delivered', async () => (await deliveriesOf(app, endpoint_id))[0]?.status === 'delivered')
      assert.equal(statuses[1], 'dead')
      assert.equal((await lagOf(app)).dead, 1)
    })

    it('that were given up are sent again on request, with the same webhook-id', async (t) => {
      const clock = stoppedClock()
      const app = await startApp(t, engine, { clock })
      const receiver = await startReceiver(t, () => 500)
      const { endpoint_id } = await createEndpoint(app, { url: receiver.url })
      app.dispatch()
      await createUser(app)
      await eventually('given up', async () => {
        await clock.pass(30 * hour)
        return (
          (await deliveriesOf(app, endpoint_id))[0]?.status === 'dead' || !(await endpointOf(app, endpoint_id)).active
        )
      })
      await app.call('PATCH', `/webhooks/${endpoint_id}`, { body: { active: true } })
      receiver.respondWith(() => 200)
      const delivery_id = await newestOf(app, endpoint_id)
      const path = `/webhooks/${endpoint_id}/deliveries/${delivery_id}/redeliver`
      await app.call('POST', path)
      await eventually('delivered', async () => (await deliveriesOf(app, endpoint_id))[0]?.status === 'delivered')
      assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
    })

    it('wait as long as the receiver asks, up to an hour, all of them', async (t) => {
      const clock = stoppedClock()
      const app = await startApp(t, engine, { clock })
      const receiver = await startReceiver(t, (_, count) => {
        if (count > 2) return 204
        const wish = count === 1 ? '120' : new Date(clock() + day).toUTCString()
        return (response) => response.writeHead(429, { 'retry-after': wish }).end()
      })
      await createEndpoint(app, { url: receiver.url })
      app.dispatch()
      await createUser(app)
      await eventually('the first', async () => (await lagOf(app)).due === 1 && receiver.received.length === 1)
      await sleep(100)
      await createUser(app)
      await clock.pass(119 * second)
      await sleep(150)
      assert.equal(receiver.received.length, 1, 'nothing else is sent meanwhile')
      await clock.pass(second)
      await eventually('the second try', () => receiver.received.length >= 2)
      await clock.settled()
      const before = receiver.received.length
      await clock.pass(hour - second)
      await sleep(150)
      assert.equal(receiver.received.length, before)
      await clock.pass(second)
      await eventually('all', async () => (await lagOf(app)).due === 0)
    })

    it('are sent one at a time to a receiver that is down, until it is back; then all of them', async (t) => {
      const clock = stoppedClock()
      const app = await startApp(t, engine, { clock })
      const receiver = await startReceiver(t, () => 502)
      const { endpoint_id } = await createEndpoint(app, { url: receiver.url })
      for (let i = 0; i < 100; i++) await createUser(app)
      app.dispatch()
      const isFailing = async () => (await endpointOf(app, endpoint_id)).failing_since !== null
      await eventually('failing', isFailing)
      await eventually('a pause', async () => (await lagOf(app)).failing === 1)
      await clock.settled()
      await sleep(100)
      const tried = receiver.received.length
      assert.ok(tried <= 40, `${tried} of 100 were tried`)
      for (let probe = 1; probe <= 3; probe++) {
        await clock.pass(5 * minute)
        await eventually('a probe', () => receiver.received.length >= tried + probe)
        await clock.settled()
        await sleep(50)
        assert.equal(receiver.received.length, tried + probe)
      }
      receiver.respondWith(() => 200)
      await clock.pass(5 * minute)
      await eventually('no longer failing', async () => !(await isFailing()))
      await eventually('all', async () => {
        await clock.pass(5 * minute)
        return (await lagOf(app)).due === 0
      })
      assert.equal((await endpointOf(app, endpoint_id)).failing_since, null)
    })

    it('arrive soon after a clock that ran ahead is corrected', async (t) => {
      const clock = stoppedClock()
      const app = await startApp(t, engine, { clock })
      let isDown = true
      const receiver = await startReceiver(t, () => (isDown ? 500 : 200))
      await createEndpoint(app, { url: receiver.url })
      const correct = clock()
      await clock.pass(2000 * day)
      for (let i = 0; i < 6; i++) await createUser(app)
      const dispatcher = app.dispatch()
      await eventually('failures', () => receiver.received.length >= 5)
      await dispatcher.stop()
      isDown = false
      await clock.pass(correct - clock())
      const request = { actor: system, now: clock(), requestId: 'test' }
      await pruneDeliveries(app.storage, request)
      app.dispatch()
      await eventually('all', () => isDelivered(app), 15_000)
    })

    it('end after five days without any success, and the audit records it', async (t) => {
      const clock = stoppedClock()
      const app = await startApp(t, engine, { clock })
      const receiver = await startReceiver(t, () => 500)
      const { endpoint_id } = await createEndpoint(app, { url: receiver.url })
      for (let i = 0; i < 10; i++) await createUser(app)
      app.dispatch()
      await eventually('failing', async () => (await endpointOf(app, endpoint_id)).failing_since !== null)
      const since = Date.parse((await endpointOf(app, endpoint_id)).failing_since)
      const failures = async () =>
        Number((await app.runSql('SELECT failure_count FROM webhook_endpoints'))[0]?.failure_count)
      const isTriedAfter = async (ms: number) => {
        await clock.settled()
        const before = await failures()
        await clock.pass(ms)
        await eventually('a probe', async () => (await failures()) > before)
      }
      // It is retried the whole time.
      for (let tried = 1; tried <= 4; tried++) await isTriedAfter(day)
      await isTriedAfter(5 * day - minute - (clock() - since))
      assert.equal((await endpointOf(app, endpoint_id)).active, true)
      // Five days on a clock that jumped do not count.
      const trustClockOf = (ms: number) =>
        app.runSql(`INSERT INTO journal_state (name, value)
          VALUES ('housekeeping_clock', '{"trusted":"${new Date(ms).toISOString()}"}')
          ON CONFLICT (name) DO UPDATE SET value = excluded.value`)
      await trustClockOf(since)
      await isTriedAfter(5 * minute)
      assert.equal((await endpointOf(app, endpoint_id)).active, true)
      await trustClockOf(clock())
      await clock.pass(5 * minute)
      await eventually('disabled', async () => !(await endpointOf(app, endpoint_id)).active)
      assert.equal((await endpointOf(app, endpoint_id)).disabled_reason, 'failing')
      await app.storage.settleJournal()
      const records = await app.runSql(
        "SELECT actor_kind, target_kind, target_id FROM audit_records WHERE action = 'webhook.disabled'",
      )
      assert.deepEqual(records, [{ actor_kind: 'system', target_kind: 'webhook', target_id: endpoint_id }])
      const total = receiver.received.length
      await clock.pass(day)
      await createUser(app)
      await sleep(150)
      assert.equal(receiver.received.length, total)

      receiver.respondWith(() => 200)
      await app.call('PATCH', `/webhooks/${endpoint_id}`, { body: { active: true } })
      const subjects = async () => (await app.runSql("SELECT subject FROM events WHERE type = 'user.created'")).length
      const isWhole = async () => {
        const own = receiver.received.slice(total).map(({ event }) => event.subject)
        return new Set(own).size === (await subjects())
      }
      await eventually('everything, also of the time in between', isWhole)
    })

    it('end at once when the receiver responds with 410 Gone', async (t) => {
      const app = await startApp(t, engine)
      const receiver = await startReceiver(t, () => 410)
      const { endpoint_id } = await createEndpoint(app, { url: receiver.url })
      app.dispatch()
      await createUser(app)
      await eventually('disabled', async () => !(await endpointOf(app, endpoint_id)).active)
      assert.equal((await endpointOf(app, endpoint_id)).disabled_reason, 'gone')
      await createUser(app)
      await sleep(150)
      assert.equal(receiver.received.length, 1)
    })

    it('of a killed node are sent by another one when its lease ends, and not before', async (t) => {
      const clock = stoppedClock()
      const app = await startApp(t, engine, { clock })
      const receiver = await startReceiver(t)
      const { endpoint_id } = await createEndpoint(app, { url: receiver.url })
      const user = await createUser(app)
      await update(app, user.user_id, { first_name: 'Ada' })
      await app.storage.settleJournal()
      // A node that claims deliveries and never reports back.
      const step = { endpoint_id, outcomes: [], room: 32, lease_ms: 32_000 }
      const request = { actor: system, now: clock(), requestId: 'test' }
      const { result } = await app.storage.change('webhooks.advance', step, request)
      assert.equal(result.claimed.length, 1, 'of one user, one at a time')
      app.dispatch()
      await clock.pass(31 * second)
      await sleep(150)
      assert.equal(receiver.received.length, 0)
      await clock.pass(second)
      await eventually('both', () => receiver.received.length === 2)
      assert.deepEqual(
        receiver.received.map(({ event }) => event.type),
        ['user.created', 'user.updated'],
      )
      await eventually('delivered', async () =>
        (await deliveriesOf(app, endpoint_id)).every(({ status }) => status === 'delivered'),
      )
    })

    it('that another node has taken over are not changed by the result of the slow one', async (t) => {
      const app = await startApp(t, engine)
      const { endpoint_id } = await createEndpoint(app, { url: elsewhere })
      await createUser(app)
      await app.storage.settleJournal()
      const step = async (now: number, outcomes: Outcome[] = []) => {
        const input = { endpoint_id, outcomes, room: 1, lease_ms: minute }
        return (await app.storage.change('webhooks.advance', input, { actor: system, now, requestId: 'test' })).result
      }
      const now = Date.now()
      const slow = await step(now)
      const quick = await step(now + 2 * minute)
      const delivery_id = slow.claimed[0]?.delivery_id as string
      assert.equal(quick.claimed[0]?.delivery_id, delivery_id)
      for (const status of [500, 200]) {
        await step(now + 2 * minute, [outcome(delivery_id, slow.claimed_until, status)])
        const [found] = await deliveriesOf(app, endpoint_id)
        assert.deepEqual([found?.status, found?.attempt_count, found?.next_attempt_at], ['due', 0, quick.claimed_until])
      }
      for (let i = 0; i < 2; i++) await step(now + 2 * minute, [outcome(delivery_id, quick.claimed_until, 200)])
      const [found] = await deliveriesOf(app, endpoint_id)
      assert.deepEqual([found?.status, found?.attempt_count], ['delivered', 1])
    })

    it('wait for a receiver that asks for it, even if another request succeeds at the same time', async (t) => {
      const app = await startApp(t, engine)
      const { endpoint_id } = await createEndpoint(app, { url: elsewhere })
      for (let i = 0; i < 3; i++) await createUser(app)
      await app.storage.settleJournal()
      const step = async (now: number, outcomes: Outcome[], room: number) => {
        const input = { endpoint_id, outcomes, room, lease_ms: minute }
        return (await app.storage.change('webhooks.advance', input, { actor: system, now, requestId: 'test' })).result
      }
      const now = Date.now()
      const { claimed, claimed_until } = await step(now, [], 2)
      const [first, second] = claimed.map(({ delivery_id }) => delivery_id) as [string, string]
      const busy = { ...outcome(first, claimed_until, 429), retry_after_ms: 10 * minute }
      assert.equal((await step(now, [busy, outcome(second, claimed_until, 200)], 2)).claimed.length, 0)
      assert.equal((await step(now + 9 * minute, [], 2)).claimed.length, 0)
      assert.equal((await step(now + 11 * minute, [], 3)).claimed.length, 2)
    })

    it('that are open when the dispatcher stops are released soon, and sent again by the next one', async (t) => {
      const app = await startApp(t, engine)
      const hanging = await startReceiver(t, () => () => {})
      const { endpoint_id } = await createEndpoint(app, { url: hanging.url })
      const dispatcher = app.dispatch()
      await createUser(app)
      await eventually('the request', () => hanging.received.length === 1)
      const begun = performance.now()
      await dispatcher.stop()
      // It gives up after a second, and a request may take ten.
      assertWithin(5000, begun)
      const [delivery] = await deliveriesOf(app, endpoint_id)
      assert.deepEqual([delivery?.status, delivery?.attempt_count], ['due', 0])
      hanging.respondWith(() => 200)
      app.dispatch()
      await eventually('the second request', () => hanging.received.length === 2)
    })

    it('without a response in time count as failed', async (t) => {
      const app = await startApp(t, engine, { env: { ROLLBOOK_WEBHOOK_TIMEOUT_SECONDS: '1' } })
      const receiver = await startReceiver(t, () => () => {})
      const { endpoint_id } = await createEndpoint(app, { url: receiver.url })
      app.dispatch()
      await createUser(app)
      await eventually('an attempt', async () => ((await deliveriesOf(app, endpoint_id))[0]?.attempt_count ?? 0) > 0)
      const delivery_id = await newestOf(app, endpoint_id)
      assert.equal((await attemptsOf(app, endpoint_id, delivery_id))[0]?.error, 'timeout')
      const [outage, ...more] = app.logLines().filter((line) => line.includes('"system":"webhook_receiver"'))
      assert.match(String(outage), /"level":"warn".*"cause":"timeout"/)
      assert.deepEqual(more, [])
    })

    it('log the response, of which only the beginning is kept', async (t) => {
      const app = await startApp(t, engine)
      const text = `no\0 room ${'x'.repeat(5000)}`
      const receiver = await startReceiver(t, () => (response) => response.writeHead(507).end(text))
      const { endpoint_id } = await createEndpoint(app, { url: receiver.url })
      app.dispatch()
      await createUser(app)
      await eventually('an attempt', async () => ((await deliveriesOf(app, endpoint_id))[0]?.attempt_count ?? 0) > 0)
      const delivery_id = await newestOf(app, endpoint_id)
      const [attempt] = await attemptsOf(app, endpoint_id, delivery_id)
      assert.equal(attempt?.response_status, 507)
      assert.equal(attempt?.response_body, text.slice(0, 1024).replace('\0', '\ufffd'))
    })

    it('about an erased user contain only that, even if they were waiting', async (t) => {
      const app = await startApp(t, engine)
      const echo: Parameters<typeof startReceiver>[1] =
        ({ body }) =>
        (response) =>
          response.end(body)
      const receiver = await startReceiver(t, echo)
      const { endpoint_id } = await createEndpoint(app, { url: receiver.url })
      const user = await createUser(app, { username: 'a-secret-name' })
      await app.storage.settleJournal()
      await app.runSql(`UPDATE events SET data = NULL WHERE owner_id = '${user.user_id}'`)
      app.dispatch()
      await eventually('the event', () => receiver.received.length === 1)
      assert.deepEqual(receiver.received[0]?.event.data, { user_id: user.user_id, erased: true })
      assert.ok(!receiver.received[0]?.body.includes('a-secret-name'))
      await eventually('delivered', async () => (await deliveriesOf(app, endpoint_id))[0]?.status === 'delivered')
      const delivery_id = await newestOf(app, endpoint_id)
      assert.equal((await attemptsOf(app, endpoint_id, delivery_id))[0]?.response_body, null)
    })

    it('whose event is no longer stored are given up, without blaming the receiver', async (t) => {
      const clock = stoppedClock()
      const app = await startApp(t, engine, { clock })
      const receiver = await startReceiver(t)
      const { endpoint_id } = await createEndpoint(app, { url: receiver.url })
      await createUser(app)
      await app.storage.settleJournal()
      const step = { endpoint_id, outcomes: [], room: 0, lease_ms: 1000 }
      const request = { actor: system, now: clock(), requestId: 'test' }
      await app.storage.change('webhooks.advance', step, request)
      await app.runSql('DELETE FROM events')
      app.dispatch()
      await eventually('given up', async () => (await deliveriesOf(app, endpoint_id))[0]?.status === 'dead')
      const delivery_id = await newestOf(app, endpoint_id)
      assert.equal((await attemptsOf(app, endpoint_id, delivery_id))[0]?.error, 'event_gone')
      assert.equal(receiver.received.length, 0)
      assert.equal((await endpointOf(app, endpoint_id)).failing_since, null)
    })

    it('of a test go past a pause, are tried once, and end the pause when they arrive', async (t) => {
      const clock = stoppedClock()
      const app = await startApp(t, engine, { clock })
      const receiver = await startReceiver(t, () => 500)
      const { endpoint_id, secret } = await createEndpoint(app, { url: receiver.url })
      for (let i = 0; i < 6; i++) await createUser(app)
      app.dispatch()
      await eventually('failing', async () => (await endpointOf(app, endpoint_id)).failing_since !== null)
      await clock.settled()
      const test = async () => (await app.call('POST', `/webhooks/${endpoint_id}/test`)).body.delivery_id as string
      const statusOf = async (id: string) =>
        (await deliveriesOf(app, endpoint_id)).find(({ delivery_id }) => delivery_id === id)?.status
      const events = () => receiver.received.filter(({ event }) => event.type === 'user.created').length
      const before = events()
      const failed = await test()
      await eventually('the first test', async () => (await statusOf(failed)) === 'dead')
      receiver.respondWith(() => 200)
      await createUser(app)
      await sleep(100)
      assert.equal(events(), before, 'nothing else is sent')
      const sent = await test()
      await eventually('the second test', async () => (await statusOf(sent)) === 'delivered')
      const last = receiver.received.findLast(({ event }) => event.type === 'webhook.test')
      assert.equal(last?.headers['webhook-id'], sent)
      assert.ok(secret)
      await eventually('well', async () => (await endpointOf(app, endpoint_id)).failing_since === null)
    })

    it('that a node cannot sign because it has another secret are left to the other nodes', async (t) => {
      const app = await startApp(t, engine, { env: { ROLLBOOK_KEY_ENCRYPTION_SECRET: 'right-'.repeat(8) } })
      const receiver = await startReceiver(t)
      const { endpoint_id, secret } = await createEndpoint(app, { url: receiver.url })
      await createUser(app)
      app.dispatch({ config: { ...app.config, keyEncryptionSecret: 'wrong-'.repeat(8) } })
      await sleep(300)
      const [found] = await deliveriesOf(app, endpoint_id)
      assert.deepEqual([found?.status, found?.attempt_count, receiver.received.length], ['due', 0, 0])
      app.dispatch()
      await eventually('the event', () => receiver.received.length === 1)
      const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]]
      new Webhook(secret).verify(body, headers)
    })

    it('pile up to at most ten thousand at a failing endpoint; the feed keeps the others', async (t) => {
      const app = await startApp(t, engine)
      const receiver = await startReceiver(t)
      const { endpoint_id } = await createEndpoint(app, { url: receiver.url })
      await app.runSql(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000)
        INSERT INTO webhook_deliveries (delivery_id, endpoint_id, event_seq, event_id, order_key, type, status,
          attempt_count, next_attempt_at, attempts, created_at)
        SELECT 'd' || n, '${endpoint_id}', n, 'e' || n, 'k' || n, 'user.created', 'due', 1, '2036-01-01T00:00:00.000Z',
          '[]', '2026-11-20T00:00:00.000Z' FROM numbers`)
      const user = await createUser(app)
      app.dispatch()
      await sleep(300)
      assert.deepEqual([receiver.received.length, (await lagOf(app)).due], [0, 10_000])
      await app.runSql("DELETE FROM webhook_deliveries WHERE delivery_id = 'd1'")
      await eventually('the event', () => receiver.received.length === 1)
      assert.equal(receiver.received[0]?.event.subject, user.user_id)
    })

    it('cost a change nothing if there is no endpoint', async (t) => {
      const app = await startApp(t, engine)
      let reads = 0
      const { db } = app.storage
      const all: typeof db.all = (statement) => {
        reads++
        return db.all(statement)
      }
      const counted = { ...app.storage, db: { ...db, all } }
      app.dispatch({ storage: counted, everyMs: 60_000 })
      await sleep(100)
      for (let i = 0; i < 20; i++) await createUser(app)
      await sleep(100)
      assert.equal(reads, 1)
    })

    it('are sent at hundreds per second if the receiver responds quickly', async (t) => {
      const app = await startApp(t, engine)
      const receiver = await startReceiver(t)
      await createEndpoint(app, { url: receiver.url })
      const count = 300
      for (let i = 0; i < count / 20; i++) await Promise.all(Array.from({ length: 20 }, () => createUser(app)))
      await app.storage.settleJournal()
      const begun = performance.now()
      app.dispatch()
      await eventually('all', () => receiver.received.length >= count, 20_000)
      const perSecond = (count * 1000) / (performance.now() - begun)
      t.diagnostic(`${Math.round(perSecond)} events a second`)
      assert.ok(perSecond > 100, `${perSecond} events a second`)
      assert.equal(new Set(receiver.received.map(({ event }) => event.id)).size, count)
    })

    it('are deleted a week after they arrived, or a month after they were given up', async (t) => {
      const clock = stoppedClock()
      const app = await startApp(t, engine, { clock })
      const receiver = await startReceiver(t, ({ event }) => (event.data.username === 'bad' ? 500 : 200))
      const { endpoint_id } = await createEndpoint(app, { url: receiver.url })
      app.dispatch()
      await createUser(app, { username: 'bad' })
      await createUser(app, { username: 'good' })
      await eventually('delivered', async () => (await deliveriesOf(app, endpoint_id))[0]?.status === 'delivered')
      await app.runSql(`UPDATE webhook_deliveries SET status = 'dead', finished_at = '2026-11-20T00:00:00.000Z'
        WHERE status = 'due'`)
      const pruneAfter = async (ms: number) => {
        await clock.pass(ms)
        const request = { actor: system, now: clock(), requestId: 'test' }
        await app.storage.change('webhooks.prune', undefined, request)
        return (await deliveriesOf(app, endpoint_id)).map(({ status }) => status)
      }
      assert.deepEqual(await pruneAfter(7 * day - minute), ['delivered', 'dead'])
      assert.deepEqual(await pruneAfter(2 * minute), ['dead'])
      assert.deepEqual(await pruneAfter(22 * day), ['dead'])
      assert.deepEqual(await pruneAfter(2 * day), [])
    })
  })
}

for (const engine of onlyPostgres) {
  describe(`webhooks of two nodes on ${engine.name}`, () => {
    it('are shared between them, and none is sent twice', async (t) => {
      const first = await startApp(t, engine)
      const second = await startApp(t, engine, { beside: first })
      // So slow that one node has no room for all of them.
      const receiver = await startReceiver(t, () => sleep(100).then(() => 200))
      await createEndpoint(first, { url: receiver.url })
      for (let i = 0; i < 15; i++) await Promise.all(Array.from({ length: 20 }, () => createUser(first)))
      await first.storage.settleJournal()
      const claims = [0, 0]
      const counted = (app: Dispatching, node: number) => {
        const change: typeof app.storage.change = async (...job) => {
          const created = await app.storage.change(...job)
          claims[node] = (claims[node] ?? 0) + ((created.result as { claimed?: unknown[] })?.claimed?.length ?? 0)
          return created
        }
        return { ...app.storage, change }
      }
      first.dispatch({ storage: counted(first, 0) })
      second.dispatch({ storage: counted(second, 1) })
      await eventually('all', async () => (await lagOf(first)).due === 0 && receiver.received.length > 0, 15_000)
      assert.equal(receiver.received.length, 300)
      assert.equal(new Set(receiver.received.map(({ event }) => event.id)).size, 300)
      assert.ok(Math.min(...claims) > 30, `they sent ${claims}`)
    })
  })
}
