import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startNetwork } from '../../../test/nodes/network.ts'
import { runOn, schemaFor, skip, waitUntil } from '../../../test/nodes/nodes.ts'
import { assertWithin } from '../../../test/time-limit.ts'
import { type PostgresAddress, parsePostgresUrl } from '../../lib/postgres-url.ts'
import { prepareSchema } from '../db/postgres/schema.ts'
import { watchDatabase } from './watch.ts'

async function startWatch(t: TestContext, { pollMs }: { pollMs?: number } = {}) {
  const database = await schemaFor(t)
  const { schema } = database
  const network = await startNetwork(t, Number(new URL(database.url).port))
  const address = parsePostgresUrl(network.through(database.url)) as PostgresAddress
  const primary = { address, schema, name: 'watch', size: 1, statementMs: 10_000, idleInTransactionMs: 0 }
  await prepareSchema(primary, { schema, now: 0, onEvent() {} })
  const seen = { looks: 0, revocations: 0, moves: 0, silences: 0, changes: [] as boolean[] }
  const watch = await watchDatabase({
    primary,
    channel: 'revoked',
    ...(pollMs && { pollMs }),
    onRevocation: () => seen.revocations++,
    onRules: async () => {},
    onLook: () => seen.looks++,
    onMove: () => seen.moves++,
    onSilence: () => seen.silences++,
    onChange: (up) => seen.changes.push(up),
  })
  const revoke = () => runOn(database, 'UPDATE revocations SET count = count + 1')
  const listeners = `FROM pg_stat_activity WHERE application_name = 'watch' AND usename = '${database.role}'`
  return {
    watch,
    network,
    seen,
    revoke,
    notify: () => runOn(database, 'NOTIFY revoked'),
    cutListener: () => runOn(database, `SELECT pg_terminate_backend(pid) ${listeners}`),
  }
}

describe('the watch over the database', { skip }, () => {
  it('hears of a revocation by notification, without polling', async (t) => {
    const { watch, seen, revoke, notify } = await startWatch(t, { pollMs: 3_600_000 })
    t.after(() => watch.close())
    const before = seen.revocations
    await revoke()
    await notify()
    await waitUntil('it is heard of', 10_000, async () => seen.revocations > before)
  })

  it('reports what it sees', async (t) => {
    const { watch, network, seen, revoke, notify, cutListener } = await startWatch(t)
    t.beforeEach(() => {
      Object.assign(seen, { revocations: 0, moves: 0, silences: 0, changes: [] })
    })

    await t.test('learns of a revocation whose notification did not arrive', async () => {
      network.toClient = ({ kind }) => kind !== 'A'
      await revoke()
      await notify()
      await waitUntil('it is learnt of', 600, async () => seen.revocations > 0)
      await sleep(600)
      assert.equal(seen.revocations, 1, 'and only once')
    })

    await t.test('treats everything as revoked after its connection was lost', async () => {
      for (let round = 1; round <= 3; round++) {
        const before = seen.revocations
        await cutListener()
        await waitUntil('everything is taken for revoked', 1500, async () => seen.revocations > before)
        await waitUntil('what is remembered counts again', 500, async () => watch.isCurrent())
        assert.equal(watch.isUp(), true)
      }
      assert.deepEqual([seen.moves, seen.silences], [0, 0], 'other connections may stay')
    })

    await t.test('trusts its memory for less than a second when the database does not respond', async () => {
      network.silent = true
      await waitUntil('it is not current', 800, async () => !watch.isCurrent())
      assert.equal(watch.isUp(), watch.ageMs() < 2000, 'it may still be a hiccup')
      await waitUntil('it is down', 1500, async () => !watch.isUp())
      await waitUntil('it does not answer anew either', 6000, async () => seen.silences === 1)
      assert.ok(watch.downMs() > 1000)
      network.silent = false
      network.cutAll()
      await waitUntil('it is up again', 4000, async () => watch.isUp() && watch.isCurrent())
      assert.deepEqual(seen.changes, [false, true])
      assert.deepEqual([seen.silences, watch.downMs()], [1, 0])
    })

    await t.test('ends soon, even if the database does not respond', async () => {
      network.silent = true
      const begun = performance.now()
      await watch.close()
      assertWithin(3500, begun)
    })
  })
})
