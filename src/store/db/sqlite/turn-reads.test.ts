import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { sql } from '../sql.ts'
import { openConnection } from './connection.ts'
import { readsByTurn } from './turn-reads.ts'

/** A table with one number, a connection that changes it, and reads by turn beside it. */
function open(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-turn-reads-'))
  const path = join(directory, 'numbers.db')
  const writer = openConnection({ path })
  writer.exec('CREATE TABLE numbers (n INTEGER); INSERT INTO numbers VALUES (1)')
  const reader = openConnection({ path, readOnly: true })
  const faults: unknown[] = []
  const reads = readsByTurn(reader, (error) => faults.push(error))
  t.after(() => {
    reader.close()
    writer.close()
    rmSync(directory, { recursive: true })
  })
  const read = async () => (await reads.db.get<{ n: number }>(sql`SELECT n FROM numbers`))?.n
  return { ...reads, reader, writer, faults, read }
}

describe('reads by turn', () => {
  it('wait for the end of the turn, and see what was committed before', async (t) => {
    const { read, writer } = open(t)
    const found = [read(), read()]
    await writer.run(sql`UPDATE numbers SET n = 2`)
    assert.deepEqual(await Promise.all(found), [2, 2])
  })

  it('see one state, and no transaction stays open', async (t) => {
    const { read, reader, writer, flush } = open(t)
    const found = [read(), read(), read()]
    flush()
    await writer.run(sql`UPDATE numbers SET n = 3`)
    assert.deepEqual(await Promise.all(found), [1, 1, 1])
    assert.equal(reader.raw.isTransaction, false)
    assert.equal(await read(), 3)
  })

  it('fail alone: the others of the turn have their results', async (t) => {
    const { db, read, reader } = open(t)
    const [before, failed, after] = await Promise.allSettled([read(), db.all(sql`SELECT n FROM nowhere`), read()])
    assert.deepEqual([before, after], Array(2).fill({ status: 'fulfilled', value: 1 }))
    assert.match(String((failed as PromiseRejectedResult).reason), /no such table: nowhere/)
    assert.equal(reader.raw.isTransaction, false)
  })

  it('are all refused, and the fault reported once, when the transaction cannot begin', async (t) => {
    const { read, reader, faults } = open(t)
    const found = Promise.allSettled([read(), read()])
    reader.raw.close()
    assert.deepEqual(
      (await found).map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    assert.equal(faults.length, 1)
    reader.raw.open()
  })
})
