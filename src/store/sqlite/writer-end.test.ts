/** Without the harness, which reuses the threads of closed stores. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { plainRules } from '../../../test/plain-rules.ts'
import { handlers } from '../../app/handlers.ts'
import { system } from '../../core/actor.ts'
import { startWriter } from './writer.ts'

const request = () => ({ actor: system, now: Date.now(), requestId: 'test' })
const named = (username: string) => ({ username, username_key: username })

describe('a writer thread on SQLite that ends without an error', () => {
  function options(t: TestContext) {
    const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
    t.after(() => rmSync(directory, { recursive: true }))
    const faults: Error[] = []
    const setup = { path: join(directory, 'rollbook.db'), rules: plainRules, startedAt: Date.now() }
    const start = () =>
      startWriter(setup, {
        program: handlers.threads.writer,
        queueLimit: 10,
        onFault: (error) => faults.push(error),
        onAnnouncement: () => {},
        onRefusal: () => {},
      })
    return { start, faults }
  }
  /** Resolves with the next thread that is started. */
  const nextThread = () => new Promise<Worker>((resolve) => process.once('worker', resolve))

  it('is reported as a fault, once', async (t) => {
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

  it('makes the start fail if it was not ready yet', async (t) => {
    const { start, faults } = options(t)
    const thread = nextThread()
    const starting = start()
    const refused = assert.rejects(starting, /writer thread has ended/)
    await (await thread).terminate()
    await refused
    assert.deepEqual(faults, [])
  })

  it('is not a fault if the writer was closed', async (t) => {
    const { start, faults } = options(t)
    const writer = await start()
    await writer.close()
    assert.deepEqual([faults, writer.isRunning()], [[], false])
  })
})
