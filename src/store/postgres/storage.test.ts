import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import pg from 'pg'
import { startNetwork } from '../../../test/nodes/network.ts'
import { runOn, schemaFor, skip, waitUntil } from '../../../test/nodes/nodes.ts'
import { plainRules } from '../../../test/plain-rules.ts'
import { assertWithin } from '../../../test/time-limit.ts'
import { filtersWithin } from '../../administration/users-list/service.ts'
import { handlers } from '../../app/handlers.ts'
import { system } from '../../core/actor.ts'
import { scopeOf } from '../../core/scope.ts'
import { type PostgresAddress, parsePostgresUrl } from '../../lib/postgres-url.ts'
import type { Storage } from '../storage/storage.ts'
import { openPostgresStorage } from './storage.ts'

async function open(t: TestContext, more: { writeQueue?: number; poolSize?: number } = {}) {
  const database = await schemaFor(t)
  const network = await startNetwork(t, Number(new URL(database.url).port))
  const events: string[] = []
  const storage = await openPostgresStorage({
    handlers: { ...handlers, ...(await handlers.loadChanges()) },
    address: parsePostgresUrl(network.through(database.url)) as PostgresAddress,
    schema: database.schema,
    rules: plainRules,
    now: Date.now(),
    poolSize: 4,
    writeQueue: 10,
    maxSnapshots: 2,
    snapshotSeconds: 60,
    onEvent: (message) => events.push(message),
    onDamage: assert.fail,
    ...more,
  })
  return { database, network, events, storage }
}

function create(storage: Storage, username: string) {
  const input = { username, username_key: username }
  return storage.change('users.create', input, { actor: system, now: Date.now(), requestId: 'test' })
}

describe('the storage on PostgreSQL', { skip }, () => {
  it('closes when its work is done, and leaves no connection', async (t) => {
    const { storage, database } = await open(t)
    const changes = Promise.all(Array.from({ length: 10 }, (_, i) => create(storage, `user-${i}`)))
    await storage.usersVersion()
    await storage.close()
    assert.equal((await changes).length, 10)
    assert.equal((await runOn(database, 'SELECT 1 FROM users')).length, 10)
    await waitUntil('the server has let go of all', 1000, async () => {
      const left = await runOn(database, `SELECT 1 FROM pg_stat_activity WHERE usename = '${database.role}'`)
      return left.length === 0
    })
  })

  it('closes even while the database hangs', async (t) => {
    const { storage, network } = await open(t)
    await create(storage, 'ada')
    await storage.usersVersion()
    network.silent = true
    const begun = performance.now()
    await storage.close()
    assertWithin(6000, begun)
  })

  it('refuses changes when too many wait, and continues when they are done', async (t) => {
    const { storage, network } = await open(t, { writeQueue: 3, poolSize: 1 })
    let gate = Promise.withResolvers<boolean>()
    network.toServer = ({ kind }, { name }) => name !== 'rollbook' || kind !== 'Q' || gate.promise
    const first = [1, 2, 3].map((i) => create(storage, `user-${i}`))
    await assert.rejects(create(storage, 'too-many'), { code: 'overloaded' })
    gate.resolve(true)
    assert.equal((await Promise.all(first)).length, 3)
    gate = Promise.withResolvers()
    gate.resolve(true)
    await create(storage, 'one-more')
    await storage.close()
  })

  it('ends the search of a client that disconnects, on the server too, and runs half of its searches for one caller', async (t) => {
    const { storage, database } = await open(t)
    await create(storage, 'ada')
    const plan = {
      filters: filtersWithin(scopeOf(system), { role: 'user' }),
      sort: { column: 'email_key', descending: false },
      limit: 10,
    } as const
    const find = (id: string, signal?: AbortSignal) => {
      const input = { ...plan, count: true, format: 'json' } as const
      return storage.query('users.page', input, { actor: { ...system, id }, ...(signal && { signal }) })
    }
    const running = async () => {
      const text = `SELECT 1 FROM pg_stat_activity WHERE usename = '${database.role}' AND wait_event_type = 'Lock'`
      return (await runOn(database, text)).length
    }
    await find('ada')
    // A lock on the table delays each search, as a slow one would.
    const holder = new pg.Client({ connectionString: database.url })
    await holder.connect()
    try {
      await holder.query(`BEGIN; LOCK TABLE ${database.schema}.users IN ACCESS EXCLUSIVE MODE`)
      const left = new AbortController()
      const searches = Array.from({ length: 4 }, () => find('ada', left.signal))
      const settled = Promise.allSettled(searches)
      await waitUntil('half of the places are taken', 900, async () => (await running()) === 2)
      left.abort()
      for (const one of await settled)
        assert.match(String((one as PromiseRejectedResult).reason), /The client disconnected/)
      assert.equal(await running(), 0)
    } finally {
      await holder.query('ROLLBACK')
      await holder.end()
    }
    await Promise.all([find('ada'), find('eve')])
    await storage.close()
  })

  it('reports when the database does not respond, and when it responds again', async (t) => {
    const { storage, network, events } = await open(t)
    network.closed = true
    network.cutAll()
    await waitUntil('it is down', 4000, async () => !storage.isReady())
    network.closed = false
    await waitUntil('it is up', 4000, async () => storage.isReady())
    await create(storage, 'ada')
    assert.deepEqual(events, ['the database does not respond', 'the database responds again'])
    await storage.close()
  })
})
