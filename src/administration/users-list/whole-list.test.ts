// Takes long for its size.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { adminKey, createUser, engines, start } from '../../../test/harness.ts'
import { fillWithLargeUsers, open } from '../../../test/reading.ts'

type User = { user_id: string; username: string }

const status = async (url: string): Promise<number> => {
  const response = await fetch(url, { headers: { 'x-api-key': adminKey } })
  await response.body?.cancel()
  return response.status
}

/** Waits for what happens in the background, such as the server noticing that a client has left. */
async function eventually(holds: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 1600; i++) {
    if (await holds()) return
    await sleep(25)
  }
  assert.fail('It did not happen within 40 seconds.')
}

for (const engine of engines) {
  describe(`the whole list as a stream on ${engine.name}`, () => {
    it('shows one point in time, whatever is written while it is read', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_MAX_SNAPSHOTS: '6' } })
      await fillWithLargeUsers(engine, app.runSql)
      const before: User[] = (await app.call('GET', '/users')).body
      const url = `${await app.listen()}/users`
      const readings = [
        await open(`${url}?count=true`),
        await open(`${url}?sort=-username&count=true`),
        await open(url, { accept: 'application/x-ndjson' }),
      ]
      for (const { first } of readings) await first()

      const [second, last] = [before[1] as User, before.at(-1) as User]
      await createUser(app, { username: 'zz-newcomer' })
      await app.call('PATCH', `/users/${before.at(-2)?.user_id}`, { body: { username: 'aa-changed' } })
      await app.call('DELETE', `/users/${last.user_id}`)
      await app.call('DELETE', `/users/${second.user_id}`)
      assert.equal(await status(url), 503, 'all three lists are still being read, which is half of all')

      const [inOrder, sorted, lines] = await Promise.all(readings.map(({ rest }) => rest()))
      assert.deepEqual(JSON.parse(inOrder as string), before)
      const byName = before.toSorted((a, b) => (a.username < b.username ? 1 : -1))
      assert.deepEqual(JSON.parse(sorted as string), byName)
      assert.deepEqual(
        (lines as string)
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
        before,
      )
      assert.equal(readings[0]?.response.headers.get('total-count'), '5000')
      assert.equal((await app.call('GET', '/users?limit=1&count=true')).headers['total-count'], '4999')
    })

    it('can be recognized as incomplete when it was cut off, in every coding', async (t) => {
      // Longer than any stall of a busy machine, or the reader that continues would be cut off too.
      const app = await start(t, engine, { env: { ROLLBOOK_SNAPSHOT_STALL_SECONDS: '6' } })
      await fillWithLargeUsers(engine, app.runSql)
      const url = `${await app.listen()}/users`
      const codings = ['identity', 'gzip', 'br', 'zstd']
      const readings = await Promise.all(codings.map((coding) => open(url, { 'accept-encoding': coding })))
      const whole = (await open(url)).rest()
      for (const { first } of readings) await first()
      assert.equal(JSON.parse(await whole).length, 5000, 'a reader that continues gets all users')
      await eventually(
        async () => app.logLines().filter((line) => line.includes('The client stopped reading')).length === 4,
      )
      for (const [i, { rest }] of readings.entries()) {
        await assert.rejects(rest(), (error: Error) => error.name !== 'AssertionError', codings[i])
      }
    })

    it('is cut off when its snapshot becomes too old, even if it is still read', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_SNAPSHOT_SECONDS: '1', ROLLBOOK_MAX_SNAPSHOTS: '1' } })
      await fillWithLargeUsers(engine, app.runSql)
      const url = `${await app.listen()}/users`
      const slow = await fetch(url, { headers: { 'x-api-key': adminKey, 'accept-encoding': 'identity' } })
      const reader = (slow.body as ReadableStream<Uint8Array>).getReader()
      const began = Date.now()
      const readSlowly = async () => {
        while (!(await reader.read()).done) await sleep(25)
      }
      await assert.rejects(readSlowly())
      assert.ok(Date.now() - began < 10_000)
      assert.equal(await status(url), 200, 'its place is free')
    })

    it('allows a limited number of readers; the next one is told to retry, and succeeds as soon as one leaves', async (t) => {
      // Longer than a reader waits for a place, even if the machine stalls, or the stalled ones would make room for it.
      const env = { ROLLBOOK_MAX_SNAPSHOTS: '3', ROLLBOOK_SNAPSHOT_STALL_SECONDS: '10' }
      const app = await start(t, engine, { env })
      await fillWithLargeUsers(engine, app.runSql)
      const url = `${await app.listen()}/users`
      const [one] = [await open(url), await open(url)]
      const refused = await app.call('GET', '/users')
      assert.deepEqual([refused.status, refused.body.code], [503, 'too_many_snapshots'])
      assert.match(refused.headers['retry-after'] ?? '', /^[1-9]\d*$/)
      assert.equal(refused.headers.etag, undefined)
      assert.equal(await status(`${url}?limit=10`), 200, 'a page needs no snapshot')
      assert.equal((await app.call('HEAD', '/users?limit=1')).status, 200)
      await one?.cancel()
      await eventually(async () => (await status(url)) === 200)
      // The other has stalled and is dropped after its time; both places are free then.
      await eventually(async () => {
        const again = [await open(url), await open(url)]
        for (const { cancel: leave } of again) await leave()
        return again.every(({ response }) => response.status === 200)
      })
    })

    it('gives at most half of its places, rounded up, to one credential', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_MAX_SNAPSHOTS: '3' } })
      await fillWithLargeUsers(engine, app.runSql)
      const body = { name: 'reader', permissions: ['users:read'] }
      const { key } = (await app.call('POST', '/keys', { body })).body
      const url = `${await app.listen()}/users`
      const mine = [await open(url), await open(url)]
      assert.equal((await app.call('GET', '/users')).body.code, 'too_many_snapshots')
      const theirs = await open(url, { 'x-api-key': key })
      assert.equal(theirs.response.status, 200)
      assert.equal((await app.call('GET', '/users', { key })).body.code, 'too_many_snapshots', 'all are taken now')
      for (const { cancel: leave } of mine) await leave()
      await eventually(async () => (await status(url)) === 200)
      await theirs.cancel()
    })

    it('gives its place back however it ends: read, empty, asked for by HEAD, or not modified', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_MAX_SNAPSHOTS: '1' } })
      const list = (query = '', method = 'GET', headers = {}) => app.call(method, `/users${query}`, { headers })
      for (let i = 0; i < 3; i++) {
        const answers = [
          await list(),
          await list('?q=nobody'),
          await list('?count=true'),
          await list('', 'HEAD'),
          await list('?count=true', 'HEAD'),
          await list('', 'GET', { accept: 'text/csv' }),
          await list('', 'GET', { 'accept-encoding': 'gzip' }),
        ]
        for (const { status } of answers) assert.equal(status, 200)
        const etag = answers[0]?.headers.etag as string
        assert.equal((await list('', 'GET', { 'if-none-match': etag })).status, 304)
        await createUser(app)
      }
    })
  })
}
