/** What a follower may cost the others. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { page } from '../../../test/events/directory.ts'
import { adminKey, createUser, engines, everyEngine, type Started, start } from '../../../test/harness.ts'
import { waitUntil } from '../../../test/nodes/nodes.ts'
import { follow } from '../../../test/tokens/listener.ts'
import { makeKey } from '../../../test/tokens/parts.ts'
import type { Sql } from '../../store/db/sql.ts'
import { read } from './events.ts'
import { beginning } from './position.ts'

const many = 50_000

/** Old sign-ins, and at the very end the one event that a client waits for. */
async function fill(app: Started): Promise<number> {
  await app.storage.settleJournal()
  const numbers =
    app.database === undefined
      ? `(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many}) SELECT i FROM n)`
      : `generate_series(1, ${many}) AS n(i)`
  const [{ top } = { top: 0 }] = await app.runSql('SELECT max(seq) AS top FROM events')
  await app.runSql(`INSERT INTO events (seq, event_id, type, subject, owner_id, occurred_at, data)
    SELECT ${Number(top)} + i, 'e' || i, 'user.signed_in', 's' || i, 's' || i, '2026-11-20T00:00:00.000Z', '{}' FROM ${numbers}`)
  await app.runSql(`INSERT INTO events (seq, event_id, type, subject, owner_id, occurred_at, data) VALUES
    (${Number(top) + many + 1}, 'last', 'role.deleted', 'old', 'old', '2026-11-20T00:00:00.000Z', '{"role": "old", "permissions": []}')`)
  return Number(top) + many + 1
}

/** Counts how often others get their turn. */
function countTurns() {
  let turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const end = () => {
    isOver = true
  }
  return { now: () => turns, end }
}

/** Watches the statements of the store, and can make one fail as the store would. */
function watchReads(app: Started, look: () => void): void {
  const { db } = app.storage
  const all = db.all.bind(db)
  Object.assign(db, {
    all: async (statement: Sql) => {
      if (JSON.stringify(statement).includes('FROM events')) look()
      return all(statement)
    },
  })
}

for (const engine of everyEngine) {
  describe(`the cost of a follower on ${engine.name}`, () => {
    it('is a bounded part of the history for each response, in pieces with turns for others between them', async (t) => {
      const app = await start(t, engine)
      const newest = await fill(app)
      const turns = countTurns()
      const first = await page(app, '?type=role.deleted&wait=30')
      assert.ok(turns.now() >= 15)
      turns.end()
      assert.deepEqual([first.events, first.has_more], [[], true])
      assert.ok(Number(first.cursor) >= 1000 && Number(first.cursor) <= 20_000)
      let found = first
      for (let pageCount = 1; found.has_more; pageCount++) {
        assert.ok(pageCount < 10)
        found = await page(app, `?type=role.*&after=${found.cursor}`)
      }
      assert.deepEqual(
        found.events.map(({ subject }) => subject),
        ['old'],
      )
      assert.equal(Number(found.cursor), newest)
    })

    it('leaves others their turn while a listener with few events catches up', async (t) => {
      const app = await start(t, engine)
      await fill(app)
      const base = await app.listen()
      const turns = countTurns()
      const readIn = new Set<number>()
      watchReads(app, () => readIn.add(turns.now()))
      const listener = await follow(base, adminKey, { path: '/events?type=role.deleted' })
      t.after(() => listener.close())
      await listener.until('it is told', () => listener.events.some(({ event }) => event === 'role.deleted'), 10_000)
      turns.end()
      assert.ok(readIn.size >= many / 1000, `${readIn.size}`)
    })
  })
}

for (const engine of engines) {
  describe(`the cost of a follower on ${engine.name}`, () => {
    it('ends when no client waits for the response any more', async (t) => {
      const app = await start(t, engine)
      await fill(app)
      const wanted = { limit: 1, types: ['role.deleted'] }
      const { position } = await read(app.storage.db, beginning, wanted, AbortSignal.abort())
      assert.equal(position.seq, 1000)
    })

    it('is one reading for each change, however many wait for something else', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_RATE_LIMIT: '0' } })
      const { cursor } = await page(app)
      const waiting = Array.from({ length: 50 }, () => page(app, `?after=${cursor}&wait=30&type=key.*`))
      await page(app)
      await sleep(500)
      let reads = 0
      watchReads(app, () => reads++)
      for (let i = 0; i < 20; i++) await createUser(app)
      await app.storage.settleJournal()
      await sleep(300)
      t.diagnostic(`${reads} readings`)
      assert.ok(reads > 0 && reads <= 40, `${reads}`)
      await makeKey(app, ['users:read'])
      for (const { events, has_more } of await Promise.all(waiting)) {
        assert.deepEqual([events.map(({ type }) => type), has_more], [['key.created'], false])
      }
    })

    it('includes no second reading of events that were not requested', async (t) => {
      const app = await start(t, engine)
      const { cursor } = await page(app)
      const [found] = await Promise.all([
        page(app, `?after=${cursor}&wait=6&type=role.*`),
        sleep(200).then(() => createUser(app)),
      ])
      assert.deepEqual([Number(found.cursor), found.events], [Number(cursor) + 1, []])
    })

    it('does not cost the follower an event when a reading fails', async (t) => {
      const app = await start(t, engine)
      const base = await app.listen()
      const { cursor } = await page(app)
      const listener = await follow(base, adminKey, { path: `/events?after=${cursor}` })
      t.after(() => listener.close())
      const waiting = page(app, `?after=${cursor}&wait=30`)
      await sleep(500)
      let failures = 0
      watchReads(app, () => {
        if (failures++ === 0) throw new Error('canceling statement due to statement timeout')
      })
      await createUser(app)
      const isTold = () => listener.events.some(({ event }) => event === 'user.created')
      await listener.until('it is told', isTold, 3000)
      assert.ok(failures > 1)
      assert.equal((await waiting).events.length, 1)
      await waitUntil('the log says so', 1000, async () => app.logLines().some((line) => line.includes('cannot read')))
    })
  })
}
