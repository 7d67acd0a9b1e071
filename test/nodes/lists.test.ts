import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { planList } from '../../src/administration/users-list/plan.ts'
import { system } from '../../src/core/actor.ts'
import { scopeOf } from '../../src/core/scope.ts'
import type { Snapshot } from '../../src/store/storage/storage.ts'
import { adminKey, type Started } from '../harness.ts'
import { behindNetwork, runOn, skip, waitUntil } from './nodes.ts'

const users = 4000

async function fill(node: Started): Promise<void> {
  await node.runSql(`
    INSERT INTO users (user_id, version, document, username, username_key, first_name, last_name, role, active,
      created_at, updated_at, search_text)
    SELECT id, 1, json_build_object('user_id', id, 'username', name, 'first_name', 'Ada'), name, name, 'Ada', '',
      'user', 1, '', '', ''
    FROM generate_series(1, ${users}) AS n,
      LATERAL (SELECT '00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0') AS id, 'user-' || n AS name) AS one`)
}

async function readAll(snapshot: Snapshot): Promise<{ username: string }[]> {
  const pieces: Uint8Array[] = []
  for (let piece = await snapshot.next(); piece !== undefined; piece = await snapshot.next()) pieces.push(piece)
  return JSON.parse(Buffer.concat(pieces).toString())
}

describe('whole lists', { skip }, () => {
  it('are read from snapshots', async (t) => {
    const { direct: b, behind: a, network } = await behindNetwork(t, { ROLLBOOK_MAX_SNAPSHOTS: '4' })
    await fill(a)
    const url = await a.listen()
    const whole = planList(scopeOf(system), {}, 'json')
    const open = (caller: string, signal?: AbortSignal) =>
      a.storage.openSnapshot('users.list', whole, { actor: { ...system, id: caller }, ...(signal && { signal }) })
    const connections = () =>
      runOn(
        a.database as NonNullable<Started['database']>,
        `SELECT state FROM pg_stat_activity
         WHERE application_name = 'rollbook lists' AND usename = '${a.database?.role}'`,
      )
    const inTransaction = async () => (await connections()).filter(({ state }) => state !== 'idle').length
    const list = (signal?: AbortSignal) =>
      fetch(`${url}/users`, { headers: { 'x-api-key': adminKey }, ...(signal && { signal }) })

    await t.test('show one point in time, whatever another node changes meanwhile', async () => {
      const snapshot = await open('reader')
      const created = await b.call('POST', '/users', { body: { username: 'zz-later' } })
      const last = `00000000-0000-7000-8000-${users.toString(16).padStart(12, '0')}`
      assert.equal((await b.call('DELETE', `/users/${last}`)).status, 200)
      const before = `00000000-0000-7000-8000-${(users - 1).toString(16).padStart(12, '0')}`
      assert.equal((await b.call('PATCH', `/users/${before}`, { body: { username: 'renamed' } })).status, 200)
      assert.deepEqual(
        (await readAll(snapshot)).map(({ username }) => username),
        Array.from({ length: users }, (_, i) => `user-${i + 1}`),
      )
      const now = (await readAll(await open('reader'))).map(({ username }) => username)
      assert.deepEqual(now.slice(-2), ['renamed', 'zz-later'])
      assert.equal(now.length, users)
      await b.call('DELETE', `/users/${created.body.user_id}`)
    })

    await t.test('are limited to half for one caller, and the next request is told to wait', async () => {
      const held = [await open('greedy'), await open('greedy')]
      await assert.rejects(open('greedy'), { code: 'too_many_snapshots' })
      held.push(await open('modest'), await open('modest'))
      const waiting = open('another')
      await sleep(50)
      held.pop()?.close()
      held.push(await waiting)
      for (const snapshot of held) snapshot.close()
      for (const snapshot of held) snapshot.close()
      await waitUntil('no transaction is open', 2000, async () => (await inTransaction()) === 0)
    })

    await t.test('that leave no place behind when their reader has gone before', async () => {
      for (let i = 0; i < 10; i++) await assert.rejects(open('gone', AbortSignal.abort()))
      const held = [await open('a'), await open('a'), await open('b'), await open('b')]
      await assert.rejects(open('c'), { code: 'too_many_snapshots' }, 'and none too many')
      for (const snapshot of held) snapshot.close()
    })

    await t.test('that leave no transaction behind when their readers go in the middle', async () => {
      // Slow enough that there is a middle.
      let passed = 0
      network.toClient = ({ bytes }, { name }) => {
        if (name !== 'rollbook lists') return true
        passed += bytes.length
        if (passed < 50_000) return true
        passed = 0
        return sleep(10, true)
      }
      for (let round = 0; round < 20; round++) {
        await Promise.all(
          [1, 2].map(async () => {
            const left = new AbortController()
            const response = await list(left.signal)
            assert.equal(response.status, 200)
            await response.body?.getReader().read()
            left.abort()
          }),
        )
      }
      network.toClient = () => true
      await waitUntil('no transaction is open', 2000, async () => (await inTransaction()) === 0)
      assert.ok((await connections()).length <= 8, 'four for lists, four for searches')
      assert.equal(((await (await list()).json()) as unknown[]).length, users - 1)
    })

    await t.test('that are cut, and do not look whole, when the database fails in the middle', async () => {
      let passed = 0
      network.toClient = ({ bytes }, link) => {
        if (link.name !== 'rollbook lists') return true
        passed += bytes.length
        if (passed > 100_000) link.cut()
        return true
      }
      const failed = await list()
      // It failed before anything of it was sent, or it was cut in the middle.
      if (failed.status !== 200) assert.equal(failed.status, 503)
      else await assert.rejects(failed.text(), /terminated/)
      assert.ok(passed > 100_000)
      network.toClient = () => true
      assert.equal(((await (await list()).json()) as unknown[]).length, users - 1)
    })
  })
})
