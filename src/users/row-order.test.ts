import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createUser, engines, type Started, start } from '../../test/harness.ts'
import { sql } from '../db/sql.ts'
import { openConnection } from '../db/sqlite/connection.ts'
import { uuidv7Maker } from '../lib/uuidv7.ts'
import { makePlace } from './row-order.ts'

type Row = { user_id: string; username: string }

const search = async (app: Started, query: string): Promise<string[]> =>
  (await app.call('GET', `/users?${query}`)).body.map(({ username }: Row) => username)

/** By pages of three, so that each begins behind a user. */
async function searchByPages(app: Started, query: string): Promise<string[]> {
  const found: string[] = []
  let path: string | undefined = `/users?${query}&limit=3`
  while (path !== undefined) {
    const { body, headers } = (await app.call('GET', path)) as { body: Row[]; headers: { link?: string } }
    found.push(...body.map(({ username }) => username))
    path = /<\/auth([^>]+)>/.exec(headers.link ?? '')?.[1]
  }
  return found
}

async function indexed(app: Started): Promise<void> {
  while (Number((await app.runSql('SELECT count(*) AS n FROM search_pending'))[0]?.n) > 0) await sleep(20)
}

for (const engine of engines) {
  describe(`users who come back, in lists and searches on ${engine.name}`, () => {
    it('stand where they stood, in whatever order they went and came', async (t) => {
      const app = await start(t, engine)
      const all: Row[] = []
      const add = async () => {
        const n = all.length
        all.push((await createUser(app, { username: `lin-${n}`, first_name: n % 2 ? 'Odd' : 'Even' })) as Row)
      }
      const remove = async (n: number) =>
        assert.equal((await app.call('DELETE', `/users/${all[n]?.user_id}`)).status, 200)
      const restore = async (n: number) =>
        assert.equal((await app.call('POST', `/users/${all[n]?.user_id}/restore`)).status, 200)
      const expectAll = async (gone: readonly number[]) => {
        const there = all.filter((_, n) => !gone.includes(n)).map(({ username }) => username)
        const odd = there.filter((name) => Number(name.slice(4)) % 2)
        assert.deepEqual(await search(app, 'q=lin'), there)
        assert.deepEqual(await searchByPages(app, 'q=lin'), there)
        assert.deepEqual(await searchByPages(app, 'q=odd'), odd)
        assert.deepEqual(await searchByPages(app, 'q=odd&sort=-created_at'), odd.toReversed())
        const counted = await app.call('GET', '/users?q=odd&limit=1&count=true')
        assert.equal(counted.headers['total-count'], String(odd.length))
      }

      for (let n = 0; n < 8; n++) await add()
      if (engine.name === 'SQLite') await indexed(app)
      // The newest go, and others are given their numbers; some go from the middle.
      for (const n of [7, 6, 2, 3]) await remove(n)
      for (let n = 8; n < 13; n++) await add()
      await remove(9)
      await expectAll([2, 3, 6, 7, 9])
      // In the order in which the least room is left.
      await restore(6)
      await expectAll([2, 3, 7, 9])
      await restore(7)
      await restore(3)
      await expectAll([2, 9])
      if (engine.name === 'SQLite') await indexed(app)
      await expectAll([2, 9])
      await restore(2)
      await restore(9)
      await expectAll([])
      if (engine.name === 'SQLite') {
        await indexed(app)
        const rows = await app.runSql('SELECT user_id FROM users ORDER BY row_id')
        assert.deepEqual(
          rows.map(({ user_id }) => user_id),
          all.map(({ user_id }) => user_id),
        )
        const [found] = await app.runSql(`SELECT count(*) AS n FROM users_search WHERE users_search MATCH '"lin"'`)
        assert.equal(found?.n, all.length, 'the index knows each of them once')
      }
      await expectAll([])
    })

    it('may be the first of all, or the only one', async (t) => {
      const app = await start(t, engine)
      const [first, second] = [
        await createUser(app, { username: 'lin-0' }),
        await createUser(app, { username: 'lin-1' }),
      ]
      for (const { user_id } of [first, second]) await app.call('DELETE', `/users/${user_id}`)
      await app.call('POST', `/users/${second.user_id}/restore`)
      assert.deepEqual(await search(app, 'q=lin'), ['lin-1'])
      await app.call('POST', `/users/${first.user_id}/restore`)
      assert.deepEqual(await searchByPages(app, 'q=lin'), ['lin-0', 'lin-1'])
    })
  })
}

describe('the row numbers of SQLite', () => {
  /** Puts ids into a store of nothing but users, as `insertUser` does, and answers how many rows moved for them. */
  async function placeAll(ids: readonly { id: string; isMade?: boolean }[]): Promise<number> {
    const db = openConnection({ path: ':memory:', cacheKiB: 4096 })
    try {
      db.exec('CREATE TABLE users (row_id INTEGER PRIMARY KEY, user_id TEXT NOT NULL UNIQUE)')
      db.exec('CREATE TABLE search_pending (row_id INTEGER PRIMARY KEY)')
      db.exec('CREATE TABLE moves (n INTEGER)')
      db.exec('CREATE TRIGGER moved UPDATE ON users BEGIN INSERT INTO moves VALUES (1); END')
      let lastId: string | undefined
      for (const { id, isMade = false } of ids) {
        const place = await makePlace(db, id, { isMade, lastId })
        lastId = id
        await db.run(sql`INSERT INTO users (row_id, user_id) VALUES (${place}, ${id})`)
      }
      const rows = await db.all<{ row_id: number; user_id: string }>(sql`SELECT * FROM users ORDER BY row_id`)
      assert.deepEqual(
        rows.map(({ user_id }) => user_id),
        ids.map(({ id }) => id).toSorted(),
      )
      assert.ok(rows.every(({ row_id }) => row_id > 0 && Number.isSafeInteger(row_id)))
      return (await db.get<{ n: number }>(sql`SELECT count(*) AS n FROM moves`))?.n ?? 0
    } finally {
      db.close()
    }
  }

  const made = (n: number) => {
    const newId = uuidv7Maker()
    return Array.from({ length: n }, () => ({ id: newId(1_790_000_000_000), isMade: true }))
  }
  const numbered = (n: number) => ({ id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}` })
  const count = 3000
  const inOrder = Array.from({ length: count }, (_, n) => numbered(n))
  const shuffled = Array.from({ length: count }, (_, n) => numbered((n * 1009) % count))

  it('go with the ids, whatever these are and however they come, and few rows move for one', async () => {
    const before = made(count)
    for (const [name, ids, most] of [
      ['made here', before, 0],
      ['at random', Array.from({ length: count }, () => ({ id: randomUUID() })), 0],
      [
        'the last ids there are, and then some made here',
        [{ id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }, ...before],
        0,
      ],
      ['all of one neighbourhood, upwards', inOrder, 0],
      ['downwards', inOrder.toReversed(), 30],
      ['in no order', shuffled, 30],
      [
        'between some that were made here',
        [...before.filter((_, n) => n % 2), ...withoutMade(before.filter((_, n) => !(n % 2)).toReversed())],
        30,
      ],
      ['before all that were made here', [...before, ...shuffled], 30],
    ] as const) {
      const moved = await placeAll(ids)
      assert.ok(moved <= most * ids.length, `${name}: ${moved} moves for ${ids.length} ids`)
    }
  })

  const withoutMade = (ids: readonly { id: string }[]) => ids.map(({ id }) => ({ id }))
})
