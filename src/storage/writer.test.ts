import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { createUser, type Started, start } from '../../test/harness.ts'
import { system } from '../context.ts'
import { startWriter } from './writer.ts'

/** How many transactions the write-ahead log holds: the frame that ends one names the size of the database. */
function commitsIn(app: Started): number {
  const log = readFileSync(join(app.directory, 'rollbook.db-wal'))
  const [headerBytes, frameHeaderBytes, pageBytes] = [32, 24, log.readUInt32BE(8)]
  let commits = 0
  for (let at = headerBytes; at + frameHeaderBytes <= log.length; at += frameHeaderBytes + pageBytes) {
    if (log.readUInt32BE(at + 4) > 0) commits++
  }
  return commits
}

const request = () => ({ actor: system, now: Date.now(), requestId: 'test' })
const named = (username: string) => ({ username, username_key: username })

describe('changes that meet on SQLite', () => {
  const engine = { name: 'SQLite' } as const

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

  it('go on after users were deleted whom the search index knew', async (t) => {
    const app = await start(t, engine)
    const users = await Promise.all(Array.from({ length: 50 }, () => createUser(app)))
    const indexed = async () => {
      while ((await app.runSql('SELECT count(*) AS n FROM search_pending'))[0]?.n !== 0) await sleep(20)
    }
    await indexed()
    for (const { user_id } of users.slice(10)) await app.call('DELETE', `/users/${user_id}`)
    await indexed()
    for (const { user_id } of users.slice(0, 10)) {
      assert.equal((await app.call('PATCH', `/users/${user_id}`, { body: { first_name: 'Ada' } })).status, 200)
    }
    assert.equal((await app.call('GET', '/users?q=ada&count=true&limit=1')).headers['total-count'], '10')
  })
})

describe('a writer thread on SQLite that ends without an error', () => {
  function options(t: TestContext) {
    const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
    t.after(() => rmSync(directory, { recursive: true }))
    const rules = { roles: { user: [] }, keyRotationOverlapSeconds: 0, sessionSeconds: 0, sessionIdleSeconds: 0 }
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
