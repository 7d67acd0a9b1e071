import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makePlace, type Service, startService } from '../durability/process.ts'
import { engines } from '../harness.ts'
import { assertWithin } from '../time-limit.ts'
import { eventually, inward } from './dispatching.ts'
import { startReceiver } from './receiver.ts'

async function createAll(service: Service, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    assert.equal((await service.call('POST', '/users', { username: `user-${i}` })).status, 201)
  }
}

for (const engine of engines) {
  describe(`webhooks of a service on ${engine.name}`, () => {
    it('keep a stop waiting for a moment at most, and are sent after the next start', async (t) => {
      const place = await makePlace(t, engine)
      const env = { ...place.env, ...inward, ROLLBOOK_WEBHOOK_TIMEOUT_SECONDS: '60' }
      const service = await startService(t, { ...place, env })
      const receiver = await startReceiver(t, () => () => {})
      assert.equal((await service.call('POST', '/webhooks', { url: receiver.url })).status, 201)
      await createAll(service, 3)
      await eventually('requests that hang', () => receiver.received.length === 3)
      const begun = performance.now()
      assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
      assertWithin(3000, begun)
      receiver.respondWith(() => 200)
      await startService(t, { ...place, env })
      await eventually('all of them again', () => receiver.received.length === 6)
    })

    it('survive a kill at the worst moment: each is sent at least once', async (t) => {
      const place = await makePlace(t, engine)
      const env = { ...place.env, ...inward, ROLLBOOK_WEBHOOK_TIMEOUT_SECONDS: '1' }
      const service = await startService(t, { ...place, env })
      const receiver = await startReceiver(t, () => () => {})
      assert.equal((await service.call('POST', '/webhooks', { url: receiver.url })).status, 201)
      await createAll(service, 5)
      await eventually('some requests', () => receiver.received.length > 0)
      await service.end('SIGKILL')
      receiver.respondWith(() => 200)
      // Do not wait half a minute for the leases here.
      await place.runSql(`UPDATE webhook_deliveries SET next_attempt_at = created_at WHERE status = 'due'`)
      await startService(t, { ...place, env })
      const subjects = () => new Set(receiver.received.map(({ event }) => event.data.username))
      await eventually('all of them', () => subjects().size === 5)
    })
  })
}
