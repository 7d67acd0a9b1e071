import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../free-port.ts'
import { type Answer, type Started, start } from '../harness.ts'
import { stallMs } from '../time-limit.ts'
import { codes, ownCluster, runAs, skip, startProcess, timed, waitUntil } from './nodes.ts'
import { startStandby } from './standby.ts'

/** So long a request waits for a database that does not come back; a little more on a busy machine. */
const patienceMs = 10_000 + 2000

describe('a node whose database fails', { skip }, () => {
  it('keeps its promises', async (t) => {
    const { cluster, url } = await ownCluster(t, { durable: true })
    const admin = (text: string) => runAs(cluster.adminUrl, text)
    const standbyPort = await freePort()
    // The second server is not there yet, and later only follows the first.
    const both = url.replace(/@[^/]*/, `@127.0.0.1:${standbyPort},127.0.0.1:${cluster.port}`)
    const env = { ROLLBOOK_DATABASE_URL: both, ROLLBOOK_DATABASE_SCHEMA: 'rollbook' }
    const node = await start(t, { name: 'PostgreSQL' }, { env })
    const create = (username: string) =>
      node.call('POST', '/users', { body: { username }, headers: { 'idempotency-key': username } })
    const count = async (username: string) => (await admin(`SELECT 1 FROM users WHERE username = '${username}'`)).length
    const isReady = async () => (await node.call('GET', '/health/ready')).status === 200

    await t.test('a commit that no standby confirms is not acknowledged, nor repeated as if it were', async () => {
      const require = async (standbys: string) => {
        await admin('ALTER SYSTEM SET synchronous_commit = on')
        await admin(`ALTER SYSTEM SET synchronous_standby_names = '${standbys}'`)
        await admin('SELECT pg_reload_conf()')
      }
      const endWaits = () => admin("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
      /** The server answers that it has committed, with a warning, when a wait is ended. The node's own work waits too. */
      const createUnconfirmed = async (attempts = 5) => {
        let isWaiting = true
        const response = create('ada').finally(() => {
          isWaiting = false
        })
        while (isWaiting) {
          await endWaits()
          await sleep(50)
        }
        const { body, text } = await response
        if (body.code === 'storage_unavailable' && attempts > 1) return await createUnconfirmed(attempts - 1)
        assert.equal(body.code, 'outcome_unknown', text)
      }
      await require('nobody')
      for (let round = 0; round < 2; round++) {
        await createUnconfirmed()
        assert.equal(await count('ada'), 1)
      }
      await require('')
      const response = await create('ada')
      assert.equal(response.status, 201)
      assert.equal(response.headers['idempotency-replayed'], 'true')
    })

    await t.test('what it acknowledged survives a crash, and what is repeated after one is done once', async () => {
      const other = await start(t, { name: 'PostgreSQL' }, { env })
      const nodes = [node, other]
      const acknowledged = new Map<string, string>()
      const answers: Answer[] = []
      let writing = true
      /** Makes one user after the other, and repeats what fails on the other node until it is done. */
      async function write(writer: number): Promise<void> {
        for (let i = 0; writing; i++) {
          const username = `crash-${writer}-${i}`
          const request = { body: { username }, headers: { 'idempotency-key': username } }
          for (let attempt = 0; !acknowledged.has(username); attempt++) {
            const response = await (nodes[(writer + attempt) % 2] as Started).call('POST', '/users', request)
            answers.push(response)
            if (response.status === 201) acknowledged.set(username, response.body.user_id)
            else await sleep(100)
          }
        }
      }
      const writers = Promise.all([0, 1, 2, 3, 4, 5].map(write))
      await sleep(700)
      await cluster.kill()
      await cluster.start()
      const before = acknowledged.size
      await waitUntil('it goes on', 10_000, async () => acknowledged.size > before + 20)
      writing = false
      await writers
      const rows = await admin("SELECT username, user_id FROM users WHERE username LIKE 'crash-%'")
      assert.deepEqual(new Map(rows.map((row) => [row.username, row.user_id])), acknowledged)
      const {
        201: _made,
        '503 outcome_unknown': _unknown,
        '409 idempotency_in_progress': _running,
        ...faults
      } = codes(answers)
      assert.deepEqual(faults, {})
      await runAs(cluster.adminUrl, "DELETE FROM users WHERE username LIKE 'crash-%'")
    })

    const { body: ada } = await node.call('GET', '/users?username=ada')
    const stranger = 'a-key-that-nobody-has-0123456789abcdef'

    /** Every request meanwhile gets 503 in time; afterwards the node recovers without help. */
    async function whileAway(fail: () => unknown, mend: () => unknown, meanwhile: () => Promise<void>) {
      const path = `/users/${ada[0].user_id}`
      await node.call('GET', path)
      await fail()
      const requests = [
        node.call('GET', path),
        node.call('GET', path, { key: stranger }),
        node.call('PATCH', path, { body: { first_name: 'Ada' } }),
        node.call('DELETE', path),
        create('while-away'),
        node.call('GET', '/users'),
        node.call('GET', '/users?limit=10'),
        node.call('GET', '/keys'),
      ].map((response) => timed(response))
      const unready = await waitUntil('it is not ready', 4000, async () => !(await isReady()))
      await meanwhile()
      const answers = await Promise.all(requests)
      for (const { ms, result } of answers) {
        assert.equal(result.status, 503, result.text)
        assert.ok(Number(result.headers['retry-after']) >= 1)
        assert.ok(ms < patienceMs + stallMs, `${ms} ms`)
      }
      const late = await timed(node.call('GET', path))
      assert.equal(late.result.status, 503)
      assert.ok(late.ms < 4000 + stallMs, `who comes late waits no longer than the first: ${late.ms} ms`)
      await mend()
      const ready = await waitUntil('it is ready again', 10_000, isReady)
      assert.equal((await node.call('GET', path)).status, 200)
      assert.equal((await node.call('GET', path, { key: stranger })).status, 401)
      const longest = Math.max(...answers.map(({ ms }) => ms))
      t.diagnostic(`refused after ${Math.round(longest)} ms at most, not ready after ${Math.round(unready)} ms`)
      t.diagnostic(`ready again after ${Math.round(ready)} ms`)
    }

    await t.test(
      'while the database is stopped, requests are told to retry; then the node recovers by itself',
      async () => {
        await whileAway(
          () => cluster.stop(),
          () => cluster.start(),
          async () => {},
        )
        assert.equal(await count('while-away'), 0)
      },
    )

    await t.test('while it stands still as well, and the node can be stopped then', async () => {
      const other = await startProcess(t, url)
      await other.call('GET', '/keys')
      await whileAway(
        () => cluster.freeze(),
        () => cluster.thaw(),
        async () => {
          const { ms, result } = await timed(other.end('SIGTERM'))
          assert.deepEqual(result, { code: 0, signal: null })
          t.diagnostic(`stopped after ${Math.round(ms)} ms while the database stood still`)
        },
      )
    })

    await t.test('when a standby takes over, the node uses it for running work', async () => {
      const standby = await startStandby(t, cluster, standbyPort)
      assert.equal((await create('before')).status, 201)
      assert.equal(await count('before'), 1, 'not written to the standby, which comes first')
      await standby.caughtUp()
      cluster.freeze()
      const underWay = [
        ...Array.from({ length: 30 }, (_, i) => create(`during-${i}`)),
        ...Array.from({ length: 10 }, () => node.call('GET', '/keys')),
      ]
      await sleep(300)
      await standby.promote()
      const { ms, result } = await timed(Promise.all(underWay))
      assert.deepEqual(codes(result), { 200: 10, 201: 30 })
      t.diagnostic(`served ${Math.round(ms)} ms after the promotion`)
      assert.equal((await create('after')).status, 201)
      assert.equal((await standby.query('SELECT 1 FROM users')).length, 33)
      await waitUntil('it is ready', 5000, isReady)
    })
  })
})
