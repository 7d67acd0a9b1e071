/** Without the harness, which reuses the threads of closed stores. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { filling, idOf, middle, size, unordered } from '../../../test/dense-store.ts'
import { plainRules } from '../../../test/plain-rules.ts'
import { handlers } from '../../app/handlers.ts'
import { system } from '../../core/actor.ts'
import { startWriter } from './writer.ts'

describe('room for a user who comes between others', () => {
  async function half(t: TestContext, end: (parts: { thread: Worker; close(): Promise<void> }) => Promise<unknown>) {
    const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
    const path = join(directory, 'rollbook.db')
    t.after(() => rmSync(directory, { recursive: true }))
    const request = { actor: system, now: Date.now(), requestId: 'test', dryRun: false }
    const options = {
      mode: 'create',
      on_conflict: 'reject',
      match: 'username',
      format: 'ndjson',
      dry_run: false,
    } as const
    const job_id = '019a0000-0000-7000-9000-000000000000'
    const input = { username: 'between', username_key: 'between' }
    const arrivals = [{ row: 1, input, imported: { user_id: idOf(middle, 1) } }]
    const step = { job_id, after: 0, arrivals, options, digest: '', isLast: true }
    const open = async () => {
      const thread = new Promise<Worker>((resolve) => process.once('worker', resolve))
      const quiet = { onFault() {}, onAnnouncement() {} }
      const writer = await startWriter(
        { path, rules: plainRules, startedAt: Date.now() },
        { program: handlers.threads.writer, queueLimit: 10, ...quiet },
      )
      return { writer, thread: await thread }
    }
    const advance = ({ writer }: Awaited<ReturnType<typeof open>>) =>
      writer.run({ name: 'imports.advance', input: step, ...request })

    const first = await open()
    const db = new DatabaseSync(path, { timeout: 5000 })
    t.after(() => db.close())
    db.exec(filling)
    await first.writer.run({ name: 'imports.begin', input: { job_id, options }, ...request })
    const refused = assert.rejects(advance(first), { code: 'storage_unavailable' })
    const renumbered = db.prepare(`SELECT count(*) AS n FROM users WHERE row_id > ${size}`)
    while (Number(renumbered.get()?.n) < 100) await sleep(1)
    await end({ thread: first.thread, close: () => first.writer.close() })
    await refused
    assert.ok(Number(renumbered.get()?.n) < size, 'some rows are still to be renumbered')
    assert.equal(db.prepare(unordered).get()?.n, 0)
    assert.equal(db.prepare('SELECT count(*) AS n FROM users').get()?.n, size)

    const second = await open()
    await advance(second)
    assert.equal(db.prepare(unordered).get()?.n, 0)
    assert.equal(db.prepare('SELECT count(*) AS n FROM users').get()?.n, size + 1)
    await second.writer.close()
  }

  it('is half made when the service stops; the change is refused, and the order stays', (t) =>
    half(t, ({ close }) => close()))

  it('is half made when the service crashes; the order stays', (t) => half(t, ({ thread }) => thread.terminate()))
})
