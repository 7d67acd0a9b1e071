import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type pg from 'pg'
import { schemaFor, skip } from '../../../../test/nodes/nodes.ts'
import { type PostgresAddress, parsePostgresUrl } from '../../../lib/postgres-url.ts'
import { cut, openPrimary } from './primary.ts'
import { shareConnections } from './share.ts'

async function open(t: TestContext, size: number) {
  const { url, schema } = await schemaFor(t)
  const address = parsePostgresUrl(url) as PostgresAddress
  const primary = openPrimary({
    address,
    schema,
    name: 'rollbook',
    size,
    statementMs: 10_000,
    idleInTransactionMs: 10_000,
  })
  const shared = shareConnections(primary, size)
  t.after(async () => {
    await shared.close()
    await primary.close()
  })
  return shared
}

type Shared = Awaited<ReturnType<typeof open>>

function runSql(shared: Shared, text = 'SELECT pg_backend_pid() AS pid'): Promise<number> {
  return shared.read(async (client) => (await client.query(text)).rows[0].pid)
}

describe('shared connections', { skip }, () => {
  it('are as few as was said, however many reads are on their way', async (t) => {
    const shared = await open(t, 2)
    const pids = await Promise.all(Array.from({ length: 50 }, () => runSql(shared)))
    assert.equal(new Set(pids).size, 2)
  })

  it('are not opened while one is enough', async (t) => {
    const shared = await open(t, 4)
    const pids = [await runSql(shared), await runSql(shared), ...(await Promise.all([runSql(shared), runSql(shared)]))]
    assert.equal(new Set(pids).size, 1)
  })

  it('lead around a read that takes long', async (t) => {
    const shared = await open(t, 2)
    let isRead = false
    const long = runSql(shared, 'SELECT pg_backend_pid() AS pid FROM pg_sleep(2)').finally(() => {
      isRead = true
    })
    // Two reads share a connection, so the third opens another one.
    const behind = runSql(shared)
    const pids = await Promise.all(Array.from({ length: 2 }, () => runSql(shared)))
    for (let i = 0; i < 10; i++) pids.push(await runSql(shared))
    assert.equal(isRead, false)
    assert.deepEqual(new Set(pids), new Set([pids[0]]))
    assert.deepEqual(await behind, await long)
    assert.notEqual(await long, pids[0])
  })

  it('carry on behind a read that fails', async (t) => {
    const shared = await open(t, 1)
    const [before, failed, after] = await Promise.allSettled([
      runSql(shared),
      runSql(shared, 'SELECT 1 / 0'),
      runSql(shared),
    ])
    assert.equal(failed.status, 'rejected')
    assert.deepEqual(after, before)
  })

  it('are reopened when they break', async (t) => {
    const shared = await open(t, 2)
    const askAll = () => Promise.all(Array.from({ length: 10 }, () => runSql(shared)))
    const before = await askAll()
    const cuts = Array.from({ length: 10 }, () =>
      shared.read(async (client) => {
        const closed = new Promise((resolve) => client.once('end', resolve))
        cut(client)
        await closed
      }),
    )
    await Promise.all(cuts)
    const after = await askAll()
    assert.equal(new Set([...before, ...after]).size, 4)
  })

  it('are left to the pool that opens them if that takes longer than the shutdown', async () => {
    const shared = shareConnections({ connect: () => new Promise(() => {}) }, 1)
    void shared.read(async () => {})
    await shared.close()
  })

  it('are retried after none could be opened', async () => {
    let tries = 0
    const connect = async (): Promise<pg.PoolClient> => {
      tries++
      throw new Error('no server')
    }
    const shared = shareConnections({ connect }, 1)
    await assert.rejects(runSql(shared), /no server/)
    await assert.rejects(runSql(shared), /no server/)
    assert.equal(tries, 2)
  })
})
