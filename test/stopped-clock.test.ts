import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { anyEngine, createUser } from './harness.ts'
import { stoppedClock } from './stopped-clock.ts'
import { createEndpoint, deliveriesOf, eventually, startApp } from './webhooks/dispatching.ts'
import { startReceiver } from './webhooks/receiver.ts'

it('a stopped clock advances only after the outcome of what was sent is stored', async (t) => {
  const clock = stoppedClock()
  const app = await startApp(t, anyEngine, { clock })
  const receiver = await startReceiver(t, () => sleep(200).then(() => 204))
  const { endpoint_id } = await createEndpoint(app, { url: receiver.url })
  app.dispatch()
  await createUser(app)
  await eventually('the request', () => receiver.received.length > 0)
  const before = clock()
  await clock.pass(3_600_000)
  assert.equal(clock() - before, 3_600_000)
  const [delivery] = await deliveriesOf(app, endpoint_id)
  assert.deepEqual([delivery?.status, receiver.received.length], ['delivered', 1])
})
