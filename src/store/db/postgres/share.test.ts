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

async function ask(connection: Promise<pg.ClientBase>, text = 'SELECT pg_backend_pid() AS pid'): Promise<number> {
  return (await (await connection).query(text)).rows[0].pid
}

describe('shared connections', { skip }, () => {
  it('are as few as was said, however many reads are on their way', async (t) => {
    const shared = await open(t, 2)
    const pids = await Promise.all(Array.from({ length: 50 }, () => ask(shared.connect())))
    assert.equal(new Set(pids).size, 2)
  })

  it('carry on behind a read that fails', async (t) => {
    const shared = await open(t, 1)
    const [before, failed, after] = await Promise.allSettled([
      ask(shared.connect()),
      ask(shared.connect(), 'SELECT 1 / 0'),
      ask(shared.connect()),
    ])
    assert.equal(failed.status, 'rejected')
    assert.deepEqual(after, before)
  })

  it('are reopened when they break', async (t) => {
    const shared = await open(t, 2)
    const before = [await ask(shared.connect()), await ask(shared.connect())]
    for (let i = 0; i < 2; i++) {
      const client = await shared.connect()
      const ended = new Promise((resolve) => client.once('end', resolve))
      cut(client)
      await ended
    }
    const after = [await ask(shared.connect()), await ask(shared.connect())]
    assert.equal(new Set([...before, ...after]).size, 4)
  })

  it('are left to the pool that opens them if that takes longer than the shutdown', async () => {
    const shared = shareConnections({ connect: () => new Promise(() => {}) }, 1)
    void shared.connect()
    await shared.close()
  })

  it('are retried after none could be opened', async () => {
    let tries = 0
    const connect = async (): Promise<pg.PoolClient> => {
      tries++
      throw new Error('no server')
    }
    const shared = shareConnections({ connect }, 1)
    await assert.rejects(shared.connect(), /no server/)
    await assert.rejects(shared.connect(), /no server/)
    assert.equal(tries, 2)
  })
})
