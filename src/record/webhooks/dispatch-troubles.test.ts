import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createUser, engines } from '../../../test/harness.ts'
import { stoppedClock } from '../../../test/stopped-clock.ts'
import {
  attemptsOf,
  createEndpoint,
  type Dispatching,
  deliveriesOf,
  eventually,
  isDelivered,
  lagOf,
  startApp,
} from '../../../test/webhooks/dispatching.ts'
import { startReceiver } from '../../../test/webhooks/receiver.ts'
import { system } from '../../core/actor.ts'
import type { Outcome } from './dispatch-outcomes.ts'

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]
/** A dispatcher that sends nothing: the test plays the node. */
const [first, moved] = ['http://127.0.0.1:9998/', 'http://127.0.0.1:9999/']

/** A step of a node that the test plays. */
async function step(
  app: Dispatching,
  endpoint_id: string,
  { now, room = 32, outcomes = [] }: { now: number; room?: number; outcomes?: Outcome[] },
) {
  const input = { endpoint_id, outcomes, room, lease_ms: minute }
  return (await app.storage.change('webhooks.advance', input, { actor: system, now, requestId: 'test' })).result
}

/** Claims what is due. Returns the reported outcome of each. */
async function claim(app: Dispatching, endpoint_id: string, now: number, url = first) {
  const { claimed, claimed_until } = await step(app, endpoint_id, { now })
  return (response_status: number | null): Outcome[] =>
    claimed.map(({ delivery_id }) => {
      const error = response_status === null ? 'timeout' : null
      const attempted_at = new Date(now).toISOString()
      const attempt = { attempted_at, duration_ms: 1, response_status, error, response_body: 'echo' }
      return { delivery_id, claimed_until, url, attempt, retry_after_ms: undefined, spread: 0 }
    })
}

async function endpointOf(app: Dispatching, id: string) {
  return (await app.call('GET', `/webhooks/${id}`)).body
}

/** Adds that many events of one user after the existing ones. */
async function addEvents(app: Dispatching, owner: string, count: number): Promise<void> {
  await app.storage.settleJournal()
  await app.runSql(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
    INSERT INTO events (seq, event_id, type, subject, owner_id, occurred_at, data)
    SELECT newest + n, '${owner}.' || n, 'user.updated', '${owner}', '${owner}', '2026-11-20T00:00:00.000Z', '{}'
    FROM numbers, (SELECT max(seq) AS newest FROM events) AS head`)
}

for (const engine of engines) {
  describe(`failing webhooks, on ${engine.name}:`, () => {
    it('a user whose events the receiver refuses delays no other user, whatever happens to them', async (t) => {
      const app = await startApp(t, engine)
      const receiver = await startReceiver(t, ({ event }) => (event.subject === 'refused' ? 500 : 204))
      const { endpoint_id } = await createEndpoint(app, { url: receiver.url })
      await createUser(app)
      await addEvents(app, 'refused', 10_050)
      await addEvents(app, 'other', 3)
      app.dispatch()
      const others = () => receiver.received.filter(({ event }) => event.subject === 'other').length
      await eventually('the events of the other', () => others() === 3, 15_000)
      const [rows] = await app.runSql("SELECT count(*) AS n FROM webhook_deliveries WHERE order_key = 'refused'")
      assert.equal(Number(rows?.n), 100)
      const { active, failing_since } = await endpointOf(app, endpoint_id)
      assert.deepEqual([active, failing_since], [true, null])
    })

    it('a long queue loses nothing, and sends nothing twice or out of order, even while it grows', async (t) => {
      const clock = stoppedClock()
      const app = await startApp(t, engine, { clock })
      let isRefusing = true
      const receiver = await startReceiver(t, ({ event }) => (isRefusing && event.subject === 'busy' ? 500 : 204))
      await createEndpoint(app, { url: receiver.url, event_types: ['user.updated'] })
      await createUser(app)
      await addEvents(app, 'busy', 230)
      app.dispatch()
      await eventually('a failure', () => receiver.received.length === 1)
      await addEvents(app, 'quick', 1)
      await eventually('another', () => receiver.received.length === 2)
      isRefusing = false
      await clock.pass(minute)
      const own = () => receiver.received.slice(2).filter(({ event }) => event.subject === 'busy')
      await eventually('some', () => own().length > 50, 15_000)
      await app.runSql(`INSERT INTO events (seq, event_id, type, subject, owner_id, occurred_at, data)
        SELECT max(seq) + 1, 'late', 'user.updated', 'busy', 'busy', '2026-11-20T00:00:00.000Z', '{}' FROM events`)
      await eventually('all', () => isDelivered(app), 30_000)
      const ids = own().map(({ event }) => event.id)
      assert.deepEqual(ids, [...Array.from({ length: 230 }, (_, i) => `busy.${i + 1}`), 'late'])
    })

    it('a response of the old address does not affect the new one', async (t) => {
      const app = await startApp(t, engine)
      const { endpoint_id } = await createEndpoint(app, { url: first })
      for (let i = 0; i < 6; i++) await createUser(app)
      await app.storage.settleJournal()
      const now = Date.now()
      const [removed, down] = [await claim(app, endpoint_id, now), await claim(app, endpoint_id, now + 2 * minute)]
      assert.deepEqual([removed(410).length, down(500).length], [6, 6])
      const response = await app.call('PATCH', `/webhooks/${endpoint_id}`, { body: { url: moved } })
      assert.equal(response.status, 200)
      const [one, ...others] = down(500) as [Outcome, ...Outcome[]]
      const [isGone] = down(410) as [Outcome]
      await step(app, endpoint_id, { now: now + 2 * minute, room: 0, outcomes: [isGone, ...others] })
      const { active, disabled_reason, failing_since } = await endpointOf(app, endpoint_id)
      assert.deepEqual([active, disabled_reason, failing_since], [true, null, null])
      const again = await step(app, endpoint_id, { now: now + 2 * minute })
      assert.deepEqual([again.claimed.length, again.target?.url], [6, moved], 'all are sent to the new one at once')
      assert.ok(again.claimed.some(({ delivery_id }) => delivery_id === one.delivery_id))
    })

    it('what arrived at the old address has arrived, and does not make the new one healthy', async (t) => {
      const app = await startApp(t, engine)
      const { endpoint_id } = await createEndpoint(app, { url: first })
      await createUser(app)
      await app.storage.settleJournal()
      const now = Date.now()
      const claimed = await claim(app, endpoint_id, now)
      await app.call('PATCH', `/webhooks/${endpoint_id}`, { body: { url: moved } })
      const failing_since = new Date(now).toISOString()
      await app.runSql(`UPDATE webhook_endpoints SET failing_since = '${failing_since}', failure_count = 5`)
      await step(app, endpoint_id, { now, outcomes: claimed(204) })
      assert.equal((await deliveriesOf(app, endpoint_id))[0]?.status, 'delivered')
      assert.equal((await endpointOf(app, endpoint_id)).failing_since, failing_since)
    })

    it('an endpoint is failing from the first failed attempt on, with the reason, until it works again', async (t) => {
      const app = await startApp(t, engine)
      const { endpoint_id } = await createEndpoint(app, { url: first })
      const path = `/webhooks/${endpoint_id}`
      for (let i = 0; i < 2; i++) await createUser(app)
      await app.storage.settleJournal()
      const now = Date.now()
      const before = await app.call('GET', path)
      assert.deepEqual([before.body.state, before.body.failure], ['active', null])
      const claimed = await claim(app, endpoint_id, now)
      const [one, two] = claimed(null) as [Outcome, Outcome]
      await step(app, endpoint_id, { now, room: 0, outcomes: [one] })
      const failing = await app.call('GET', path, { headers: { 'if-none-match': String(before.headers.etag) } })
      assert.equal(failing.status, 200)
      assert.deepEqual([failing.body.active, failing.body.state, failing.body.failing_since], [true, 'failing', null])
      const { attempted_at } = one.attempt as { attempted_at: string }
      assert.deepEqual(failing.body.failure, {
        failed_attempts: 1,
        since: attempted_at,
        last_attempt_at: attempted_at,
        response_status: null,
        error: 'timeout',
      })
      assert.deepEqual((await app.call('GET', '/webhooks')).body[0], failing.body)
      const known = { 'if-none-match': String(failing.headers.etag) }
      assert.equal((await app.call('GET', path, { headers: known })).status, 200, 'what failed last may have changed')
      const off = await app.call('PATCH', path, { body: { active: false } })
      assert.deepEqual([off.body.state, off.body.failure?.failed_attempts], ['disabled', 1])
      await app.call('PATCH', path, { body: { active: true } })
      const anew = await app.call('GET', path)
      assert.deepEqual([anew.body.state, anew.body.failure], ['active', null])
      assert.equal(
        (await app.call('GET', path, { headers: { 'if-none-match': String(anew.headers.etag) } })).status,
        304,
      )
      await step(app, endpoint_id, { now, room: 0, outcomes: [two] })
      assert.equal((await endpointOf(app, endpoint_id)).state, 'failing')
      const later = await claim(app, endpoint_id, now + 2 * minute)
      await step(app, endpoint_id, { now: now + 2 * minute, room: 0, outcomes: later(204) })
      assert.deepEqual((await app.call('GET', path)).body.failure, null)
      assert.equal((await endpointOf(app, endpoint_id)).state, 'active')
    })

    it('a failure long ago is forgotten if nothing was sent since', async (t) => {
      const app = await startApp(t, engine)
      const { endpoint_id } = await createEndpoint(app, { url: first })
      for (let i = 0; i < 5; i++) await createUser(app)
      await app.storage.settleJournal()
      let now = Date.now()
      await step(app, endpoint_id, { now, outcomes: (await claim(app, endpoint_id, now))(503) })
      assert.notEqual((await endpointOf(app, endpoint_id)).failing_since, null)
      // Given up; after that nothing happened.
      await app.runSql("UPDATE webhook_deliveries SET status = 'dead', finished_at = created_at")
      now += 9 * day
      await createUser(app)
      await app.storage.settleJournal()
      const claimed = await claim(app, endpoint_id, now)
      await step(app, endpoint_id, { now, outcomes: claimed(503) })
      const { active, failing_since } = await endpointOf(app, endpoint_id)
      assert.deepEqual([active, failing_since], [true, null])
      assert.equal((await deliveriesOf(app, endpoint_id))[0]?.status, 'due')
    })

    it('a successful test does not make a receiver healthy that refuses everything else', async (t) => {
      const clock = stoppedClock()
      const app = await startApp(t, engine, { clock })
      const receiver = await startReceiver(t, ({ event }) => (event.type === 'webhook.test' ? 204 : 500))
      const { endpoint_id } = await createEndpoint(app, { url: receiver.url })
      for (let i = 0; i < 6; i++) await createUser(app)
      app.dispatch()
      const since = async () => (await endpointOf(app, endpoint_id)).failing_since
      await eventually('failing', async () => (await since()) !== null)
      await clock.settled()
      const [before, begun] = [receiver.received.length, await since()]
      await clock.pass(second)
      await app.call('POST', `/webhooks/${endpoint_id}/test`)
      await eventually('the test', () => receiver.received.length > before)
      await sleep(150)
      assert.equal(await since(), begun)
    })

    it('the reported age is of deliveries that wait for us, not for a receiver', async (t) => {
      const app = await startApp(t, engine)
      const { endpoint_id } = await createEndpoint(app, { url: first })
      await createUser(app)
      await app.storage.settleJournal()
      const now = Date.now()
      const oldest = async (at: number) => (await lagOf(app, at)).oldest_at
      assert.notEqual(await oldest(now), null, 'an event that nobody has taken up')
      await step(app, endpoint_id, { now, room: 0 })
      assert.equal(await oldest(now + hour), new Date(now).toISOString(), 'a delivery that nobody has tried')
      await step(app, endpoint_id, { now, outcomes: (await claim(app, endpoint_id, now))(500), room: 0 })
      assert.equal(await oldest(now + hour), null, 'one that the receiver refused')

      await createUser(app)
      await app.storage.settleJournal()
      await step(app, endpoint_id, { now, room: 0 })
      const backlog = { due: 2, oldest_at: new Date(now).toISOString() }
      const { due, oldest_at } = await lagOf(app, now + hour)
      assert.deepEqual({ due, oldest_at }, backlog)
      const soon = new Date(now + 2 * hour).toISOString()
      for (const state of ['active = 0', `failing_since = '${soon}'`, `paused_until = '${soon}'`]) {
        await app.runSql(`UPDATE webhook_endpoints SET ${state}`)
        await sleep(5) // Reads within one turn of the event loop see the same state.
        assert.equal(await oldest(now + hour), null, state)
        if (state === 'active = 0') assert.equal((await lagOf(app, now + hour)).due, 0)
        await app.runSql('UPDATE webhook_endpoints SET active = 1, failing_since = NULL, paused_until = NULL')
        await sleep(5)
      }
      assert.equal(await oldest(now + hour), backlog.oldest_at)
    })

    it('a delivery that is repeated is not as old as its event', async (t) => {
      const app = await startApp(t, engine)
      const { endpoint_id } = await createEndpoint(app, { url: first })
      await createUser(app)
      await app.storage.settleJournal()
      const past = Date.now() - 6 * day
      await step(app, endpoint_id, { now: past, outcomes: (await claim(app, endpoint_id, past))(204) })
      const [delivery] = await deliveriesOf(app, endpoint_id)
      const path = `/webhooks/${endpoint_id}/deliveries/${delivery?.delivery_id}/redeliver`
      const begun = Date.now()
      assert.equal((await app.call('POST', path)).status, 202)
      assert.ok(Date.parse((await lagOf(app)).oldest_at ?? '') >= begun - second)
    })

    it('a response that arrives after its user was erased is not stored', async (t) => {
      const app = await startApp(t, engine)
      const { endpoint_id } = await createEndpoint(app, { url: first })
      await createUser(app)
      await app.storage.settleJournal()
      const now = Date.now()
      const claimed = await claim(app, endpoint_id, now)
      await app.runSql('UPDATE events SET data = NULL')
      await step(app, endpoint_id, { now, outcomes: claimed(500), room: 0 })
      const [delivery] = await deliveriesOf(app, endpoint_id)
      const [attempt] = await attemptsOf(app, endpoint_id, delivery?.delivery_id as string)
      assert.deepEqual([attempt?.response_status, attempt?.response_body], [500, null])
    })
  })
}
