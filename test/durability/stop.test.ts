import assert from 'node:assert/strict'
import { get } from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { adminKey, type Engine, engines } from '../harness.ts'
import { fillWithLargeUsers, open } from '../reading.ts'
import { assertWithin } from '../time-limit.ts'
import { makePlace, type Service, startService } from './process.ts'

type Problem = { status: number; code: string }

/** On a connection of its own; one that the stopping service closes before it has read the request is tried again. */
async function getProblem(service: Service, path: string): Promise<Problem> {
  for (;;) {
    try {
      return await askOnce(service, path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error
    }
  }
}

function askOnce(service: Service, path: string): Promise<Problem> {
  return new Promise((resolve, reject) => {
    get(service.url + path, { agent: false, headers: { 'x-api-key': adminKey } }, async (response) => {
      try {
        const text = Buffer.concat(await response.toArray()).toString()
        resolve({ status: response.statusCode as number, code: JSON.parse(text).code })
      } catch (error) {
        reject(error)
      }
    }).on('error', reject)
  })
}

async function serviceWithALongList(t: TestContext, engine: Engine, env: Record<string, string>): Promise<Service> {
  const place = await makePlace(t, engine)
  const service = await startService(t, { ...place, env: { ...place.env, ...env } })
  await fillWithLargeUsers(engine, place.runSql)
  return service
}

for (const engine of engines) {
  describe(`a service that is told to stop on ${engine.name}`, () => {
    it('keeps serving until a load balancer has noticed that it leaves', async (t) => {
      const place = await makePlace(t, engine)
      const service = await startService(t, { ...place, env: { ...place.env, ROLLBOOK_LEAVE_SECONDS: '6' } })
      process.kill(service.pid, 'SIGTERM')
      while ((await getProblem(service, '/health/ready')).code !== 'draining') await sleep(5)
      const response = await service.call('POST', '/users', { username: 'late' })
      assert.deepEqual([response.status, response.headers.get('connection')], [201, 'close'])
      assert.deepEqual(await service.whenEnded, { code: 0, signal: null })
    })

    it('reports that it is not ready, accepts no new work, lets lists be read to the end, and ends with 0', async (t) => {
      const service = await serviceWithALongList(t, engine, { ROLLBOOK_SHUTDOWN_SECONDS: '60' })
      const list = await open(`${service.url}/users`)
      await list.first()
      // For a moment after a stall it is not sure that the database responds.
      while ((await getProblem(service, '/health/ready')).status !== 200) await sleep(5)
      process.kill(service.pid, 'SIGTERM')
      while ((await getProblem(service, '/health/ready')).code !== 'draining') await sleep(5)
      assert.deepEqual(await getProblem(service, '/users'), { status: 503, code: 'draining' })
      assert.equal((await getProblem(service, '/health/live')).status, 200)
      // A second signal, as from an impatient Ctrl-C, cuts off no request.
      process.kill(service.pid, 'SIGINT')
      await sleep(200)
      assert.equal(JSON.parse(await list.rest()).length, 5000)
      assert.deepEqual(await service.whenEnded, { code: 0, signal: null })
    })

    it('cuts off a list without a reader when its time is over, and ends with 0', async (t) => {
      const service = await serviceWithALongList(t, engine, { ROLLBOOK_SHUTDOWN_SECONDS: '1' })
      const lists = [
        await open(`${service.url}/users`),
        await open(`${service.url}/users`, { 'accept-encoding': 'gzip' }),
      ]
      for (const { first } of lists) await first()
      const startedAt = performance.now()
      assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
      assert.ok(performance.now() - startedAt >= 1000)
      assertWithin(8000, startedAt)
      for (const { rest } of lists) await assert.rejects(rest())
    })

    it('does not wait for connections that are open and idle', async (t) => {
      const service = await startService(t, await makePlace(t, engine))
      await Promise.all(
        Array.from({ length: 8 }, () => service.call('GET', '/users').then((response) => response.text())),
      )
      const startedAt = performance.now()
      assert.equal((await service.end('SIGTERM')).code, 0)
      assertWithin(3000, startedAt)
    })

    it('answers the writes it has accepted: each is kept or refused, none is unknown', async (t) => {
      const place = await makePlace(t, engine)
      const service = await startService(t, place)
      const create = async (i: number): Promise<string | undefined> => {
        const password = i % 2 === 0 ? { password: 'the sky above the port was grey' } : {}
        try {
          const response = await service.call('POST', '/users', { username: `user-${i}`, ...password })
          if (response.status === 201) return ((await response.json()) as { user_id: string }).user_id
          assert.equal(((await response.json()) as Problem).code, 'draining')
        } catch (error) {
          // The service closes a connection between two requests; what was sent on it then was not taken.
          if (error instanceof assert.AssertionError) throw error
        }
        return undefined
      }
      const creations = Array.from({ length: 40 }, (_, i) => create(i))
      await Promise.race(creations)
      assert.equal((await service.end('SIGTERM')).code, 0)
      const storedIds = (await Promise.all(creations)).filter((id) => id !== undefined)
      assert.ok(storedIds.length > 0)
      const next = await startService(t, place)
      const users = (await (await next.call('GET', '/users')).json()) as { user_id: string }[]
      assert.deepEqual(users.map(({ user_id }) => user_id).toSorted(), storedIds.toSorted())
    })
  })
}
