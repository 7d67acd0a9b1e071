import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { assertWithin } from '../../../../test/time-limit.ts'
import { openConnection } from './connection.ts'
import { emptyLog, vacuum } from './scrub.ts'

function openStore(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-test-'))
  const path = join(directory, 'rollbook.db')
  const connection = openConnection({ path })
  t.after(() => {
    connection.close()
    rmSync(directory, { recursive: true })
  })
  const count = (text: string) => readFileSync(path, 'latin1').split(text).length - 1
  return { path, connection, count }
}

/** The same numbers each time: what SQLite leaves between rows depends on their places. */
function numbers(): () => number {
  let seed = 1
  return () => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
    return seed
  }
}

describe('deleted data in a SQLite file', () => {
  it('is gone after a vacuum, even if rows had been moved', (t) => {
    const { connection, count } = openStore(t)
    const { raw } = connection
    const random = numbers()
    raw.exec('CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT UNIQUE)')
    const insert = raw.prepare('INSERT INTO people (name) VALUES (?)')
    raw.exec('BEGIN')
    for (let n = 0; n < 20_000; n++) insert.run(`${random().toString(36)}-${n}-${n % 20 ? 'stays' : 'vanishes'}`)
    raw.exec("COMMIT; DELETE FROM people WHERE name LIKE '%vanishes'")
    assert.equal(emptyLog(connection), true)
    const left = count('vanishes')
    assert.ok(left > 0, 'when SQLite overwrites these as well, the vacuum can go')
    assert.ok(left < 100, 'and it overwrites most of them')
    assert.equal(vacuum(connection, 1024), false)
    assert.equal(vacuum(connection, 32 * 1024 * 1024), true)
    assert.equal(emptyLog(connection), true)
    assert.equal(count('vanishes'), 0)
    assert.ok(count('stays') >= 19_000)
  })

  it('is gone from the log when no reader uses an older state, without waiting for readers', (t) => {
    const { path, connection, count } = openStore(t)
    connection.exec("CREATE TABLE people (name TEXT); INSERT INTO people VALUES ('vanishes')")
    const reader = openConnection({ path, readOnly: true })
    reader.exec('BEGIN; SELECT name FROM people')
    connection.exec('DELETE FROM people')
    connection.exec('PRAGMA busy_timeout = 60000')
    const started = performance.now()
    assert.equal(emptyLog(connection), false)
    assertWithin(1000, started)
    assert.ok(readFileSync(`${path}-wal`, 'latin1').includes('vanishes'))
    reader.close()
    assert.equal(emptyLog(connection), true)
    assert.deepEqual([statSync(`${path}-wal`).size, count('vanishes')], [0, 0])
    assert.deepEqual({ ...connection.raw.prepare('PRAGMA busy_timeout').get() }, { timeout: 60_000 })
  })
})
