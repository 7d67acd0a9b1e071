import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { follow, page, readDirectory, replay } from '../../../test/events/directory.ts'
import { createUser, everyEngine, type Started, start } from '../../../test/harness.ts'
import { createPerson, openBrowser } from '../../../test/people.ts'
import { makeKey } from '../../../test/tokens/parts.ts'
import { system } from '../../core/actor.ts'
import { compactEvents } from './compact.ts'

const dayMs = 86_400_000
const days = 90
const handClock = () => {
  let now = Date.now()
  return {
    clock: () => now,
    request: () => ({ actor: system, now, requestId: 'test' }),
    pass(howManyDays: number) {
      now += howManyDays * dayMs
    },
  }
}
const compactedTo = async (app: Started): Promise<number> => {
  const [row] = await app.runSql("SELECT value FROM journal_state WHERE name = 'events_compacted_to'")
  return Number(row?.value ?? 0)
}

for (const engine of everyEngine) {
  describe(`compaction of the change feed on ${engine.name}`, () => {
    it('keeps the last event of everything that still exists, and none of what has ended', async (t) => {
      const time = handClock()
      const app = await start(t, engine, { clock: time.clock })
      const stays = await createPerson(app, { username: 'stays' })
      const goes = await createUser(app, { username: 'goes' })
      const key = await makeKey(app, ['users:read'])
      for (const first_name of ['a', 'b', 'c'])
        await app.call('PATCH', `/users/${stays.user_id}`, { body: { first_name } })
      const browser = await openBrowser(app, 'stays')
      await browser.call('DELETE', '/sessions/current')
      await app.call('DELETE', `/users/${goes.user_id}`)
      await app.call('POST', `/keys/${key.key_id}/rotate`)
      time.pass(days + 1)
      await app.call('PATCH', `/users/${stays.user_id}`, { body: { first_name: 'd' } })
      const whole = await follow(app)
      await compactEvents(app.storage, days, time.request())
      const left = await follow(app)
      assert.deepEqual(
        left.map(({ type, subject }) => [type, subject]),
        [
          ['key.created', whole[0]?.subject], // The administrator's.
          ['user.signed_in', stays.user_id],
          ['key.rotated', key.key_id],
          ['user.updated', stays.user_id],
        ],
      )
      // The remaining events are unchanged, with their numbers.
      assert.deepEqual(
        left,
        whole.filter(({ id }) => left.some((event) => event.id === id)),
      )
      assert.deepEqual(replay(left, { isWhole: false }), { ...(await readDirectory(app)), role: {} })
      assert.deepEqual(replay(left, { isWhole: false }), replay(whole, { isWhole: true }))
    })

    it('leaves everything that is younger, and everything when it is switched off', async (t) => {
      const time = handClock()
      const app = await start(t, engine, { clock: time.clock })
      const { user_id } = await createUser(app)
      for (const first_name of ['a', 'b']) await app.call('PATCH', `/users/${user_id}`, { body: { first_name } })
      const whole = await follow(app)
      time.pass(days - 1)
      await compactEvents(app.storage, days, time.request())
      assert.deepEqual([await follow(app), await compactedTo(app)], [whole, 0])
      time.pass(days)
      await compactEvents(app.storage, 0, time.request())
      assert.deepEqual([await follow(app), await compactedTo(app)], [whole, 0])
    })

    it('stops followers who may have missed an end, and no others', async (t) => {
      const time = handClock()
      const app = await start(t, engine, { clock: time.clock })
      const users = await Promise.all([1, 2, 3].map(() => createUser(app)))
      await app.call('DELETE', `/users/${users[0]?.user_id}`)
      time.pass(days + 1)
      await createUser(app)
      await compactEvents(app.storage, days, time.request())
      const to = await compactedTo(app)
      assert.equal(to, 5) // The key of the administrator, three users, one deletion.
      for (const accept of ['application/json', 'text/event-stream']) {
        for (const after of ['1', String(to - 1), `2.${to - 1}`, `2.${to + 1}`]) {
          const { status, body } = await app.call('GET', `/events?after=${after}`, { headers: { accept } })
          assert.deepEqual([status, body.code], [410, 'cursor_expired'], after)
        }
      }
      assert.equal((await page(app, `?after=${to}`)).events.length, 1)
    })

    it('lets a new follower read page by page, unless compaction overtakes them', async (t) => {
      const time = handClock()
      const app = await start(t, engine, { clock: time.clock })
      const users = [await createUser(app), await createUser(app), await createUser(app)]
      time.pass(days + 1)
      await createUser(app)
      await compactEvents(app.storage, days, time.request())
      const expected = { ...(await readDirectory(app)), role: {} }
      assert.deepEqual(replay(await follow(app, { limit: 1 }), { isWhole: true }), expected)

      const begun = await page(app, '?limit=2')
      assert.match(begun.cursor, /^2\.\d+$/)
      // A user they know is deleted, and the deletion is compacted away before they reach it.
      await app.call('DELETE', `/users/${users[0]?.user_id}`)
      time.pass(days + 1)
      await createUser(app)
      await compactEvents(app.storage, days, time.request())
      const { status, body } = await app.call('GET', `/events?after=${begun.cursor}`)
      assert.deepEqual([status, body.code], [410, 'cursor_expired'])
      assert.deepEqual(replay(await follow(app, { limit: 1 }), { isWhole: true }), {
        ...(await readDirectory(app)),
        role: {},
      })
    })

    it('goes through much in pieces, once a day', async (t) => {
      const time = handClock()
      const app = await start(t, engine, { clock: time.clock, env: { ROLLBOOK_RATE_LIMIT: '0' } })
      const { user_id } = await createUser(app)
      for (let i = 0; i < 450; i++) await app.call('PATCH', `/users/${user_id}`, { body: { first_name: `${i}` } })
      time.pass(days + 1)
      await createUser(app)
      await compactEvents(app.storage, days, time.request())
      assert.deepEqual(
        (await follow(app)).map(({ type }) => type),
        ['key.created', 'user.updated', 'user.created'],
      )
      const to = await compactedTo(app)
      time.pass(0.5)
      await app.call('DELETE', `/users/${user_id}`)
      await compactEvents(app.storage, 0.1, time.request())
      assert.equal(await compactedTo(app), to)
      time.pass(0.6)
      await compactEvents(app.storage, 0.1, time.request())
      // The newest event always stays, because it carries the counter; and so does what it ends.
      assert.deepEqual(
        (await follow(app)).map(({ type }) => type),
        ['key.created', 'user.updated', 'user.created', 'user.deleted'],
      )
    })
  })
}
