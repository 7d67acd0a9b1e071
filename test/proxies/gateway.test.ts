import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { makePlace, startService } from '../durability/process.ts'
import { freePort } from '../free-port.ts'
import { engines } from '../harness.ts'
import { assertWithin } from '../time-limit.ts'
import { navigation, openSocket, send } from './client.ts'
import { eventStream, startProduct } from './product.ts'

const password = 'nanoseconds on a string'

for (const engine of engines) {
  describe(`one process as the whole deployment on ${engine.name}`, () => {
    it('signs users in, serves them the product, and stops without waiting for their open windows', async (t) => {
      const product = await startProduct(t, { '/events': eventStream })
      const { directory, env } = await makePlace(t, engine)
      const port = await freePort()
      const service = await startService(t, {
        directory,
        env: { ...env, ROLLBOOK_UPSTREAM: product.origin, ROLLBOOK_PORT: String(port) },
      })
      const origin = `http://127.0.0.1:${port}`
      assert.equal(service.url, `${origin}/auth`)
      const created = await service.call('POST', '/users', { username: 'ada', password })
      assert.equal(created.status, 201)

      const sent = await send(`${origin}/orders?page=2`, { headers: navigation })
      assert.equal(sent.status, 302)
      const page = new URL(sent.headers.location ?? '', origin)
      assert.equal((await send(page.href, { headers: navigation })).status, 200)
      const return_to = page.searchParams.get('return_to') as string
      const entered = await send(`${origin}/auth/login`, {
        method: 'POST',
        headers: { ...navigation, origin, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ username: 'ada', password, return_to }).toString(),
      })
      assert.equal(entered.status, 303, entered.text)
      const cookie = (entered.headers['set-cookie'] ?? []).map((line) => line.split(';', 1)[0]).join('; ')
      const back = new URL(entered.headers.location ?? '', page)
      const orders = await send(back.href, { headers: { ...navigation, cookie } })
      assert.equal(orders.status, 200)
      assert.deepEqual([orders.json().url, orders.json().headers['remote-user']], ['/orders?page=2', 'ada'])

      const { socket, first } = await openSocket(`${origin}/live`, { cookie, origin })
      assert.equal(first.headers['remote-user'], 'ada')
      const events = await fetch(`${origin}/events`, { headers: { cookie } })
      assert.equal(events.status, 200)
      const cut = assert.rejects(events.text())
      const closed = once(socket, 'close')
      const startedAt = performance.now()
      const outcome = await service.end('SIGTERM')
      assert.deepEqual(outcome, { code: 0, signal: null }, service.errors())
      assertWithin(3000, startedAt)
      assert.equal((await closed)[0], 1001)
      await cut
    })
  })
}
