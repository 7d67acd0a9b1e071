import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { schemaFor, skip } from '../../../../test/nodes/nodes.ts'
import { sql } from '../sql.ts'
import { Client } from './client.ts'
import { lockKey, postgresDb } from './connection.ts'

async function connections(t: TestContext, count: number) {
  const { url, schema } = await schemaFor(t)
  const clients = await Promise.all(
    Array.from({ length: count }, async () => {
      const options = { connectionString: url, pipeline: true, options: `-c search_path=${schema}` }
      const client = new Client(options as pg.ClientConfig)
      await client.connect()
      t.after(() => client.end())
      client.on('error', () => {})
      return client
    }),
  )
  return clients.map((client) => ({ client, db: postgresDb(client, schema) }))
}

describe('statements on PostgreSQL', { skip }, () => {
  it('return what was stored, as SQLite does: text, numbers, bytes and null', async (t) => {
    const [{ client, db }] = (await connections(t, 1)) as [{ client: pg.Client; db: ReturnType<typeof postgresDb> }]
    await client.query('CREATE TABLE t (a text, n integer, big bigint, b bytea)')
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i)
    const texts = ['', "it's", '\\', '%_$1', 'é\u0301\u{1f600}', '\n\t']
    for (const a of texts) {
      await db.run(sql`INSERT INTO t VALUES (${a}, ${-1}, ${Number.MAX_SAFE_INTEGER}, ${bytes})`)
      const row = await db.get<{ a: string; n: number; big: number; b: Uint8Array }>(
        sql`SELECT * FROM t WHERE a = ${a}`,
      )
      assert.deepEqual([row?.a, row?.n, row?.big], [a, -1, Number.MAX_SAFE_INTEGER])
      assert.deepEqual(Uint8Array.from(row?.b as Uint8Array), bytes)
    }
    assert.equal(await db.run(sql`UPDATE t SET a = ${null}, b = NULL`), texts.length)
    assert.deepEqual(await db.get(sql`SELECT a, b FROM t LIMIT 1`), { a: null, b: null })
    assert.equal(await db.get(sql`SELECT a FROM t WHERE n = ${5}`), undefined)
    assert.deepEqual(await db.all(sql`SELECT a FROM t WHERE n = ${5}`), [])
  })

  it('return texts as bytes, of any size and number, beside others on the same connection', async (t) => {
    const [{ db }] = (await connections(t, 1)) as [{ client: pg.Client; db: ReturnType<typeof postgresDb> }]
    const listed = (length: number, count: number) =>
      sql`SELECT repeat('é', ${length}::integer) || n FROM generate_series(1, ${count}::integer) AS n`
    const sizes = [
      [0, 0],
      [0, 1],
      [3, 5000],
      [200_000, 3],
    ] as const
    const all = sizes.map(
      ([length, count]) => [db.texts(listed(length, count), 16), db.all(sql`SELECT ${count}::integer AS n`)] as const,
    )
    for (const [i, [found, beside]] of all.entries()) {
      const [length, count] = sizes[i] as (typeof sizes)[number]
      const { bytes, ends } = await found
      const texts = ends.map((end, n) => bytes.toString('utf8', (ends[n - 1] ?? 0) + 1, end))
      assert.deepEqual(
        texts,
        Array.from({ length: count }, (_, n) => 'é'.repeat(length) + (n + 1)),
      )
      assert.ok(bytes.length > (ends.at(-1) ?? 0))
      assert.deepEqual(await beside, [{ n: count }])
    }
  })

  it('write by run() and returning() alone: transactions count the writes of these', async (t) => {
    const [{ client, db }] = (await connections(t, 1)) as [{ client: pg.Client; db: ReturnType<typeof postgresDb> }]
    await client.query('CREATE TABLE t (a text)')
    const writes = [
      sql`INSERT INTO t VALUES (${'a'}) RETURNING a`,
      sql`UPDATE t SET a = ${'b'} RETURNING a`,
      sql`DELETE FROM t RETURNING a`,
    ]
    for (const write of writes) {
      await client.query("DELETE FROM t; INSERT INTO t VALUES ('c')")
      assert.equal((await db.returning(write)).length, 1)
      await assert.rejects(db.get(write), /use returning/)
      await assert.rejects(db.all(write), /use returning/)
    }
    assert.deepEqual(await db.all(sql`WITH one (n) AS (VALUES (1)) SELECT n FROM one`), [{ n: 1 }])
  })

  it('undo only the statement that meets a taken name, and nothing else of the transaction', async (t) => {
    const [{ client, db }] = (await connections(t, 1)) as [{ client: pg.Client; db: ReturnType<typeof postgresDb> }]
    await client.query('CREATE TABLE t (a text PRIMARY KEY, n integer CHECK (n < 10))')
    await client.query('BEGIN')
    assert.equal(await db.run(sql`INSERT INTO t VALUES (${'first'}, 1), (${'second'}, 2)`), 2)
    assert.equal(await db.runUnlessTaken(sql`UPDATE t SET a = ${'first'} WHERE a = ${'second'}`), false)
    assert.equal(await db.runUnlessTaken(sql`UPDATE t SET a = ${'third'} WHERE a = ${'second'}`), true)
    await client.query('COMMIT')
    assert.deepEqual(await db.all(sql`SELECT a FROM t ORDER BY n`), [{ a: 'first' }, { a: 'third' }])
    await client.query('BEGIN')
    await assert.rejects(db.runUnlessTaken(sql`UPDATE t SET n = ${10}`), /violates check constraint/)
    await client.query('ROLLBACK')
  })

  it('hold a lock to the end of the transaction, whatever connection others request it on', async (t) => {
    const [a, b] = (await connections(t, 2)) as { client: pg.Client; db: ReturnType<typeof postgresDb> }[]
    assert.ok(a && b)
    await a.client.query('BEGIN')
    await a.db.lock(['one', 'two'])
    assert.equal(await b.db.tryLock('one'), false)
    assert.equal(await b.db.tryLock('three'), true)
    let has = false
    await b.client.query('BEGIN')
    const waiting = b.db.lock(['two']).then(() => {
      has = true
    })
    await sleep(50)
    assert.equal(has, false)
    await a.client.query('ROLLBACK')
    await waiting
    await b.client.query('ROLLBACK')
    assert.equal(await a.db.tryLock('two'), true)
  })

  it('never deadlock over locks, in whatever order they name them', async (t) => {
    const pair = await connections(t, 2)
    const names = Array.from({ length: 20 }, (_, i) => `name ${i}`)
    const orders = [names, names.toReversed()]
    await Promise.all(
      pair.map(async ({ client, db }, i) => {
        for (let round = 0; round < 20; round++) {
          await client.query('BEGIN')
          await db.lock(orders[i] as string[])
          await client.query('COMMIT')
        }
      }),
    )
  })

  it('of two schemas have locks of their own', () => {
    assert.notEqual(lockKey('one last_admin'), lockKey('other last_admin'))
    assert.match(lockKey('any'), /^-?\d{1,19}$/)
  })
})
