import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freshSchema, postgresIsMissing, startCluster } from './postgres.ts'

async function connect(t: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {}) // Some tests cut it on purpose; a query on it then fails.
  await client.connect()
  t.after(() => client.end())
  return client
}

async function schemaFor(t: TestContext, options?: { trigrams: boolean }) {
  const fresh = await freshSchema(options)
  t.after(() => fresh.drop())
  return fresh
}

describe('the PostgreSQL for tests', { skip: postgresIsMissing }, () => {
  it('gives a test a role that may use its own schema and nothing else', async (t) => {
    const own = await schemaFor(t)
    const other = await schemaFor(t)
    const client = await connect(t, own.url)
    await client.query(`CREATE TABLE ${own.schema}.t (a text)`)
    await client.query(`CREATE INDEX ON ${own.schema}.t USING gin (a extensions.gin_trgm_ops)`)
    const insufficientPrivilege = '42501'
    for (const statement of [
      `CREATE TABLE ${other.schema}.t (a text)`,
      'CREATE TABLE public.t (a text)',
      'CREATE TEMPORARY TABLE t (a text)',
      'CREATE SCHEMA another',
      'CREATE ROLE another',
      'CREATE DATABASE another',
      `SET ROLE ${other.role}`,
      `ALTER ROLE ${own.role} SUPERUSER`,
      `CREATE EXTENSION citext SCHEMA ${own.schema}`,
      "COPY (SELECT 1) TO PROGRAM 'true'",
    ]) {
      const failure = await client.query(statement).then(
        () => 'was allowed',
        (error) => error.code,
      )
      assert.equal(failure, insufficientPrivilege, statement)
    }
  })

  it('does not lead a role to its schema by name', async (t) => {
    const { url } = await schemaFor(t)
    const client = await connect(t, url)
    await assert.rejects(client.query('CREATE TABLE t (a text)'), /no schema has been selected/)
  })

  it('orders text differently from its bytes, so that an order left to the server is noticed', async (t) => {
    for (const trigrams of [true, false]) {
      const { url } = await schemaFor(t, { trigrams })
      const client = await connect(t, url)
      const { rows } = await client.query(
        `SELECT 'a' < 'B' AS "asPeopleDo", convert_to('a', 'UTF8') < convert_to('B', 'UTF8') AS "asBytes"`,
      )
      assert.deepEqual(rows, [{ asPeopleDo: true, asBytes: false }])
    }
  })

  it('has a database without trigrams', async (t) => {
    const { url } = await schemaFor(t, { trigrams: false })
    const client = await connect(t, url)
    const { rows } = await client.query("SELECT extname FROM pg_extension WHERE extname = 'pg_trgm'")
    assert.deepEqual(rows, [])
  })

  it('creates many schemas at once, and drops them while clients are connected', async (t) => {
    const schemas = await Promise.all(Array.from({ length: 24 }, () => freshSchema()))
    assert.equal(new Set(schemas.map(({ schema }) => schema)).size, 24)
    const first = schemas[0] as (typeof schemas)[number]
    const client = await connect(t, first.url)
    await client.query(`CREATE TABLE ${first.schema}.t (a text)`)
    await client.query('BEGIN')
    await client.query(`LOCK TABLE ${first.schema}.t`)
    await Promise.all(schemas.map((schema) => schema.drop()))
    const admin = await connect(t, first.adminUrl)
    const { rows } = await admin.query('SELECT rolname FROM pg_roles WHERE rolname = ANY ($1)', [
      schemas.map(({ role }) => role),
    ])
    assert.deepEqual(rows, [])
  })

  it('keeps committed data through a crash, and connections through a freeze', async (t) => {
    const cluster = await startCluster({ durable: true, settings: { max_connections: '20' } })
    t.after(() => cluster.remove())
    const before = await connect(t, cluster.adminUrl)
    assert.deepEqual((await before.query('SHOW max_connections')).rows, [{ max_connections: '20' }])
    await before.query('CREATE TABLE public.t AS SELECT 1 AS a')
    await cluster.kill()
    await assert.rejects(before.query('SELECT 1'))
    await assert.rejects(connect(t, cluster.adminUrl), { code: 'ECONNREFUSED' })
    await cluster.start()
    assert.match(cluster.log(), /not properly shut down/)

    const client = await connect(t, cluster.adminUrl)
    cluster.freeze()
    const response = client.query('SELECT a FROM public.t')
    assert.equal(await Promise.race([response, sleep(300, 'nothing')]), 'nothing')
    cluster.thaw()
    assert.deepEqual((await response).rows, [{ a: 1 }])

    await cluster.stop()
    await cluster.start()
    const after = await connect(t, cluster.adminUrl)
    assert.deepEqual((await after.query('SELECT a FROM public.t')).rows, [{ a: 1 }])
  })

  it('ends, and leaves no files, when the process that started it is killed', async (t) => {
    const program = `
      const { startCluster } = await import(${JSON.stringify(import.meta.resolve('./postgres.ts'))})
      console.log((await startCluster()).adminUrl)
      process.stdin.resume() // Stays until it is killed, or this process is.`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    t.after(() => child.kill('SIGKILL'))
    const [url] = await once(child.stdout, 'data')
    const client = await connect(t, String(url).trim())
    const { rows } = await client.query('SHOW data_directory')
    const directory = rows[0].data_directory
    assert.ok(existsSync(directory))
    child.kill('SIGKILL')
    const deadline = Date.now() + 30_000
    while (existsSync(directory)) {
      assert.ok(Date.now() < deadline, `${directory} is still there`)
      await sleep(20)
    }
    await assert.rejects(connect(t, String(url).trim()), { code: 'ECONNREFUSED' })
  })
})
