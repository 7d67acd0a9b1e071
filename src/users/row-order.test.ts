import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createUser, engines, type Started, start } from '../../test/harness.ts'

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
