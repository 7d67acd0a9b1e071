import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { filling, idOf, middle, size, unordered } from '../../../test/dense-store.ts'
import { createUser, engines, everyEngine, type Started, start } from '../../../test/harness.ts'
import { uuidv7Maker } from '../../lib/uuidv7.ts'
import { sql } from '../../store/db/sql.ts'
import { type Connection, openConnection } from '../../store/db/sqlite/connection.ts'
import { NoRoom } from '../../store/db/sqlite/failures.ts'
import { makeRoom, movedAtOnce, movedByChange, reservePlaces } from './row-order.ts'

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

for (const engine of everyEngine) {
  describe(`restored users in lists and searches on ${engine.name}`, () => {
    it('return to their position, in whatever order they were deleted and restored', async (t) => {
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
      const expectAll = async (deleted: readonly number[]) => {
        const there = all.filter((_, n) => !deleted.includes(n)).map(({ username }) => username)
        const odd = there.filter((name) => Number(name.slice(4)) % 2)
        assert.deepEqual(await search(app, 'q=lin'), there)
        assert.deepEqual(await searchByPages(app, 'q=lin'), there)
        assert.deepEqual(await searchByPages(app, 'q=odd'), odd)
        assert.deepEqual(await searchByPages(app, 'q=odd&sort=-created_at'), odd.toReversed())
        const counted = await app.call('GET', '/users?q=odd&limit=1&count=true')
        assert.equal(counted.headers['total-count'], String(odd.length))
        if (engine.name !== 'SQLite') return
        const left = await app.runSql(`SELECT search_texts.row_id FROM search_texts LEFT JOIN users USING (row_id)
          WHERE search_texts.search_text IS NOT users.search_text`)
        assert.deepEqual(left, [], 'the texts of users who left or moved are gone')
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

    it('can be the first of all, or the only one', async (t) => {
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

for (const engine of engines) {
  describe(`many users restored at once on ${engine.name}`, () => {
    it('come back in one change, however closely they follow one another', async (t) => {
      const app = await start(t, engine)
      const ids: string[] = []
      for (let n = 0; n < 250; n++) ids.push(String((await createUser(app, { username: `lin-${n}` })).user_id))
      const last = await createUser(app, { username: 'lin-last' })
      const all = (action: string) => app.call('POST', '/users/bulk', { body: { action, user_ids: ids } })
      const shuffled = ids.toSorted((a, b) => (a.slice(-6) < b.slice(-6) ? -1 : 1))
      for (const order of [ids, ids.toReversed(), shuffled]) {
        assert.equal((await all('delete')).status, 200)
        const body = { action: 'restore', user_ids: order }
        const restored = await app.call('POST', '/users/bulk', { body })
        const summary = JSON.parse(restored.text.trim().split('\n').at(-1) as string)
        assert.equal(summary.changed, 250)
        const there = (await app.call('GET', '/users')).body.map(({ user_id }: Row) => user_id)
        assert.deepEqual(there, [...ids, last.user_id])
      }
    })
  })
}

describe('row numbers for users restored between others on SQLite', () => {
  /** Ids between one and the next, each halving what room the ones before have left. */
  const closingIn = Array.from({ length: 15 }, (_, n) => idOf(middle, 2 ** (15 - n)))

  async function bring(app: Started, ids: readonly string[], name: string) {
    const body = ids.map((user_id, n) => `${JSON.stringify({ user_id, username: `lin-${name}-${n}` })}\n`).join('')
    const headers = { 'content-type': 'application/x-ndjson' }
    const response = await app.call('POST', '/users/import', { body, headers })
    assert.deepEqual([response.status, response.body.created], [200, ids.length], response.text)
  }

  it('are made free while other changes continue, and lists stay complete and in order', async (t) => {
    const app = await start(t, { name: 'SQLite' })
    await app.runSql(filling)
    let isDone = false
    const importing = bring(app, closingIn, 'close').then(() => {
      isDone = true
    })
    let changes = 0
    while (!isDone) {
      const path = `/users/${idOf(1 + ((changes * 397) % size))}`
      const { status } = await app.call('PATCH', path, { body: { first_name: `Ada ${changes}` } })
      assert.equal(status, 200)
      if (!isDone) changes++
      if (changes % 5 > 0) continue
      const { body, headers } = await app.call('GET', '/users?q=lin&limit=200&count=true')
      const found = body.map(({ user_id }: { user_id: string }) => user_id)
      assert.deepEqual(
        found,
        Array.from({ length: 200 }, (_, n) => idOf(n + 1)),
      )
      assert.ok(Number(headers['total-count']) >= size)
    }
    await importing
    assert.ok(changes >= 4, `${changes} changes were made while ${size} rows were renumbered`)
    assert.equal((await app.runSql(unordered))[0]?.n, 0)
    const there = (await app.call('GET', '/users?q=lin')).body.map(({ user_id }: { user_id: string }) => user_id)
    assert.deepEqual(there, [...Array.from({ length: size }, (_, n) => idOf(n + 1)), ...closingIn].toSorted())

    // Once there is room, a change that others come between finds it: no other is renumbered, or few are.
    const before = await app.runSql('SELECT user_id, row_id FROM users')
    await bring(
      app,
      closingIn.map((_, n) => idOf(middle + 100, 2 ** (15 - n))),
      'again',
    )
    const numbers = new Map(
      (await app.runSql('SELECT user_id, row_id FROM users')).map((row) => [row.user_id, row.row_id]),
    )
    const moved = before.filter(({ user_id, row_id }) => numbers.get(user_id) !== row_id)
    assert.ok(moved.length <= 200, `${moved.length} rows were renumbered for 15`)
  })
})

describe('the row numbers of SQLite', () => {
  type Coming = { id: string; isMade?: boolean }
  type Moves = { all: number; atOnce: number; steps: number }

  async function withUsers<T>(dense: readonly Coming[], work: (db: Connection) => Promise<T>): Promise<T> {
    const db = openConnection({ path: ':memory:', cacheKiB: 4096 })
    try {
      db.exec('CREATE TABLE users (row_id INTEGER PRIMARY KEY, user_id TEXT NOT NULL UNIQUE)')
      db.exec('CREATE TABLE search_pending (row_id INTEGER PRIMARY KEY)')
      db.exec('CREATE TABLE moves (n INTEGER)')
      for (const { id } of dense) await db.run(sql`INSERT INTO users (user_id) VALUES (${id})`)
      db.exec('CREATE TRIGGER moved UPDATE ON users BEGIN INSERT INTO moves VALUES (1); END')
      const done = await work(db)
      const unordered = await db.get(sql`
        SELECT 1 FROM (SELECT row_id, user_id, lag(user_id) OVER (ORDER BY row_id) AS before FROM users)
        WHERE before >= user_id OR row_id <= 0 OR row_id > ${Number.MAX_SAFE_INTEGER}`)
      assert.equal(unordered, undefined)
      return done
    } finally {
      db.close()
    }
  }

  async function countMoves(db: Connection): Promise<number> {
    const n = (await db.get<{ n: number }>(sql`SELECT count(*) AS n FROM moves`))?.n ?? 0
    db.exec('DELETE FROM moves')
    return n
  }

  /** One change that inserts these users, as often as the writer would run it. @param between other changes between two steps */
  async function insert(db: Connection, ids: readonly Coming[], moves: Moves, between?: () => Promise<void>) {
    const newcomers = ids.map(({ id, isMade = false }) => ({ user_id: id, isMade }))
    const reserve = async () => {
      const places = await db.alone(() => reservePlaces(db, newcomers))
      const moved = await countMoves(db)
      assert.ok(moved <= movedByChange)
      moves.all += moved
      for (const [id, number] of places)
        await db.run(sql`INSERT INTO users (row_id, user_id) VALUES (${number}, ${id})`)
    }
    try {
      await reserve()
    } catch (error) {
      if (!(error instanceof NoRoom)) throw error
      assert.equal(await countMoves(db), 0, 'what was renumbered is undone')
      for await (const _ of makeRoom(db, error.userIds)) {
        const moved = await countMoves(db)
        Object.assign(moves, { all: moves.all + moved, atOnce: Math.max(moves.atOnce, moved), steps: moves.steps + 1 })
        await between?.()
      }
      moves.all += await countMoves(db)
      // The rule: the repeated change finds room for all of its users.
      await reserve()
    }
  }

  /** Puts ids into a store of nothing but users, some in each change, and returns how many rows were renumbered for them. */
  function placeAll(ids: readonly Coming[], dense: readonly Coming[] = [], inChange = 1): Promise<Moves> {
    return withUsers(dense, async (db) => {
      const moves: Moves = { all: 0, atOnce: 0, steps: 0 }
      for (let n = 0; n < ids.length; n += inChange) await insert(db, ids.slice(n, n + inChange), moves)
      return moves
    })
  }

  const rowAt = (n: number) => {
    const newId = uuidv7Maker()
    return Array.from({ length: n }, () => ({ id: newId(1_790_000_000_000), isMade: true }))
  }
  const numbered = (n: number) => ({ id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}` })
  const count = 1000
  const inOrder = Array.from({ length: count }, (_, n) => numbered(n))
  const shuffled = Array.from({ length: count }, (_, n) => numbered((n * 701) % count))

  const withoutMade = (ids: readonly { id: string }[]) => ids.map(({ id }) => ({ id }))

  /** Ids that come ever closer to one, from above or below: each halves the room that is left. */
  function closingIn(id: string, from: 1 | -1): { id: string }[] {
    const end = Number.parseInt(id.slice(24), 16)
    const start = from > 0 ? 0 : 2 ** 48 - 1
    return Array.from({ length: 300 }, (_, n) => {
      const last = Math.round(end + (start - end) * 0.9 ** n)
      return { id: id.slice(0, 24) + last.toString(16).padStart(12, '0') }
    }).filter(({ id: other }, n, all) => other !== id && other !== all[n - 1]?.id)
  }

  it('follow the ids, whatever these are and however they arrive, and few rows move for one', async () => {
    const before = rowAt(count)
    const middle = before[count / 2]?.id as string
    const table: [name: string, ids: Coming[], most: number, dense?: Coming[]][] = [
      ['made here', before, 0],
      ['at random', Array.from({ length: count }, () => ({ id: randomUUID() })), 0],
      ['the last id there is, and then some made here', [{ id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }, ...before], 0],
      ['all of one neighbourhood, upwards', inOrder, 0],
      ['downwards', inOrder.toReversed(), 20],
      ['in no order', shuffled, 3],
      [
        'between some that were made here',
        [...before.filter((_, n) => n % 2), ...withoutMade(before.filter((_, n) => !(n % 2)).toReversed())],
        0,
      ],
      ['before all that were made here', [...before, ...shuffled], 3],
      ['ever closer to one from above', [...before, ...closingIn(middle, -1)], 10],
      ['ever closer to one from below', [...before, ...closingIn(middle, 1)], 10],
      ['ever closer to one of a store without room between its rows', closingIn(middle, -1), 60, before],
      ['before all of a store without room', shuffled, 30, before],
    ]
    for (const [name, ids, most, dense] of table) {
      for (const inChange of [1, 60, 800]) {
        const moves = await placeAll(ids, dense, inChange)
        const found = `${name}, ${inChange} in a change: ${moves.all} moves for ${ids.length} ids, ${moves.steps} steps`
        assert.ok(moves.all <= most * ids.length, found)
        assert.ok(moves.atOnce <= movedAtOnce, `${found}, ${moves.atOnce} moves at once`)
      }
    }
  })

  it('have room for every user of a change that runs again, even if others use it up between the steps', async () => {
    const dense = rowAt(count)
    const middle = dense[count / 2]?.id as string
    const [wanted, others] = [closingIn(middle, -1), closingIn(middle, 1)]
    await withUsers(dense, async (db) => {
      const moves: Moves = { all: 0, atOnce: 0, steps: 0 }
      await insert(db, wanted, moves, async () => {
        // At the same place, with the numbers that were meant for the users of the change.
        const other = others.shift()
        if (other !== undefined) await insert(db, [other], { all: 0, atOnce: 0, steps: 0 })
      })
      assert.ok(moves.steps > 0)
    })
  })
})
