import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUser } from '../harness.ts'
import { look } from '../scrape.ts'
import { stallMs } from '../time-limit.ts'
import { behindNetwork, skip, timed, twoNodes, waitUntil } from './nodes.ts'

describe('the metrics of a node', { skip }, () => {
  it('are returned in time while the database is away, and report that it is', async (t) => {
    const { behind, network } = await behindNetwork(t)
    const lookBehind = () => look(behind)
    await createUser(behind)
    await waitUntil('it is read', 15_000, async () => {
      const before = await lookBehind()
      return before.value('rollbook_database_up') === 1 && before.value('rollbook_store_readable') === 1
    })

    network.silent = true
    const { ms } = await timed(
      waitUntil('it is noticed', 15_000, async () => {
        const { ms, result } = await timed(lookBehind())
        assert.ok(ms < 3000 + stallMs, `a scrape took ${ms} ms`)
        return result.value('rollbook_database_up') === 0 && result.value('rollbook_store_readable') === 0
      }),
    )
    const away = await lookBehind()
    assert.equal(away.value('rollbook_ready'), 0, `after ${ms} ms`)
    // Old figures are not reported as current.
    assert.equal(away.value('rollbook_audit_records_total'), undefined)
    assert.equal(away.value('rollbook_journal_pending'), undefined)
    assert.ok((away.value('rollbook_database_silent_seconds') ?? 0) > 1)

    network.silent = false
    network.cutAll()
    await waitUntil('it is back', 15_000, async () => {
      const back = await lookBehind()
      return back.value('rollbook_database_up') === 1 && back.value('rollbook_store_readable') === 1
    })
  })

  it('do not wait for a database that has just fallen silent', async (t) => {
    const { behind, network } = await behindNetwork(t)
    network.silent = true
    const { ms, result } = await timed(look(behind))
    // The silence is not noticed for two seconds; Prometheus would time out and lose the process's own figures.
    if (ms < 2000) assert.equal(result.value('rollbook_database_up'), 1)
    assert.equal(result.value('rollbook_store_readable'), 0)
    assert.ok(ms < 3000 + stallMs, `it took ${ms} ms`)
    network.silent = false
    network.cutAll()
  })

  it('report its own requests, and about the store the same as every other node', async (t) => {
    const [one, other] = await twoNodes(t)
    await createUser(one)
    await createUser(one)
    await Promise.all([one.storage.settleJournal(), other.storage.settleJournal()])
    const [first, second] = [await look(one), await look(other)]
    const created = { operation: 'create_user_users_post', status: '201' }
    assert.equal(first.value('rollbook_http_requests_total', created), 2)
    assert.equal(second.value('rollbook_http_requests_total', created), undefined)
    for (const name of ['rollbook_audit_records_total', 'rollbook_events_total']) {
      assert.ok((first.value(name) ?? 0) > 0)
      assert.equal(first.value(name), second.value(name), name)
    }
  })

  it('report how many connections of each pool are in use, and how many requests wait for one', async (t) => {
    const { behind, network, direct } = await behindNetwork(t, { ROLLBOOK_DATABASE_POOL_SIZE: '2' })
    const pool = { pool: 'changes' }
    const lookBehind = () => look(behind)
    await createUser(behind)
    assert.equal((await lookBehind()).value('rollbook_database_connections_limit', pool), 2)
    let release = () => {}
    const held = new Promise<true>((resolve) => {
      release = () => resolve(true)
    })
    network.toServer = ({ kind, text }, link) =>
      link.name === 'rollbook' && kind === 'Q' && text === 'COMMIT\0' ? held : true
    // With an Idempotency-Key each has a transaction of its own.
    const created = Array.from({ length: 5 }, (_, i) =>
      behind.call('POST', '/users', { body: { username: `pooled-${i}` }, headers: { 'idempotency-key': `key-${i}` } }),
    )
    await waitUntil('both connections are in use', 5000, async () => {
      const found = await lookBehind()
      return (
        found.value('rollbook_database_connections', pool) === 2 &&
        (found.value('rollbook_database_connections_awaited', pool) ?? 0) >= 3 &&
        (found.value('rollbook_changes_waiting') ?? 0) >= 5
      )
    })
    release()
    await Promise.all(created)
    await waitUntil('nobody waits any more', 5000, async () => {
      const after = await lookBehind()
      return (
        after.value('rollbook_database_connections_awaited', pool) === 0 &&
        after.value('rollbook_changes_waiting') === 0
      )
    })
    assert.equal((await direct.call('GET', '/users')).body.length, 6)
  })
})
