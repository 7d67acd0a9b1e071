import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { createUser, engines, type Started, start } from '../../test/harness.ts'
import { system } from '../jobs/housekeeping.ts'
import { openSqliteStorage } from './sqlite.ts'
import { startWriter } from './writer.ts'

const databaseOf = ({ directory }: Started): string => join(directory, 'rollbook.db')

/** How many transactions the write-ahead log holds: the frame that ends one names the size of the database. */
function commitsIn(app: Started): number {
  const log = readFileSync(`${databaseOf(app)}-wal`)
  const [headerBytes, frameHeaderBytes, pageBytes] = [32, 24, log.readUInt32BE(8)]
  let commits = 0
  for (let at = headerBytes; at + frameHeaderBytes <= log.length; at += frameHeaderBytes + pageBytes) {
    if (log.readUInt32BE(at + 4) > 0) commits++
  }
  return commits
}

const request = () => ({ actor: system, now: Date.now(), requestId: 'test' })
const named = (username: string) => ({ username, username_key: username })

for (const engine of engines) {
  describe(`changes that meet on ${engine.name}`, () => {
    it('share a commit, while each that comes alone has its own', async (t) => {
      const app = await start(t, engine)
      const before = commitsIn(app)
      for (let i = 0; i < 20; i++) await createUser(app)
      const alone = commitsIn(app) - before
      await Promise.all(Array.from({ length: 200 }, () => createUser(app)))
      const together = commitsIn(app) - before - alone
      assert.ok(alone >= 20, `20 changes one after the other made ${alone} commits`)
      // Some for the search index, which follows in commits of its own.
      assert.ok(together <= 40, `200 changes at once made ${together} commits`)
    })

    it('do not suffer from one that fails half-way', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app, { username: 'ada' })
      const results = await Promise.allSettled([
        app.storage.change('users.create', named('before'), request()),
        // SQLite cannot bind an object: the statement fails as any fault in a command would.
        app.storage.change('users.create', { ...named('faulty'), email: {} as string }, request()),
        app.storage.change('users.create', named('ada'), request()),
        app.storage.change(
          'users.update',
          { user_id: String(user_id), input: { first_name: {} as string }, expected: undefined },
          request(),
        ),
        app.storage.change('users.create', named('after'), request()),
      ])
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled'],
      )
      assert.equal((results[2] as PromiseRejectedResult).reason.code, 'username_taken')
      const users: { username: string }[] = (await app.call('GET', '/users')).body
      assert.deepEqual(
        users.map(({ username }) => username),
        ['ada', 'before', 'after'],
      )
    })

    it('do not suffer from a kept answer that has rotted', async (t) => {
      const app = await start(t, engine)
      const keep = { scope: 'rotten', fingerprint: 'f', secret: new Uint8Array(32) }
      await app.storage.change('users.create', named('ada'), { ...request(), keep })
      const database = new DatabaseSync(databaseOf(app), { timeout: 5000 })
      database.exec("UPDATE idempotency_keys SET answer = x'00' WHERE scope = 'rotten'")
      database.close()
      const [rotten, sound] = await Promise.allSettled([
        app.storage.change('users.create', named('ada'), { ...request(), keep }),
        app.storage.change('users.create', named('eve'), request()),
      ])
      assert.deepEqual([rotten.status, sound.status], ['rejected', 'fulfilled'])
    })

    it('are refused past the limit of the queue, without effect, and welcome again afterwards', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_WRITE_QUEUE: '10' } })
      const send = (i: number) => app.call('POST', '/users', { body: { username: `user-${i}` } })
      const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => send(i)))
      const refused = answers.filter(({ status }) => status !== 201)
      assert.ok(refused.length > 0)
      for (const { status, body, headers } of refused) {
        assert.deepEqual([status, body.code, headers['retry-after']], [503, 'overloaded', '1'])
      }
      assert.equal((await app.call('GET', '/users')).body.length, 50 - refused.length)
      assert.equal((await send(50)).status, 201)
    })

    it('never keep a read waiting', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app)
      // Somebody else holds the write lock, so the change waits in SQLite as it would for a slow disk.
      const other = new DatabaseSync(databaseOf(app), { timeout: 5000 })
      other.exec('BEGIN IMMEDIATE')
      let changed = false
      const change = app.call('PATCH', `/users/${user_id}`, { body: { first_name: 'Ada' } }).then((answer) => {
        changed = true
        return answer
      })
      await sleep(50)
      for (const path of [`/users/${user_id}`, '/users?limit=10', '/users', '/users?q=user&limit=5', '/keys']) {
        assert.equal((await app.call('GET', path)).status, 200)
      }
      assert.equal(changed, false)
      other.exec('ROLLBACK')
      other.close()
      assert.equal((await change).body.first_name, 'Ada')
    })

    it('are all made before the store closes, when they came first', async (t) => {
      const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
      t.after(() => rmSync(directory, { recursive: true }))
      const faults: Error[] = []
      const store = await openSqliteStorage({
        directory,
        rules: { roles: { user: [] }, keyRotationOverlapSeconds: 0 },
        now: Date.now(),
        writeQueue: 1000,
        maxSnapshots: 1,
        onFault: (error) => faults.push(error),
      })
      const changes = Array.from({ length: 100 }, (_, i) => store.change('users.create', named(`user-${i}`), request()))
      await store.close()
      assert.equal((await Promise.all(changes)).length, 100)
      assert.deepEqual(faults, [])
      const database = new DatabaseSync(join(directory, 'rollbook.db'), { readOnly: true })
      assert.equal(database.prepare('SELECT count(*) AS n FROM users').get()?.n, 100)
      database.close()
    })

    it('go on after users were deleted whom the search index knew', async (t) => {
      const app = await start(t, engine)
      const users = await Promise.all(Array.from({ length: 50 }, () => createUser(app)))
      const pending = new DatabaseSync(databaseOf(app), { readOnly: true })
      const indexed = async () => {
        while (pending.prepare('SELECT count(*) AS n FROM search_pending').get()?.n !== 0) await sleep(20)
      }
      await indexed()
      for (const { user_id } of users.slice(10)) await app.call('DELETE', `/users/${user_id}`)
      await indexed()
      pending.close()
      for (const { user_id } of users.slice(0, 10)) {
        assert.equal((await app.call('PATCH', `/users/${user_id}`, { body: { first_name: 'Ada' } })).status, 200)
      }
      assert.equal((await app.call('GET', '/users?q=ada&count=true&limit=1')).headers['total-count'], '10')
    })
  })
}

describe('a writer thread that ends without an error', () => {
  function options(t: TestContext) {
    const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
    t.after(() => rmSync(directory, { recursive: true }))
    const rules = { roles: { user: [] }, keyRotationOverlapSeconds: 0 }
    const faults: Error[] = []
    const setup = { path: join(directory, 'rollbook.db'), rules, startedAt: Date.now() }
    const start = () =>
      startWriter(setup, {
        queueLimit: 10,
        onFault: (error) => faults.push(error),
        onCommit: () => {},
        onAnnouncement: () => {},
      })
    return { start, faults }
  }
  /** Gives the next thread that is started. */
  const nextThread = () => new Promise<Worker>((resolve) => process.once('worker', resolve))

  it('is a fault that is told, once', async (t) => {
    const { start, faults } = options(t)
    const thread = nextThread()
    const writer = await start()
    const job = { name: 'users.create', input: named('ada'), dryRun: false, ...request() } as const
    await writer.run(job)
    await (await thread).terminate()
    assert.equal(faults.length, 1)
    assert.match(faults[0]?.message ?? '', /writer thread has ended/)
    assert.equal(writer.isRunning(), false)
    await assert.rejects(writer.run(job), { code: 'storage_unavailable' })
    await writer.close()
  })

  it('makes the start fail when it was not ready yet', { timeout: 10_000 }, async (t) => {
    const { start, faults } = options(t)
    const thread = nextThread()
    const starting = start()
    const refused = assert.rejects(starting, /writer thread has ended/)
    await (await thread).terminate()
    await refused
    assert.deepEqual(faults, [])
  })

  it('is none when the writer was closed', async (t) => {
    const { start, faults } = options(t)
    const writer = await start()
    await writer.close()
    assert.deepEqual([faults, writer.isRunning()], [[], false])
  })
})
