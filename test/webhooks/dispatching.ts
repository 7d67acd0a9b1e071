/** An application with webhooks to receivers on loopback, whose dispatcher is started and stopped by the test. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { timestamp } from '../../src/lib/instant.ts'
import { type Lag, lag } from '../../src/record/webhooks/deliveries-store-lag.ts'
import { type Dispatcher, type DispatcherParts, startDispatcher } from '../../src/record/webhooks/dispatch.ts'
import type { Storage } from '../../src/store/storage/storage.ts'
import { type Engine, type Started, start } from '../harness.ts'
import type { StoppedClock } from '../stopped-clock.ts'
import { assertWithin } from '../time-limit.ts'

export const inward = {
  ROLLBOOK_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  ROLLBOOK_WEBHOOK_ALLOW_HTTP: 'true',
  // Longer than any stall of a busy machine; a test that waits for it sets its own.
  ROLLBOOK_WEBHOOK_TIMEOUT_SECONDS: '10',
}

export const source = 'https://auth.example.com/auth'

type Options = { env?: Record<string, string>; clock?: StoppedClock; beside?: Started }

export type Dispatching = Started & {
  /** Starts a dispatcher that looks often, so that tests need not wait. */
  dispatch(parts?: Partial<DispatcherParts>): Dispatcher
}

export async function startApp(t: TestContext, engine: Engine, { env, ...rest }: Options = {}): Promise<Dispatching> {
  const running: Dispatcher[] = []
  // Registered first, and so done first: afterwards the storage is closed.
  t.after(() => Promise.all(running.map((one) => one.stop())))
  const app = await start(t, engine, { env: { ...inward, ...env }, ...rest })
  return Object.assign(app, {
    dispatch(parts: Partial<DispatcherParts> = {}) {
      const { config, outages } = app
      const log = pino({ enabled: false })
      const clock = rest.clock ?? Date.now
      const begin = (storage: Storage) =>
        startDispatcher({ config, source: () => source, log, outages, clock, everyMs: 20, ...parts, storage })
      const storage = parts.storage ?? app.storage
      const dispatcher = rest.clock ? rest.clock.watch(storage, begin) : begin(storage)
      running.push(dispatcher)
      return dispatcher
    },
  })
}

type MadeEndpoint = { endpoint_id: string; secret: string }

export async function createEndpoint(app: Started, members: Record<string, unknown>): Promise<MadeEndpoint> {
  const response = await app.call('POST', '/webhooks', { body: members })
  assert.equal(response.status, 201, response.text)
  return response.body
}

export type Delivery = {
  delivery_id: string
  type: string
  status: string
  attempt_count: number
  next_attempt_at: string | null
  event_id: string
}

export async function deliveriesOf(app: Started, endpointId: string): Promise<Delivery[]> {
  return (await app.call('GET', `/webhooks/${endpointId}/deliveries?limit=1000`)).body
}

export async function attemptsOf(app: Started, endpointId: string, deliveryId: string) {
  const { body } = await app.call('GET', `/webhooks/${endpointId}/deliveries/${deliveryId}`)
  return body.attempts as { response_status: number | null; error: string | null; response_body: string | null }[]
}

export function lagOf(app: Started, now = Date.now()): Promise<Lag> {
  return lag(app.storage.db, timestamp(now))
}

/** Nothing is under way, and no event waits. */
export async function isDelivered(app: Started): Promise<boolean> {
  const [behind] = await app.runSql(`SELECT count(*) AS n FROM webhook_endpoints
    WHERE cursor < (SELECT max(seq) FROM events)`)
  const [backlogs] = await app.runSql('SELECT count(*) AS n FROM webhook_backlogs')
  const { due, queued } = await lagOf(app)
  return due + queued + Number(behind?.n) + Number(backlogs?.n) === 0
}

/** Asks again until it holds, less and less often: what asks the application would take its time from what it waits for. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  longestMs = 20_000,
): Promise<void> {
  const begun = performance.now()
  for (let waitMs = 5; !(await holds()); waitMs = Math.min(2 * waitMs, 40)) {
    assertWithin(longestMs, begun, what)
    await sleep(waitMs)
  }
}
