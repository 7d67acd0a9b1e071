import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { IncompleteStreamError, RollbookClient, type User } from '../../src/sdk/client/index.ts'
import { adminKey, anyEngine, type Started, start } from '../harness.ts'
import { startWay, type Way } from './unreliable.ts'

const engine = anyEngine
const userCount = 300
/** Turns off compression, so that a list can be cut off after a number of bytes. */
const plainly = { headers: { 'accept-encoding': 'identity' } }

async function startFull(t: TestContext): Promise<{ app: Started; way: Way; client: RollbookClient }> {
  const app = await start(t, engine)
  const way = await startWay(t, await app.listen())
  const client = new RollbookClient({ url: way.url, apiKey: adminKey })
  const names = Array.from({ length: userCount }, (_, i) => `user-${i}`).values()
  const filler = 'ö'.repeat(200)
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (const username of names) {
        await app.call('POST', '/users', { body: { username, first_name: filler, last_name: filler } })
      }
    }),
  )
  return { app, way, client }
}

describe('a streamed list', () => {
  it('yields every user, fails if it is cut off, and ends the request if its reader leaves', async (t) => {
    const { app, way, client } = await startFull(t)

    await t.test('gives every user, as the list has them', async () => {
      const found: User[] = []
      for await (const user of client.users.list()) found.push(user)
      assert.equal(found.length, userCount)
      assert.deepEqual(found, (await app.call('GET', '/users')).body)
    })

    await t.test('refuses the parameters of a page, which would end it early', () => {
      for (const paging of [{ limit: 3 }, { offset: 0 }, { cursor: 'x' }]) {
        assert.throws(() => client.users.list(paging as never), /^TypeError: A list has every row/)
        assert.throws(() => client.groups.members('of any group', paging as never), TypeError)
      }
    })

    await t.test('gives those that fit, in the order that was asked for', async () => {
      const found: string[] = []
      for await (const { username } of client.users.list({ q: 'user-2', sort: '-username' })) found.push(username)
      const all = Array.from({ length: userCount }, (_, i) => `user-${i}`)
      assert.deepEqual(
        found,
        all
          .filter((name) => name.startsWith('user-2'))
          .sort()
          .reverse(),
      )
    })

    await t.test('throws when it is cut, wherever that is', async () => {
      for (const cutAfter of [1, 50_000, 200_001]) {
        way.fate = () => ({ cutAfter })
        let count = 0
        await assert.rejects(async () => {
          for await (const _ of client.users.list({}, plainly)) count += 1
        }, IncompleteStreamError)
        assert.ok(count < userCount && count >= Math.floor(cutAfter / 1100) - 1, `${count} after ${cutAfter} bytes`)
      }
      way.fate = () => 'pass'
    })

    await t.test('throws when no more data arrives', async () => {
      way.fate = () => ({ holdAfter: 50_000 })
      let count = 0
      await assert.rejects(async () => {
        for await (const _ of client.users.list({}, { ...plainly, timeoutMs: 2000 })) count += 1
      }, IncompleteStreamError)
      assert.ok(count > 0)
    })

    await t.test('ends the request when its reader stops, or the signal aborts', async () => {
      way.fate = () => ({ holdAfter: 50_000 })
      const readAndCancel = async (read: () => Promise<void>) => {
        const number = way.passed.length + 1
        await read()
        for (let i = 0; !way.left.has(number) && i < 500; i += 1) await sleep(20)
        assert.ok(way.left.has(number) && way.passed.length === number)
      }
      await readAndCancel(async () => {
        for await (const _ of client.users.list({}, plainly)) break
      })
      await readAndCancel(async () => {
        const controller = new AbortController()
        const reason = new Error('enough')
        await assert.rejects(async () => {
          for await (const _ of client.users.list({}, { ...plainly, signal: controller.signal }))
            controller.abort(reason)
        }, reason)
      })
      await readAndCancel(async () => (await client.users.listRaw({}, plainly)).cancel())
      way.fate = () => 'pass'
    })

    await t.test('is incomplete even if a proxy ends it early and cleanly', async () => {
      const { headers, text } = await app.call('GET', '/users?count=true', {
        headers: { accept: 'application/x-ndjson' },
      })
      const body = text.slice(0, text.indexOf('\n', 1000) + 1)
      const [type, total] = ['content-type', 'total-count'].map((name) => headers[name] as string)
      way.fate = ({ path }) => {
        assert.match(path, /[?&]count=true/)
        return { status: 200, headers: { 'content-type': type as string, 'total-count': total as string }, body }
      }
      await assert.rejects(Array.fromAsync(client.users.list()), (error) => {
        assert.ok(error instanceof IncompleteStreamError)
        assert.match(error.message, /after \d+ of 300 rows/)
        return true
      })
      way.fate = () => 'pass'
    })

    await t.test('waits for a slow reader instead of giving up', async () => {
      let count = 0
      for await (const _ of client.users.list({}, { timeoutMs: 1000 })) {
        if (count++ === 0) await sleep(2000)
      }
      assert.equal(count, userCount)
    })

    await t.test('asks for nothing before it is read', async () => {
      const before = way.passed.length
      client.users.list()
      await sleep(20)
      assert.equal(way.passed.length, before)
    })

    await t.test('is retried as long as no part of the response has arrived', async () => {
      const before = way.passed.length
      way.fate = ({ number }) => (number === before + 1 ? 'lose' : 'pass')
      let count = 0
      for await (const _ of client.users.list()) count += 1
      assert.equal(count, userCount)
      assert.equal(way.passed.length, before + 2)
      way.fate = () => 'pass'
    })

    await t.test('comes as bytes in each format', async () => {
      for (const [accept, firstBytes] of [
        ['application/json', '[{"user_id":"'],
        ['application/x-ndjson', '{"user_id":"'],
        ['text/csv', 'user_id,username,'],
      ] as const) {
        const { body, headers } = await client.users.listRaw({ limit: 1 }, { accept })
        let text = ''
        for await (const chunk of body) text += new TextDecoder().decode(chunk)
        assert.ok(text.startsWith(firstBytes), text)
        assert.ok(headers.get('content-type')?.startsWith(accept))
      }
    })

    await t.test('comes page by page', async () => {
      const found: string[] = []
      let cursor: string | undefined
      do {
        const { users, next, total } = await client.users.page({ limit: 100, count: true, ...(cursor && { cursor }) })
        found.push(...users.map(({ user_id }) => user_id))
        assert.equal(total, userCount)
        cursor = next
      } while (cursor !== undefined)
      assert.equal(new Set(found).size, userCount)
    })
  })

  it('follows events across pages and waits for new ones', async (t) => {
    const app = await start(t, engine)
    const client = new RollbookClient({ url: await app.listen(), apiKey: adminKey })
    await client.users.create({ username: 'before' })
    const seen: string[] = []
    for await (const { events } of client.events.follow({ type: ['user.created'], limit: 1 })) {
      seen.push(...events.map(({ data }) => ('username' in data ? data.username : '')))
      if (seen.length === 2) break
      setTimeout(() => void client.users.create({ username: 'meanwhile' }), 50)
    }
    assert.deepEqual(seen, ['before', 'meanwhile'])
  })

  it('yields every audit record and every deleted user', async (t) => {
    const app = await start(t, engine)
    const client = new RollbookClient({ url: await app.listen(), apiKey: adminKey })
    const { user_id } = await client.users.create({ username: 'watched' })
    await client.users.delete(user_id)
    const actions: string[] = []
    for await (const { action } of client.audit.listOf(user_id)) actions.push(action)
    assert.deepEqual(actions, ['user.created', 'user.deleted'])
    for await (const deleted of client.deletedUsers.list()) assert.equal(deleted.user_id, user_id)
    assert.equal((await client.deletedUsers.page()).users.length, 1)
  })
})
