import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openConnection } from '../db/sqlite/connection.ts'
import { keepLog } from './log-keeper.ts'

function makeFolder(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
  t.after(() => rmSync(directory, { recursive: true }))
  return directory
}

type Options = { directory?: string; written?: string; slowMs?: number }

/** A store with a table, and a keeper of its log; `written` is the file that the thread opens. */
function openStore(
  t: TestContext,
  { directory = makeFolder(t), written = 'rollbook.db', slowMs = 3_600_000 }: Options = {},
) {
  const path = join(directory, 'rollbook.db')
  const connection = openConnection({ path })
  t.after(() => connection.raw.isOpen && connection.close())
  connection.exec('PRAGMA wal_autocheckpoint = 0; CREATE TABLE numbers (n INTEGER PRIMARY KEY, padding TEXT)')
  const faults: string[] = []
  let done = Promise.withResolvers<void>()
  const log = keepLog({
    connection,
    path: join(directory, written),
    slowMs,
    onDone: () => done.resolve(),
    onFault: ({ message }) => faults.push(message),
  })
  t.after(() => log.end())
  const insert = connection.raw.prepare('INSERT INTO numbers (padding) VALUES (?)')
  const length = connection.raw.prepare('PRAGMA wal_checkpoint(NOOP)')
  return {
    path,
    connection,
    log,
    faults,
    add(count: number) {
      for (let n = 0; n < count; n++) insert.run('x'.repeat(5000))
    },
    /** How many pages the log has, and how many of them are in the database. */
    pages() {
      const { log, checkpointed } = length.get() as { log: number; checkpointed: number }
      return { log, checkpointed }
    },
    look: (pages: number) => log.look({ passPages: pages, restartPages: pages }),
    /** Looks, and waits for the thread. */
    async written(passPages: number, restartPages = passPages) {
      done = Promise.withResolvers()
      log.look({ passPages, restartPages })
      assert.equal(log.isBusy, true)
      await done.promise
    },
  }
}

/** Waits for what another thread does, and keeps this thread's messages waiting. */
function waitUntil(isTrue: () => boolean): void {
  const deadline = performance.now() + 20_000
  const never = new Int32Array(new SharedArrayBuffer(4))
  while (!isTrue()) {
    assert.ok(performance.now() < deadline, 'it did not happen in 20 s')
    Atomics.wait(never, 0, 0, 1)
  }
}

/** How many rows the database file has without its log. */
function rowsWithoutLog(t: TestContext, path: string): number {
  const copy = join(makeFolder(t), 'copy.db')
  copyFileSync(path, copy)
  const connection = openConnection({ path: copy })
  try {
    return connection.raw.prepare('SELECT count(*) AS rows FROM numbers').get()?.rows as number
  } finally {
    connection.close()
  }
}

describe('the log of SQLite', () => {
  it('is written back by a thread when it is long enough, and then restarts', async (t) => {
    const store = openStore(t)
    store.add(20)
    store.look(1000)
    assert.equal(store.log.isBusy, false)
    await store.written(50)
    const { log, checkpointed } = store.pages()
    assert.ok(log >= 60 && checkpointed === log, `${checkpointed} of ${log}`)
    assert.equal(rowsWithoutLog(t, store.path), 20)
    store.add(1)
    assert.ok(store.pages().log < 10)
  })

  it('is written back again and again, and stays as short', async (t) => {
    const store = openStore(t)
    for (let n = 0; n < 5; n++) {
      store.add(50)
      await store.written(100)
    }
    assert.ok(statSync(`${store.path}-wal`).size < 300 * 4120)
  })

  it('restarts only when it is long: changes wait for that', async (t) => {
    const store = openStore(t)
    store.add(20)
    const reader = openConnection({ path: store.path, readOnly: true })
    reader.exec('BEGIN; SELECT count(*) FROM numbers')
    const written = store.written(50, 100_000)
    waitUntil(() => store.pages().checkpointed > 0)
    store.add(1)
    reader.close()
    await written
    store.add(1)
    const { log, checkpointed } = store.pages()
    assert.deepEqual(store.faults, [])
    assert.ok(checkpointed > 0 && checkpointed < log, `${checkpointed} of ${log}`)
    store.add(60)
    await store.written(50)
    assert.equal(store.pages().checkpointed, store.pages().log)
    store.add(1)
    assert.ok(store.pages().log < 10)
  })

  it('is written back without the thread if it grows slowly', (t) => {
    const store = openStore(t, { slowMs: 0 })
    store.add(20)
    store.look(1000)
    assert.equal(store.pages().checkpointed, 0)
    store.look(30)
    assert.equal(store.log.isBusy, false)
    assert.equal(rowsWithoutLog(t, store.path), 20)
    store.add(1)
    assert.ok(store.pages().log < 10)
  })

  it('is written back by the thread if it has grown by many pages, even slowly', async (t) => {
    const store = openStore(t, { slowMs: 0 })
    store.add(1000)
    store.look(12_000)
    assert.equal(store.pages().checkpointed, 0)
    await store.written(2000)
    assert.equal(rowsWithoutLog(t, store.path), 1000)
  })

  it('grows while a reader uses an older state, and is asked for only as often as it has grown', async (t) => {
    const store = openStore(t)
    store.add(20)
    const reader = openConnection({ path: store.path, readOnly: true })
    reader.exec('BEGIN; SELECT count(*) FROM numbers')
    store.add(20)
    await store.written(50)
    const { log, checkpointed } = store.pages()
    assert.ok(checkpointed < log, `${checkpointed} of ${log}`)
    store.add(1)
    store.look(50)
    assert.equal(store.log.isBusy, false)
    reader.close()
    store.add(20)
    await store.written(50)
    store.add(1)
    assert.ok(store.pages().log < 10)
    assert.deepEqual(store.faults, [])
  })

  it('reports once that it cannot be written back, and changes continue', async (t) => {
    const directory = makeFolder(t)
    writeFileSync(join(directory, 'other.db'), 'This is no database. '.repeat(500))
    const store = openStore(t, { directory, written: 'other.db' })
    for (let n = 0; n < 2; n++) {
      store.add(40)
      await store.written(50)
    }
    assert.equal(store.faults.length, 1)
    assert.match(store.faults[0] as string, /not a database/)
    assert.ok(store.pages().log > 200)
  })

  it('is gone after the thread has ended and the last connection is closed', async (t) => {
    const store = openStore(t)
    store.add(50)
    store.look(50)
    await store.log.end()
    store.connection.close()
    assert.equal(existsSync(`${store.path}-wal`), false)
    assert.equal(rowsWithoutLog(t, store.path), 50)
  })

  it('loses no acknowledged commit when the process is killed, whatever the thread is writing', async (t) => {
    const directory = makeFolder(t)
    const [path, list] = [join(directory, 'rollbook.db'), join(directory, 'acknowledged')]
    writeFileSync(list, '')
    let acknowledged = 0
    for (let kills = 0; kills < 6; kills++) {
      const program = join(import.meta.dirname, '../../../test/log-writer.ts')
      const child = spawn(process.execPath, [program, path, list], { stdio: 'inherit' })
      const exited = new Promise((resolve) => child.once('close', resolve))
      const before = statSync(list).size
      while (statSync(list).size < before + 1000) {
        assert.equal(child.exitCode, null)
        await sleep(5)
      }
      await sleep(randomInt(100))
      child.kill('SIGKILL')
      await exited
      acknowledged = Number(readFileSync(list, 'utf8').trim().split('\n').at(-1))
      const connection = openConnection({ path })
      const { raw } = connection
      assert.equal(raw.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok')
      const rows = raw.prepare('SELECT count(*) AS rows FROM numbers').get()?.rows as number
      assert.ok(rows === acknowledged || rows === acknowledged + 1, `${rows} rows, ${acknowledged} acknowledged`)
      connection.close()
    }
    assert.ok(acknowledged > 100)
  })
})
