import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import pg from 'pg'
import { startNetwork } from '../../../../test/nodes/network.ts'
import { runOn, schemaFor, skip } from '../../../../test/nodes/nodes.ts'
import { stallMs } from '../../../../test/time-limit.ts'
import {
  isBrokenUniqueness,
  isConflict,
  isConnectionLost,
  isLockTimeout,
  isMisconfigured,
  isPoolExhausted,
  isUnreachable,
  storageRefusal,
} from './failures.ts'

const kinds = {
  isBrokenUniqueness,
  isConflict,
  isConnectionLost,
  isLockTimeout,
  isMisconfigured,
  isPoolExhausted,
  isUnreachable,
}

/** The names of all categories that an error falls into. */
function namesOf(error: unknown): string[] {
  return Object.entries(kinds).flatMap(([name, is]) => (is(error) ? [name] : []))
}

async function connect(t: TestContext, url: string, options: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, pipeline: true, ...options } as pg.ClientConfig)
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  return client
}

async function failureOf(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => undefined,
    (error) => error,
  )
  assert.ok(error instanceof Error, 'It did not fail.')
  return error
}

const lost = ['isConnectionLost', 'isUnreachable']

describe('failures reported by PostgreSQL and its driver', { skip }, () => {
  it('are distinguished: lost, waiting, and wrong', async (t) => {
    const database = await schemaFor(t)
    const { url, schema } = database
    const options = `-c search_path=${schema} -c lock_timeout=50 -c statement_timeout=500`
    const a = await connect(t, url, { options })
    const b = await connect(t, url, { options })
    await a.query('CREATE TABLE t (id integer PRIMARY KEY, n integer); INSERT INTO t VALUES (1, 0), (2, 0)')

    const uniqueness = await failureOf(a.query('INSERT INTO t VALUES (1)'))
    assert.deepEqual(namesOf(uniqueness), ['isBrokenUniqueness'])
    assert.equal(storageRefusal(uniqueness), undefined, 'the rules of the row say what it means')

    await a.query('BEGIN; UPDATE t SET n = 1 WHERE id = 1')
    const locked = await failureOf(b.query('UPDATE t SET n = 2 WHERE id = 1'))
    assert.deepEqual(namesOf(locked), ['isLockTimeout'])
    assert.equal(storageRefusal(locked)?.code, 'overloaded')
    await a.query('ROLLBACK')

    for (const one of [a, b]) await one.query('BEGIN ISOLATION LEVEL SERIALIZABLE')
    for (const one of [a, b]) await one.query('SELECT sum(n) FROM t')
    await a.query('UPDATE t SET n = n + 1 WHERE id = 1')
    await a.query('COMMIT')
    const conflict = await failureOf(b.query('UPDATE t SET n = n + 1 WHERE id = 1'))
    assert.deepEqual(namesOf(conflict), ['isConflict'])
    assert.equal(storageRefusal(conflict)?.code, 'overloaded')
    await b.query('ROLLBACK')

    const slow = await failureOf(a.query('SELECT pg_sleep(5)'))
    assert.deepEqual(namesOf(slow), [])
    assert.equal(storageRefusal(slow)?.code, 'overloaded')

    await a.query('BEGIN READ ONLY')
    const readOnly = await failureOf(a.query('UPDATE t SET n = 2'))
    assert.deepEqual(namesOf(readOnly), ['isConnectionLost'], 'as on a server that has become a standby')
    await a.query('ROLLBACK')

    const mistake = await failureOf(a.query('SELECT nothing'))
    assert.deepEqual(namesOf(mistake), [])
    assert.equal(storageRefusal(mistake), undefined)

    const dropped = await failureOf(a.query('SELECT * FROM nothing'))
    assert.equal(storageRefusal(dropped)?.code, 'storage_unavailable')

    const forbidden = await failureOf(a.query('SELECT * FROM pg_authid'))
    assert.deepEqual(namesOf(forbidden), ['isMisconfigured'])

    // The backend's number, which pg's types leave out.
    const { processID } = a as unknown as { processID: number }
    await a.query('SET statement_timeout = 0')
    const hanging = failureOf(a.query('SELECT pg_sleep(20)'))
    await runOn(database, `SELECT pg_terminate_backend(${processID})`)
    const terminated = await hanging
    assert.deepEqual(namesOf(terminated), ['isConnectionLost'])
    assert.equal(storageRefusal(terminated)?.code, 'storage_unavailable')
    const afterwards = await failureOf(a.query('SELECT 1'))
    assert.deepEqual(namesOf(afterwards), lost)
  })

  it('are known at each step of a connection', async (t) => {
    const { url } = await schemaFor(t)
    const wrongPassword = url.replace(/:[^:@]*@/, ':wrong@')
    assert.deepEqual(namesOf(await failureOf(connect(t, wrongPassword))), ['isConnectionLost', 'isMisconfigured'])
    const noDatabase = url.replace(/[^/]*$/, 'nothing')
    assert.deepEqual(namesOf(await failureOf(connect(t, noDatabase))), ['isConnectionLost', 'isMisconfigured'])

    const server = createServer((socket) => socket.resume()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const elsewhere = new URL(url)
    elsewhere.port = String(port)
    const silent = await failureOf(connect(t, elsewhere.href, { connectionTimeoutMillis: 100 }))
    assert.deepEqual(namesOf(silent), lost)
    await new Promise((resolve) => server.close(resolve))
    assert.deepEqual(namesOf(await failureOf(connect(t, elsewhere.href))), lost)
    elsewhere.hostname = 'localhost'
    assert.deepEqual(namesOf(await failureOf(connect(t, elsewhere.href))), lost, 'with several addresses')
    elsewhere.hostname = 'no-such-host.invalid'
    assert.deepEqual(namesOf(await failureOf(connect(t, elsewhere.href))), lost)

    const network = await startNetwork(t, Number(new URL(url).port))
    network.toClient = ({ kind }, link) => {
      if (kind !== 'S') return true
      link.cut()
      return false
    }
    assert.deepEqual(namesOf(await failureOf(connect(t, network.through(url)))), lost)
  })

  it('are known for a connection that breaks or falls silent', async (t) => {
    const { url } = await schemaFor(t)
    const network = await startNetwork(t, Number(new URL(url).port))
    const client = await connect(t, network.through(url), { query_timeout: 100 })
    network.silent = true
    assert.deepEqual(namesOf(await failureOf(client.query('SELECT 1'))), lost)
    network.silent = false
    const other = await connect(t, network.through(url))
    const hanging = failureOf(other.query('SELECT pg_sleep(5)'))
    network.cutAll()
    assert.deepEqual(namesOf(await hanging), lost)

    const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: stallMs })
    pool.on('error', () => {}) // Its connection may still be closing when the role is dropped.
    const held = await pool.connect()
    const exhausted = await failureOf(pool.connect())
    held.release()
    await pool.end()
    assert.deepEqual(namesOf(exhausted), ['isConnectionLost', 'isPoolExhausted'])
    assert.equal(storageRefusal(exhausted)?.code, 'overloaded')
  })
})
