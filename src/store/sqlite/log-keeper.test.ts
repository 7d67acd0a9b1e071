import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { openConnection } from '../db/sqlite/connection.ts'
import { keepLog } from './log-keeper.ts'

function makeFolder(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
  t.after(() => rmSync(directory, { recursive: true }))
  return directory
}

/** A store with a table, and a keeper of its log. */
function openStore(t: TestContext) {
  const path = join(makeFolder(t), 'rollbook.db')
  const connection = openConnection({ path })
  t.after(() => connection.raw.isOpen && connection.close())
  connection.exec('PRAGMA wal_autocheckpoint = 0; CREATE TABLE numbers (n INTEGER PRIMARY KEY, padding TEXT)')
  const faults: string[] = []
  const log = keepLog({ connection, onFault: ({ message }) => faults.push(message) })
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
  it('is written back when it is long enough, and then restarts', (t) => {
    const store = openStore(t)
    for (let n = 1; n <= 5; n++) {
      store.add(20)
      store.log.look(1000)
      assert.ok(store.pages().checkpointed < store.pages().log)
      store.log.look(50)
      assert.equal(store.pages().checkpointed, store.pages().log)
      assert.equal(rowsWithoutLog(t, store.path), 20 * n)
    }
    assert.ok(statSync(`${store.path}-wal`).size < 150 * 4120)
  })

  it('grows while a reader uses an older state, and is tried only as often as it has grown', (t) => {
    const store = openStore(t)
    store.add(20)
    const reader = openConnection({ path: store.path, readOnly: true })
    reader.exec('BEGIN; SELECT count(*) FROM numbers')
    store.add(20)
    store.log.look(50)
    const { log, checkpointed } = store.pages()
    assert.ok(checkpointed < log, `${checkpointed} of ${log}`)
    reader.close()
    store.add(1)
    store.log.look(50)
    assert.ok(store.pages().checkpointed < store.pages().log)
    store.add(20)
    store.log.look(50)
    assert.equal(store.pages().checkpointed, store.pages().log)
    assert.deepEqual(store.faults, [])
  })

  it('is gone after the last connection is closed', (t) => {
    const store = openStore(t)
    store.add(50)
    store.connection.close()
    assert.equal(existsSync(`${store.path}-wal`), false)
    assert.equal(rowsWithoutLog(t, store.path), 50)
  })
})
