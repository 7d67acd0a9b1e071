// Takes long for its size.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { page, follow as readAll } from '../../../test/events/directory.ts'
import { adminKey, createUser, engines, type Started, start } from '../../../test/harness.ts'
import { skip, twoNodes, waitUntil } from '../../../test/nodes/nodes.ts'
import { assertWithin } from '../../../test/time-limit.ts'
import { type Event, follow } from '../../../test/tokens/listener.ts'
import { makeKey } from '../../../test/tokens/parts.ts'
import { createLog } from '../../app/log.ts'
import { serve } from '../../app/serve.ts'
import { loadConfig } from '../../core/config.ts'
import { createEventFeed, createEventReader } from './feed.ts'
import { writePosition } from './position.ts'

type Options = { key?: string; headers?: Record<string, string>; query?: string }

/** Follows the events of an application that already listens. */
async function listening(t: TestContext, base: string, { key = adminKey, headers = {}, query = '' }: Options = {}) {
  const listener = await follow(base, key, { headers, path: `/events${query}` })
  assert.equal(listener.status, 200)
  t.after(() => listener.close())
  return { ...listener, told: () => listener.events.filter(({ data }) => data !== undefined) }
}

const numberOf = (event?: Event) => Number(event?.id?.split('@')[0])
const sequencesOf = (received: readonly Event[]) => received.map(({ data }) => Number(JSON.parse(data ?? '').sequence))
const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, i) => from + i)

const createMany = async (app: Started, howMany: number) => {
  for (let left = howMany; left > 0; left -= 50) {
    await Promise.all(Array.from({ length: Math.min(50, left) }, () => createUser(app)))
  }
}

for (const engine of engines) {
  describe(`the live feed of changes on ${engine.name}`, () => {
    it('sends everything from the beginning, and each change as soon as it is made', async (t) => {
      const app = await start(t, engine)
      await createUser(app, { username: 'early' })
      const listener = await listening(t, await app.listen())
      assert.equal(listener.headers.get('content-type'), 'text/event-stream')
      assert.equal(listener.headers.get('x-accel-buffering'), 'no')
      assert.ok(listener.headers.get('feed-id'))
      await listener.until('it has heard of the past', () => listener.told().length === 2)
      const begun = performance.now()
      await createUser(app, { username: 'live' })
      await listener.until('it is told', () => listener.told().length === 3, 1000)
      t.diagnostic(`told after ${Math.round(performance.now() - begun)} ms, the change included`)
      const all = await readAll(app)
      const { feed_id } = await page(app)
      assert.deepEqual(
        listener.told().map(({ id, event, data }) => ({ id, event, data: JSON.parse(data ?? '') })),
        all.map((event, i) => ({ id: `${i + 1}@${feed_id.slice(0, 8)}`, event: event.type, data: event })),
      )
    })

    it('sends a reconnecting client what it missed, once and in order, while more happens', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_RATE_LIMIT: '0' } })
      const base = await app.listen()
      // A client knows only numbers that it was sent. On PostgreSQL an event gets its number some time after the commit.
      await createMany(app, 700)
      const early = await listening(t, base)
      await early.until('it has heard of the past', () => numberOf(early.told().at(-1)) === 701, 30_000)
      early.close()
      await createMany(app, 500)
      const cut = await listening(t, base, { headers: { 'last-event-id': String(early.told().at(-1)?.id) } })
      const [fresh] = await Promise.all([listening(t, base), createMany(app, 300)])
      const newest = 1501 // With the administrator's key.
      await cut.until('it has heard of all', () => numberOf(cut.told().at(-1)) === newest, 30_000)
      await fresh.until('the other too', () => numberOf(fresh.told().at(-1)) === newest, 30_000)
      assert.deepEqual(sequencesOf(cut.told()), upTo(newest, 702))
      assert.deepEqual(sequencesOf(fresh.told()), upTo(newest))
    })

    it('sends only the requested types, and keeps the position of a client that receives few', async (t) => {
      const app = await start(t, engine)
      const base = await app.listen()
      const listener = await listening(t, base, { query: '?type=key.*' })
      await createUser(app)
      await createUser(app)
      await makeKey(app, ['users:read'])
      await listener.until('it is told', () => listener.told().length === 2)
      assert.deepEqual(
        listener.told().map((event) => [event.event, numberOf(event)]),
        [
          ['key.created', 1],
          ['key.created', 4],
        ],
      )
      // Now and then a comment, and an id that a browser remembers without delivering an event.
      const { storage } = app
      const quick = { lifecycle: { stage: 'serving' as const }, log: createLog('silent'), heartbeatMs: 300 }
      const reader = createEventReader({ storage, log: quick.log })
      const feed = createEventFeed({ storage, reader, source: () => base, ...quick })
      t.after(() => feed.close())
      const from = { seq: 4, base: 0 }
      const { feed_id: feedId } = await page(app)
      const stream = feed.listen({ actorId: 'x', feedId, from, types: ['key.*'], mayListen: async () => true })
      let text = ''
      stream.on('data', (chunk) => {
        text += chunk
      })
      await createUser(app)
      await waitUntil(
        'it hears where it is',
        2000,
        async () => text.split(`: heartbeat\nid: 5@${feedId.slice(0, 8)}\n\n`).length > 3,
      )
      assert.ok(!text.includes('data:'))
    })

    it('ends within a second for a client whose credential has ended, even while it catches up', async (t) => {
      const app = await start(t, engine)
      const base = await app.listen()
      const { key_id, key } = await makeKey(app, ['events:read'])
      const [listener, other] = [await listening(t, base, { key }), await listening(t, base)]
      await listener.until('it hears', () => listener.told().length > 0)
      assert.equal((await app.call('DELETE', `/keys/${key_id}`)).status, 200)
      const begun = performance.now()
      await listener.whenEnded
      assertWithin(1000, begun)
      await createUser(app)
      await other.until('others go on', () => other.told().at(-1)?.event === 'user.created')
    })

    it('responds to HEAD without starting to listen', async (t) => {
      const app = await start(t, engine)
      const headers = { 'x-api-key': adminKey, accept: 'text/event-stream' }
      const response = await fetch(`${await app.listen()}/events`, { method: 'HEAD', headers })
      assert.deepEqual([response.status, await response.text()], [200, ''])
    })
  })
}

describe('the live feed of changes of several nodes', { skip }, () => {
  it('sends on each node what is changed on any of them, once and in one order', async (t) => {
    const [one, two] = await twoNodes(t, { ROLLBOOK_RATE_LIMIT: '0', ROLLBOOK_PUBLIC_URL: 'http://127.0.0.1/auth' })
    const listeners = [await listening(t, await one.listen()), await listening(t, await two.listen())]
    await Promise.all([createMany(one, 150), createMany(two, 150)])
    const newest = (await readAll(one)).length
    for (const listener of listeners) {
      await listener.until('all are told', () => numberOf(listener.told().at(-1)) === newest, 5000)
      assert.deepEqual(sequencesOf(listener.told()), upTo(newest))
    }
    await sleep(50)
    assert.deepEqual(
      listeners[0]?.told().map(({ data }) => data),
      listeners[1]?.told().map(({ data }) => data),
    )
  })
})

describe('the change feed of a stopping service', () => {
  it('closes listening and waiting requests without an error', async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
    t.after(() => rmSync(directory, { recursive: true }))
    const env = { ROLLBOOK_DATA_DIR: directory, ROLLBOOK_PORT: '0', ROLLBOOK_ADMIN_KEY: adminKey }
    const running = await serve(loadConfig(env), createLog('silent'), (error) => assert.fail(error))
    const listener = await listening(t, running.url)
    // The key and the roles that every start creates.
    await listener.until('it has heard of the past', () => listener.told().length === 3)
    const headers = { 'x-api-key': adminKey }
    const waiting = fetch(`${running.url}/events?after=3&wait=30`, { headers })
    await sleep(300)
    const begun = performance.now()
    await Promise.all([running.stop('test'), listener.whenEnded])
    const answer = await waiting
    assert.deepEqual([answer.status, ((await answer.json()) as { events: object[] }).events], [200, []])
    assertWithin(3000, begun, 'The stop, which gives running requests 10 s,')
  })
})

describe('the position of a follower', () => {
  it('says among compacted events up to where these were at its start, and elsewhere only the number', () => {
    assert.equal(writePosition({ seq: 5, base: 9 }), '5.9')
    for (const seq of [0, 9, 10]) assert.equal(writePosition({ seq, base: 9 }), String(seq))
  })
})
